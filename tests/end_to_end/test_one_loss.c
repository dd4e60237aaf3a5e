/* SPDX-License-Identifier: GPL-2.0-only */
/* One lost segment, four receivers and paths: what is held, and why. Each run is checked against a program
 * that recomputes the occupancy from receiver.pcap alone (recompute_occupancy.c). */
#include <math.h>
#include <string.h>

#include "run_kit.h"
#include "string_list.h"
#include "test.h"

/* The 150th payload segment is far behind slow start's first rounds and far from the end: 20 messages of 64
 * KiB are 46 FPDUs each. */
#define LOSS "path.forward.drop=[150]"
#define SIZE "workload.message_size=64KiB"
#define COUNT "workload.messages=20"

/* A change of the series: (time, cause) to octets. */
typedef struct change {
  double time_ns;
  char cause[16];
  guint64 octets;
} change;

static GArray *parse_recomputed(const char *text)
{
  GArray *changes = g_array_new(FALSE, TRUE, sizeof(change));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (char **line = lines; *line && **line; line++) {
    change next;
    g_assert_cmpint(sscanf(*line, "%lf,%15[^,],%" G_GUINT64_FORMAT, &next.time_ns, next.cause, &next.octets),
                    ==, 3);
    g_array_append_val(changes, next);
  }
  return changes;
}

/* The RNIC's lines of occupancy.csv. */
static GArray *parse_series(const char *text)
{
  GArray *changes = g_array_new(FALSE, TRUE, sizeof(change));
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (char **line = lines; *line; line++) {
    change next;
    double time_s;
    if (sscanf(*line, "%lf,all,%15[^,],%" G_GUINT64_FORMAT, &time_s, next.cause, &next.octets) == 3) {
      next.time_ns = time_s * 1e9;
      g_array_append_val(changes, next);
    }
  }
  return changes;
}

static int by_time_and_cause(gconstpointer a, gconstpointer b)
{
  const change *left = a;
  const change *right = b;

  /* Captures are cut to nanoseconds: two arrivals are a serialisation time apart, over 20 ns. */
  if (fabs(left->time_ns - right->time_ns) > 10) {
    return left->time_ns < right->time_ns ? -1 : 1;
  }
  return strcmp(left->cause, right->cause);
}

/* Exact in octets, 1 ns in time. Returns the number of changes. */
static guint assert_series_recomputes(const char *folder, const char *mode)
{
  g_autofree char *pcap = g_build_filename(folder, "receiver.pcap", NULL);
  g_autofree char *output = NULL;
  g_autofree char *csv = run_kit_read(folder, "occupancy.csv", NULL);

  g_assert_cmpint(run_kit_spawn("RECOMPUTE_OCCUPANCY", NULL, STRINGS(pcap, mode), &output, NULL), ==, 0);
  g_autoptr(GArray) expected = parse_recomputed(output);
  g_autoptr(GArray) series = parse_series(csv);
  g_array_sort(expected, by_time_and_cause);
  g_array_sort(series, by_time_and_cause);
  for (guint i = 0; i < MIN(series->len, expected->len); i++) {
    const change *is = &g_array_index(series, change, i);
    const change *should_be = &g_array_index(expected, change, i);
    g_assert_cmpstr(is->cause, ==, should_be->cause);
    g_assert_cmpuint(is->octets, ==, should_be->octets);
    g_assert_cmpfloat(fabs(is->time_ns - should_be->time_ns), <=,
                      1.001); /* doubles of 1e7 ns: 1e-9 off at most */
  }
  g_assert_cmpuint(series->len, ==, expected->len);
  guint changes = series->len;
  return changes;
}

/* What receiver.pcap shows of the hole: octets that arrived beyond it until its filling arrived, and how many
 * segments. */
typedef struct capture_hole {
  guint64 from; /* stream position of the first octet missing */
  guint64 to;   /* of the first octet after it */
  guint64 octets_behind;
  guint64 segments_behind;
} capture_hole;

static guint32 be(const guint8 *octets, int count)
{
  guint32 value = 0;

  while (count-- > 0) {
    value = value << 8 | *octets++;
  }
  return value;
}

static capture_hole find_hole(const char *folder)
{
  gsize size;
  g_autofree guint8 *file = (guint8 *)run_kit_read(folder, "receiver.pcap", &size);
  guint64 edge = 0;
  guint32 isn = 0;
  guint16 port = 0;
  capture_hole found = {0};

  for (gsize at = 24; at < size; at += 16 + GUINT32_FROM_LE(*(guint32 *)(void *)(file + at + 8))) {
    const guint8 *ip = file + at + 16;
    const guint8 *tcp = ip + 20;
    guint32 length = be(ip + 2, 2) - 20 - (tcp[12] >> 4) * 4u;
    guint64 position = be(tcp + 4, 4) - isn - 1;
    if ((tcp[13] & 0x12) == 0x02) {
      port = (guint16)be(tcp + 2, 2);
      isn = be(tcp + 4, 4);
    } else if (be(tcp + 2, 2) == port && length > 0) {
      if (position == edge && found.octets_behind == 0) {
        edge += length;
      } else if (position > edge) {
        found.from = edge;
        found.to = found.octets_behind == 0 ? position : found.to;
        found.octets_behind += length;
        found.segments_behind++;
      } else {
        break; /* the retransmission */
      }
    }
  }
  return found;
}

