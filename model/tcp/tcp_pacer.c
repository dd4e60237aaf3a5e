/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_pacer.h"

#include <glib.h>

/* These are per cent of a window in each round trip (Linux: tcp_pacing_ss_ratio, tcp_pacing_ca_ratio). */
enum { GAIN_IN_SLOW_START = 200, GAIN_AFTER = 120, PER_CENT = 100 };

void tcp_pacer_sent(tcp_pacer *pacer, uint64_t octets, const tcp_pacer_rate *rate, time_ps now)
{
  unsigned gain = rate->slow_start ? GAIN_IN_SLOW_START : GAIN_AFTER;
  unsigned __int128 cost = (unsigned __int128)octets * (uint64_t)rate->smoothed_ps * PER_CENT /
                           ((unsigned __int128)MAX(rate->window_octets, 1) * gain);
  time_ps wait_ps = (time_ps)cost;
  time_ps late_ps = MAX(now - pacer->next_ps, 0);
  pacer->next_ps = MAX(pacer->next_ps, now) + wait_ps - MIN(wait_ps / 2, late_ps);
}
