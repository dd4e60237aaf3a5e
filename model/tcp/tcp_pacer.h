/* SPDX-License-Identifier: GPL-2.0-only */
/* With pacing segments leave evenly over the round trip. The rate is 2 windows a smoothed round trip in slow
 * start, below half the threshold, and 1.2 after it, as Linux has them. No RFC gives a value. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_pacer {
  time_ps next_ps; /* nothing leaves before */
} tcp_pacer;

/* This is what the rate depends on. */
typedef struct tcp_pacer_rate {
  uint64_t window_octets;
  time_ps smoothed_ps; /* SRTT; 0: none yet, and no pacing */
  bool slow_start;
} tcp_pacer_rate;

/* `octets` leave at `now`: the next waits until they are paid for at `rate`, but what leaves late is paid for
 * up to half by the time since it might have left (Linux: tcp_update_skb_after_send()). */
void tcp_pacer_sent(tcp_pacer *pacer, uint64_t octets, const tcp_pacer_rate *rate, time_ps now);