static session_result run(const char *folder, const char *set1, const char *set2, const char *set3)
{

  return run_kit_run(RUN_KIT_OTHER_ENGINE, folder, STRINGS(LOSS, SIZE, COUNT, set1, set2, set3));
}

/* The in-order receiver holds what was in flight beyond the hole, all of it, cause `order`. */
FOLDER_TEST(test_in_order)
{
  g_auto(session_result) result = run(folder, "receiver.mode=in-order", NULL, NULL);
  const capture_hole hole = find_hole(folder);

  /* One change a held segment and one when the hole closes. */
  g_assert_cmpuint(assert_series_recomputes(folder, "in-order"), ==, hole.segments_behind + 1);
  g_assert_cmpuint(hole.segments_behind, >, 10);
  run_kit_assert_count(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, hole.octets_behind);
  run_kit_assert_count(&result, METRIC_BUFFER_PEAK_OCTETS_ORDER, hole.octets_behind);
  run_kit_assert_count(&result, METRIC_BUFFER_WRITTEN_OCTETS, hole.octets_behind);
  run_kit_assert_count(&result, METRIC_BUFFER_READ_OCTETS, hole.octets_behind);
  run_kit_assert_count(&result, METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS, hole.octets_behind);
  run_kit_assert_count(&result, METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER, 0);
  run_kit_assert_count(&result, METRIC_TCP_SEGMENTS_OUT_OF_ORDER, hole.segments_behind);
  run_kit_assert_count(&result, METRIC_TCP_RETRANSMISSIONS, 1);
  run_kit_assert_count(&result, METRIC_TCP_TIMEOUTS, 0);
  run_kit_assert_count(&result, METRIC_STATE_HOLES_PEAK, 1);
}

/* Markers and aligned segments: every FPDU beyond the hole is found by its own marker and placed at once. */
FOLDER_TEST(test_markers)
{
  g_auto(session_result) result = run(folder, "receiver.mode=out-of-order", NULL, NULL);
  const capture_hole hole = find_hole(folder);

  g_assert_cmpuint(assert_series_recomputes(folder, "out-of-order"), ==, 0);
  g_assert_cmpuint(hole.segments_behind, >, 10);
  run_kit_assert_count(&result, METRIC_BUFFER_TOTAL_PEAK_OCTETS, 0);
  run_kit_assert_count(&result, METRIC_PLACEMENT_OCTETS_DIRECT, 20 * 65536);
  run_kit_assert_count(&result, METRIC_MPA_LOCATED_BY_MARKER, hole.segments_behind);
  run_kit_assert_count(&result, METRIC_TCP_SEGMENTS_OUT_OF_ORDER, hole.segments_behind);
  run_kit_assert_count(&result, METRIC_STATE_UNDELIVERED_PEAK, hole.segments_behind);
  /* Of the octets beyond the hole, all but framing (2 + 4 CRC), the DDP header (14) and markers are payload:
   * each such segment carries one FPDU of at most 3 markers. */
  double placed = run_kit_metric(&result, METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER);
  g_assert_cmpfloat(placed, <=, (double)(hole.octets_behind - hole.segments_behind * (6 + 14 + 2 * 4)));
  g_assert_cmpfloat(placed, >=, (double)(hole.octets_behind - hole.segments_behind * (6 + 14 + 3 * 4 + 3)));
  run_kit_assert_count(&result, METRIC_DELIVERY_OCTETS, 20 * 65536); /* in order: the run's own check */
}

/* Without markers the same receiver may not look ahead: it holds as much as the in-order one. */
FOLDER_TEST(test_no_markers)
{
  g_auto(session_result) result = run(folder, "receiver.mode=out-of-order", "mpa.markers=false", NULL);
  const capture_hole hole = find_hole(folder);

  g_assert_cmpuint(assert_series_recomputes(folder, "out-of-order"), ==, hole.segments_behind + 1);
  run_kit_assert_count(&result, METRIC_BUFFER_PEAK_OCTETS_ORDER, hole.octets_behind);
}

/* Where FPDUs end: the stream of this workload, octet by octet (Request Frame of 20 octets, then FPDUs of
 * full Writes of 1428 octets, 65536 = 45 * 1428 + 1276, a marker at each multiple of 512). Finds the FPDU
 * that `position` lies in. */
