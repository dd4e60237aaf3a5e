/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program puts into captures, `iwarpsim decode` reads out of them: every octet accounted for, and
 * the run's own counts. */
#include <string.h>

#include "decode_trip.h"
#include "run_kit.h"
#include "string_list.h"
#include "test.h"

/* A run, and what of it can be compared. */
typedef struct trip {
  const char *name;
  const char *file; /* NULL: a title and `sets` */
  const char *sets[10];
  const char *options[4];  /* of decode */
  int main_direction;      /* which the Data Sink receives */
  gboolean other_receiver; /* the run's receiver locates in its own way, or passes segments over: located_by_*
                              are its own */
} trip;

/* --- Sums against metrics --- */

static void assert_sum(JsonObject *decoded, int direction, const char *member, JsonObject *metrics,
                       const char *metric)
{
  if (!json_object_has_member(metrics, metric)) {
    g_error("metric %s has no value", metric);
  }
  gint64 found = decode_trip_sum(decoded, direction, member);
  double expected = json_object_get_double_member(metrics, metric);
  if ((double)found != expected) {
    g_error("decode: %s is %" G_GINT64_FORMAT "; the run: %s is %.0f", member, found, metric, expected);
  }
}

static void assert_metrics(JsonObject *decoded, const trip *t, JsonObject *metrics)
{
  int direction = t->main_direction;

  assert_sum(decoded, direction, "fpdus", metrics, "mpa.fpdus");
  assert_sum(decoded, direction, "markers", metrics, "mpa.markers");
  assert_sum(decoded, direction, "segments", metrics, "tcp.segments");
  assert_sum(decoded, direction, "aligned", metrics, "mpa.segments_aligned");
  assert_sum(decoded, direction, "out_of_order", metrics, "tcp.segments_out_of_order");
  if (!t->other_receiver) {
    assert_sum(decoded, direction, "located_by_chain", metrics, "mpa.located_by_chain");
    assert_sum(decoded, direction, "located_by_marker", metrics, "mpa.located_by_marker");
    assert_sum(decoded, direction, "located_by_marker_chain", metrics, "mpa.located_by_marker_chain");
  }
}

static void check_trip(const trip *t)
{
  g_autoptr(run_folder) folder = run_kit_new_folder();
  g_autoptr(JsonObject) metrics = decode_trip_run(folder, t->file, t->sets);
  g_autoptr(JsonObject) sent = decode_trip_summary(folder, "sender.pcap", t->options, 0);
  g_autoptr(JsonObject) arrived = decode_trip_summary(folder, "receiver.pcap", t->options, 0);

  decode_trip_assert_accounted(sent);
  decode_trip_assert_accounted(arrived);
  decode_trip_assert_same_streams(sent, arrived);
  assert_metrics(arrived, t, metrics);
}

/* --- The shipped scenarios, as they are without their sweeps, the long ones with less work --- */

