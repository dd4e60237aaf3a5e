/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the recorder counts, event by event, with each number worked out. */
#include "session/session_recorder.h"

#include "metrics.h"
#include "stack_cleanup.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(session_recorder, session_recorder_free)

static session_recorder *new_recorder(run_moment from, run_moment to)
{
  const session_recorder_config config = {.connections = 2,
                                          .unknown = 9,
                                          .cell_octets = 1,
                                          .receive_window_octets = 65536,
                                          .from = from,
                                          .to = to,
                                          .quantile_parts = {QUANTILE_PARTS},
                                          .quantile_count = 1};
  return session_recorder_new(&config);
}

/* This is a test of `recorder`, which is new. */
#define RECORDER_TEST(name)                                                                                  \
  TEST_OF(session_recorder, recorder, new_recorder((run_moment){0}, (run_moment){0}), name)

/* Returns what is measured until `end`. */
static metric_values finish(session_recorder *recorder, time_ps end)
{
  metric_values values = {0};

  session_recorder_finish(recorder, end, &values);
  return values;
}

/* FPDUs at 0, 1460, 2920 and beyond 4 GiB of connection 0, at 0 and 100 of connection 1. */
RECORDER_TEST(test_segments)
{
  static const int64_t far = (INT64_C(1) << 32) + 7;
  static const int64_t starts[][2] = {{0, 0}, {0, 1460}, {0, 2920}, {0, far}, {1, 0}, {1, 100}};

  for (gsize i = 0; i < G_N_ELEMENTS(starts); i++) {
    fpdu_starts_add(session_recorder_starts(recorder, (uint32_t)starts[i][0]), (uint64_t)starts[i][1]);
  }
  session_recorder_segment(recorder, 0, -1, 20, 20, false, 5);       /* a startup frame: not counted */
  session_recorder_segment(recorder, 0, 0, 1460, 1460, false, 10);   /* aligned */
  session_recorder_segment(recorder, 0, 2920, 1460, 1460, true, 20); /* aligned, beyond the edge */
  session_recorder_segment(recorder, 0, 1461, 1459, 1459, false, 30);
  session_recorder_segment(recorder, 1, 1460, 10, 10, true,
                           40); /* an FPDU starts there in the other connection only */
  session_recorder_segment(recorder, 1, 100, 10, 10, false, 50);
  session_recorder_segment(recorder, 0, 0, 1460, 0, false, 60); /* a duplicate counts */
  session_recorder_segment(recorder, 0, far, 10, 10, false, 70);
  const metric_values values = finish(recorder, 100);
  EXPECT_METRICS(&values, (TCP_SEGMENTS, 7), (TCP_SEGMENTS_OUT_OF_ORDER, 2), (MPA_SEGMENTS_ALIGNED, 5));
}

/* Fragments of no known connection are part of the peak, of which no connection held
 * most. */
RECORDER_TEST(test_fragments_of_no_connection)
{
  session_recorder_fragments(recorder, 2, 500, 10);
  const metric_values values = finish(recorder, 100);
  EXPECT_METRICS(&values, (BUFFER_REASSEMBLY_PEAK_OCTETS, 500));
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION]);
}

/* Goodput counts from the first octet of payload, not of framing: the DDP header (ULPDU octets 0 … 13)
 * comes at 1000 ps, 10 octets of payload at 2000 ps: 80 bit from 2000 to 2500 ps. */
RECORDER_TEST(test_goodput_counts_from_payload)
{
  const mpa_ulpdu_part parts[] = {{0, 14, 1000}, {14, 10, 2000}};
  const mpa_ulpdu ulpdu = {.fpdu = {.ulpdu_octets = 24}, .parts = parts, .part_count = 2};
  ddp_segment segment = {.payload_octets = 10};

  session_recorder_segment(recorder, 0, 0, 16, 16, false, 1000);
  session_recorder_segment(recorder, 0, 16, 16, 16, false, 2000);
  session_recorder_placed(recorder, &segment, &ulpdu, false, 2000);
  session_recorder_delivered(recorder, &segment, 2500);
  const metric_values values = finish(recorder, 3000);
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_GOODPUT_BIT_PER_S], 80 / 500e-12, 1);
}

