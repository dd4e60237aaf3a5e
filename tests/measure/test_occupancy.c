/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the RNIC's reassembly memory holds, by cause, over time. */
#include <stdlib.h>

#include "measure/occupancy.h"
#include "metric_values.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(occupancy, occupancy_free)

#define OCCUPANCY_TEST(name, made) TEST_OF(occupancy, gauge, made, name)

/* Octets in order of held_cause: incomplete, unlocated, order, fragment, processing. */
static void hold(occupancy *gauge, uint32_t connection, time_ps now, uint64_t incomplete, uint64_t unlocated,
                 uint64_t order, uint64_t fragment, uint64_t processing)
{
  occupancy_state state = {.octets = {incomplete, unlocated, order, fragment, processing}};
  occupancy_update(gauge, connection, &state, now);
}

static void hold_with_holes(occupancy *gauge, uint32_t connection, time_ps now, uint64_t order,
                            uint32_t holes)
{
  occupancy_state state = {.octets = {0, 0, order, 0, 0}, .holes = holes};
  occupancy_update(gauge, connection, &state, now);
}

static metric_values finish(occupancy *gauge, time_ps now)
{
  metric_values values = {0};

  occupancy_finish(gauge, now, &values);
  return values;
}

/* Connection 0 holds 10 + 20 + 30 + 40 and 5 processing from 100 on; connection 1 joins at 200 with 7
 * unlocated while 0 drops to 10 incomplete; the peaks of different causes come at different times. Together
 * they hold 5 GiB processing. */
OCCUPANCY_TEST(test_peaks_by_cause, occupancy_new(2, 1))
{
  hold(gauge, 0, 100, 10, 20, 30, 40, 5);
  hold(gauge, 1, 200, 0, 17, 0, 0, 2147483648);
  hold(gauge, 0, 200, 10, 10, 0, 0, 3221225472);
  hold(gauge, 0, 300, 0, 0, 0, 0, 0);
  hold(gauge, 1, 300, 0, 0, 0, 0, 0);
  const metric_values values = finish(gauge, 400);
  EXPECT_METRIC_VALUES(&values, (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 10),
                       (BUFFER_PEAK_OCTETS_UNLOCATED, ==, 27), /* 10 + 17 at 200; 20 + 17 for no time */
                       (BUFFER_PEAK_OCTETS_ORDER, ==, 30), (BUFFER_PEAK_OCTETS_FRAGMENT, ==, 40),
                       (BUFFER_PEAK_OCTETS_PROCESSING, ==, 5368709120),
                       (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 100),    /* 10 + 20 + 30 + 40 at 100 */
                       (BUFFER_TOTAL_PEAK_OCTETS, ==, 5368709157)); /* at 200; 105 at 100 */
  g_assert_cmpfloat(values.value[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S], ==, 100e-12);
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS]); /* nothing was delivered */
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_P99_OCTETS]);
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY]);
}

/* Holes, partial FPDUs and undelivered segments are summed over the connections as well: 2 + 3 holes at
 * 20. Recovery is where there are holes, though nothing is held. */
OCCUPANCY_TEST(test_peaks_of_state, occupancy_new(2, 1))
{
  occupancy_start(gauge, 0);
  occupancy_update(gauge, 0, &(occupancy_state){.holes = 2, .partial_fpdus = 1, .undelivered = 40}, 10);
  occupancy_update(gauge, 1, &(occupancy_state){.holes = 3, .partial_fpdus = 1, .undelivered = 2}, 20);
  occupancy_update(gauge, 0, &(occupancy_state){.holes = 0, .partial_fpdus = 4, .undelivered = 0}, 30);
  occupancy_update(gauge, 1, &(occupancy_state){.holes = 4, .partial_fpdus = 9, .undelivered = 50}, 40);
  occupancy_update(gauge, 1, &(occupancy_state){.holes = 4, .partial_fpdus = 0, .undelivered = 0}, 40);
  occupancy_deliver(gauge, 0, 50);
  const metric_values values = finish(gauge, 50);
  EXPECT_METRIC_VALUES(&values, (STATE_HOLES_PEAK, ==, 5),
                       (STATE_PARTIAL_FPDUS_PEAK, ==, 5), /* 4 + 1 at 30; 4 + 9 for no time */
                       (STATE_UNDELIVERED_PEAK, ==, 42), (BUFFER_TOTAL_PEAK_OCTETS, ==, 0),
                       (BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, ==, 0));
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S]);
}

