/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_congestion.h"

#include <math.h>

#include "base/random_stream.h"
#include "congestion_fixture.h"
#include "flag_test.h"

#define MILLISECOND TIME_PS_PER_MILLISECOND

/* A flow in its first congestion avoidance after a loss with a full window of `count` segments. */
static clocked_flow *after_loss_at(unsigned count, time_ps round_trip_ps)
{
  clocked_flow *flow = flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, count, round_trip_ps);
  tcp_congestion_reduce(flow->congestion, segments(count));
  return flow;
}

static void assert_segments(const clocked_flow *flow, double expected)
{
  double measured = (double)window_octets(flow) / SMSS;
  if (fabs(measured - expected) > 1) {
    g_error("at %.3f s: %.3f segments, expected %.3f", time_ps_in_seconds(flow->now), measured, expected);
  }
}

/* The same at `seconds`. */
static void expect_at(clocked_flow *flow, double seconds, double expected)
{
  flow_run_until(flow, seconds);
  assert_segments(flow, expected);
}

/* RFC 9438 §4.6: beta is 0.7, of what was in flight; at least 2 SMSS. §4.6 has no other factor for ECE. */
FLOW_TEST(test_reduction, after_loss_at(100, 100 * MILLISECOND))
{
  expect_both(flow, segments(70), segments(70));
  expect_reduction(flow, segments(50), segments(35));
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(20));
  expect_window(flow, segments(14));
  expect_reduction(flow, segments(2), segments(2));
}

/* §4.2: W(t) = 0.4 (t - K)^3 + 100 with K = cbrt(30 / 0.4) = 4.2172 s, in segments. The round trip is 200
 * ms: then the Reno- friendly estimate, 70 + 9/17 t / 0.2, is lower all along (96.5 at 10 s). 0.4 ·
 * 4.2172^3 = 30; 3.2172^3 = 33.30; 2.2172^3 = 10.90; 1.2172^3 = 1.803; 1.7828^3 = 5.666; 3.7828^3 = 54.13;
 * 5.7828^3 = 193.4. */
TEST(test_window_follows_the_cube)
{
  static const double law[][2] = {{0, 70},       {1, 86.68},  {2, 95.64},  {3, 99.28},
                                  {4.2172, 100}, {6, 102.27}, {8, 121.65}, {10, 177.36}};
  g_autoptr(clocked_flow) flow = after_loss_at(100, 200 * MILLISECOND);
  for (unsigned i = 0; i < G_N_ELEMENTS(law); i++) {
    expect_at(flow, law[i][0], law[i][1]);
  }
}

/* §4.3: at 20 ms and W_max = 20 the cube (K = cbrt(6 / 0.4) = 2.466 s) is slower than additive increase:
 * 14 + 9/17 a round trip up to 20, which is 11.33 round trips or 226.7 ms later, and from there on 1 a
 * round trip, 50 a second. At 0.1 s, 5 round trips: 16.65 (the cube: 14.70); at 0.2 s: 19.29; at 0.4267 s:
 * 30; at 1 s: 20 + 0.7733 · 50 = 58.67 (the cube: 18.74). */
TEST(test_reno_friendly_region)
{
  static const double law[][2] = {{0.1, 16.65}, {0.2, 19.29}, {0.2267, 20}, {0.4267, 30}, {1, 58.67}};
  g_autoptr(clocked_flow) flow = after_loss_at(20, 20 * MILLISECOND);
  for (unsigned i = 0; i < G_N_ELEMENTS(law); i++) {
    expect_at(flow, law[i][0], law[i][1]);
  }
}

/* §4.7: a second loss at 70, below the 100 of the first, aims at 70 · 1.7 / 2 = 59.5, not 70. From 0.7 ·
 * 70 = 49 that takes K = cbrt(10.5 / 0.4) = 2.972 s (estimate: 49 + 2.647 · 2.972 = 56.9). To 70 it would
 * be 3.744 s, and 69.8 at this time. */
FLOW_TEST(test_fast_convergence, after_loss_at(100, 200 * MILLISECOND))
{
  tcp_congestion_reduce(flow->congestion, segments(70));
  assert_segments(flow, 49);
  expect_at(flow, 2.972, 59.5);
}

/* §4.7 not: a loss above the last maximum aims at where it was. After 10 s the window is 177.4 (see
 * above), reduced to 124.1, K = cbrt(53.2 / 0.4) = 5.105 s: back at 177.4 then, at 124.1 + (177.4 - 124.1)
 * - 0.4 · 3.105^3 = 165.4 after 2 s. */