static void fpdu_around(guint64 position, guint64 *start, guint64 *end)
{
  guint64 at = 20;

  for (guint fpdu = 0;; fpdu++) {
    guint32 ulpdu = 14 + (fpdu % 46 == 45 ? 1276 : 1428);
    guint32 left = 2 + ulpdu + (4 - (2 + ulpdu) % 4) % 4 + 4;
    *start = at;
    while (left > 0) {
      if ((at - 20) % 512 == 0) {
        at += 4;
      }
      at++;
      left--;
    }
    *end = at;
    if (position < at) {
      return;
    }
  }
}

/* The middlebox's cuts lie anywhere in FPDUs. A lost piece [from, to) cuts the FPDU it begins in and the FPDU
 * it ends in; what has arrived of these two is held until the hole closes, plus at most one FPDU that waits
 * for the next piece. */
FOLDER_TEST(test_middlebox)
{
  g_auto(session_result) result = run(folder, "receiver.mode=out-of-order", "middlebox.mode=rechunk", NULL);
  const capture_hole hole = find_hole(folder);
  guint64 head_start;
  guint64 head_end;
  guint64 tail_start;
  guint64 tail_end;

  assert_series_recomputes(folder, "out-of-order");
  g_assert_cmpuint(hole.to - hole.from, ==, 1000); /* middlebox.chunk */
  g_assert_cmpuint(hole.from % 1000, ==, 0);
  fpdu_around(hole.from, &head_start, &head_end);
  fpdu_around(hole.to, &tail_start, &tail_end);
  guint64 head = hole.from - head_start;
  guint64 tail = tail_end - hole.to;
  if (head_start ==
      tail_start) { /* one FPDU on both sides: its header is in the head, so all of it is located */
    run_kit_assert_count(&result, METRIC_BUFFER_PEAK_OCTETS_UNLOCATED, 0);
  } else { /* the tail's header is lost: it stays unlocated; a cut through a leading marker or length adds at
              most 5 */
    double unlocated = run_kit_metric(&result, METRIC_BUFFER_PEAK_OCTETS_UNLOCATED);
    g_assert_cmpfloat(unlocated, >=, (double)tail);
    g_assert_cmpfloat(unlocated, <=, (double)tail + 5);
  }
  double peak = run_kit_metric(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS);
  g_assert_cmpfloat(peak, >=, (double)(head + tail));
  g_assert_cmpfloat(peak, <, (double)(head + tail + 1460 + 4));
  g_assert_cmpuint(hole.octets_behind, >, head + tail + 1464); /* an in-order receiver would hold more */
  run_kit_assert_count(&result, METRIC_DELIVERY_OCTETS, 20 * 65536);
}

/* The same cuts through an in-order receiver, and through segments that a sender which is not MPA-aware
 * cut. */
TEST(test_other_cuts_recompute)
{
  static const char *const cases[][2] = {
      {"receiver.mode=in-order", "middlebox.mode=rechunk"},
      {"receiver.mode=in-order", "sender.segmentation=stream"},
      {"receiver.mode=out-of-order", "sender.segmentation=stream"},
  };

  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(run_folder) folder = run_kit_new_folder();
    g_auto(session_result) result = run(folder, cases[i][0], cases[i][1], NULL);
    g_assert_cmpuint(assert_series_recomputes(folder, cases[i][0] + strlen("receiver.mode=")), >, 10);
  }
}

/* Where a cut or a hole lies in an FPDU decides what is held and why: eight neighbouring losses in pieces of
 * 333 octets, an odd number, so that cuts come to lie in markers, length fields and CRCs, and FPDUs on both
 * sides of a hole. */
TEST(test_every_place_of_a_hole_recomputes)
{
  static const char *const modes[] = {"receiver.mode=in-order", "receiver.mode=out-of-order"};

  for (int i = 0; i < 16; i++) {
    g_autoptr(run_folder) folder = run_kit_new_folder();
    g_autofree char *drop = g_strdup_printf("path.forward.drop=[%d]", 600 + i / 2);
    g_auto(session_result) result = run_kit_run("native", folder,
                                                STRINGS(drop, SIZE, "workload.messages=8", modes[i % 2],
                                                        "middlebox.mode=rechunk", "middlebox.chunk=333"));
    assert_series_recomputes(folder, modes[i % 2] + strlen("receiver.mode="));
  }
}

/* Pieces of one octet: the in-order edge stands at every place of an FPDU, also in its marker and between the
 * octets of its length. */
TEST(test_every_cut_recomputes)
{
  static const char *const modes[] = {"receiver.mode=in-order", "receiver.mode=out-of-order"};

  for (size_t i = 0; i < G_N_ELEMENTS(modes); i++) {
    g_autoptr(run_folder) folder = run_kit_new_folder();
    g_auto(session_result) result =
        run_kit_run("native", folder,
                    STRINGS("workload.message_size=1500", "workload.messages=2", modes[i],
                            "middlebox.mode=rechunk", "middlebox.chunk=1"));
    g_assert_cmpuint(assert_series_recomputes(folder, modes[i] + strlen("receiver.mode=")), >, 3000);
  }
}
