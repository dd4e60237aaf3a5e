/* SPDX-License-Identifier: GPL-2.0-only */
/* A flow that a congestion window clocks: a window is acknowledged in a round trip, a segment at a time,
 * evenly. */
#pragma once

#include "tcp/tcp_congestion.h"
#include "tcp_parts.h"

enum { SMSS = 1460 };

/* One that lies in no sender; free with tcp_congestion_free(). */
typedef struct lone_congestion {
  tcp_congestion congestion;
  tcp_hystart hystart;
} lone_congestion;

static inline tcp_congestion *tcp_congestion_of(const tcp_config *config, uint32_t smss_octets,
                                                uint64_t initial_window_octets)
{
  lone_congestion *lone = g_new(lone_congestion, 1);
  tcp_congestion_init(&lone->congestion, config, smss_octets, initial_window_octets);
  tcp_congestion_begin_flight(&lone->congestion, &lone->hystart);
  return &lone->congestion;
}

/* The same as the RFCs have it. */
static inline tcp_congestion *tcp_congestion_new(tcp_congestion_kind kind, tcp_slow_start_kind slow_start,
                                                 uint32_t smss_octets, uint64_t initial_window_octets)
{
  tcp_config config = {.congestion = kind, .slow_start = slow_start};
  return tcp_congestion_of(&config, smss_octets, initial_window_octets);
}

static inline void tcp_congestion_free(tcp_congestion *congestion)
{
  if (congestion) {
    g_free(congestion->has_hystart_pp ? congestion->hystart_pp : NULL);
    g_free(congestion->state);
    g_free(congestion);
  }
}

typedef struct clocked_flow {
  tcp_congestion *congestion;
  time_ps round_trip_ps;
  bool unlimited; /* something else than the window holds the sender back */
  bool after_timeout;
  bool in_recovery;
  uint64_t position;
  time_ps now;
} clocked_flow;

static inline void clocked_flow_free(clocked_flow *flow)
{
  tcp_congestion_free(flow->congestion);
  g_free(flow);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(clocked_flow, clocked_flow_free)

/* A test of such a `flow`: FLOW_TEST(test_undo, with_segments(40)). */
#define FLOW_TEST(name, made) TEST_OF(clocked_flow, flow, made, name)

static inline uint64_t segments(uint64_t count)
{
  return count * SMSS;
}

/* A flow whose window is `count` segments. */
static inline clocked_flow *flow_with(const tcp_config *config, uint64_t count, time_ps round_trip_ps)
{
  clocked_flow *flow = g_new0(clocked_flow, 1);
  flow->congestion = tcp_congestion_of(config, SMSS, segments(count));
  flow->round_trip_ps = round_trip_ps;
  return flow;
}

/* The same as the RFCs have it. */
static inline clocked_flow *flow_of(tcp_congestion_kind kind, tcp_slow_start_kind slow_start, uint64_t count,
                                    time_ps round_trip_ps)
{
  tcp_config config = {.congestion = kind, .slow_start = slow_start};
  return flow_with(&config, count, round_trip_ps);
}

static inline uint64_t window_octets(const clocked_flow *flow)
{
  return flow->congestion->window.octets;
}

/* The next `octets` are acknowledged when all before `next` is sent. */
static inline void flow_acknowledge_before(clocked_flow *flow, uint64_t octets, uint64_t next)
{
  flow->position += octets;
  tcp_congestion_ack ack = {
      .octets = octets,
      .position = flow->position,
      .next = next,
      .limited = !flow->unlimited,
      .after_timeout = flow->after_timeout,
      .in_recovery = flow->in_recovery,
      .round_trip_ps = flow->round_trip_ps,
      .latest_ps = flow->round_trip_ps,
      .smoothed_ps = flow->round_trip_ps,
      .least_ps = flow->round_trip_ps,
  };
  tcp_congestion_acknowledged(flow->congestion, &ack, flow->now);
}

/* The same with a full window in flight after them. */
static inline void flow_acknowledge(clocked_flow *flow, uint64_t octets)
{
  flow_acknowledge_before(flow, octets, flow->position + octets + window_octets(flow));
}

/* The window and the slow start threshold. */
static inline void expect_window(const clocked_flow *flow, uint64_t octets)
{
  g_assert_cmpuint(window_octets(flow), ==, octets);
}

static inline void expect_threshold(const clocked_flow *flow, uint64_t octets)
{
  g_assert_cmpuint(flow->congestion->window.threshold_octets, ==, octets);
}

static inline void expect_both(const clocked_flow *flow, uint64_t window, uint64_t threshold)
{
  expect_window(flow, window);
  expect_threshold(flow, threshold);
}

/* The window is `window` when `octets` more are acknowledged. */
static inline void expect_growth(clocked_flow *flow, uint64_t octets, uint64_t window)
{
  flow_acknowledge(flow, octets);
  expect_window(flow, window);
}

/* It is `window` after a loss with `flight` in flight. */
static inline void expect_reduction(clocked_flow *flow, uint64_t flight, uint64_t window)
{
  tcp_congestion_reduce(flow->congestion, flight);
  expect_window(flow, window);
}

/* Acknowledgements until `seconds` of simulated time. */
static inline void flow_run_until(clocked_flow *flow, double seconds)
{
  time_ps until = (time_ps)(seconds * (double)TIME_PS_PER_SECOND);
  while (flow->now < until) {
    flow_acknowledge(flow, SMSS);
    flow->now += flow->round_trip_ps * SMSS / (time_ps)window_octets(flow);
  }
}
