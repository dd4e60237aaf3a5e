/* Pacing: segments leave evenly over the round trip. The rate is 2 windows a smoothed round trip in slow
 * start, 1.2 after it, as Linux has them: room to grow. No RFC says. */
#ifndef TCP_TCP_PACER_H
#define TCP_TCP_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_pacer {
  time_ps next_ps; /* nothing leaves before */
} tcp_pacer;

/* What the rate depends on. */
typedef struct tcp_pacer_rate {
  uint64_t window_octets;
  time_ps smoothed_ps; /* SRTT; 0: none yet, and no pacing */
  bool slow_start;
} tcp_pacer_rate;

/* Whether a segment may leave at `now`. */
bool tcp_pacer_may_send(const tcp_pacer *pacer, time_ps now);

/* `octets` leave at `now`: the next waits until they are paid for at `rate`. */
void tcp_pacer_sent(tcp_pacer *pacer, uint64_t octets, const tcp_pacer_rate *rate, time_ps now);

#endif
