/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the capture of a run, replayed: the receivers receive the same as in the run, so they
 * hold the same octets at the same times, to a nanosecond, and place and deliver the same. */
#include <math.h>

#include <string.h>

#include "parts.h"
#include "replay/replay.h"

#include "run_fixture.h"
#include "scenario/configuration.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(replay, replay_free)

/* This is one run: a shipped scenario, shortened, or settings that together cover every way of receiving. */
typedef struct round_trip {
  const char *name;
  const char *scenario;
  const char *sets[8];
} round_trip;

static const round_trip short_ones[] = {
    {"one loss, markers", "one-loss-markers.cfg", {NULL}},
    {"one loss, in order", "one-loss-in-order.cfg", {NULL}},
    {"one loss, middlebox", "one-loss-middlebox.cfg", {NULL}},
    {"lossless", "lossless.cfg", {"workload.messages=20"}},
    {"reads", "reads-loss.cfg", {"workload.messages=15"}},
    {"storage writes", "storage-loss.cfg", {"workload.messages=20", "path.forward.loss=0.5%"}},
    {"every operation, both ways",
     "storage-loss.cfg",
     {"workload.operation=write+send+read+send-invalidate+send-se", "workload.directions=both",
      "workload.messages=25", "path.forward.loss=0.5%"}},
    {"a bad CRC", "bad-crc.cfg", {"workload.messages=30"}},
    {"damage, found by TCP", "one-loss-markers.cfg", {"path.forward.corrupt=1%"}},
    {"damage, found by MPA",
     "one-loss-markers.cfg",
     {"path.forward.corrupt=0.3%", "path.forward.corrupt_checksum=misses"}},
    {"damage, dropped silently",
     "one-loss-markers.cfg",
     {"path.forward.corrupt=0.3%", "path.forward.corrupt_checksum=misses", "mpa.silent_drop=true"}},
    {"duplicates", "one-loss-markers.cfg", {"path.forward.duplicate=2%", "path.forward.loss=1%"}},
    {"displaced, in order",
     "displaced.cfg",
     {"receiver.mode=in-order", "path.forward.displace_by=16 segments", "workload.messages=15"}},
    {"many connections, stream",
     "connections.cfg",
     {"workload.connections=12", "workload.messages=12", "sender.segmentation=stream",
      "path.forward.loss=0.5%"}},
    {"limited memory", "memory-goodput.cfg", {"receiver.memory=6000", "workload.messages=40"}},
    {"limited memory, in order, connections",
     "memory-goodput.cfg",
     {"receiver.memory=9000", "receiver.mode=in-order", "workload.messages=10", "workload.connections=4",
      "path.forward.loss=0.5%"}},
    {"partial FPDUs",
     "one-loss-markers.cfg",
     {"receiver.partial_fpdus=1", "path.forward.loss=2%", "sender.segmentation=stream"}},
    {"cells", "one-loss-in-order.cfg", {"receiver.cell=512", "path.forward.loss=1%"}},
    {"no markers, in order",
     "four-receivers.cfg",
     {"receiver.mode=in-order", "mpa.markers=false", "path.forward.loss=0.5%", "workload.messages=30"}},
    {"no markers, out of order",
     "four-receivers.cfg",
     {"mpa.markers=false", "path.forward.loss=0.5%", "workload.messages=30"}},
    {"markers, stream", "four-receivers.cfg", {"path.forward.loss=0.5%", "workload.messages=30"}},
    {"assume-aligned",
     "four-receivers.cfg",
     {"receiver.mode=assume-aligned", "mpa.markers=false", "path.forward.mtu=576", "path.forward.loss=0.5%",
      "workload.messages=15"}},
    {"assume-aligned, no CRC",
     "one-loss-markers.cfg",
     {"receiver.mode=assume-aligned", "mpa.markers=false", "mpa.crc=false", "path.forward.loss=1%",
      "sender.segmentation=stream", "sender.stream_phase=100"}},
    {"placement latency",
     "one-loss-markers.cfg",
     {"receiver.placement_latency=20us", "path.forward.loss=1%"}},
    {"placement latency, in order",
     "one-loss-in-order.cfg",
     {"receiver.placement_latency=20us", "path.forward.loss=1%"}},
    {"fragments", "ip-fragments.cfg", {"workload.messages=15", "path.forward.loss=0.5%"}},
    {"fragments, one buffer",
     "ip-fragments.cfg",
     {"receiver.ip_reassembly=limited", "workload.messages=15", "path.forward.loss=0.5%"}},
    {"fragments, a buffer for several",
     "ip-fragments.cfg",
     {"receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=20000", "workload.messages=15",
      "path.forward.loss=0.5%"}},
    {"the path MTU shrinks", "path-mtu-change.cfg", {"workload.messages=30"}},
    {"rdmac", "generations.cfg", {"responder.generation=rdmac", "path.forward.loss=1%"}},
    {"rfc",
     "generations.cfg",
     {"initiator.generation=rfc", "responder.generation=rfc", "path.forward.loss=1%"}},
    {"the Responder rejects", "generations.cfg", {"initiator.generation=ietf", "responder.rejects=true"}},
    {"the Initiator sends the key of a Reply",
     "one-loss-markers.cfg",
     {"fault.error=startup-role", "run.expect=any"}},
    {"streaming octets",
     "one-loss-markers.cfg",
     {"sender.stream_phase=5000", "path.forward.loss=3%", "workload.connections=3", "workload.messages=5"}},
    {"long Private Data",
     "one-loss-markers.cfg",
     {"initiator.private_data=6000", "responder.private_data=3000", "path.forward.loss=3%"}},
    {"small messages in a stream",
     "packing.cfg",
     {"workload.messages=150", "sender.segmentation=stream", "path.forward.loss=1%"}},
    {"IPv6", "one-loss-markers.cfg", {"tcp.ip=ipv6", "path.forward.loss=1%", "sender.segmentation=stream"}},
    {"timestamps", "one-loss-in-order.cfg", {"tcp.timestamps=true", "path.forward.loss=1%"}},
    {"ECN", "one-loss-in-order.cfg", {"tcp.ecn=on", "path.forward.ecn_mark=1%", "path.forward.loss=1%"}},
    {"shift", "middleboxes.cfg", {"middlebox.mode=shift", "workload.messages=15"}},
    {"proxy", "middleboxes.cfg", {"middlebox.mode=proxy", "workload.messages=15"}},
    {"random cuts", "middleboxes.cfg", {"middlebox.mode=random", "workload.messages=15"}},
    {"split", "middleboxes.cfg", {"middlebox.mode=split", "workload.messages=15"}},
    {"joined and cut", "middleboxes.cfg", {"middlebox.mode=rechunk+coalesce", "workload.messages=15"}},
};

