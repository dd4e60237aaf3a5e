/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_pacer.h"

#include <glib.h>

#include "base/integer_math.h"
enum {
  /* per cent of a window in each round trip (Linux: tcp_pacing_ss_ratio, tcp_pacing_ca_ratio) */
  GAIN_IN_SLOW_START = 200,
  GAIN_AFTER = 120,
  PER_CENT = 100,
  BURSTS_A_SECOND = 1024,    /* sk_pacing_shift */
  BURST_SEGMENTS_MIN = 2,    /* tcp_min_tso_segs */
  BURST_OCTETS_MAX = 65536,  /* sk_gso_max_size, … */
  HALVING_MICROSECONDS = 512 /* … all of it where the round trip is shorter (tcp_tso_rtt_log) */
};

/* Returns how many octets leave at once: those of a millisecond, and more on a short path. */
static uint64_t burst_octets(const tcp_pacer_rate *rate, unsigned gain)
{
  uint128 a_second = (uint128)rate->window_octets * gain * TIME_PS_PER_SECOND / PER_CENT;
  uint64_t octets = (uint64_t)MIN(a_second / BURSTS_A_SECOND / (uint64_t)rate->smoothed_ps, BURST_OCTETS_MAX);
  time_ps halvings = rate->least_ps / (HALVING_MICROSECONDS * TIME_PS_PER_MICROSECOND);
  octets += BURST_OCTETS_MAX >> MIN(halvings, 31);
  uint64_t segments = MIN(octets, BURST_OCTETS_MAX) / rate->burst_smss_octets;
  return MAX(segments, BURST_SEGMENTS_MIN) * rate->burst_smss_octets;
}

void tcp_pacer_sent(tcp_pacer *pacer, tcp_pacer_burst *burst, uint64_t octets, const tcp_pacer_rate *rate,
                    time_ps now)
{
  unsigned gain = rate->slow_start ? GAIN_IN_SLOW_START : GAIN_AFTER;
  time_ps wait_ps = (time_ps)((uint128)octets * (uint64_t)rate->smoothed_ps * PER_CENT /
                              ((uint128)MAX(rate->window_octets, 1) * gain));
  if (!tcp_pacer_bursts(burst, now)) {
    burst->at = now;
    burst->late_ps = MAX(now - pacer->next_ps, 0);
    burst->left_octets = rate->burst_smss_octets > 0 && wait_ps > 0 ? burst_octets(rate, gain) : 0;
  }
  time_ps paid_ps = MIN(wait_ps / 2, burst->late_ps);
  burst->late_ps -= paid_ps;
  burst->left_octets -= MIN(octets, burst->left_octets);
  pacer->next_ps = MAX(pacer->next_ps, now) + wait_ps - paid_ps;
}
