/* SPDX-License-Identifier: GPL-2.0-only */
/* CUBIC as Linux has it, and the threshold of the window. */
#include <math.h>

#include "congestion_fixture.h"
#include "flag_test.h"

#define MILLISECOND TIME_PS_PER_MILLISECOND

/* A flow whose window is `count` segments, and which grows as Linux's does. */
static clocked_flow *linux_flow(tcp_congestion_kind kind, unsigned count, time_ps round_trip_ps)
{
  tcp_config config = {
      .congestion = kind, .cubic = TCP_CUBIC_LINUX, .threshold_of_window = true, .window_of_segments = true};
  return flow_with(&config, count, round_trip_ps);
}

/* The same in its first congestion avoidance after a loss with that window. */
static clocked_flow *after_loss_at(unsigned count, time_ps round_trip_ps)
{
  clocked_flow *flow = linux_flow(TCP_CONGESTION_CUBIC, count, round_trip_ps);
  tcp_congestion_reduce(flow->congestion, segments(count));
  return flow;
}

/* In congestion avoidance without a loss, as HyStart leaves it. */
static clocked_flow *after_slow_start_at(unsigned count, time_ps round_trip_ps)
{
  clocked_flow *flow = linux_flow(TCP_CONGESTION_CUBIC, count, round_trip_ps);
  flow->congestion->window.threshold_octets = window_octets(flow);
  return flow;
}

/* At `seconds` the window is `expected` segments, give or take `slack`. */
static void expect_at(clocked_flow *flow, double seconds, double expected, double slack)
{
  flow_run_until(flow, seconds);
  double measured = (double)window_octets(flow) / SMSS;
  if (fabs(measured - expected) > slack) {
    g_error("at %.3f s: %.3f segments, expected %.3f", seconds, measured, expected);
  }
}

/* cubictcp_recalc_ssthresh(): 717/1024 of the window, whatever is in flight, in whole segments, at least 2:
 * 100 make 70.02, 70 49.01, 49 34.31, 34 23.8, and 3 2.1. */
TEST(test_threshold_is_a_share_of_the_window)
{
  g_autoptr(clocked_flow) flow = linux_flow(TCP_CONGESTION_CUBIC, 100, 100 * MILLISECOND);
  expect_reduction(flow, segments(20), segments(70));
  expect_reduction(flow, segments(200), segments(49));
  expect_reduction(flow, 0, segments(34));
  expect_reduction(flow, segments(34), segments(23));
  g_autoptr(clocked_flow) small = linux_flow(TCP_CONGESTION_CUBIC, 3, 100 * MILLISECOND);
  expect_reduction(small, segments(3), segments(2));
  expect_reduction(small, segments(2), segments(2));
}

/* tcp_reno_ssthresh(): half of the window, in whole segments: of 15 they are 7, then 3. */
FLOW_TEST(test_threshold_of_reno, linux_flow(TCP_CONGESTION_NEWRENO, 15, 100 * MILLISECOND))
{
  expect_reduction(flow, segments(4), segments(7));
  expect_reduction(flow, segments(4), segments(3));
}

/* cubictcp_acked(): for a second after an epoch began HyStart heeds no delay, so that slow start goes on when
 * a recovery is undone, though round trips are 32 ms longer; after it, it ends. */
FLAG_TEST(test_delays_after_an_undo, after_a_second)
{
  tcp_config config = {.congestion = TCP_CONGESTION_CUBIC,
                       .cubic = TCP_CUBIC_LINUX,
                       .slow_start = TCP_SLOW_START_AUTO,
                       .threshold_of_window = true,
                       .window_of_segments = true};
  g_autoptr(clocked_flow) flow = flow_with(&config, 20, 8 * MILLISECOND);
  flow_acknowledge(flow, SMSS);
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, segments(20));
  flow_acknowledge(flow, SMSS); /* begins the epoch */
  tcp_congestion_undo(flow->congestion);
  flow->round_trip_ps = 40 * MILLISECOND;
  flow->now = TIME_PS_PER_SECOND - (after_a_second ? 0 : 4 * MILLISECOND); /* the tick before */
  /* the round of before goes on for 20 of them, and after 8 of the next one is judged */
  for (unsigned sample = 0; sample < 40; sample++) {
    flow_acknowledge(flow, SMSS);
  }
  g_assert_cmpint(tcp_congestion_in_slow_start(flow->congestion), ==, !after_a_second);
}