static const round_trip long_ones[] = {
    {"storage", "storage-loss.cfg", {NULL}},
    {"reads", "reads-loss.cfg", {NULL}},
    {"displaced", "displaced.cfg", {NULL}},
    {"four receivers", "four-receivers.cfg", {"path.forward.loss=1%", "receiver.mode=in-order"}},
    {"mtu-loss", "mtu-loss.cfg", {NULL}},
    {"reordering", "reordering.cfg", {NULL}},
    {"cut size", "cut-size.cfg", {NULL}},
    {"overhead", "overhead.cfg", {NULL}},
    {"memory", "memory-goodput.cfg", {"receiver.memory=12000"}},
    {"fragments", "ip-fragments.cfg", {NULL}},
    {"300 connections", "connections.cfg", {"workload.connections=300", "workload.messages=16"}},
    {"packing", "packing.cfg", {"sender.segmentation=stream"}},
    {"ten thousand connections", "ten-thousand-connections.cfg", {NULL}},
};

/* --- The two sides --- */

/* Returns the settings of the run's receiver, as --set takes them. Free with g_strfreev(). */
static char **receiver_of(const scenario *s)
{
  g_autoptr(GStrvBuilder) sets = g_strv_builder_new();

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *name = scenario_key_row_of(key)->name;
    /* The capture has what the receiver answered. */
    if ((g_str_has_prefix(name, "receiver.") && key != SCENARIO_RECEIVER_REFUSED) ||
        g_str_has_prefix(name, "measure.s") || g_str_equal(name, "mpa.silent_drop")) {
      const char *value = scenario_value_text(s, key);
      g_autofree char *set = g_strconcat(name, "=", value, NULL);
      g_strv_builder_add(sets, set);
    }
  }
  return g_strv_builder_end(sets);
}

static session_result replay_it(const scenario *s, const char *folder, const char *to)
{
  g_autofree char *path = g_build_filename(folder, "receiver.pcap", NULL);
  g_auto(GStrv) sets = receiver_of(s);
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  /* The capture does not show generation rdmac. */
  bool is_rdmac = scenario_configuration(s)->endpoint[SIDE_RESPONDER].generation == IWARP_RDMAC;
  const decode_hint hint = {.any_address = true, .end = {.port = 5044}};
  const replay_options options = {
      .capture = {.path = path, .decoding = {.hints = &hint, .hint_count = is_rdmac}}};
  session_result result;
  g_autoptr(scenario) own = NO_ERROR(replay_scenario_new, path, (const char *const *)sets);
  g_autoptr(replay) r = NO_ERROR(replay_new, own, &options);

  NO_ERROR(replay_run, r, to, &result, notes);
  const bool has_damage =
      result.results.metrics.value[METRIC_TCP_CHECKSUM_ERRORS] > 0; /* to the measured end */
  for (guint i = 0; i < notes->len; i++) {
    EXPECT_PARTS(notes->pdata[i], "segments with a wrong TCP checksum were passed over");
  }
  g_assert_cmpuint(notes->len, <=, 1);
  g_assert_true(notes->len == 1 || !has_damage);
  return result;
}

/* --- What must be the same --- */

