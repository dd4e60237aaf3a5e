/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_congestion.h"

#include "base/random_stream.h"
#include "congestion_fixture.h"
#include "test.h"

/* NewReno; what is not of one control is alike for all. */
static clocked_flow *with_segments(unsigned count)
{
  return flow_of(TCP_CONGESTION_NEWRENO, TCP_SLOW_START_STANDARD, count, TIME_PS_PER_MILLISECOND);
}

/* Slow start: what is acknowledged, at most 2 SMSS an ACK (RFC 3465 §2.2, L = 2), 1 SMSS after a time-out
 * (§2.3). */
FLOW_TEST(test_slow_start, with_segments(10))
{
  expect_both(flow, 14600, UINT64_MAX);
  g_assert_true(tcp_congestion_in_slow_start(flow->congestion));
  expect_growth(flow, 100, 14700);
  expect_growth(flow, 2 * SMSS, 17620);  /* 14700 + 2920 */
  expect_growth(flow, 10 * SMSS, 20540); /* + 2920 */
  flow->after_timeout = true;
  expect_growth(flow, 10 * SMSS, 22000); /* + 1460 */
}

/* RFC 7661: a window that was not full does not grow. Nor does one within fast recovery (RFC 5681 §3.2). */
FLOW_TEST(test_growth_needs_a_reason, with_segments(10))
{
  flow->unlimited = true;
  flow_acknowledge(flow, SMSS);
  flow->unlimited = false;
  flow->in_recovery = true;
  expect_growth(flow, SMSS, segments(10));
  tcp_congestion_reduce(flow->congestion, segments(10));
  expect_growth(flow, segments(100), segments(5));
}

/* Congestion avoidance: 1 SMSS for each window of octets (RFC 3465 §2.1). Half of 20 SMSS in flight is 10
 * SMSS. */
FLOW_TEST(test_congestion_avoidance, with_segments(20))
{
  tcp_congestion_reduce(flow->congestion, segments(20));
  expect_both(flow, segments(10), segments(10));
  g_assert_false(tcp_congestion_in_slow_start(flow->congestion));
  for (unsigned i = 0; i < 9; i++) {
    flow_acknowledge(flow, SMSS);
  }
  expect_window(flow, segments(10));
  expect_growth(flow, SMSS, segments(11));
  expect_growth(flow, segments(11) - 1, segments(11));
  expect_growth(flow, 1, segments(12));
  expect_growth(flow, segments(12) + 500, segments(13)); /* 500 are left over for the next segment */
  expect_growth(flow, segments(13) - 500, segments(14));
}

/* A reduction starts the count of octets anew: 13 of 14 segments' worth before it are nothing after it. */
FLOW_TEST(test_reduction_forgets_counted_octets, with_segments(28))
{
  tcp_congestion_reduce(flow->congestion, segments(28));
  flow_acknowledge(flow, segments(13));
  tcp_congestion_reduce(flow->congestion, segments(14));
  expect_growth(flow, segments(6), segments(7));
  expect_growth(flow, segments(1), segments(8));
}

/* Never below 2 SMSS (RFC 5681 equation 4). ECE does as a loss does (RFC 3168 §6.1.2). */
FLOW_TEST(test_reduction_has_a_floor, with_segments(10))
{
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(10));
  expect_window(flow, segments(5));
  expect_reduction(flow, segments(3), segments(2));
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(1));
  expect_window(flow, segments(2));
}

/* RFC 6582 §3.2: 10 in flight, third duplicate: ssthresh 5, window 5 + 3; one more: 9; a partial ACK of 4:
 * 9 - 4 + 1 = 6; the full ACK leaves min(5, max(2, 1) + 1) = 3 when 2 are in flight. */
FLOW_TEST(test_inflation, with_segments(10))
{
  tcp_congestion_reduce(flow->congestion, segments(10));
  tcp_congestion_inflate(flow->congestion, segments(3));
  expect_window(flow, segments(8));
  tcp_congestion_inflate(flow->congestion, SMSS);
  tcp_congestion_deflate(flow->congestion, segments(4));
  expect_window(flow, segments(6));
  tcp_congestion_deflate(flow->congestion, 100); /* less than a segment: nothing is added back */
  expect_window(flow, segments(6) - 100);
  tcp_congestion_deflate(flow->congestion, SMSS); /* a segment: it is */
  expect_window(flow, segments(6) - 100);
  tcp_congestion_end_inflation(flow->congestion, segments(2));
  expect_window(flow, segments(3));
  tcp_congestion_end_inflation(flow->congestion, segments(20));
  expect_window(flow, segments(5));
  tcp_congestion_deflate(flow->congestion, segments(50)); /* never below one segment */
  expect_window(flow, SMSS);
}