/* A Write segment of 100 payload octets (ULPDU 114): ULPDU octets 0 … 63 arrived at 1000 ps, 64 … 113 at
 * 3000 ps, where it is placed; it is Delivered at 7000 ps. Payload: 50 octets of the first arrival, 50 of
 * the second. */
RECORDER_TEST(test_placement_and_delays)
{
  const mpa_ulpdu_part parts[] = {{0, 64, 1000}, {64, 50, 3000}};
  const mpa_ulpdu ulpdu = {.held_octets = 66, .fpdu = {.ulpdu_octets = 114}, .parts = parts, .part_count = 2};
  ddp_segment segment = {.payload_octets = 100};

  session_recorder_segment(recorder, 0, 0, 66, 66, false, 1000);
  session_recorder_segment(recorder, 0, 66, 54, 54, false, 3000);
  session_recorder_placed(recorder, &segment, &ulpdu, true, 3000);
  session_recorder_delivered(recorder, &segment, 7000);
  const metric_values values = finish(recorder, 8000);
  EXPECT_METRICS(&values, (PLACEMENT_OCTETS, 100), (PLACEMENT_OCTETS_DIRECT, 50),
                 (PLACEMENT_OCTETS_BUFFERED, 50), (PLACEMENT_OCTETS_OUT_OF_ORDER, 100),
                 (BUFFER_READ_OCTETS, 66), (BUFFER_RELEASE_BURST_PEAK_OCTETS, 66));
  /* (50 * 2000 + 50 * 0) / 100 = 1000 ps; (50 * 6000 + 50 * 4000) / 100 = 5000 ps. */
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_PLACEMENT_MEAN_S], 1000e-12, 1e-24);
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_DELIVERY_MEAN_S], 5000e-12, 1e-24);
  /* 800 bit from 1000 to 7000 ps. */
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_GOODPUT_BIT_PER_S], 800 / 6000e-12, 1);
}

static void assert_bins(const distribution *d, const distribution_bin *bins, size_t count)
{
  g_assert_cmpuint(d->count, ==, count);
  for (size_t i = 0; i < count; i++) {
    g_assert_cmpfloat_with_epsilon(d->bins[i].bound, bins[i].bound, 1e-24);
    g_assert_cmpfloat(d->bins[i].weight, ==, bins[i].weight);
  }
}

/* Two segments of one stream, Placed in the wrong order and Delivered in the right one. Ten octets of
 * payload each after a header of 14; the first: header and 4 octets at 100 ps, 6 at 110 ps, Placed at 110
 * ps; the second, Placed before, at 104 ps, as it came, is Delivered with it at 115 ps. Placement: 4
 * octets 10 ps, 16 octets 0 ps. Delivery: 4 octets 15 ps, 6 octets 5 ps, 10 octets 11 ps. */
RECORDER_TEST(test_distributions)
{
  const mpa_ulpdu_part of_first[] = {{0, 18, 100}, {18, 6, 110}};
  const mpa_ulpdu_part of_second[] = {{0, 24, 104}};
  const mpa_ulpdu ulpdus[] = {{.fpdu = {.ulpdu_octets = 24}, .parts = of_first, .part_count = 2},
                              {.fpdu = {.ulpdu_octets = 24}, .parts = of_second, .part_count = 1}};
  ddp_segment first = {.payload_octets = 10, .observer = 77}, second = {.payload_octets = 10, .observer = 1};
  g_auto(run_results) results = {.block_octets = 0};
  const distribution *distributions = results.distributions;

  session_recorder_segment(recorder, 0, 0, 20, 20, false, 100);
  g_assert_true(session_recorder_expects_nothing_held(recorder, 0, 100));
  session_recorder_held(recorder, 0, &(rnic_occupancy){.incomplete = 20}, 100);
  g_assert_false(session_recorder_expects_nothing_held(recorder, 0, 100));
  session_recorder_segment(recorder, 0, 32, 32, 32, true, 104);
  session_recorder_placed(recorder, &second, &ulpdus[1], true, 104);
  session_recorder_segment(recorder, 0, 20, 12, 12, false, 110);
  session_recorder_placed(recorder, &first, &ulpdus[0], false, 110);
  session_recorder_held(recorder, 0, &(rnic_occupancy){.incomplete = 0}, 110);
  g_assert_true(session_recorder_expects_nothing_held(recorder, 0, 110));
  session_recorder_delivered(recorder, &first, 115);
  session_recorder_delivered(recorder, &second, 115);
  finish(recorder, 200);
  session_recorder_results(recorder, &results);

  /* from 100 to 115 ps: 20 octets for 10 ps, none for 5 ps */
  assert_bins(&distributions[DISTRIBUTION_REASSEMBLY_OCTETS], (distribution_bin[]){{0, 5e-12}, {20, 10e-12}},
              2);
  /* The 20 octets at 100 ps and the 32 at 104 ps: 0 and 20; the 12 at 110 ps found 20, too. */
  assert_bins(&distributions[DISTRIBUTION_REASSEMBLY_FOUND_OCTETS], (distribution_bin[]){{0, 20}, {20, 44}},
              2);
  assert_bins(&distributions[DISTRIBUTION_PLACEMENT_DELAY_S], (distribution_bin[]){{0, 16}, {10e-12, 4}}, 2);
  assert_bins(&distributions[DISTRIBUTION_DELIVERY_DELAY_S],
              (distribution_bin[]){{5e-12, 6}, {11e-12, 10}, {15e-12, 4}}, 3);
}