static gboolean must_be_the_same(const char *name)
{
  const char *const *prefix =
      STRINGS("placement.", "buffer.peak", "buffer.reassembly_peak", "buffer.total_peak", "buffer.written",
              "buffer.read", "buffer.release", "buffer.segments", "state.", "mpa.located_by", "mpa.fpdus",
              "mpa.markers", "mpa.crc_errors", "mpa.wrong_guesses", "mpa.segments_aligned", "tcp.segments",
              "tcp.checksum_errors", "delivery.");

  while (*prefix && !g_str_has_prefix(name, *prefix)) {
    prefix++;
  }
  return *prefix != NULL;
}

static void compare_metrics(const metric_values *of_run, const metric_values *of_replay)
{
  guint compared = 0;

  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const char *name = metric_row_of(id)->name;
    if (!must_be_the_same(name) || !of_run->present[id]) {
      continue;
    }
    /* A capture's times are in nanoseconds. */
    double at_most = id == METRIC_BUFFER_REASSEMBLY_PEAK_AT_S ? 1e-9 : 0;
    if (!of_replay->present[id] || fabs(of_replay->value[id] - of_run->value[id]) > at_most) {
      g_test_message("%s: %.17g in the run, %.17g in its replay", name, of_run->value[id],
                     of_replay->present[id] ? of_replay->value[id] : -1);
      g_test_fail();
    }
    compared++;
  }
  g_assert_cmpuint(compared, >=, 30);
}

typedef struct step {
  gint64 time_ps;
  guint64 octets;
} step;

/* Returns occupancy.csv by connection and cause. */
static GHashTable *series_of(const char *folder)
{
  GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
  g_autofree char *text = read_file(folder, "occupancy.csv", NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (char **line = lines + 2; *lines && lines[1] && *line && **line; line++) { /* after comment and names */
    g_auto(GStrv) fields = g_strsplit(*line, ",", 4);
    g_autofree char *key = g_strconcat(fields[1], ",", fields[2], NULL);
    char *fraction; /* of "0.000000123456" */
    const gint64 seconds = g_ascii_strtoll(fields[0], &fraction, 10);
    g_assert_cmpint(*fraction, ==, '.');
    const step found = {.time_ps = seconds * TIME_PS_PER_SECOND + g_ascii_strtoll(fraction + 1, NULL, 10),
                        .octets = g_ascii_strtoull(fields[3], NULL, 10)};
    GArray *steps = g_hash_table_lookup(all, key);
    if (!steps) {
      steps = g_array_new(FALSE, FALSE, sizeof(step));
      g_hash_table_insert(all, g_strdup(key), steps);
    }
    g_array_append_val(steps, found);
  }
  return all;
}

static void compare_steps(const char *name, const GArray *of_run, const GArray *of_replay)
{
  g_assert_nonnull(of_replay);
  for (guint i = 0; i < MIN(of_run->len, of_replay->len); i++) {
    const step *a = &g_array_index(of_run, step, i);
    const step *b = &g_array_index(of_replay, step, i);
    if (a->octets != b->octets || ABS(a->time_ps - b->time_ps) > TIME_PS_PER_NANOSECOND) {
      g_test_message("%s, step %u: %" G_GUINT64_FORMAT " octets at %" G_GINT64_FORMAT
                     " ps in the run, %" G_GUINT64_FORMAT " at %" G_GINT64_FORMAT " in its replay",
                     name, i, a->octets, a->time_ps, b->octets, b->time_ps);
      g_test_fail();
      return;
    }
  }
  g_assert_cmpuint(of_replay->len, ==, of_run->len);
}

static void check_round_trip(const round_trip *trip)
{
  /* Of the whole run, whatever the study measures. */
  const run_request request = {.file = trip->scenario,
                               .sets = trip->sets,
                               .more = STRINGS("measure.from=first-octet", "measure.series=all")};
  g_autoptr(run_folder) folder = run_folder_new();
  g_autoptr(run_folder) to = run_folder_new();
  g_autoptr(scenario) s = run_request_load(&request);
  g_auto(session_result) of_run = run_in(s, folder);
  g_auto(session_result) of_replay = replay_it(s, folder, to);

  g_test_message("%s | %s", of_run.message, of_replay.message);
  g_assert_cmpint(of_replay.status, ==, of_run.status);
  g_assert_cmpstr(of_replay.terminate_code, ==, of_run.terminate_code);
  compare_metrics(&of_run.results.metrics, &of_replay.results.metrics);
  g_autoptr(GHashTable) series = series_of(folder);
  g_autoptr(GHashTable) series_of_replay = series_of(to);
  GHashTableIter iterator;
  gpointer name;
  gpointer steps;
  g_assert_cmpuint(g_hash_table_size(series_of_replay), ==, g_hash_table_size(series));
  g_hash_table_iter_init(&iterator, series);
  while (g_hash_table_iter_next(&iterator, &name, &steps)) {
    compare_steps(name, steps, g_hash_table_lookup(series_of_replay, name));
  }
}

EACH_TEST(test_short, round_trip, short_ones)
{
  check_round_trip(c);
}

EACH_TEST(test_long, round_trip, long_ones)
{
  check_round_trip(c);
}