/* PRR (RFC 6937 §3) determines the window; the threshold stays. */
FLOW_TEST(test_window_is_set, with_segments(10))
{
  tcp_congestion_reduce(flow->congestion, segments(10));
  tcp_congestion_set_window(flow->congestion, segments(7) + 1);
  expect_both(flow, segments(7) + 1, segments(5));
}

/* RFC 5681 §3.1: the loss window is 1 SMSS; the threshold stays at the second time-out in a row. */
FLOW_TEST(test_collapse, with_segments(10))
{
  tcp_congestion_collapse(flow->congestion, segments(12), true);
  expect_both(flow, SMSS, segments(6));
  tcp_congestion_collapse(flow->congestion, SMSS, false);
  expect_both(flow, SMSS, segments(6));
}

/* RFC 4015 §3.2: window and threshold are what they were, unless they have become larger since. */
FLOW_TEST(test_undo, with_segments(40))
{
  tcp_congestion_reduce(flow->congestion, segments(40));
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_collapse(flow->congestion, segments(20), true);
  tcp_congestion_undo(flow->congestion);
  expect_both(flow, segments(20), segments(20));
  /* Only once: the next reduction was not remembered. */
  tcp_congestion_reduce(flow->congestion, segments(20));
  tcp_congestion_undo(flow->congestion);
  expect_window(flow, segments(10));
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, segments(10));
  tcp_congestion_set_window(flow->congestion, segments(15));
  tcp_congestion_undo(flow->congestion);
  expect_both(flow, segments(15), segments(10));
}

/* Undone in the middle of NewReno's inflation: 20, halved to 10, inflated to 29 by 19 duplicates; 20
 * again, not 29, which stood for segments that have left the network. */
FLOW_TEST(test_undo_ends_inflation, with_segments(20))
{
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, segments(20));
  tcp_congestion_inflate(flow->congestion, segments(19));
  tcp_congestion_undo(flow->congestion);
  expect_window(flow, segments(20));
  g_assert_true(tcp_congestion_in_slow_start(flow->congestion)); /* as it was: no threshold yet */
}

/* Marks show congestion, whatever the recovery before it proves to be: 20, halved to 10, halved by ECE to 5.
 * A threshold of none that came back would become the window when PRR has led it to the threshold. */
FLOW_TEST(test_marks_are_not_undone, with_segments(20))
{
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, segments(20));
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(10));
  tcp_congestion_undo(flow->congestion);
  expect_both(flow, segments(5), segments(5));
}

/* RFC 5681 §4.1: min(initial window, cwnd); what is smaller stays, the threshold too. */
FLOW_TEST(test_restart_after_idle, with_segments(10))
{
  tcp_congestion_set_window(flow->congestion, segments(50));
  tcp_congestion_reduce(flow->congestion, segments(50));
  tcp_congestion_restart_after_idle(flow->congestion, TIME_PS_PER_SECOND);
  expect_both(flow, segments(10), segments(25));
  tcp_congestion_set_window(flow->congestion, segments(4));
  tcp_congestion_restart_after_idle(flow->congestion, TIME_PS_PER_SECOND);
  expect_window(flow, segments(4));
  tcp_congestion_set_smss(flow->congestion, segments(30), false); /* a segment always fits */
  tcp_congestion_restart_after_idle(flow->congestion, TIME_PS_PER_SECOND);
  expect_window(flow, segments(30));
}

/* RFC 2861 §3.1 as Linux has it: each whole RTO and what is begun of the next halve a window of 45 segments
 * (22, then 11), down to the initial 10; the threshold is at least a half and a quarter of what it was (22
 * and 11), and never less than before. */
FLOW_TEST(test_decay_after_idle, with_segments(10))
{
  static const struct {
    int64_t idle_ms;
    unsigned segments;
  } CASES[] = {{1000, 45}, {1001, 22}, {2000, 22}, {2001, 11}, {3001, 10}, {60000, 10}};
  for (unsigned i = 0; i < G_N_ELEMENTS(CASES); i++) {
    tcp_congestion_set_window(flow->congestion, segments(45));
    flow->congestion->window.threshold_octets = segments(20);
    tcp_congestion_decay(flow->congestion, CASES[i].idle_ms * TIME_PS_PER_MILLISECOND, TIME_PS_PER_SECOND);
    expect_both(flow, segments(CASES[i].segments), segments(33));
  }
  flow->congestion->window.threshold_octets = UINT64_MAX;
  tcp_congestion_decay(flow->congestion, 2 * TIME_PS_PER_SECOND, TIME_PS_PER_SECOND);
  expect_both(flow, segments(10), UINT64_MAX);
}

/* RFC 1191 §6.4: a new path MTU is no sign of congestion. The window keeps its octets, and grows by the
 * new SMSS; one segment always fits. */
