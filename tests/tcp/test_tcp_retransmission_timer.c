/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_parts.h"
#include "test.h"

#define MS TIME_PS_PER_MILLISECOND

static tcp_retransmission_timer *timer_of(time_ps min_ps, time_ps max_ps)
{
  return tcp_retransmission_timer_new(1000 * MS, min_ps, max_ps, TCP_RTO_FLOOR_RTO);
}

/* A round trip of `sample_ps` makes RTO `rto_ps`. */
static void expect_sample(tcp_retransmission_timer *timer, time_ps sample_ps, time_ps rto_ps)
{
  tcp_retransmission_timer_sample(timer, config_of_timer(timer), sample_ps, false);
  g_assert_cmpint(timer->rto_ps, ==, rto_ps);
}

/* The same of the last sample of a round trip. */
static void expect_last_sample(tcp_retransmission_timer *timer, time_ps sample_ps, time_ps rto_ps)
{
  tcp_retransmission_timer_sample(timer, config_of_timer(timer), sample_ps, true);
  g_assert_cmpint(timer->rto_ps, ==, rto_ps);
}

static tcp_retransmission_timer *timer_by_round(time_ps min_ps, tcp_rto_floor floor)
{
  tcp_retransmission_timer *timer = tcp_retransmission_timer_new(1000 * MS, min_ps, 60000 * MS, floor);
  ((lone_timer *)timer)->config.variation_by_round = true;
  return timer;
}

#define TIMER_TEST(name, made) TEST_OF(tcp_retransmission_timer, timer, made, name)

/* RFC 6298 §2.2: R = 100 ms: SRTT 100, RTTVAR 50, RTO 100 + 4 * 50 = 300. §2.3, R = 180: RTTVAR 3/4 * 50 +
 * 1/4 * 80 = 57.5, SRTT 7/8 * 100 + 1/8 * 180 = 110, RTO 110 + 230 = 340. R = 110: RTTVAR 3/4 * 57.5 =
 * 43.125, RTO 110 + 172.5 = 282.5. */
TIMER_TEST(test_estimate, timer_of(1, 60000 * MS))
{
  g_assert_cmpint(timer->rto_ps, ==, 1000 * MS);
  g_assert_cmpint(timer->smoothed_ps, ==, 0);
  expect_sample(timer, 100 * MS, 300 * MS);
  expect_sample(timer, 180 * MS, 340 * MS);
  g_assert_cmpint(timer->smoothed_ps, ==, 110 * MS);
  g_assert_cmpint(timer->least_ps, ==, 100 * MS);
  expect_sample(timer, 110 * MS, 282500 * TIME_PS_PER_MICROSECOND);
}

TIMER_TEST(test_bounds, timer_of(200 * MS, 500 * MS))
{
  expect_sample(timer, MS, 200 * MS);
  expect_sample(timer, 9000 * MS, 500 * MS);
}

/* Linux bounds 4 RTTVAR and adds SRTT: R = 1 ms: 1 + max(200, 4 * 0.5) = 201 ms. R = 801 ms: RTTVAR 3/4 *
 * 0.5 + 1/4 * 800 = 200.375, SRTT 7/8 * 1 + 1/8 * 801 = 101, RTO 101 + max(200, 801.5) = 902.5 ms. The
 * maximum bounds the sum. */
TIMER_TEST(test_floor_of_the_variation,
           tcp_retransmission_timer_new(1000 * MS, 200 * MS, 950 * MS, TCP_RTO_FLOOR_VARIATION))
{
  expect_sample(timer, MS, 201 * MS);
  expect_sample(timer, 801 * MS, 902500 * TIME_PS_PER_MICROSECOND);
  expect_sample(timer, 3000 * MS, 950 * MS);
}

/* Linux's RTTVAR (tcp_rtt_estimator()) is the largest mean deviation of a round trip. As in test_estimate
 * that is 57.5 after 100 and 180; after 110, the mean, it is 43.125, and RTO stays 110 + 4 * 57.5. A round
 * that ends with the same again has still had 57.5. The next has only 24.2578125, and RTTVAR falls by a
 * quarter of the difference, to 49.189453125. */
TIMER_TEST(test_largest_variation, timer_by_round(1, TCP_RTO_FLOOR_RTO))
{
  expect_sample(timer, 100 * MS, 300 * MS);
  expect_sample(timer, 180 * MS, 340 * MS);
  expect_sample(timer, 110 * MS, 340 * MS);
  expect_last_sample(timer, 110 * MS, 340 * MS);
  expect_last_sample(timer, 110 * MS, 306757812500);
}

