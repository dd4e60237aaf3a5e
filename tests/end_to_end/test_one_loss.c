/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about one lost segment, four receivers and paths: what is held, and why. Each run is
 * compared with the occupancy that follows from receiver.pcap alone (recompute_occupancy.c). */
#include <math.h>
#include <string.h>

#include "marked_decoder.h"
#include "recompute_occupancy.h"
#include "run_fixture.h"

/* The 150th payload segment is far after slow start's first rounds and far from the end: 20 messages of 64
 * KiB are 46 FPDUs each. */
#define LOSS "path.forward.drop=[150]"
#define SIZE "workload.message_size=64KiB"
#define COUNT "workload.messages=20"

/* These are of a receiver that does not look ahead of the in-order edge, and of one that does. */
static const char *const modes[] = {"receiver.mode=in-order", "receiver.mode=out-of-order"};

/* Returns the RNIC's lines of occupancy.csv: an array of occupancy_change; free with g_array_unref(). */
static GArray *read_series(const char *folder)
{
  GArray *changes = g_array_new(FALSE, TRUE, sizeof(occupancy_change));
  g_autofree char *text = read_file(folder, "occupancy.csv", NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (char **line = lines; *line; line++) {
    occupancy_change next;
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
  const occupancy_change *left = a;
  const occupancy_change *right = b;

  /* Captures are cut to nanoseconds: two arrivals are a serialisation time apart, over 20 ns. */
  if (fabs(left->time_ns - right->time_ns) > 10) {
    return left->time_ns < right->time_ns ? -1 : 1;
  }
  return strcmp(left->cause, right->cause);
}

/* Exact in octets, 1 ns in time. Returns the number of changes. */
static guint assert_series_recomputes(const char *folder, gboolean looks_ahead)
{
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  g_autoptr(GArray) expected = recompute_occupancy(packets, looks_ahead);
  g_autoptr(GArray) series = read_series(folder);

  g_array_sort(expected, by_time_and_cause);
  g_array_sort(series, by_time_and_cause);
  for (guint i = 0; i < MIN(series->len, expected->len); i++) {
    const occupancy_change *is = &g_array_index(series, occupancy_change, i);
    const occupancy_change *should_be = &g_array_index(expected, occupancy_change, i);
    g_assert_cmpstr(is->cause, ==, should_be->cause);
    g_assert_cmpuint(is->octets, ==, should_be->octets);
    g_assert_cmpfloat(fabs(is->time_ns - should_be->time_ns), <=,
                      1.001); /* doubles of 1e7 ns: 1e-9 off at most */
  }
  g_assert_cmpuint(series->len, ==, expected->len);
  return expected->len;
}

/* receiver.pcap shows this of the hole: the octets, and the number of segments, that arrived beyond it before
 * it was filled. */
typedef struct capture_hole {
  guint64 from; /* stream position of the first octet missing */
  guint64 to;   /* of the first octet after it */
  guint64 octets_beyond;
  guint64 segments_beyond;
} capture_hole;

static capture_hole find_hole(const char *folder)
{
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  guint64 edge = 0;
  capture_hole found = {0};

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);
    guint64 position = p->position;
    if (!p->from_initiator || p->payload == 0) {
      continue;
    }
    if (position == edge && found.octets_beyond == 0) {
      edge += p->payload;
    } else if (position > edge) {
      found.from = edge;
      found.to = found.octets_beyond == 0 ? position : found.to;
      found.octets_beyond += p->payload;
      found.segments_beyond++;
    } else {
      break; /* the retransmission */
    }
  }
  return found;
}

static session_result run(const char *folder, const char *set, const char *other)
{
  return RUN(.engine = OTHER_ENGINE, .folder = folder,
             .sets = STRINGS(LOSS, SIZE, COUNT, "middlebox.push=ignore", set, other));
}

/* The in-order receiver holds all that was in flight beyond the hole, with cause `order`. */
FOLDER_TEST(test_in_order)
{
  g_auto(session_result) result = run(folder, modes[FALSE], NULL);
  const capture_hole hole = find_hole(folder);

  /* One change for each held segment, and one when the hole closes. */
  g_assert_cmpuint(assert_series_recomputes(folder, FALSE), ==, hole.segments_beyond + 1);
  g_assert_cmpuint(hole.segments_beyond, >, 10);
  EXPECT_METRICS(
      &result, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, hole.octets_beyond),
      (BUFFER_PEAK_OCTETS_ORDER, ==, hole.octets_beyond), (BUFFER_WRITTEN_OCTETS, ==, hole.octets_beyond),
      (BUFFER_READ_OCTETS, ==, hole.octets_beyond),
      (BUFFER_RELEASE_BURST_PEAK_OCTETS, ==, hole.octets_beyond), (PLACEMENT_OCTETS_OUT_OF_ORDER, ==, 0),
      (TCP_SEGMENTS_OUT_OF_ORDER, ==, hole.segments_beyond), (TCP_RETRANSMISSIONS, ==, 1),
      (TCP_TIMEOUTS, ==, 0), (STATE_HOLES_PEAK, ==, 1));
}

