/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_congestion.h"

#include "congestion_fixture.h"
#include "test.h"

/* Windows of observation of ten segments each, everything acknowledged in them. */
enum { WINDOW_SEGMENTS = 10 };

static clocked_flow *observed(void)
{
  return flow_of(TCP_CONGESTION_DCTCP, TCP_SLOW_START_STANDARD, 1000, -1);
}

static void acknowledge(clocked_flow *flow, uint64_t octets, uint64_t next, bool marked)
{
  flow->position += octets;
  tcp_congestion_ack ack = {.octets = octets,
                            .position = flow->position,
                            .next = next,
                            .congestion_experienced = marked,
                            .round_trip_ps = -1};
  tcp_congestion_acknowledged(flow->congestion, &ack, 0);
}

/* `count` windows; the first `marked` segments of each are. What was sent when a window begins is the
 * window: SND.NXT is the position of its first ACK and nine segments more. */
static void observe(clocked_flow *flow, unsigned count, unsigned marked)
{
  for (unsigned window = 0; window < count; window++) {
    for (unsigned i = 0; i < WINDOW_SEGMENTS; i++) {
      acknowledge(flow, SMSS, flow->position + segments(WINDOW_SEGMENTS), i < marked);
    }
  }
}

/* The window after a reduction for ECE from 1000 segments, in segments, is `expected`: 1000 (1 - alpha /
 * 2). */
static void expect_reduced(clocked_flow *flow, double expected, double epsilon)
{
  tcp_congestion_set_window(flow->congestion, segments(1000));
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(1000));
  g_assert_cmpfloat_with_epsilon((double)window_octets(flow) / SMSS, expected, epsilon);
}

/* RFC 8257 §3.3: alpha is 1 at first, so the first mark halves; the threshold is the new window. */
FLOW_TEST(test_first_mark_halves, observed())
{
  expect_reduced(flow, 500, 0.01);
  expect_threshold(flow, segments(500));
}

/* §3.3 step 7 with g = 1/16: n windows without a mark leave (15/16)^n: 0.9375 after 1, 0.3561 after 16,
 * and 1e-7 after 250. 1000 (1 - 0.9375 / 2) = 531.25; 1000 (1 - 0.3561 / 2) = 821.97. */
FLOW_TEST(test_alpha_decays, observed())
{
  observe(flow, 1, 0);
  expect_reduced(flow, 531.25, 0.01);
  observe(flow, 15, 0);
  expect_reduced(flow, 821.97, 0.01);
  observe(flow, 234, 0);
  expect_reduced(flow, 1000, 0.01);
}

/* It converges to the share that is marked, whichever it was before: 1000 (1 - 0.3 / 2) = 850, 1000 (1 -
 * 0.1 / 2) = 950, all: 500. 300 windows leave (15/16)^300 = 4e-9 of the difference. */
FLOW_TEST(test_alpha_is_the_marked_share, observed())
{
  observe(flow, 300, 3);
  expect_reduced(flow, 850, 0.5);
  observe(flow, 300, 1);
  expect_reduced(flow, 950, 0.5);
  observe(flow, 300, WINDOW_SEGMENTS);
  expect_reduced(flow, 500, 0.01);
}

/* Once a window, at the first ACK beyond what was sent when the last one was counted (step 4). The first
 * ACK of all ends the empty window before it (SND.UNA > WindowEnd). A hundred unmarked ACKs of one window
 * are then one step: alpha is 15/16, and at the first one beyond (15/16)^2 = 0.8789: 560.55. */
FLOW_TEST(test_one_step_a_window, observed())
{
  acknowledge(flow, SMSS, segments(101), false);
  for (unsigned i = 0; i < 100; i++) {
    acknowledge(flow, SMSS, segments(300), false);
  }
  expect_reduced(flow, 531.25, 0.01);
  acknowledge(flow, SMSS, segments(300), false);
  expect_reduced(flow, 560.55, 0.01);
}

/* Octets count, not acknowledgements: of each 4 segments one ACK reports 3 marked ones, one of 1 unmarked.
 * 3/4, not 1/2: 625. */
FLOW_TEST(test_octets_weigh, observed())
{
  for (unsigned i = 0; i < 2000; i++) {
    bool marked = i % 2 == 0;
    acknowledge(flow, marked ? segments(3) : segments(1), flow->position + segments(20), marked);
  }
  /* A window ends with a marked ACK of 3, 20 segments after the last one did: five of either sort. */
  expect_reduced(flow, 625, 0.5);
}

/* §3.5: a loss is answered as by any TCP, half of what is in flight, and has nothing to do with marks. A
 * time-out too. Alpha is 0 here. */
FLOW_TEST(test_loss_is_newrenos, observed())
{
  observe(flow, 400, 0);
  expect_reduction(flow, segments(600), segments(300));
  tcp_congestion_collapse(flow->congestion, segments(300), true);
  expect_both(flow, SMSS, segments(150));
  expect_reduced(flow, 1000, 0.01);
}

/* Within fast recovery marks still count: 300 windows of 3 in 10. And a spurious recovery does not take
 * them back. */
FLOW_TEST(test_counts_within_recovery, observed())
{
  tcp_congestion_remember(flow->congestion);
  tcp_congestion_reduce(flow->congestion, segments(1000));
  for (unsigned i = 0; i < 3000; i++) {
    flow->position += SMSS;
    tcp_congestion_ack ack = {.octets = SMSS,
                              .position = flow->position,
                              .next = flow->position + segments(WINDOW_SEGMENTS - 1),
                              .in_recovery = true,
                              .limited = true,
                              .congestion_experienced = i % 10 < 3,
                              .round_trip_ps = -1};
    tcp_congestion_acknowledged(flow->congestion, &ack, 0);
  }
  expect_window(flow, segments(500));
  tcp_congestion_undo(flow->congestion);
  expect_window(flow, segments(1000));
  expect_reduced(flow, 850, 0.5);
}

/* Growth is NewReno's: 1 SMSS a window, whether marks come or not; to the octet, from the reduction on. */
FLOW_TEST(test_growth_is_newrenos,
          flow_of(TCP_CONGESTION_DCTCP, TCP_SLOW_START_STANDARD, 20, TIME_PS_PER_MILLISECOND))
{
  tcp_congestion_reduce_for_ecn(flow->congestion, segments(20));
  expect_window(flow, segments(10));
  expect_growth(flow, segments(10) - 1, segments(10));
  expect_growth(flow, 1, segments(11));
}