/* A round trip of 20 ms and a last maximum of 20 segments: the cube (K = (6 / 0.4)^(1/3) = 2.47 s) is slower
 * than additive increase for a second. That is by 8/15 a round trip from 14 on, also beyond 20: 19.3 after
 * 0.2 s, 10 round trips, and 40.7 after 50, where RFC 9438 §4.3 has 58.7. W_est is
 * looked at every 32 ms while the window stays, and what it has gained is given out over the next round trip:
 * up to 52 ms late, 1.4 segments. */
FLOW_TEST(test_reno_friendly_slope_stays, after_loss_at(20, 20 * MILLISECOND))
{
  expect_at(flow, 0.2, 19.3 - 0.7, 1);
  expect_at(flow, 1, 40.7 - 0.7, 1);
}

/* W(t) = 0.4 (t - K)^3 + 100 with K = (30 / 0.4)^(1/3) = 4.217 s from the loss on, where a round trip of 200
 * ms makes additive increase slower. The target is a round trip ahead, and the window gets there within one:
 * it may be as far off as the curve rises in one, which is at most 0.4 · 3 · (4.2)^2 · 0.2 = 4.2 segments. */
FLOW_TEST(test_window_follows_the_cube, after_loss_at(100, 200 * MILLISECOND))
{
  expect_at(flow, 1, 86.68, 4.2);
  expect_at(flow, 2, 95.64, 2);
  expect_at(flow, 3, 99.28, 1);
  expect_at(flow, 4.2172, 100, 1);
  expect_at(flow, 6, 102.27, 1);
  expect_at(flow, 8, 121.65, 4.2);
}

/* Without a loss a segment more for at most 20 acknowledged: 5 % a round trip, or as the acknowledgements
 * come evenly, e^(1/20). 20 of 100 ms make 100 e = 271.8 segments of 100, where the curve would be at 0.4
 * · 2.1^3 = 3.7 above 100, and W_est at 110.7. */
FLOW_TEST(test_growth_before_any_loss, after_slow_start_at(100, 100 * MILLISECOND))
{
  expect_at(flow, 2, 271.8, 3);
}

/* A time-out forgets the last maximum: the same from the threshold of 70 on, 70 e^(10/20) = 115.4. */
FLOW_TEST(test_growth_after_a_time_out, linux_flow(TCP_CONGESTION_CUBIC, 100, 100 * MILLISECOND))
{
  tcp_congestion_collapse(flow->congestion, segments(100), true);
  expect_both(flow, SMSS, segments(70));
  while (tcp_congestion_in_slow_start(flow->congestion)) {
    flow_acknowledge(flow, SMSS);
  }
  expect_at(flow, 1, 115.4, 2);
}

/* RFC 9438 §4.7: a second loss at 70 aims at 70 · 1741/2048 = 59, from 49 on. K is (10 / 0.4)^(1/3) = 2.92 s.
 * At 2 s the curve is at 59 - 0.4 · 0.92^3 = 58.7; aiming at 70 it would be at 70 - 0.4 · 1.74^3 = 67.9. */
FLOW_TEST(test_fast_convergence, after_loss_at(100, 200 * MILLISECOND))
{
  tcp_congestion_reduce(flow->congestion, 0);
  expect_window(flow, segments(49));
  expect_at(flow, 2, 58.7, 1.5);
}

/* The curve stands still while nothing is sent: 2 s of it, then an hour of nothing, then its third second.
 * Had it gone on, the window would grow by a half each round trip. */
FLOW_TEST(test_pause_is_no_time_of_the_curve, after_loss_at(100, 200 * MILLISECOND))
{
  time_ps idle_ps = 3600 * TIME_PS_PER_SECOND;
  flow_run_until(flow, 2);
  flow->now += idle_ps;
  tcp_congestion_resume(flow->congestion, idle_ps, flow->now);
  expect_at(flow, 3603, 99.28, 1);
}

/* tcp_reno_undo_cwnd(): window and threshold are back, the last maximum stays that of the reduction, and a
 * new epoch begins: from 100 on, which is flat there. At 3 s: 100 + 0.4 · 3^3 = 110.8; as the RFC has it,
 * which undoes the epoch, too, 100 would be a window without a maximum, and 100 e^(15/20) = 211.7. */
FLOW_TEST(test_undo_keeps_the_maximum, after_slow_start_at(100, 200 * MILLISECOND))
{
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, 0);
  tcp_congestion_undo(flow->congestion);
  expect_both(flow, segments(100), segments(100));
  expect_at(flow, 3, 110.8, 3.5);
}