static const trip scenarios[] = {
    {.name = "connections",
     .file = "connections.cfg",
     .sets = {"workload.connections=30", "workload.messages=8"}},
    {.name = "connections, not aligned",
     .file = "connections.cfg",
     .sets = {"workload.connections=30", "workload.messages=8", "sender.segmentation=stream"}},
    {.name = "cut-size", .file = "cut-size.cfg", .sets = {"middlebox.chunk=64", "workload.messages=20"}},
    {.name = "cut-size 700", .file = "cut-size.cfg", .sets = {"middlebox.chunk=700", "workload.messages=40"}},
    {.name = "displaced", .file = "displaced.cfg", .sets = {NULL}},
    {.name = "displaced in order",
     .file = "displaced.cfg",
     .sets = {"receiver.mode=in-order"},
     .other_receiver = TRUE},
    {.name = "four-receivers",
     .file = "four-receivers.cfg",
     .sets = {"workload.messages=40", "path.forward.loss=1%", "path.forward.mtu=576"}},
    {.name = "four-receivers, assume-aligned",
     .file = "four-receivers.cfg",
     .sets = {"workload.messages=40", "path.forward.loss=1%", "mpa.markers=false",
              "receiver.mode=assume-aligned"},
     .other_receiver = TRUE},
    {.name = "generations, ietf",
     .file = "generations.cfg",
     .sets = {"initiator.generation=ietf", "responder.generation=ietf"}},
    {.name = "generations, rfc",
     .file = "generations.cfg",
     .sets = {"initiator.generation=rfc", "responder.generation=rfc"}},
    {.name = "generations, rdmac",
     .file = "generations.cfg",
     .sets = {"initiator.generation=rdmac", "responder.generation=rdmac"},
     .options = {"--mpa", "*:5044"}},
    /* Its receiver puts fragments together with less memory than decode has. */
    {.name = "ip-fragments", .file = "ip-fragments.cfg", .sets = {"receiver.ip_reassembly=unlimited"}},
    {.name = "lossless", .file = "lossless.cfg", .sets = {"workload.messages=50"}},
    {.name = "memory-goodput",
     .file = "memory-goodput.cfg",
     .sets = {"workload.messages=40", "path.forward.loss=1%"}},
    {.name = "middleboxes",
     .file = "middleboxes.cfg",
     .sets = {"workload.messages=20", "middlebox.mode=random"}},
    {.name = "middleboxes, joined",
     .file = "middleboxes.cfg",
     .sets = {"workload.messages=20", "middlebox.mode=rechunk+coalesce", "path.forward.loss=1%"}},
    {.name = "mtu-loss",
     .file = "mtu-loss.cfg",
     .sets = {"workload.messages=40", "path.forward.mtu=9000", "path.forward.loss=1%"}},
    {.name = "one-loss-in-order", .file = "one-loss-in-order.cfg", .other_receiver = TRUE},
    {.name = "one-loss-markers", .file = "one-loss-markers.cfg"},
    {.name = "one-loss-middlebox", .file = "one-loss-middlebox.cfg"},
    {.name = "overhead",
     .file = "overhead.cfg",
     .sets = {"workload.messages=4", "path.forward.mtu=9000", "mpa.crc=false"}},
    {.name = "packing",
     .file = "packing.cfg",
     .sets = {"workload.messages=500", "workload.message_size=216"}},
    {.name = "packing, not aligned",
     .file = "packing.cfg",
     .sets = {"workload.messages=500", "workload.message_size=706", "sender.segmentation=stream"}},
    {.name = "path-mtu-change", .file = "path-mtu-change.cfg"},
    {.name = "reads-loss",
     .file = "reads-loss.cfg",
     .main_direction = DECODE_TRIP_REVERSE,
     .other_receiver = TRUE},
    {.name = "reordering", .file = "reordering.cfg"},
    {.name = "storage-loss", .file = "storage-loss.cfg"},
    {.name = "ten-thousand-connections",
     .file = "ten-thousand-connections.cfg",
     .sets = {"workload.connections=100", "workload.start_spread=5ms"}},
    /* What no shipped scenario has. */
    {.name = "IPv6, behind streaming mode, private data",
     .sets = {"tcp.ip=ipv6", "sender.stream_phase=333", "initiator.private_data=512",
              "responder.private_data=3", "path.forward.loss=2%"}},
    {.name = "damage, duplicates",
     .sets = {"path.forward.corrupt=2%", "path.forward.duplicate=5%", "workload.messages=40"}},
    {.name = "sequence numbers that wrap", .sets = {"run.seed=67743", "path.forward.loss=1%"}},
    {.name = "two segments lost of each burst, rdmac",
     .sets = {"mpa.generation=rdmac", "path.forward.gemodel=[0.5%,50%,100%,0]", "path.forward.mtu=9000"},
     .options = {"--mpa", "*:5044"}},
};

EACH_TEST(test_scenario, trip, scenarios)
{
  check_trip(c);
}

/* The one whose 1000th FPDU has a wrong CRC: it counts, what was sent after it is decoded along its
 * length. */
FOLDER_TEST(test_bad_crc)
{
  static const char *const sets[] = {NULL};
  g_autoptr(JsonObject) metrics = decode_trip_run(folder, "bad-crc.cfg", sets);
  g_autoptr(JsonObject) decoded = decode_trip_summary(folder, "receiver.pcap", NULL, 0);
  gint64 fpdus = decode_trip_sum(decoded, DECODE_TRIP_FORWARD, "fpdus");

  g_assert_cmpint(decode_trip_sum(decoded, DECODE_TRIP_FORWARD, "crc_bad"), ==, 1);
  g_assert_cmpint(fpdus, >, 1000);
  g_assert_cmpint(decode_trip_sum(decoded, DECODE_TRIP_FORWARD, "after_error"), ==, fpdus - 1000);
  g_assert_cmpint(decode_trip_sum(decoded, DECODE_TRIP_REVERSE, "fpdus"), ==, 1); /* the Terminate */
}

/* --- Terminates --- */

/* An Initiator's misdeed, and what the Responder's Terminate holds (rdmap-00 §6.8, fig. 9). */
static const struct {
  const char *operation;
  const char *fault;
  gint64 layer, type, code;
} misdeeds[] = {
    {"write", "invalid-stag", 1, 1, 0x00},       {"write", "bad-crc", 2, 0, 0x02},
    {"send", "no-buffer", 1, 2, 0x02},           {"send", "rdmap-version", 0, 2, 0x05},
    {"send", "unknown-opcode", 0, 2, 0x06},      {"read", "read-access", 0, 1, 0x02},
    {"write", "ddp-version-tagged", 1, 1, 0x04},
};