/* Nothing Placed, nothing Delivered, no time between first arrival and last Delivery: no samples, no
 * distributions but that of what the arriving octets found. */
RECORDER_TEST(test_no_samples)
{
  g_auto(run_results) results = {.block_octets = 0};
  const distribution *distributions = results.distributions;

  session_recorder_segment(recorder, 0, 0, 20, 20, false, 100);
  finish(recorder, 200);
  session_recorder_results(recorder, &results);
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    g_assert_cmpuint(distributions[id].count, ==, id == DISTRIBUTION_REASSEMBLY_FOUND_OCTETS ? 1 : 0);
  }
}

/* Ten segments of 100 octets of payload: number k arrives at 1000 k ps, is held for 10 k ps with its 100 + k
 * octets, and is then Placed, for which 200 - k are read, and Delivered. Another that has no payload, and
 * nothing to read, is Placed in the same picosecond. The `out_of_order`th arrives out of order. */
static void pass_ten(session_recorder *recorder, unsigned out_of_order)
{

  for (unsigned k = 1; k <= 10; k++) {
    const time_ps arrival = 1000 * (time_ps)k, placed = arrival + 10 * (time_ps)k;
    const mpa_ulpdu_part part = {0, 114, arrival};
    const mpa_ulpdu ulpdu = {
        .fpdu = {.ulpdu_octets = 114}, .parts = &part, .part_count = 1, .held_octets = 200 - k};
    ddp_segment segment = {.payload_octets = 100};

    session_recorder_segment(recorder, 0, 120 * k, 120, 120, k == out_of_order, arrival);
    session_recorder_held(recorder, 0, &(rnic_occupancy){.order = 100 + k}, arrival);
    session_recorder_placed(recorder, &segment, &ulpdu, false, placed);
    session_recorder_delivered(recorder, &segment, placed);
    session_recorder_placed(recorder, &(ddp_segment){.observer = 0},
                            &(mpa_ulpdu){.fpdu = {.ulpdu_octets = 114}}, false, placed);
    session_recorder_held(recorder, 0, &(rnic_occupancy){.order = 0}, placed);
  }
}

/* Each window has this of the ten. The occupancy's mean is the sum of (100 + k) 10 k, over the segments held
 * in the window or, where it cuts a time of holding, the part of that, by the window's length. */
