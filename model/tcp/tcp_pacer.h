/* SPDX-License-Identifier: GPL-2.0-only */
/* With pacing segments leave evenly over the round trip, those of a stream two or more at once. The rate is 2
 * windows a smoothed round trip in slow start, below half the threshold, and 1.2 after it, as Linux has them.
 * No RFC gives a value. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_pacer {
  time_ps next_ps; /* nothing leaves before, but for the rest of a burst */
} tcp_pacer;

/* This is what leaves at once, as a stream does (Linux: tcp_tso_autosize()). All 0: none has begun. */
typedef struct tcp_pacer_burst {
  time_ps at;
  time_ps late_ps; /* how much later it left than it might have, but for what has paid for octets */
  uint64_t left_octets;
} tcp_pacer_burst;

/* This is what the rate depends on. */
typedef struct tcp_pacer_rate {
  uint64_t window_octets;
  time_ps smoothed_ps;        /* SRTT; 0: none yet, and no pacing */
  time_ps least_ps;           /* the least round trip; only for a burst */
  uint32_t burst_smss_octets; /* bursts of at least two of them leave; 0: no bursts */
  bool slow_start;
} tcp_pacer_rate;

/* Returns whether more may leave with what left at `now`. */
static inline bool tcp_pacer_bursts(const tcp_pacer_burst *burst, time_ps now)
{
  return burst->left_octets > 0 && burst->at == now;
}

/* `octets` leave at `now`: the next waits until they are paid for at `rate`, but what leaves late is paid for
 * up to half by the time since it might have left (Linux: tcp_update_skb_after_send()). They go on with
 * `burst` or begin it anew. */
void tcp_pacer_sent(tcp_pacer *pacer, tcp_pacer_burst *burst, uint64_t octets, const tcp_pacer_rate *rate,
                    time_ps now);
