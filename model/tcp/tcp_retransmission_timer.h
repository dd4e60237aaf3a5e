/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the retransmission timer, and the round-trip estimate that it rests on (RFC 6298), in
 * picoseconds. */
#pragma once

#include <stdbool.h>

#include "base/time_ps.h"
#include "tcp/tcp_config.h"

typedef struct tcp_retransmission_timer {
  time_ps rto_ps;       /* back-off included; whole ticks */
  time_ps deadline;     /* TIME_PS_NEVER: the timer is off */
  time_ps smoothed_ps;  /* SRTT; 0: no sample yet */
  time_ps least_ps;     /* of all samples; 0: none yet */
  time_ps variation_ps; /* RTTVAR; -1: no sample yet */
  time_ps deviation_ps; /* the mean one, and … */
  time_ps largest_ps;   /* … the largest that it had in this round: with variation_by_round */
} tcp_retransmission_timer;

/* Begins with a timer that is off, with RTO rto_initial_ps of `config` until the first sample; later ones are
 * at least rto_min_ps, as rto_floor means it, and at most rto_max_ps. The functions below take the same
 * `config`. It needs no freeing. */
void tcp_retransmission_timer_init(tcp_retransmission_timer *timer, const tcp_config *config);

/* A round trip took `round_trip_ps` (>= 0): a new RTO, without back-off (RFC 6298 §2.2, §2.3). `ends_round`:
 * what was sent before the sample that began this round is acknowledged. */
void tcp_retransmission_timer_sample(tcp_retransmission_timer *timer, const tcp_config *config,
                                     time_ps round_trip_ps, bool ends_round);

/* Doubles RTO, at most to rto_max_ps (RFC 6298 §5.5). It stays so until the next sample. */
void tcp_retransmission_timer_back_off(tcp_retransmission_timer *timer, const tcp_config *config);

/* The SYN had to be sent again: without a sample RTO becomes 3 s, or rto_max_ps if that is less (RFC 6298
 * §5.7). */
void tcp_retransmission_timer_restart_slowly(tcp_retransmission_timer *timer, const tcp_config *config);

/* (Re)starts the timer to expire RTO after `now`; turns it off. */
void tcp_retransmission_timer_start(tcp_retransmission_timer *timer, time_ps now);
void tcp_retransmission_timer_stop(tcp_retransmission_timer *timer);

/* Starts it for the next probe of a closed window, after `probes` in a row: RTO, doubled for each, at most to
 * rto_max_ps (RFC 9293 §3.8.6.1). RTO stays as it is: no segment was lost. */
void tcp_retransmission_timer_start_probing(tcp_retransmission_timer *timer, const tcp_config *config,
                                            unsigned probes, time_ps now);

/* Starts it as the override timer of a window that is too small: RTO, but at least 0.1 s and at most 1 s
 * (RFC 9293 §3.8.6.2.1). */
void tcp_retransmission_timer_start_override(tcp_retransmission_timer *timer, time_ps now);