FLOW_TEST(test_loss_above_the_maximum, after_loss_at(100, 200 * MILLISECOND))
{
  flow_run_until(flow, 10);
  tcp_congestion_reduce(flow->congestion, window_octets(flow));
  assert_segments(flow, 124.1);
  expect_at(flow, 12, 165.4);
  expect_at(flow, 15.105, 177.4);
}

/* §4.8: after a time-out slow start goes to 0.7 of the flight, and the stage after it is flat where it
 * begins: W(t) = 70 + 0.4 t^3. At t = 3 s 80.8; aiming at 100 would make it 99.3. The estimate, 70 + 2.647
 * t = 77.9, is lower. */
FLOW_TEST(test_time_out, flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, 100, 200 * MILLISECOND))
{
  flow->after_timeout = true;
  tcp_congestion_collapse(flow->congestion, segments(100), true);
  expect_both(flow, SMSS, segments(70));
  while (tcp_congestion_in_slow_start(flow->congestion)) {
    flow_acknowledge(flow, SMSS); /* 69 of them */
  }
  g_assert_cmpuint(flow->position, ==, segments(69));
  flow->after_timeout = false;
  expect_at(flow, 3, 80.8);
}

/* §4.3: W_est rules where W_cubic is less. Where a stage begins flat at 2100 segments both are that, as
 * 1460 octets acknowledged are worth 9/17 · 1460^2 / (2100 · 1460) = 0.37 octets of W_est: so the curve 3
 * s ahead does, 0.4 · 27 = 10.8 segments higher, a 2100th of which is 7.5 octets. */
FLOW_TEST(test_estimate_beside_the_curve,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, 3000, 3 * TIME_PS_PER_SECOND))
{
  tcp_congestion_collapse(flow->congestion, segments(3000), true);
  while (tcp_congestion_in_slow_start(flow->congestion)) {
    flow_acknowledge(flow, SMSS);
  }
  expect_window(flow, segments(2100));
  expect_growth(flow, SMSS, segments(2100) + 7);
}

/* §4.10: slow start that ended without a loss is followed by the same flat stage; W_max is where it
 * begins. */
FLOW_TEST(test_first_stage_without_loss,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_HYSTART, 50, 200 * MILLISECOND))
{
  flow_run_until(flow, 1); /* a train of ACKs all over the round trip ends slow start */
  g_assert_false(tcp_congestion_in_slow_start(flow->congestion));
  double start = (double)flow->congestion->window.threshold_octets / SMSS;
  flow_run_until(flow, time_ps_in_seconds(flow->now) + 5);
  /* alpha is 1 at once (§4.3: there is no cwnd_prior to get back to), 25 round trips; by the cube at most
   * 0.4 · 6^3 = 86. */
  g_assert_cmpfloat((double)window_octets(flow) / SMSS, >, start + 25);
  g_assert_cmpfloat((double)window_octets(flow) / SMSS, <, start + 87);
}

/* §4.9: as if nothing had been. At t = 2 s, window 95.64, a reduction to 67 is undone; a second later it
 * is 99.28. A new stage from 95.64 would be at 96.0, one that aims at it from 67 further below. */
FLOW_TEST(test_undo, after_loss_at(100, 200 * MILLISECOND))
{
  flow_run_until(flow, 2);
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, window_octets(flow));
  assert_segments(flow, 66.95);
  tcp_congestion_undo(flow->congestion);
  assert_segments(flow, 95.64);
  expect_at(flow, 3, 99.28);
}

/* §5.8: 6 s in which the sender had little to send do not count: 95.64 at 2 s is still so at 8 s, and it
 * is 99.28 at 9 s. */
FLOW_TEST(test_time_without_need_does_not_count, after_loss_at(100, 200 * MILLISECOND))
{
  flow_run_until(flow, 2);
  flow->unlimited = true;
  expect_at(flow, 8, 95.64);
  flow->unlimited = false;
  expect_at(flow, 9, 99.28);
}

/* §5.8: so do 6 s without anything in flight, whether the sender reports them (it does when it restarts
 * after an RTO of idleness) or not. What came before is acknowledged at 2 s; at 8 s a full window leaves,
 * acknowledged from 8.2 s on. */