OCCUPANCY_TEST(test_peak_held_at_the_end_counts, occupancy_new(1, 1))
{
  hold(gauge, 0, 10, 0, 0, 8, 0, 0);
  hold(gauge, 0, 50, 0, 0, 9, 0, 0);
  const metric_values values = finish(gauge, 50);
  EXPECT_METRIC_VALUES(&values, (BUFFER_PEAK_OCTETS_ORDER, ==, 9), (BUFFER_REASSEMBLY_PEAK_AT_S, ==, 50e-12));
}

/* Connection 0 holds 100 at 10, and either holds 70 at 30: with a memory each they need 170, with one for all
 * 140, of which the first counts as holding most. 900 lasts no time, and processing is no reassembly. */
OCCUPANCY_TEST(test_peaks_of_connections, occupancy_new(2, 1))
{
  hold(gauge, 0, 10, 0, 0, 100, 0, 0);
  hold(gauge, 0, 20, 0, 0, 900, 0, 0);
  hold(gauge, 0, 20, 0, 0, 0, 0, 0);
  hold(gauge, 1, 30, 60, 0, 0, 10, 500);
  hold(gauge, 0, 30, 70, 0, 0, 0, 0);
  const metric_values values = finish(gauge, 30);
  EXPECT_METRIC_VALUES(&values, (BUFFER_CONNECTION_PEAKS_OCTETS, ==, 170),
                       (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 140), (BUFFER_REASSEMBLY_PEAK_AT_S, ==, 30e-12),
                       (BUFFER_REASSEMBLY_PEAK_CONNECTION, ==, 0));
}

/* The window is from 15 to 35: 100 is left at 12 and 30 when it opens; 20 and 50 are held when it closes. */
OCCUPANCY_TEST(test_peaks_of_connections_in_a_window, occupancy_new(2, 1))
{
  occupancy_wait(gauge);
  hold(gauge, 0, 10, 0, 0, 100, 0, 0);
  hold(gauge, 0, 12, 0, 0, 30, 0, 0);
  occupancy_start(gauge, 15);
  hold(gauge, 0, 15, 0, 0, 20, 0, 0);
  hold(gauge, 1, 30, 0, 0, 50, 0, 0);
  occupancy_close(gauge, 35);
  hold(gauge, 1, 40, 0, 0, 600, 0, 0);
  const metric_values values = finish(gauge, 60);
  EXPECT_METRIC_VALUES(&values, (BUFFER_CONNECTION_PEAKS_OCTETS, ==, 70),
                       (BUFFER_REASSEMBLY_PEAK_AT_S, ==, 30e-12), (BUFFER_REASSEMBLY_PEAK_CONNECTION, ==, 1));
}

/* Cells of 64 octets: 1 -> 64, 64 -> 64, 65 -> 128, for each connection and cause on its own. Of two that
 * hold as much at the peak the first counts, though it was the last to. */
OCCUPANCY_TEST(test_cells, occupancy_new(2, 64))
{
  hold(gauge, 1, 5, 1, 0, 0, 0, 0);
  hold(gauge, 1, 6, 0, 0, 0, 0, 0);
  hold(gauge, 1, 10, 64, 0, 65, 0, 0);
  hold(gauge, 0, 20, 1, 0, 65, 0, 0);
  const metric_values values = finish(gauge, 30);
  EXPECT_METRIC_VALUES(&values, (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 128), (BUFFER_PEAK_OCTETS_ORDER, ==, 256),
                       (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 384), (BUFFER_REASSEMBLY_PEAK_CONNECTION, ==, 0));
}

/* The start is at 100, last delivery at 300. Reassembly: 0 in [100, 150), 40 in [150, 200), 10 in [200, 300)
 * with processing beside it, and 5000 from 310 on, too late. Mean (0 + 2000 + 1000) / 200 = 15. A hole is
 * open in [150, 200) on connection 0 and in [190, 202) on connection 1: 52 ps, 50 of them at 40: 99 % needs
 * 51.48 ps of 50 + 2 at 10, so p99 is 40. */
