/* The inside of a retransmission timer, for the connection that it lies in. */
#ifndef TCP_TCP_RETRANSMISSION_TIMER_PRIVATE_H
#define TCP_TCP_RETRANSMISSION_TIMER_PRIVATE_H

#include "tcp/tcp_retransmission_timer.h"

struct tcp_retransmission_timer {
  time_ps min_ps;
  time_ps max_ps;
  time_ps rto_ps;
  time_ps deadline;
  time_ps smoothed_ps;  /* SRTT */
  time_ps least_ps;     /* of all samples */
  time_ps variation_ps; /* RTTVAR; -1: no sample yet */
  tcp_rto_floor floor;
};

/* A timer that is off, with RTO `initial_ps` until the first sample; later ones are at least min_ps, as `floor` means it, and at
 * most max_ps. It needs no freeing. */
void tcp_retransmission_timer_init(tcp_retransmission_timer *timer, time_ps initial_ps, time_ps min_ps,
                                   time_ps max_ps, tcp_rto_floor floor);

#endif