/* Each misdeed is decoded as it stands, and the Terminate with its numbers. */
TEST(test_terminate)
{
  for (gsize i = 0; i < G_N_ELEMENTS(misdeeds); i++) {
    g_autoptr(run_folder) folder = run_kit_new_folder();
    g_autofree char *operation = g_strconcat("workload.operation=", misdeeds[i].operation, NULL);
    g_autofree char *fault = g_strconcat("fault.error=", misdeeds[i].fault, NULL);
    g_autoptr(JsonObject) metrics = decode_trip_run(
        folder, NULL, STRINGS("workload.messages=6", "run.expect=terminate", "fault.at=2", operation, fault));
    g_autoptr(GPtrArray) fpdus = decode_trip_fpdus(folder, "receiver.pcap", NULL);
    JsonObject *found = NULL;

    g_test_message("%s", misdeeds[i].fault);
    for (guint k = 0; k < fpdus->len; k++) {
      JsonObject *rdmap = json_object_get_object_member(fpdus->pdata[k], "rdmap");
      found = json_object_has_member(rdmap, "terminate") ? json_object_get_object_member(rdmap, "terminate")
                                                         : found;
    }
    g_assert_nonnull(found);
    g_assert_cmpint(json_object_get_int_member(found, "layer"), ==, misdeeds[i].layer);
    g_assert_cmpint(json_object_get_int_member(found, "type"), ==, misdeeds[i].type);
    g_assert_cmpint(json_object_get_int_member(found, "code"), ==, misdeeds[i].code);
  }
}

/* --- The documentation --- */

/* docs/captures.md shows what the commands that it names print. */
FOLDER_TEST(test_documentation)
{
  g_autoptr(JsonObject) metrics =
      decode_trip_run(folder, "one-loss-markers.cfg",
                      STRINGS("workload.message_size=4000", "workload.messages=2", "path.forward.drop=[2]"));
  g_autofree char *text = decode_trip_decode(folder, "receiver.pcap", NULL, 0);
  g_autofree char *docs = g_build_filename(g_getenv("SCENARIOS"), "..", "docs", NULL);
  g_autofree char *page = run_kit_read(docs, "captures.md", NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  g_assert_cmpuint(g_strv_length(lines), >, 10);
  for (char **line = lines + 1; **line != '\0'; line++) { /* the first names the file */
    g_autofree char *shown = g_strconcat("\n    ", *line, "\n", NULL);
    if (!strstr(page, shown)) {
      g_error("docs/captures.md does not show: %s", *line);
    }
  }
}

/* --- Operations, generations, paths --- */

typedef struct operation {
  const char *name;
  const char *sets[2];
  int main_direction;
} operation;

static const operation operations[] = {
    {"write", {"workload.operation=write"}, DECODE_TRIP_FORWARD},
    {"read", {"workload.operation=read"}, DECODE_TRIP_REVERSE},
    {"send", {"workload.operation=send"}, DECODE_TRIP_FORWARD},
    {"send-invalidate", {"workload.operation=send-invalidate"}, DECODE_TRIP_FORWARD},
    {"send-se", {"workload.operation=send-se"}, DECODE_TRIP_FORWARD},
    {"send-se-invalidate", {"workload.operation=send-se-invalidate"}, DECODE_TRIP_FORWARD},
    {"storage-read", {"workload.operation=storage-read"}, DECODE_TRIP_REVERSE},
    {"storage-write", {"workload.operation=storage-write"}, DECODE_TRIP_FORWARD},
    {"mix", {"workload.operation=send+read+send-se"}, DECODE_TRIP_FORWARD},
    {"both-directions", {"workload.operation=write", "workload.directions=both"}, DECODE_TRIP_FORWARD},
};

static const char *const generations[][2] = {{"mpa.generation=rdmac", "mpa.markers=true"},
                                             {"mpa.generation=ietf", "mpa.markers=true"},
                                             {"mpa.generation=rfc", "mpa.markers=false"}};

static const char *const paths[][3] = {
    {"path.forward.loss=0%", "path.reverse.loss=0%", "tcp.timestamps=true"},
    {"path.forward.loss=3%", "path.reverse.loss=3%", "path.forward.reorder=10%"},
    {"sender.segmentation=stream", "path.forward.loss=2%", "middlebox.mode=rechunk"},
};

/* Each generation on two of the three paths. */
EACH_TEST(test_operation, operation, operations)
{
  for (gsize g = 0; g < G_N_ELEMENTS(generations); g++) {
    for (gsize i = 0; i < 2; i++) {
      gsize p = (g + i) % G_N_ELEMENTS(paths);
      trip t = {.name = c->name, .main_direction = c->main_direction};
      const char *sets[] = {"workload.messages=6",
                            "workload.message_size=20001",
                            c->sets[0],
                            generations[g][0],
                            generations[g][1],
                            paths[p][0],
                            paths[p][1],
                            paths[p][2],
                            c->sets[1],
                            NULL};

      memcpy(t.sets, sets, sizeof sets);
      if (g == 0) {
        t.options[0] = "--mpa";
        t.options[1] = "*:5044";
      }
      g_test_message("%s, %s, %s", c->name, generations[g][0], paths[p][1]);
      check_trip(&t);
    }
  }
}