static const struct {
  const char *name;
  run_moment from, to;
  unsigned out_of_order;
  double octets, length_ps; /* Delivered in it */
  double delay_ps, peak, octet_ps;
  double arrivals; /* of 120 octets each */
  double burst;    /* the most that was read in a picosecond, that of the opening as a whole */
} windows[] = {
    {"whole", {0}, {0}, 0, 1000, 9100, 55, 110, 58850, 10, 199},
    /* 4, 5 and 6: 4160 + 5250 + 6360 octet ps; the Delivery of 6, at the end, is no longer in it */
    {"times", {RUN_MOMENT_TIME, 3500}, {RUN_MOMENT_TIME, 6060}, 0, 200, 2560, 45, 106, 15770, 3, 196},
    /* from the Delivery of 3, at 3030, to that of 6, at 6060 */
    {"size", {RUN_MOMENT_DELIVERED, 300}, {RUN_MOMENT_DELIVERED, 600}, 0, 300, 3030, 50, 106, 15770, 3, 197},
    /* 104 octets are held until 4040 when it opens: 2080; and 5 to 10: 48550 */
    {"carries-over", {RUN_MOMENT_TIME, 4020}, {0}, 0, 700, 6080, 70, 110, 50630, 6, 196},
    /* 1 to 3: 6140; and 104 octets for 20 ps, whose segment is Delivered after the end */
    {"cut", {0}, {RUN_MOMENT_TIME, 4020}, 0, 300, 3020, 20, 104, 8220, 4, 199},
    {"first-loss", {RUN_MOMENT_FIRST_LOSS, 0}, {0}, 5, 600, 5100, 75, 110, 48550, 6, 195},
    /* 1 to 4: 1010 + 2040 + 3090 + 4160 */
    {"to-first-loss", {0}, {RUN_MOMENT_FIRST_LOSS, 0}, 5, 400, 4000, 25, 104, 10300, 4, 199},
    /* a time before the first arrival, and one after the last Delivery */
    {"wide", {RUN_MOMENT_TIME, 1}, {RUN_MOMENT_TIME, 1000000}, 0, 1000, 9100, 55, 110, 58850, 10, 199},
    {"mixed", {RUN_MOMENT_TIME, 3500}, {RUN_MOMENT_DELIVERED, 500}, 0, 200, 1550, 45, 105, 9410, 2, 196},
    {"no-loss", {RUN_MOMENT_FIRST_LOSS, 0}, {0}, 0, 0, 0, 0, 0, 0, 0, 0},
    {"too-far", {RUN_MOMENT_DELIVERED, 1001}, {0}, 0, 0, 0, 0, 0, 0, 0, 0},
    {"ends-before", {RUN_MOMENT_TIME, 9000}, {RUN_MOMENT_DELIVERED, 100}, 0, 0, 0, 0, 0, 0, 0, 0},
    {"ends-before-loss", {RUN_MOMENT_FIRST_LOSS, 0}, {RUN_MOMENT_TIME, 3500}, 5, 0, 0, 0, 0, 0, 0, 0},
};

EACH_TEST(test_window, __typeof__(windows[0]), windows)
{
  g_autoptr(session_recorder) recorder = new_recorder(c->from, c->to);
  static const metric_id bounded[] = {METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                      METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS,
                                      METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS,
                                      METRIC_STATE_HOLES_PEAK,
                                      METRIC_DELAY_PLACEMENT_MEAN_S,
                                      METRIC_DELAY_DELIVERY_MEAN_S,
                                      METRIC_GOODPUT_BIT_PER_S};

  pass_ten(recorder, c->out_of_order);
  const metric_values values = finish(recorder, 11000);
  g_auto(run_results) results = {.block_octets = 0};
  session_recorder_results(recorder, &results);
  /* counters know no window */
  EXPECT_METRICS(&values, (PLACEMENT_OCTETS, 1000), (DELIVERY_OCTETS, 1000), (BUFFER_READ_OCTETS, 1945),
                 (BUFFER_WRITTEN_OCTETS, 1945), (TCP_SEGMENTS, 10));
  for (gsize i = 0; i < G_N_ELEMENTS(bounded); i++) {
    g_assert_cmpint(values.present[bounded[i]], ==, c->octets > 0);
  }
  g_assert_cmpuint(results.quantiles.count, ==, c->octets > 0 ? 1 : 0);
  if (c->octets > 0) {
    EXPECT_METRICS(&values, (BUFFER_REASSEMBLY_PEAK_OCTETS, c->peak),
                   (BUFFER_REASSEMBLY_MEAN_OCTETS, c->octet_ps / c->length_ps),
                   (BUFFER_RELEASE_BURST_PEAK_OCTETS, c->burst));
    g_assert_cmpfloat(results.distributions[DISTRIBUTION_REASSEMBLY_FOUND_OCTETS].bins->weight, ==,
                      120 * c->arrivals);
    g_assert_cmpfloat(results.quantiles.values[GAUGE_ORDER][0], ==, c->peak);
    g_assert_cmpfloat_with_epsilon(values.value[METRIC_GOODPUT_BIT_PER_S],
                                   8 * c->octets / (c->length_ps * 1e-12), 1);
    g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_PLACEMENT_MEAN_S], c->delay_ps * 1e-12, 1e-24);
    g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_DELIVERY_MEAN_S], c->delay_ps * 1e-12, 1e-24);
  }
}

