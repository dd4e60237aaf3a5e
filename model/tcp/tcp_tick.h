/* SPDX-License-Identifier: GPL-2.0-only */
/* A host whose timers count the ticks of its clock, as Linux's do (usecs_to_jiffies(), calc_index()): a wait
 * is rounded up to whole ticks, and it is over at the first tick at which so many have passed. Without ticks,
 * 0, it is as long as it is. */
#pragma once

#include <stdbool.h>

#include "base/time_ps.h"
#include "tcp/tcp_config.h"

/* `time`, an instant or a wait, rounded up to ticks. */
static inline time_ps tcp_tick_up(time_ps time, time_ps tick_ps)
{
  time_ps rest = tick_ps > 0 ? time % tick_ps : 0;
  return rest > 0 ? time + tick_ps - rest : time;
}

/* Returns the same of a wait that was `before`, rounded up: mostly the same ticks, and no division. */
static inline time_ps tcp_tick_wait(time_ps wait_ps, time_ps before_ps, time_ps tick_ps)
{
  if (tick_ps == 0) {
    return wait_ps;
  }
  return wait_ps <= before_ps && wait_ps + tick_ps > before_ps ? before_ps : tcp_tick_up(wait_ps, tick_ps);
}

/* Returns whether a timer armed for `*deadline` has expired at `now`. One that ends between two ticks is
 * armed anew, for the later: so the division is of timers that expire, not of those that are armed. */
static inline bool tcp_tick_expired(time_ps *deadline, const tcp_config *config, time_ps now)
{
  if (*deadline > now) {
    return false;
  }
  *deadline = tcp_tick_up(*deadline + config->tick_phase_ps, config->timer_tick_ps) - config->tick_phase_ps;
  return *deadline <= now;
}
