/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_hystart.h"

#include "congestion_fixture.h"
#include "test.h"

#define MILLISECOND TIME_PS_PER_MILLISECOND

enum { ROUND_SEGMENTS = 20 };

/* `count` acknowledgements of 1 SMSS. A round ends with the ACK of windowEnd, SND.NXT when it began. */
static void acknowledge(clocked_flow *flow, unsigned count, time_ps round_trip_ps)
{
  flow->round_trip_ps = round_trip_ps;
  for (unsigned i = 0; i < count; i++) {
    flow_acknowledge_before(flow, SMSS, flow->position + SMSS + segments(ROUND_SEGMENTS));
  }
}

/* By how much the next acknowledgement of 1 SMSS lets the window grow. */
static uint64_t growth(clocked_flow *flow, time_ps round_trip_ps)
{
  uint64_t before = window_octets(flow);
  acknowledge(flow, 1, round_trip_ps);
  return window_octets(flow) - before;
}

/* The very first ACK ends the empty round before it (windowEnd begins as SND.NXT of nothing); then a round
 * of 100 ms. */
static clocked_flow *after_a_round_of(time_ps round_trip_ps)
{
  clocked_flow *flow = flow_of(TCP_CONGESTION_NEWRENO, TCP_SLOW_START_HYSTART_PP, 10, 0);
  /* Rounds are 20 segments long whatever the window is. The first lie across position 2^32. */
  flow->position = (UINT64_C(1) << 32) - segments(ROUND_SEGMENTS + ROUND_SEGMENTS / 2);
  acknowledge(flow, 1 + ROUND_SEGMENTS, round_trip_ps);
  return flow;
}

/* RFC 9406 §4.2: round trips of 100 ms, then 112.5 ms = 100 (1 + 1/8): the 8th sample of the round begins
 * conservative slow start, which grows by a quarter, 365 of 1460 octets. */
FLOW_TEST(test_growth_of_delay_slows_down, after_a_round_of(100 * MILLISECOND))
{
  for (unsigned i = 0; i < 7; i++) {
    g_assert_cmpuint(growth(flow, 112 * MILLISECOND + MILLISECOND / 2), ==, SMSS);
  }
  g_assert_cmpuint(growth(flow, 112 * MILLISECOND + MILLISECOND / 2), ==, SMSS / 4);
  g_assert_cmpuint(growth(flow, 112 * MILLISECOND + MILLISECOND / 2), ==, SMSS / 4);
  g_assert_true(tcp_congestion_in_slow_start(flow->congestion));
}

static bool slows_down(time_ps first_ps, time_ps then_ps)
{
  g_autoptr(clocked_flow) flow = after_a_round_of(first_ps);
  acknowledge(flow, 8, then_ps);
  return growth(flow, then_ps) < SMSS;
}

/* §4.2: RttThresh is an eighth of the last round's shortest trip, from 4 ms to 16 ms. */
TEST(test_how_much_delay_counts)
{
  g_assert_false(slows_down(100 * MILLISECOND, 112 * MILLISECOND + MILLISECOND / 2 - 1));
  g_assert_true(slows_down(100 * MILLISECOND, 112 * MILLISECOND + MILLISECOND / 2));
  g_assert_false(slows_down(8 * MILLISECOND, 12 * MILLISECOND - 1));
  g_assert_true(slows_down(8 * MILLISECOND, 12 * MILLISECOND));
  g_assert_false(slows_down(400 * MILLISECOND, 416 * MILLISECOND - 1));
  g_assert_true(slows_down(400 * MILLISECOND, 416 * MILLISECOND));
}

/* Seven samples and acknowledgements without any decide nothing. */
FLOW_TEST(test_needs_eight_samples, after_a_round_of(100 * MILLISECOND))
{
  acknowledge(flow, 7, 200 * MILLISECOND);
  g_assert_cmpuint(growth(flow, -1), ==, SMSS);
  g_assert_cmpuint(growth(flow, 200 * MILLISECOND), ==, SMSS / 4);
}

/* CSS_ROUNDS is 5, of which what is left of the round that showed the growth is the first: 12 ACKs, then 4
 * · 20. The threshold is the window then: 10 + 1 + 20 + 7 segments and 93 quarters (the 8th sample is one
 * of them). */
FLOW_TEST(test_five_rounds_end_slow_start, after_a_round_of(100 * MILLISECOND))
{
  acknowledge(flow, 8, 200 * MILLISECOND);
  acknowledge(flow, 12 + 4 * ROUND_SEGMENTS - 1, 200 * MILLISECOND);
  g_assert_true(tcp_congestion_in_slow_start(flow->congestion));
  acknowledge(flow, 1, 200 * MILLISECOND);
  g_assert_false(tcp_congestion_in_slow_start(flow->congestion));
  expect_threshold(flow, segments(38) + 92 * (SMSS / 4));
}

/* §4.2: a round of conservative slow start that is shorter than the one that began it was a false alarm:
 * full growth again, and a new growth of delay is taken as the first was. */
FLOW_TEST(test_false_alarm, after_a_round_of(100 * MILLISECOND))
{
  acknowledge(flow, ROUND_SEGMENTS, 200 * MILLISECOND);
  acknowledge(flow, 7, 199 * MILLISECOND);
  g_assert_cmpuint(growth(flow, 199 * MILLISECOND), ==, SMSS);
  acknowledge(flow, ROUND_SEGMENTS - 8, 199 * MILLISECOND);
  acknowledge(flow, 7, 215 * MILLISECOND);
  g_assert_cmpuint(growth(flow, 215 * MILLISECOND), ==, SMSS / 4);
  acknowledge(flow, 12 + 3 * ROUND_SEGMENTS, 215 * MILLISECOND);
  g_assert_true(tcp_congestion_in_slow_start(flow->congestion)); /* five rounds again */
  acknowledge(flow, ROUND_SEGMENTS, 215 * MILLISECOND);
  g_assert_false(tcp_congestion_in_slow_start(flow->congestion));
}

/* §4.3: for the first slow start only; after a time-out the threshold is known and growth is whole. */
FLOW_TEST(test_only_the_first_slow_start, after_a_round_of(100 * MILLISECOND))
{
  acknowledge(flow, 8, 200 * MILLISECOND);
  g_assert_cmpuint(growth(flow, 200 * MILLISECOND), ==, SMSS / 4);
  tcp_congestion_collapse(flow->congestion, segments(500), true);
  for (unsigned i = 0; i < 100; i++) {
    g_assert_cmpuint(growth(flow, (100 + i) * MILLISECOND), ==, SMSS);
  }
}