OCCUPANCY_TEST(test_mean_and_quantiles_up_to_the_last_delivery, occupancy_new(2, 1))
{
  hold_with_holes(gauge, 0, 20, 900, 1); /* before the start */
  hold_with_holes(gauge, 0, 30, 0, 0);
  occupancy_deliver(gauge, 0, 40);
  occupancy_start(gauge, 100);
  hold_with_holes(gauge, 0, 150, 40, 1);
  hold_with_holes(gauge, 1, 190, 0, 2);
  occupancy_update(gauge, 0, &(occupancy_state){.octets = {0, 0, 10, 0, 700}}, 200);
  hold_with_holes(gauge, 1, 202, 0, 0);
  occupancy_deliver(gauge, 0, 250);
  occupancy_deliver(gauge, 0, 300);
  hold_with_holes(gauge, 0, 310, 5000, 1);
  hold_with_holes(gauge, 0, 900, 0, 0);
  const metric_values values = finish(gauge, 1000);
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_MEAN_OCTETS, ==, 15),
                       (BUFFER_REASSEMBLY_P99_OCTETS, ==, 40),
                       (BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, ==, 40),
                       (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 5000)); /* peaks know no interval */
}

/* 40 octets for 1 ps of 200 are above the 99th percentile of all time, and of the 2 ps of recovery they are
 * 50 %. */
OCCUPANCY_TEST(test_p99_in_recovery_differs, occupancy_new(1, 1))
{
  occupancy_start(gauge, 100);
  hold_with_holes(gauge, 0, 150, 40, 1);
  hold_with_holes(gauge, 0, 151, 0, 1);
  hold_with_holes(gauge, 0, 152, 0, 0);
  occupancy_deliver(gauge, 0, 300);
  const metric_values values = finish(gauge, 300);
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_P99_OCTETS, ==, 0),
                       (BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, ==, 40));
}

/* Of 100 ps, order holds 0, 40, 10 and 0 octets for 50, 10, 20 and 20; processing beside it 6 for the 20. So
 * the quantiles of order, by 50, 70, 75, 90 and 100 %, are 0, 0, 10, 10, 40; of the total 0, 0, 16, 16, 40.
 * The other causes are always 0. 2 and then 1 holes in [50, 80), then 4 undelivered segments. The block that
 * ends in the midst of 40 and that in the midst of 10 change nothing of it. */
OCCUPANCY_TEST(test_quantiles_of_each_gauge, occupancy_new(1, 1))
{
  static const uint32_t parts[] = {500000000, 700000000, 750000000, 900000000, 1000000000};
  static const double expected[GAUGE_COUNT][5] = {
      [GAUGE_ORDER] = {0, 0, 10, 10, 40},      [GAUGE_PROCESSING] = {0, 0, 0, 6, 6},
      [GAUGE_REASSEMBLY] = {0, 0, 10, 10, 40}, [GAUGE_TOTAL] = {0, 0, 16, 16, 40},
      [GAUGE_HOLES] = {0, 0, 1, 1, 2},         [GAUGE_UNDELIVERED] = {0, 0, 0, 4, 4}};
  occupancy_start(gauge, 1000);
  hold_with_holes(gauge, 0, 1050, 40, 2);
  occupancy_deliver(gauge, 65536, 1055);
  occupancy_update(gauge, 0, &(occupancy_state){.octets = {0, 0, 10, 0, 6}, .holes = 1}, 1060);
  occupancy_deliver(gauge, 65536, 1070);
  occupancy_update(gauge, 0, &(occupancy_state){.undelivered = 4}, 1080);
  occupancy_deliver(gauge, 0, 1100);
  occupancy_update(gauge, 0, &(occupancy_state){.octets = {900}, .undelivered = 4}, 1110); /* too late */
  finish(gauge, 1200);
  g_auto(run_results) results = {.block_octets = 0};
  occupancy_results(gauge, parts, G_N_ELEMENTS(parts), &results);
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
      g_assert_cmpfloat(results.quantiles.values[id][i], ==, expected[id][i]);
    }
  }
}

/* The window is [100, 200). 50 octets are held when it opens, 70 for no time when it closes; 900 and 800 are
 * outside. Mean (50 · 60 + 20 · 40) / 100. The Delivery that follows at 500 makes it reach its end. Of the
 * octets that arrive, 2 find 50 in it and 4 find 20; 1 comes before it and 8 after it. */