/* What is still held when the run ends has been written and not read. */
RECORDER_TEST(test_written_and_not_read)
{
  const rnic_occupancy held[2] = {{.order = 300, .holes = 1},
                                  {.unlocated = 20, .incomplete = 7, .processing = 9, .holes = 2}};

  session_recorder_segment(recorder, 0, 1000, 300, 300, true, 10);
  session_recorder_held(recorder, 0, &held[0], 10);
  session_recorder_held(recorder, 1, &held[1], 20);
  const metric_values values = finish(recorder, 30);
  EXPECT_METRICS(&values, (BUFFER_WRITTEN_OCTETS, 327));
}

/* The window ends at 500, whatever is the first to happen after it. */
TEST(test_first_event_after_a_window)
{
  for (int i = 0; i < 2; i++) {
    g_autoptr(session_recorder) recorder = new_recorder((run_moment){0}, (run_moment){RUN_MOMENT_TIME, 500});
    session_recorder_segment(recorder, 0, 0, 300, 300, false, 10);
    if (i == 0) {
      session_recorder_held(recorder, 0, &(rnic_occupancy){.order = 300}, 500);
    } else {
      session_recorder_fragments(recorder, 0, 300, 500);
    }
    const metric_values values = finish(recorder, 600);
    EXPECT_METRICS(&values, (BUFFER_REASSEMBLY_PEAK_OCTETS, 0));
  }
}

/* Octets in fragments are held beside what TCP and MPA hold, whichever of the two changes: 500 + 300, then
 * 500 + 200. */
RECORDER_TEST(test_fragments_beside_the_rest)
{
  session_recorder_segment(recorder, 0, 1000, 300, 300, true, 10);
  session_recorder_fragments(recorder, 0, 500, 10);
  session_recorder_held(recorder, 0, &(rnic_occupancy){.order = 300, .holes = 1}, 20);
  session_recorder_held(recorder, 0, &(rnic_occupancy){.order = 200, .holes = 1}, 30);
  session_recorder_fragments(recorder, 2, 40, 40); /* of no known connection */
  const metric_values values = finish(recorder, 50);
  EXPECT_METRICS(&values, (BUFFER_REASSEMBLY_PEAK_OCTETS, 800), (BUFFER_PEAK_OCTETS_FRAGMENT, 540),
                 (BUFFER_PEAK_OCTETS_ORDER, 300));
}

/* Retransmissions that proved needed are no longer counted; one was not: its octets came before it could
 * be there. */
RECORDER_TEST(test_spurious_retransmissions)
{
  const rnic_occupancy held = {.in_order_edge = 3000};

  session_recorder_retransmitted(recorder, 0, -20, 20, 0); /* a startup frame: not counted */
  session_recorder_retransmitted(recorder, 0, 0, 1000, 600);
  session_recorder_retransmitted(recorder, 0, 1000, 1000, 600);
  session_recorder_segment(recorder, 0, 1000, 1000, 1000, true, 599);
  session_recorder_segment(recorder, 0, 0, 1000, 1000, false, 600);
  session_recorder_segment(recorder, 0, 1000, 1000, 0, false, 601);
  g_assert_false(
      session_recorder_expects_nothing_held(recorder, 0, 601)); /* the in-order edge is of use to it */
  session_recorder_held(recorder, 0, &held, 601);
  g_assert_true(session_recorder_expects_nothing_held(recorder, 0, 602)); /* all are judged */
  const metric_values values = finish(recorder, 700);
  EXPECT_METRICS(&values, (TCP_SPURIOUS_RETRANSMISSIONS, 1));
}

/* 64 segments of up to 9 parts, of which some wait while others come and go: what each one's parts waited
 * is counted once, and once only. There are as many places for parts as the most that ever waited at once. */