FLAG_TEST(test_idle_time_does_not_count, told)
{
  g_autoptr(clocked_flow) flow =
      after_loss_at(100, 200 * MILLISECOND); /* the restart window is 100: nothing is cut */
  flow_run_until(flow, 2);
  flow->unlimited = true; /* the last window drains */
  flow_acknowledge_before(flow, SMSS, flow->position + SMSS);
  flow->unlimited = false;
  flow->now += 6 * TIME_PS_PER_SECOND;
  if (told) {
    tcp_congestion_restart_after_idle(flow->congestion, 6 * TIME_PS_PER_SECOND);
  }
  flow->now += 200 * MILLISECOND; /* this round trip counts */
  expect_at(flow, 9, 99.28);
}

/* The acknowledgement that ends slow start (the seventh, as those of 6 ms are a train longer than half of
 * the round trip of 10 ms) is also the one that leaves nothing in flight. A full window leaves 3 s later
 * and is acknowledged after 10 ms: of that only the 10 ms count, so the window grows by W_est alone, 9/17
 * of a segment for a window's worth. With the 3 s the curve would be 0.4 * 3.01^3 = 10.9 segments higher. */
FLOW_TEST(test_idle_time_right_after_slow_start,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_HYSTART, 50, 10 * MILLISECOND))
{
  while (tcp_congestion_in_slow_start(flow->congestion)) {
    flow_acknowledge_before(flow, SMSS, segments(7));
    flow->now += MILLISECOND;
  }
  g_assert_cmpuint(flow->position, ==, segments(7));
  uint64_t before = window_octets(flow);
  flow->now += 3 * TIME_PS_PER_SECOND + flow->round_trip_ps;
  flow_acknowledge(flow, before);
  g_assert_cmpuint(window_octets(flow), >, before);
  g_assert_cmpuint(window_octets(flow), <=, before + SMSS);
}

/* After a restart from 10 segments slow start leads to the threshold, 70, and a new stage begins there,
 * however late: aiming at 100 from 70 takes K = 4.2172 s again, W(1) = 86.68. A stage that had gone on
 * would have reached 105 at once (1.5 · 70). */
FLOW_TEST(test_restart_after_idle_begins_a_stage,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, 10, 200 * MILLISECOND))
{
  tcp_congestion_set_window(flow->congestion, segments(100));
  tcp_congestion_reduce(flow->congestion, segments(100));
  flow_run_until(flow, 8);
  flow->now = 60 * TIME_PS_PER_SECOND;
  tcp_congestion_restart_after_idle(flow->congestion, 52 * TIME_PS_PER_SECOND);
  expect_window(flow, segments(10));
  while (tcp_congestion_in_slow_start(flow->congestion)) {
    flow_acknowledge(flow, SMSS);
  }
  assert_segments(flow, 70);
  expect_at(flow, 61, 86.68);
}

/* A window of just the restart window, 70 segments, is not cut (RFC 5681 §4.1), so its stage goes on after
 * 10 s of silence: flat at 70, and 2.2 s on at 70 + 0.4 · 2.2^3 = 74.26. A new stage would be at W_est,
 * 71. */
FLOW_TEST(test_restart_window_keeps_its_stage,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, 70, 200 * MILLISECOND))
{
  tcp_congestion_reduce(flow->congestion, segments(100));
  flow_acknowledge(flow, 0);
  flow->now = 2 * TIME_PS_PER_SECOND;
  flow_acknowledge(flow, 0);
  tcp_congestion_restart_after_idle(flow->congestion, 10 * TIME_PS_PER_SECOND);
  flow->now = 12 * TIME_PS_PER_SECOND;
  flow_acknowledge(flow, segments(70));
  assert_segments(flow, 74.26);
}

/* A new SMSS begins a new stage where the window is. At 0.5 s that is 100 - 0.4 · 3.7172^3 = 79.46
 * segments; of six times the SMSS it is 13.24, and the maximum 16.67. K is cbrt(3.42 / 0.4) = 2.046 s,
 * half a second later W = 16.67 - 0.4 · 1.546^3 = 15.19: 91.1 of the old segments. With the old K the
 * curve would be below the window, and the estimate, 70 + 1.3 + 7.9, too. */