OCCUPANCY_TEST(test_window, occupancy_new(1, 1))
{
  occupancy_wait(gauge);
  hold_with_holes(gauge, 0, 10, 900, 4);
  hold_with_holes(gauge, 0, 90, 50, 1);
  occupancy_arrive(gauge, 1);
  occupancy_start(gauge, 100);
  occupancy_arrive(gauge, 2);
  hold_with_holes(gauge, 0, 160, 20, 2);
  occupancy_arrive(gauge, 4);
  occupancy_close(gauge, 200);
  occupancy_arrive(gauge, 8);
  hold_with_holes(gauge, 0, 300, 800, 5);
  occupancy_deliver(gauge, 1 << 20, 500);
  const metric_values values = finish(gauge, 600);
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 50), (STATE_HOLES_PEAK, ==, 2),
                       (BUFFER_REASSEMBLY_MEAN_OCTETS, ==, 38), (BUFFER_REASSEMBLY_P99_OCTETS, ==, 50),
                       (BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, ==, 50));
  g_auto(run_results) results = {.block_octets = 0};
  distribution *found = &results.distributions[1];
  occupancy_distributions(gauge, results.distributions, found);
  g_assert_cmpuint(found->count, ==, 2);
  g_assert_cmpfloat(found->bins[0].weight, ==, 4);
  g_assert_cmpfloat(found->bins[1].weight, ==, 2);
}

OCCUPANCY_TEST(test_window_never_opens, occupancy_new(1, 1))
{
  occupancy_wait(gauge);
  hold(gauge, 0, 10, 0, 0, 9, 0, 0);
  occupancy_deliver(gauge, 1 << 20, 20);
  occupancy_close(gauge, 20);
  const metric_values values = finish(gauge, 50);
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_false(values.present[id]);
  }
  run_results results = {.block_octets = 0};
  occupancy_results(gauge, (const uint32_t[]){1}, 1, &results);
  g_assert_cmpuint(results.quantiles.count, ==, 0);
  g_assert_null(results.block_maxima);
}

/* Blocks of 64 KiB, the second ended by the Delivery at 30, which frees the 7: it was held before. The same
 * Delivery fills a third, which lasts no time. The fourth begins with the 3 that stay; the 9, which is held
 * when the second ends, is replaced in the picosecond it was set in. The last is not full. */
OCCUPANCY_TEST(test_block_maxima, occupancy_new(1, 1))
{
  static const guint64 expected[] = {5, 7, 0, 3};
  occupancy_start(gauge, 0);
  hold(gauge, 0, 1, 0, 0, 5, 0, 0);
  hold(gauge, 0, 5, 0, 0, 0, 0, 0);
  occupancy_deliver(gauge, 65536, 10);
  occupancy_deliver(gauge, 65535, 15);
  hold(gauge, 0, 20, 0, 0, 7, 0, 0);
  hold(gauge, 0, 30, 0, 0, 9, 0, 0);
  occupancy_deliver(gauge, 65537, 30);
  hold(gauge, 0, 30, 0, 0, 3, 0, 0);
  occupancy_deliver(gauge, 65536, 40);
  hold(gauge, 0, 41, 0, 0, 100, 0, 0);
  occupancy_deliver(gauge, 65535, 50);
  finish(gauge, 60);
  g_auto(run_results) results = {.block_octets = 0};
  occupancy_results(gauge, NULL, 0, &results);
  g_assert_cmpuint(results.block_octets, ==, 65536);
  g_assert_cmpmem(results.block_maxima->data, results.block_maxima->len * sizeof(guint64), expected,
                  sizeof expected);
}

/* 500 changes between two Deliveries, of which each value k lasts 10 ps: more than are kept at first. What
 * follows the last Delivery, in the midst of 499, does not count. */
OCCUPANCY_TEST(test_many_changes, occupancy_new(1, 1))
{
  enum { CHANGES = 500 };
  occupancy_start(gauge, 0);
  for (uint64_t k = 0; k < CHANGES; k++) {
    hold(gauge, 0, 10 * (time_ps)k, 0, 0, k, 0, 0);
  }
  occupancy_deliver(gauge, 0, 10 * CHANGES - 5);
  for (uint64_t k = 0; k < CHANGES; k++) {
    hold(gauge, 0, 10 * (time_ps)(CHANGES + k), 0, 0, 1000, 0, 0);
  }
  const metric_values values = finish(gauge, 100 * CHANGES);
  /* (10 · (0 + … + 498) + 5 · 499) / 4995 */
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_MEAN_OCTETS, ==, (1242510 + 5 * 499) / 4995.0),
                       (BUFFER_PEAK_OCTETS_ORDER, ==, 1000));
}

/* Recovery lasts while any connection has a hole: 0 from 100 to 200, 1 from 150 to 300. RNIC: 10 in [100,
 * 150), 20 in [150, 200), 30 in [200, 300) and 90 from 300 on. */
