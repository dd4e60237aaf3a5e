/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_retransmission_timer.h"

#include <glib.h>

#include "tcp/tcp_config.h"

static bool has_sample(const tcp_retransmission_timer *timer)
{
  return timer->variation_ps >= 0;
}

/* Returns what RTTVAR does not fall below. */
static time_ps least_variation_ps(const tcp_config *config)
{
  bool bounds = config->variation_by_round && config->rto_floor == TCP_RTO_FLOOR_VARIATION;
  return bounds ? config->rto_min_ps / 4 : 0;
}

void tcp_retransmission_timer_init(tcp_retransmission_timer *timer, const tcp_config *config)
{
  g_assert(config->rto_initial_ps > 0 && config->rto_min_ps > 0 && config->rto_max_ps >= config->rto_min_ps);
  *timer = (tcp_retransmission_timer){.rto_ps = tcp_tick_up(config->rto_initial_ps, config->timer_tick_ps),
                                      .deadline = TIME_PS_NEVER,
                                      .variation_ps = -1};
}

/* RTTVAR as Linux has it (tcp_rtt_estimator()): the largest mean deviation in a round trip. When a round ends
 * it falls by a quarter of what it exceeds that round's. A sample below the mean counts for an eighth where
 * it would raise the deviation. `error_ps`: by how much the sample exceeds the mean. */
static void vary_by_round(tcp_retransmission_timer *timer, const tcp_config *config, time_ps error_ps,
                          bool ends_round)
{
  time_ps more_ps = ABS(error_ps) - timer->deviation_ps;
  timer->deviation_ps += (error_ps < 0 && more_ps > 0 ? more_ps / 8 : more_ps) / 4;
  timer->largest_ps = MAX(timer->largest_ps, timer->deviation_ps);
  timer->variation_ps = MAX(timer->variation_ps, timer->largest_ps);
  if (ends_round) {
    timer->variation_ps -= (timer->variation_ps - timer->largest_ps) / 4;
    timer->largest_ps = least_variation_ps(config);
  }
}

inline void tcp_retransmission_timer_sample(tcp_retransmission_timer *timer, const tcp_config *config,
                                            time_ps round_trip_ps, bool ends_round)
{
  g_assert(round_trip_ps >= 0);
  if (!has_sample(timer)) {
    timer->smoothed_ps = round_trip_ps;
    timer->least_ps = round_trip_ps;
    timer->deviation_ps = round_trip_ps / 2;
    timer->variation_ps = MAX(timer->deviation_ps, least_variation_ps(config));
    timer->largest_ps = timer->variation_ps;
  } else {
    /* alpha = 1/8, beta = 1/4; the variation first, from the old mean (RFC 6298 §2.3) */
    time_ps error_ps = round_trip_ps - timer->smoothed_ps;
    if (config->variation_by_round) {
      vary_by_round(timer, config, error_ps, ends_round);
    } else {
      timer->variation_ps += (ABS(error_ps) - timer->variation_ps) / 4;
    }
    timer->smoothed_ps += (round_trip_ps - timer->smoothed_ps) / 8;
    timer->least_ps = MIN(timer->least_ps, round_trip_ps);
  }
  /* 4 * RTTVAR is never below a picosecond but when it is 0, where rto_min_ps rules: the ticks are added by
   * rounding up. */
  time_ps variation_ps = 4 * timer->variation_ps;
  if (config->rto_floor == TCP_RTO_FLOOR_VARIATION) {
    variation_ps = MAX(variation_ps, config->rto_min_ps);
  }
  timer->rto_ps =
      tcp_tick_wait(CLAMP(timer->smoothed_ps + variation_ps, config->rto_min_ps, config->rto_max_ps),
                    timer->rto_ps, config->timer_tick_ps);
}

static time_ps doubled(time_ps wait_ps, const tcp_config *config)
{
  return wait_ps > config->rto_max_ps / 2 ? config->rto_max_ps : wait_ps * 2;
}

void tcp_retransmission_timer_back_off(tcp_retransmission_timer *timer, const tcp_config *config)
{
  timer->rto_ps = doubled(timer->rto_ps, config);
}

void tcp_retransmission_timer_restart_slowly(tcp_retransmission_timer *timer, const tcp_config *config)
{
  if (!has_sample(timer)) {
    timer->rto_ps = MIN(3 * TIME_PS_PER_SECOND, config->rto_max_ps);
  }
}

void tcp_retransmission_timer_start(tcp_retransmission_timer *timer, time_ps now)
{
  timer->deadline = time_ps_after(now, timer->rto_ps);
}

void tcp_retransmission_timer_start_probing(tcp_retransmission_timer *timer, const tcp_config *config,
                                            unsigned probes, time_ps now)
{
  time_ps wait_ps = timer->rto_ps;
  for (; probes > 0 && wait_ps < config->rto_max_ps; probes--) {
    wait_ps = doubled(wait_ps, config);
  }
  timer->deadline = time_ps_after(now, wait_ps);
}

void tcp_retransmission_timer_start_override(tcp_retransmission_timer *timer, time_ps now)
{
  timer->deadline = time_ps_after(now, CLAMP(timer->rto_ps, TIME_PS_PER_SECOND / 10, TIME_PS_PER_SECOND));
}

void tcp_retransmission_timer_stop(tcp_retransmission_timer *timer)
{
  timer->deadline = TIME_PS_NEVER;
}