FLAG_TEST(test_smss_changes, between_reduction_and_undo)
{
  g_autoptr(clocked_flow) flow = after_loss_at(100, 200 * MILLISECOND);
  flow_run_until(flow, 0.5);
  if (between_reduction_and_undo) {
    tcp_congestion_remember(flow->congestion);
    tcp_congestion_reduce(flow->congestion, window_octets(flow));
  }
  tcp_congestion_set_smss(flow->congestion, 6 * SMSS, false);
  if (between_reduction_and_undo) {
    tcp_congestion_undo(flow->congestion);
  }
  assert_segments(flow, 79.46);
  flow_acknowledge(flow, SMSS);
  assert_segments(flow, 79.46);
  expect_at(flow, 1, 91.1);
}

/* Acknowledgements of 20 octets, which are worth less than an octet of growth each: they add up to what
 * the law gives, 99.28 segments after 3 s. */
FLOW_TEST(test_fractions_of_octets_add_up, after_loss_at(100, 200 * MILLISECOND))
{
  while (flow->now < 3 * TIME_PS_PER_SECOND) {
    flow_acknowledge(flow, 20);
    flow->now += flow->round_trip_ps * 20 / (time_ps)window_octets(flow);
  }
  assert_segments(flow, 99.28);
}

/* §4.2: by half of it a window at most, though the curve is a thousand segments higher and one
 * acknowledgement reports four windows. */
FLOW_TEST(test_grows_by_half_at_most, after_loss_at(100, 200 * MILLISECOND))
{
  flow_acknowledge(flow, 0);
  flow->now = 20 * TIME_PS_PER_SECOND;
  expect_growth(flow, segments(280), segments(105));
}

typedef struct formula {
  long double curve; /* W_cubic(t) */
  long double target;
  long double estimate; /* W_est after one window */
} formula;

/* One acknowledgement of a whole window brings the window to its target, so the curve shows at any time. */
static formula formula_at(long double maximum, long double window, long double smss, long double now,
                          long double round_trip)
{
  long double k = cbrtl((maximum - window) / smss / 0.4L);
  long double ahead = now + round_trip - k;
  long double target = 0.4L * smss * ahead * ahead * ahead + maximum;
  return (formula){.curve = 0.4L * smss * (now - k) * (now - k) * (now - k) + maximum,
                   .target = fmaxl(window, fminl(target, 1.5L * window)),
                   .estimate = window + 9.0L / 17 * smss};
}

/* Windows from 4 SMSS to 1 GiB, round trips from 10 us to 3 s, times up to an hour: within 2 octets of the
 * formula, or, as the product of a slope of the curve and the 2^-30 s that time is counted in, 10^-8 of
 * the window. */
TEST(test_any_window_and_time)
{
  static const uint32_t smss_octets[] = {88, 536, 1460, 8960, 65495};
  uint64_t seed = 9438;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  g_autoptr(random_stream) stream = random_stream_new(seed, "cubic");
  for (unsigned i = 0; i < 50000; i++) {
    uint32_t smss = smss_octets[random_stream_below(stream, G_N_ELEMENTS(smss_octets))];
    uint64_t maximum =
        4 * (uint64_t)smss + (random_stream_next(stream) >> (34 + random_stream_below(stream, 30)));
    time_ps round_trip =
        10 * TIME_PS_PER_MICROSECOND + (time_ps)random_stream_below(stream, UINT64_C(3000000000000));
    time_ps now =
        (time_ps)(random_stream_below(stream, UINT64_C(3600000000000000)) >> random_stream_below(stream, 20));
    tcp_congestion *congestion =
        tcp_congestion_new(TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, smss, maximum);
    tcp_congestion_reduce(congestion, maximum);
    uint64_t window = congestion->window.octets;
    tcp_congestion_ack ack = {.next = 1, .limited = true, .round_trip_ps = -1, .smoothed_ps = round_trip};
    tcp_congestion_acknowledged(congestion, &ack, 0); /* begins the stage */
    ack.octets = window;
    tcp_congestion_acknowledged(congestion, &ack, now);
    formula law = formula_at((long double)maximum, (long double)window, smss, (long double)now / 1e12L,
                             (long double)round_trip / 1e12L);
    long double measured = (long double)congestion->window.octets;
    long double slack = 2 + 1e-8L * measured;
    bool friendly = fabsl(measured - law.estimate) <= slack;
    bool cubic = fabsl(measured - law.target) <= slack;
    bool edge = fabsl(law.curve - law.estimate) <= slack; /* of the Reno-friendly region: either is right */
    g_assert_true(edge ? friendly || cubic : law.curve < law.estimate ? friendly : cubic);
    tcp_congestion_free(congestion);
  }
}