OCCUPANCY_TEST(test_recovery_of_several_connections, occupancy_new(2, 1))
{
  occupancy_start(gauge, 0);
  hold_with_holes(gauge, 0, 100, 10, 1);
  hold_with_holes(gauge, 1, 150, 10, 1);
  hold_with_holes(gauge, 0, 200, 20, 0);
  hold_with_holes(gauge, 1, 300, 70, 0);
  occupancy_deliver(gauge, 0, 1000);
  const metric_values values = finish(gauge, 1000);
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, ==, 30),
                       (BUFFER_REASSEMBLY_P99_OCTETS, ==, 90));
}

OCCUPANCY_TEST(test_no_recovery_no_metric, occupancy_new(1, 1))
{
  occupancy_start(gauge, 100);
  hold(gauge, 0, 150, 4, 0, 0, 0, 0);
  occupancy_deliver(gauge, 0, 200);
  const metric_values values = finish(gauge, 300);
  EXPECT_METRIC_VALUES(&values, (BUFFER_REASSEMBLY_MEAN_OCTETS, ==, 2),
                       (BUFFER_REASSEMBLY_P99_OCTETS, ==, 4));
  g_assert_false(values.present[METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY]);
}

static char *series_of_run(bool all_series, uint32_t connection_series)
{
  char *text = NULL;
  size_t length = 0;
  FILE *file = open_memstream(&text, &length);
  g_autoptr(occupancy) gauge = occupancy_new(3, 1);
  occupancy_write_series(gauge, file, all_series, connection_series);
  /* This is one run with ties: three connections, two of them with a series. */
  hold(gauge, 1, 1, 0, 5, 0, 0, 0);    /* replaced in the same picosecond: never appears */
  hold(gauge, 1, 1, 0, 0, 7, 0, 0);    /* lasts */
  hold(gauge, 0, 1, 3, 0, 0, 0, 0);    /* the same picosecond, lower connection: printed first */
  hold(gauge, 2, 1, 1, 5, 0, 6, 0);    /* has no series; part of all */
  hold(gauge, 0, 1000, 3, 0, 9, 0, 0); /* and back within the picosecond: no line at all */
  hold(gauge, 0, 1000, 3, 0, 0, 0, 0);
  hold(gauge, 0, INT64_C(1500000000001), 0, 0, 0, 0, 3);  /* to processing: two causes of one connection */
  hold(gauge, 0, INT64_C(61000000000000), 0, 0, 0, 0, 0); /* 0's goes */
  hold(gauge, 1, INT64_C(61000000000000), 0, 0, 0, 0, 0); /* 1's: replaced by */
  hold(gauge, 1, INT64_C(61000000000000), 0, 0, 7, 0,
       3); /* the same sum for `all`, and still held at the end */
  finish(gauge, INT64_C(61000000000000));
  g_assert_cmpint(fclose(file), ==, 0);
  return text;
}

TEST(test_series)
{
  char *text = series_of_run(true, 2);
  g_assert_cmpstr(text, ==,
                  "time_s,connection,cause,octets\n"
                  "0.000000000001,all,incomplete,4\n"
                  "0.000000000001,all,unlocated,5\n"
                  "0.000000000001,all,order,7\n"
                  "0.000000000001,all,fragment,6\n"
                  "0.000000000001,0,incomplete,3\n"
                  "0.000000000001,1,order,7\n"
                  "1.500000000001,all,incomplete,1\n"
                  "1.500000000001,all,processing,3\n"
                  "1.500000000001,0,incomplete,0\n"
                  "1.500000000001,0,processing,3\n"
                  "61.000000000000,0,processing,0\n"
                  "61.000000000000,1,processing,3\n");
  free(text);
}

TEST(test_series_of_connections_only)
{
  char *text = series_of_run(false, 1);
  g_assert_cmpstr(text, ==,
                  "time_s,connection,cause,octets\n"
                  "0.000000000001,0,incomplete,3\n"
                  "1.500000000001,0,incomplete,0\n"
                  "1.500000000001,0,processing,3\n"
                  "61.000000000000,0,processing,0\n");
  free(text);
}

/* More series asked for than there are connections: those there are. */
TEST(test_series_of_all_connections)
{
  char *text = series_of_run(false, 16);
  g_assert_nonnull(strstr(text, "\n0.000000000001,1,order,7\n0.000000000001,2,incomplete,1\n"));
  free(text);
}
