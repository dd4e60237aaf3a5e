/* SPDX-License-Identifier: GPL-2.0-only */
/* What the program puts into captures, `iwarpsim decode` reads out of them: every octet accounted for, and
 * the run's own counts. */
#include <string.h>

#include "decode_trip.h"

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

static void check_trip(const trip *t)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result = RUN(.file = t->file, .folder = folder, .sets = t->sets);
  g_autoptr(JsonObject) sent = trip_summary(folder, "sender.pcap", t->options);
  g_autoptr(JsonObject) arrived = trip_summary(folder, "receiver.pcap", t->options);

  trip_assert_accounted(sent);
  trip_assert_accounted(arrived);
  trip_assert_same(sent, arrived, STRINGS(NULL));
  EXPECT_SUMS(arrived, t->main_direction, ("fpdus", ==, metric_of(&result, METRIC_MPA_FPDUS)),
              ("markers", ==, metric_of(&result, METRIC_MPA_MARKERS)),
              ("segments", ==, metric_of(&result, METRIC_TCP_SEGMENTS)),
              ("aligned", ==, metric_of(&result, METRIC_MPA_SEGMENTS_ALIGNED)),
              ("out_of_order", ==, metric_of(&result, METRIC_TCP_SEGMENTS_OUT_OF_ORDER)));
  if (!t->other_receiver) {
    EXPECT_SUMS(arrived, t->main_direction,
                ("located_by_chain", ==, metric_of(&result, METRIC_MPA_LOCATED_BY_CHAIN)),
                ("located_by_marker", ==, metric_of(&result, METRIC_MPA_LOCATED_BY_MARKER)),
                ("located_by_marker_chain", ==, metric_of(&result, METRIC_MPA_LOCATED_BY_MARKER_CHAIN)));
  }
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
    {.name = "reads-loss", .file = "reads-loss.cfg", .main_direction = TRIP_REVERSE, .other_receiver = TRUE},
    {.name = "reordering", .file = "reordering.cfg"},
    {.name = "storage-loss", .file = "storage-loss.cfg"},
    {.name = "ten-thousand-connections",
     .file = "ten-thousand-connections.cfg",
     .sets = {"workload.connections=100", "workload.start_spread=5ms"}},
    /* What no shipped scenario has. */
    {.name = "IPv6, after streaming mode, private data",
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
  g_auto(session_result) result = RUN(.file = "bad-crc.cfg", .folder = folder, .status = RUN_TERMINATED);
  g_autoptr(JsonObject) decoded = trip_summary(folder, "receiver.pcap", NULL);
  gint64 fpdus = trip_sum(decoded, TRIP_FORWARD, "fpdus");

  g_assert_cmpint(fpdus, >, 1000);
  EXPECT_SUMS(decoded, TRIP_FORWARD, ("crc_bad", ==, 1), ("after_error", ==, fpdus - 1000));
  EXPECT_SUMS(decoded, TRIP_REVERSE, ("fpdus", ==, 1)); /* the Terminate */
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
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.folder = folder, .status = RUN_TERMINATED,
            .sets = STRINGS("workload.messages=6", "run.expect=terminate", "fault.at=2",
                            setting("workload.operation=%s", misdeeds[i].operation),
                            setting("fault.error=%s", misdeeds[i].fault)));
    g_autoptr(GPtrArray) fpdus = trip_fpdus(folder, "receiver.pcap", NULL);
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
  g_auto(session_result) result =
      RUN(.file = "one-loss-markers.cfg", .folder = folder,
          .sets = STRINGS("workload.message_size=4000", "workload.messages=2", "path.forward.drop=[2]"));
  g_autofree char *text = trip_decode(folder, "receiver.pcap", NULL, NULL);
  g_autofree char *docs = g_build_filename(g_getenv("SCENARIOS"), "..", "docs", NULL);
  g_autofree char *page = read_file(docs, "captures.md", NULL);
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
    {"write", {"workload.operation=write"}, TRIP_FORWARD},
    {"read", {"workload.operation=read"}, TRIP_REVERSE},
    {"send", {"workload.operation=send"}, TRIP_FORWARD},
    {"send-invalidate", {"workload.operation=send-invalidate"}, TRIP_FORWARD},
    {"send-se", {"workload.operation=send-se"}, TRIP_FORWARD},
    {"send-se-invalidate", {"workload.operation=send-se-invalidate"}, TRIP_FORWARD},
    {"storage-read", {"workload.operation=storage-read"}, TRIP_REVERSE},
    {"storage-write", {"workload.operation=storage-write"}, TRIP_FORWARD},
    {"mix", {"workload.operation=send+read+send-se"}, TRIP_FORWARD},
    {"both-directions", {"workload.operation=write", "workload.directions=both"}, TRIP_FORWARD},
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
      trip t = {.name = c->name,
                .main_direction = c->main_direction,
                .sets = {"workload.messages=6", "workload.message_size=20001", c->sets[0], generations[g][0],
                         generations[g][1], paths[p][0], paths[p][1], paths[p][2], c->sets[1]}};

      if (g == 0) {
        t.options[0] = "--mpa";
        t.options[1] = "*:5044";
      }
      g_test_message("%s, %s, %s", c->name, generations[g][0], paths[p][1]);
      check_trip(&t);
    }
  }
}