FLOW_TEST(test_smss_changes, with_segments(10))
{
  tcp_congestion_set_smss(flow->congestion, SMSS / 2, false);
  expect_window(flow, segments(10));
  expect_growth(flow, 5 * SMSS, segments(11)); /* slow start: by at most 2 of the new SMSS */
  tcp_congestion_set_smss(flow->congestion, 12 * SMSS, false);
  expect_window(flow, segments(12));
}

/* One random call of any sort. An acknowledgement never makes a window smaller; a loss never leaves less
 * than 2 SMSS, a time-out exactly 1. */
static void do_something(clocked_flow *flow, random_stream *stream)
{
  uint64_t before = window_octets(flow);
  uint64_t flight = random_stream_below(stream, before + 1);
  flow->now += (time_ps)random_stream_below(stream, UINT64_C(30000000000));
  switch (random_stream_below(stream, 40)) {
  case 0:
    tcp_congestion_remember(flow->congestion);
    tcp_congestion_reduce(flow->congestion, flight);
    g_assert_cmpuint(window_octets(flow), >=, segments(2));
    break;
  case 1:
    tcp_congestion_reduce_for_ecn(flow->congestion, flight);
    g_assert_cmpuint(window_octets(flow), >=, segments(2));
    break;
  case 2:
    tcp_congestion_remember(flow->congestion);
    tcp_congestion_collapse(flow->congestion, flight, true);
    g_assert_cmpuint(flow->congestion->window.threshold_octets, >=, segments(2));
    tcp_congestion_collapse(flow->congestion, flight, false);
    g_assert_cmpuint(window_octets(flow), ==, SMSS);
    break;
  case 3:
    tcp_congestion_undo(flow->congestion);
    break;
  case 4:
    flow->now += TIME_PS_PER_SECOND;
    tcp_congestion_restart_after_idle(flow->congestion, TIME_PS_PER_SECOND);
    g_assert_cmpuint(window_octets(flow), <=, segments(10));
    break;
  default:
    flow->unlimited = random_stream_below(stream, 3) == 0;
    flow->round_trip_ps = (time_ps)random_stream_below(stream, UINT64_C(300000000000));
    flow_acknowledge(flow, 1 + random_stream_below(stream, before));
    g_assert_cmpuint(window_octets(flow), >=, before);
    g_assert_cmpuint(window_octets(flow), <=, before + (flow->unlimited ? 0 : before / 2 + segments(2)));
  }
}

TEST(test_any_order)
{
  static const tcp_congestion_kind kinds[] = {TCP_CONGESTION_NEWRENO, TCP_CONGESTION_CUBIC,
                                              TCP_CONGESTION_DCTCP};
  static const tcp_slow_start_kind starts[] = {TCP_SLOW_START_STANDARD, TCP_SLOW_START_HYSTART,
                                               TCP_SLOW_START_HYSTART_PP};
  uint64_t seed = 5681;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  g_autoptr(random_stream) stream = random_stream_new(seed, "congestion");
  for (unsigned i = 0; i < 9 * 30; i++) {
    g_autoptr(clocked_flow) flow = flow_of(kinds[i % 3], starts[i / 3 % 3], 10, 0);
    for (unsigned step = 0; step < 300; step++) {
      do_something(flow, stream);
    }
  }
}

/* A threshold of 12 segments and a window of 1. One ACK of 20 segments: 11 of them open the window to the
 * threshold, and the other 9 count in congestion avoidance, where 12 make a segment more. */
FLOW_TEST(test_unlimited_slow_start_ends_at_the_threshold, with_segments(10))
{
  tcp_congestion_collapse(flow->congestion, segments(24), true);
  expect_window(flow, segments(1));
  tcp_congestion_ack ack = {
      .octets = segments(20), .next = 1, .limited = true, .unlimited_slow_start = true, .round_trip_ps = -1};
  tcp_congestion_acknowledged(flow->congestion, &ack, 0);
  expect_window(flow, segments(12));
  ack.octets = segments(3) - 1;
  tcp_congestion_acknowledged(flow->congestion, &ack, 0);
  expect_window(flow, segments(12));
  ack.octets = 1;
  tcp_congestion_acknowledged(flow->congestion, &ack, 0);
  expect_window(flow, segments(13));
}

/* As Linux counts, 10 segments stay 10, and so do the threshold and the window to restart with. */
FLOW_TEST(test_segments_stay_segments, with_segments(10))
{
  expect_reduction(flow, segments(10), segments(5));
  tcp_congestion_set_smss(flow->congestion, SMSS / 2, true);
  expect_both(flow, 5 * (SMSS / 2), 5 * (SMSS / 2));
  tcp_congestion_set_window(flow->congestion, 40 * (SMSS / 2));
  tcp_congestion_restart_after_idle(flow->congestion, 0);
  expect_window(flow, 10 * (SMSS / 2));
}
