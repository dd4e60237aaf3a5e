/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_retransmission_timer.h"

#include <stdbool.h>

#include <glib.h>

static bool has_sample(const tcp_retransmission_timer *timer)
{
  return timer->variation_ps >= 0;
}

void tcp_retransmission_timer_init(tcp_retransmission_timer *timer, time_ps initial_ps, time_ps min_ps,
                                   time_ps max_ps, tcp_rto_floor floor)
{
  g_assert(initial_ps > 0 && min_ps > 0 && max_ps >= min_ps);
  *timer = (tcp_retransmission_timer){.min_ps = min_ps,
                                      .max_ps = max_ps,
                                      .rto_ps = initial_ps,
                                      .deadline = TIME_PS_NEVER,
                                      .variation_ps = -1,
                                      .floor = floor};
}

void tcp_retransmission_timer_sample(tcp_retransmission_timer *timer, time_ps round_trip_ps)
{
  g_assert(round_trip_ps >= 0);
  if (!has_sample(timer)) {
    timer->smoothed_ps = round_trip_ps;
    timer->least_ps = round_trip_ps;
    timer->variation_ps = round_trip_ps / 2;
  } else {
    /* alpha = 1/8, beta = 1/4; the variation first, from the old mean (RFC 6298 §2.3) */
    time_ps deviation = ABS(timer->smoothed_ps - round_trip_ps);
    timer->variation_ps += (deviation - timer->variation_ps) / 4;
    timer->smoothed_ps += (round_trip_ps - timer->smoothed_ps) / 8;
    timer->least_ps = MIN(timer->least_ps, round_trip_ps);
  }
  /* The clock granularity G is a picosecond: 4 * RTTVAR is never below it but when it is 0, where min_ps
   * rules. */
  time_ps variation_ps = 4 * timer->variation_ps;
  if (timer->floor == TCP_RTO_FLOOR_VARIATION) {
    variation_ps = MAX(variation_ps, timer->min_ps);
  }
  timer->rto_ps = CLAMP(timer->smoothed_ps + variation_ps, timer->min_ps, timer->max_ps);
}

void tcp_retransmission_timer_back_off(tcp_retransmission_timer *timer)
{
  timer->rto_ps = timer->rto_ps > timer->max_ps / 2 ? timer->max_ps : timer->rto_ps * 2;
}

void tcp_retransmission_timer_restart_slowly(tcp_retransmission_timer *timer)
{
  if (!has_sample(timer)) {
    timer->rto_ps = MIN(3 * TIME_PS_PER_SECOND, timer->max_ps);
  }
}

static void start(tcp_retransmission_timer *timer, time_ps wait_ps, time_ps now)
{
  timer->deadline = now > TIME_PS_NEVER - wait_ps ? TIME_PS_NEVER : now + wait_ps;
}

void tcp_retransmission_timer_start(tcp_retransmission_timer *timer, time_ps now)
{
  start(timer, timer->rto_ps, now);
}

void tcp_retransmission_timer_start_override(tcp_retransmission_timer *timer, time_ps now)
{
  start(timer, CLAMP(timer->rto_ps, TIME_PS_PER_SECOND / 10, TIME_PS_PER_SECOND), now);
}

void tcp_retransmission_timer_stop(tcp_retransmission_timer *timer)
{
  timer->deadline = TIME_PS_NEVER;
}