/* It counts a sample below the mean for an eighth: R = 80 and 0 ms make the deviation 40 + (80 - 40) / 8 / 4
 * = 41.25, and RTO 70 + 165. */
TIMER_TEST(test_variation_by_a_short_round_trip, timer_by_round(1, TCP_RTO_FLOOR_RTO))
{
  expect_sample(timer, 80 * MS, 240 * MS);
  expect_sample(timer, 0, 235 * MS);
}

/* 200 ms bound 4 RTTVAR itself, not what RTO makes of it. R = 801 after 1 ms: RTTVAR 0.5 + (800 - 0.5) / 4 =
 * 200.375, RTO 101 + 801.5 ms. With 101 ms from then on that is the round's largest, too; with 200 rounds
 * more RTTVAR falls to 50, however small the deviation. */
TIMER_TEST(test_floor_of_the_largest_variation, timer_by_round(200 * MS, TCP_RTO_FLOOR_VARIATION))
{
  expect_sample(timer, MS, 201 * MS);
  g_assert_cmpint(timer->variation_ps, ==, 50 * MS);
  expect_sample(timer, 801 * MS, 902500 * TIME_PS_PER_MICROSECOND);
  expect_last_sample(timer, 101 * MS, 902500 * TIME_PS_PER_MICROSECOND);
  for (unsigned i = 0; i < 200; i++) {
    tcp_retransmission_timer_sample(timer, config_of_timer(timer), 101 * MS, true);
  }
  g_assert_cmpint((timer->variation_ps + TIME_PS_PER_MICROSECOND) / MS, ==, 50);
  g_assert_cmpint(timer->deviation_ps, <, MS);
}

/* 1 s, 2 s, 4 s, then the maximum of 5 s; a sample ends the back-off: 10 + 4 * 5 = 30 ms. */
TIMER_TEST(test_back_off, timer_of(MS, 5000 * MS))
{
  static const time_ps expected[] = {2000, 4000, 5000, 5000};
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    tcp_retransmission_timer_back_off(timer, config_of_timer(timer));
    g_assert_cmpint(timer->rto_ps, ==, expected[i] * MS);
  }
  expect_sample(timer, 10 * MS, 30 * MS);
}

/* RFC 6298 §5.7: 3 s after a lost SYN, until there is a sample. */
TIMER_TEST(test_restart_slowly, timer_of(MS, 60000 * MS))
{
  tcp_retransmission_timer_restart_slowly(timer, config_of_timer(timer));
  g_assert_cmpint(timer->rto_ps, ==, 3000 * MS);
  tcp_retransmission_timer_sample(timer, config_of_timer(timer), 10 * MS, false);
  tcp_retransmission_timer_restart_slowly(timer, config_of_timer(timer));
  g_assert_cmpint(timer->rto_ps, ==, 30 * MS);
}

TIMER_TEST(test_deadline, timer_of(MS, 5000 * MS))
{
  g_assert_cmpint(timer->deadline, ==, TIME_PS_NEVER);
  tcp_retransmission_timer_start(timer, 7 * MS);
  g_assert_cmpint(timer->deadline, ==, 1007 * MS);
  tcp_retransmission_timer_back_off(timer, config_of_timer(timer)); /* counts from the next start */
  g_assert_cmpint(timer->deadline, ==, 1007 * MS);
  tcp_retransmission_timer_start(timer, 1007 * MS);
  g_assert_cmpint(timer->deadline, ==, 3007 * MS);
  tcp_retransmission_timer_stop(timer);
  g_assert_cmpint(timer->deadline, ==, TIME_PS_NEVER);
}

/* RFC 9293 §3.8.6.2.1: the override time lies between 0.1 and 1 s. */
static const int64_t override_time_rows[][2] = {
    {10, 100}, {100, 300}, {1000, 1000}}; /* a first round trip, RTO is three of it */

ROW_TEST(test_override_time, override_time_rows)
{
  g_autoptr(tcp_retransmission_timer) timer = timer_of(1, 60000 * MS);
  tcp_retransmission_timer_sample(timer, config_of_timer(timer), (*c)[0] * MS, false);
  tcp_retransmission_timer_start_override(timer, 7 * MS);
  g_assert_cmpint(timer->deadline, ==, (7 + (*c)[1]) * MS);
}