/* Markers and aligned segments: every FPDU beyond the hole is found by its own marker and placed at once. */
FOLDER_TEST(test_markers)
{
  g_auto(session_result) result = run(folder, modes[TRUE], NULL);
  const capture_hole hole = find_hole(folder);

  g_assert_cmpuint(assert_series_recomputes(folder, TRUE), ==, 0);
  g_assert_cmpuint(hole.segments_beyond, >, 10);
  EXPECT_METRICS(&result, (BUFFER_TOTAL_PEAK_OCTETS, ==, 0), (PLACEMENT_OCTETS_DIRECT, ==, 20 * 65536),
                 (MPA_LOCATED_BY_MARKER, ==, hole.segments_beyond),
                 (TCP_SEGMENTS_OUT_OF_ORDER, ==, hole.segments_beyond),
                 (STATE_UNDELIVERED_PEAK, ==, hole.segments_beyond));
  /* Of the octets beyond the hole, all but framing (2 + 4 CRC), the DDP header (14) and markers are payload:
   * each such segment carries one FPDU of at most 3 markers. */
  double placed = metric_of(&result, METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER);
  g_assert_cmpfloat(placed, <=, (double)(hole.octets_beyond - hole.segments_beyond * (6 + 14 + 2 * 4)));
  g_assert_cmpfloat(placed, >=, (double)(hole.octets_beyond - hole.segments_beyond * (6 + 14 + 3 * 4 + 3)));
  EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, 20 * 65536)); /* in order, as the run itself checks */
}

/* Without markers the same receiver may not look ahead: it holds as much as the in-order one. */
FOLDER_TEST(test_no_markers)
{
  g_auto(session_result) result = run(folder, modes[TRUE], "mpa.markers=false");
  const capture_hole hole = find_hole(folder);

  g_assert_cmpuint(assert_series_recomputes(folder, TRUE), ==, hole.segments_beyond + 1);
  EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_ORDER, ==, hole.octets_beyond));
}

/* Sets where FPDUs end: the stream of this workload, octet by octet (Request Frame of 20 octets, then FPDUs
 * of full Writes of 1428 octets, 65536 = 45 * 1428 + 1276, a marker at each multiple of 512). Finds the FPDU
 * that `position` lies in. */
static void fpdu_around(guint64 position, guint64 *start, guint64 *end)
{
  guint64 markers = 0;

  *end = 0;
  for (guint fpdu = 0; *end <= position - 20; fpdu++) {
    *start = *end;
    *end = marked_fpdu_end(*start, 14 + (fpdu % 46 == 45 ? 1276 : 1428), &markers);
  }
  *start += 20;
  *end += 20;
}

/* The middlebox's cuts lie anywhere in FPDUs. A lost piece [from, to) cuts the FPDU it begins in and the FPDU
 * it ends in; what has arrived of these two is held until the hole closes, plus at most one FPDU that waits
 * for the next piece. */
FOLDER_TEST(test_middlebox)
{
  g_auto(session_result) result = run(folder, modes[TRUE], "middlebox.mode=rechunk");
  const capture_hole hole = find_hole(folder);
  guint64 head_start;
  guint64 head_end;
  guint64 tail_start;
  guint64 tail_end;

  assert_series_recomputes(folder, TRUE);
  g_assert_cmpuint(hole.to - hole.from, ==, 1000); /* middlebox.chunk */
  g_assert_cmpuint(hole.from % 1000, ==, 0);
  fpdu_around(hole.from, &head_start, &head_end);
  fpdu_around(hole.to, &tail_start, &tail_end);
  guint64 head = hole.from - head_start;
  guint64 tail = tail_end - hole.to;
  if (head_start ==
      tail_start) { /* one FPDU on both sides: its header is in the head, so all of it is located */
    EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_UNLOCATED, ==, 0));
  } else { /* the tail's header is lost: it stays unlocated; a cut through a leading marker or length adds at
              most 5 */
    double unlocated = metric_of(&result, METRIC_BUFFER_PEAK_OCTETS_UNLOCATED);
    g_assert_cmpfloat(unlocated, >=, (double)tail);
    g_assert_cmpfloat(unlocated, <=, (double)tail + 5);
  }
  double peak = metric_of(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS);
  g_assert_cmpfloat(peak, >=, (double)(head + tail));
  g_assert_cmpfloat(peak, <, (double)(head + tail + 1460 + 4));
  g_assert_cmpuint(hole.octets_beyond, >, head + tail + 1464); /* an in-order receiver would hold more */
  EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, 20 * 65536));
}

/* The same cuts through an in-order receiver, and through segments that a sender which is not MPA-aware
 * cut. */
TEST(test_other_cuts_recompute)
{
  static const struct {
    gboolean looks_ahead;
    const char *cut;
  } rows[] = {{FALSE, "middlebox.mode=rechunk"},
              {FALSE, "sender.segmentation=stream"},
              {TRUE, "sender.segmentation=stream"}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result = run(folder, modes[rows[i].looks_ahead], rows[i].cut);
    g_assert_cmpuint(assert_series_recomputes(folder, rows[i].looks_ahead), >, 10);
  }
}

/* Where a cut or a hole lies in an FPDU decides what is held and why: eight neighbouring losses in pieces of
 * 333 octets, an odd number, so that cuts fall into markers, length fields and CRCs, and FPDUs extend on both
 * sides of a hole. */
TEST(test_every_place_of_a_hole_recomputes)
{
  for (int i = 0; i < 16; i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.folder = folder, .sets = STRINGS(setting("path.forward.drop=[%d]", 600 + i / 2), SIZE,
                                              "workload.messages=8", modes[i % 2], "middlebox.mode=rechunk",
                                              "middlebox.chunk=333", "middlebox.push=ignore"));
    assert_series_recomputes(folder, i % 2);
  }
}

/* Pieces of one octet: the in-order edge is at every place of an FPDU in turn, also in its marker and between
 * the octets of its length. */
TEST(test_every_cut_recomputes)
{
  for (gboolean looks_ahead = FALSE; looks_ahead <= TRUE; looks_ahead++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.folder = folder,
            .sets = STRINGS("workload.message_size=1500", "workload.messages=2", modes[looks_ahead],
                            "middlebox.mode=rechunk", "middlebox.chunk=1"));
    g_assert_cmpuint(assert_series_recomputes(folder, looks_ahead), >, 3000);
  }
}