RECORDER_TEST(test_parts_in_any_order)
{
  enum { SEGMENTS = 64, STEPS = 20000, HEADER = 14, PARTS = 9 };
  g_autoptr(GRand) random = g_rand_new_with_seed(20261121);
  ddp_segment segments[SEGMENTS] = {0};
  uint64_t arrivals[SEGMENTS] = {0}; /* sum over its octets */
  bool is_placed[SEGMENTS] = {false};
  uint32_t remembered[SEGMENTS] = {0}; /* parts; that of a segment of one part is in the segment */
  uint32_t waiting = 0, most = 0, highest = 0;
  double waited = 0, octets = 0;

  for (time_ps now = 1000000; now < 1000000 + STEPS; now++) {
    int i = g_rand_int_range(random, 0, SEGMENTS);

    if (is_placed[i]) {
      session_recorder_delivered(recorder, &segments[i], now);
      waited += (double)now * segments[i].payload_octets - (double)arrivals[i];
      octets += segments[i].payload_octets;
      is_placed[i] = false;
      waiting -= remembered[i];
      continue;
    }
    mpa_ulpdu_part parts[PARTS];
    uint32_t end = HEADER;

    segments[i] = (ddp_segment){.payload_octets = 0};
    arrivals[i] = 0;
    size_t count = (size_t)g_rand_int_range(random, 1, PARTS + 1);
    for (size_t n = 0; n < count; n++) {
      const uint32_t length = (uint32_t)g_rand_int_range(random, 1, 5000);
      const time_ps arrival = g_rand_int_range(random, 0, 1000000);

      parts[n] = (mpa_ulpdu_part){n == 0 ? 0 : end, n == 0 ? HEADER + length : length, arrival};
      arrivals[i] += (uint64_t)arrival * length;
      end += length;
    }
    const mpa_ulpdu ulpdu = {
        .fpdu = {.ulpdu_octets = end}, .parts = parts, .part_count = count, .held_octets = 1};
    segments[i].payload_octets = end - HEADER;
    session_recorder_placed(recorder, &segments[i], &ulpdu, false, now);
    is_placed[i] = true;
    remembered[i] = count > 1 ? (uint32_t)count : 0;
    waiting += remembered[i];
    most = MAX(most, waiting);
    highest = MAX(highest, count > 1 ? (uint32_t)(segments[i].observer >> 1) : 0); /* of its first part */
  }
  g_assert_cmpuint(highest, ==, most);
  const metric_values values = finish(recorder, 2000000);
  EXPECT_METRICS(&values, (BUFFER_RELEASE_BURST_PEAK_OCTETS, 1)); /* each in a picosecond of its own */
  g_assert_cmpfloat(octets, >, 1e6);
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_DELIVERY_MEAN_S],
                                 waited / octets / TIME_PS_PER_SECOND, 1e-18);
}

/* 70,000 segments of two parts each are Placed, and none is Delivered before all are: 2^17 parts and more
 * wait. The first part of number i came at i, the second at 2 i. */
RECORDER_TEST(test_many_parts)
{
  enum { SEGMENTS = 70000, HEADER = 14, PART = 10 };
  g_autofree ddp_segment *segments = g_new0(ddp_segment, SEGMENTS);
  const time_ps end = 10 * SEGMENTS;
  double waited = 0;

  for (time_ps i = 0; i < SEGMENTS; i++) {
    const mpa_ulpdu_part parts[] = {{0, HEADER + PART, i}, {HEADER + PART, PART, 2 * i}};
    const mpa_ulpdu ulpdu = {.fpdu = {.ulpdu_octets = HEADER + 2 * PART},
                             .parts = parts,
                             .part_count = G_N_ELEMENTS(parts),
                             .held_octets = 1};
    segments[i].payload_octets = 2 * PART;
    session_recorder_placed(recorder, &segments[i], &ulpdu, false, end);
    waited += (double)(2 * end - 3 * i) / 2;
  }
  for (guint i = 0; i < SEGMENTS; i++) {
    session_recorder_delivered(recorder, &segments[i], end);
  }
  const metric_values values = finish(recorder, end);
  EXPECT_METRICS(&values, (BUFFER_RELEASE_BURST_PEAK_OCTETS, SEGMENTS)); /* all in one picosecond */
  g_assert_cmpfloat_with_epsilon(values.value[METRIC_DELAY_DELIVERY_MEAN_S],
                                 waited / SEGMENTS / TIME_PS_PER_SECOND, 1e-16);
}
