/* The congestion window: how it grows and what losses and marks make of it. All in octets; SMSS is EMSS.
 *
 * One interface, three controls: NewReno (RFC 5681, 6582 with byte counting, RFC 3465), CUBIC (RFC 9438), DCTCP (RFC 8257);
 * slow start is theirs in common and may end early (HyStart). The controls know nothing of segments in flight but what they
 * are told. Within fast recovery the window is tcp_sender's matter (RFC 6675 pipe, PRR or NewReno's inflation); this gives it
 * the threshold. Sans libm: CUBIC's cube root and powers are integer arithmetic. */
#ifndef TCP_TCP_CONGESTION_H
#define TCP_TCP_CONGESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "tcp/tcp_connection.h"

typedef struct tcp_congestion tcp_congestion;

/* Segments leave paced: HyStart judges trains of acknowledgements with that in mind. */
void tcp_congestion_use_pacing(tcp_congestion *congestion);

uint64_t tcp_congestion_window_octets(const tcp_congestion *congestion);
uint64_t tcp_congestion_threshold_octets(const tcp_congestion *congestion); /* UINT64_MAX: none yet */
bool tcp_congestion_in_slow_start(const tcp_congestion *congestion);

/* SMSS has changed with the path MTU. The window keeps its octets (RFC 1191 §6.4: a smaller MTU is no sign of congestion), but lets a
 * segment of the new size pass; or it `keeps_segments`: so many of the new size as it has of the old, as Linux counts. */
void tcp_congestion_set_smss(tcp_congestion *congestion, uint32_t smss_octets, bool keeps_segments);

/* What an acknowledgement that moves SND.UNA tells. */
typedef struct tcp_congestion_ack {
  uint64_t octets;   /* newly acknowledged by it, or delivered */
  uint64_t position; /* SND.UNA now */
  uint64_t next;     /* SND.NXT now: a round of HyStart, DCTCP's window of observation */
  bool limited;      /* the congestion window was what held the sender back: else it does not grow */
  bool
      unlimited_slow_start; /* slow start by all of `octets`, up to the threshold: beyond, congestion avoidance */
  bool after_timeout; /* slow start by at most 1 SMSS an acknowledgement (RFC 3465 §2.3), unless unlimited */
  bool in_recovery;   /* fast recovery: does not grow; DCTCP still counts */
  bool congestion_experienced; /* ECE */
  time_ps round_trip_ps;       /* the sample of this acknowledgement; -1: none */
  time_ps smoothed_ps;         /* SRTT; 0: no sample yet */
  time_ps
      ahead_ps; /* how far CUBIC looks ahead: SRTT (RFC 9438 §4.2), or the least round trip; 0: no sample yet */
} tcp_congestion_ack;

/* Slow start, by at most 2 SMSS an acknowledgement (RFC 3465 §2.2) unless it is unlimited, congestion avoidance, the end of slow start by HyStart,
 * DCTCP's estimate. */
void tcp_congestion_acknowledged(tcp_congestion *congestion, const tcp_congestion_ack *ack, time_ps now);

/* A recovery starts with `flight_octets` in flight (what was sent beyond by Limited Transmit left out): the threshold is what
 * the control makes of it, at least 2 SMSS (RFC 5681 equation 4; RFC 9438 §4.6; RFC 8257 §3.5), and so is the window. */
void tcp_congestion_reduce(tcp_congestion *congestion, uint64_t flight_octets, time_ps now);

/* ECE, once a round trip (RFC 3168 §6.1.2): as a loss, but DCTCP by its alpha (RFC 8257 §3.3). */
void tcp_congestion_reduce_for_ecn(tcp_congestion *congestion, uint64_t flight_octets, time_ps now);

/* The retransmission timer has expired: the window is 1 SMSS; for the `first` time in a row the threshold
 * is that of a loss with `flight_octets` in flight (RFC 5681 §3.1; RFC 9438 §4.8). */
void tcp_congestion_collapse(tcp_congestion *congestion, uint64_t flight_octets, bool first, time_ps now);

/* The reduction or collapse since the last tcp_congestion_remember() was spurious: window and threshold are at least what they
 * were then (RFC 4015 §3.2, RFC 9438 §4.9). remember: called before the first reduction of a recovery or
 * time-out. undo without one before, or twice, does nothing; what NewReno's inflation added is not kept. */
void tcp_congestion_remember(tcp_congestion *congestion);
void tcp_congestion_undo(tcp_congestion *congestion);

/* There is nothing to undo. */
void tcp_congestion_forget(tcp_congestion *congestion);

/* Nothing was sent for an RTO or more, `idle_ps`: the window is at most the restart window (RFC 5681 §4.1, RFC 9438 §5.8);
 * CUBIC's epoch does not count the time. */
void tcp_congestion_restart_after_idle(tcp_congestion *congestion, time_ps idle_ps);

/* The window within fast recovery is `octets` (PRR, RFC 6937), or the end of it (RFC 6937 §3: the threshold). */
void tcp_congestion_set_window(tcp_congestion *congestion, uint64_t octets);

/* NewReno's inflation by what left the network (RFC 6582 §3.2 steps 2 and 4), of any control without SACK. */
void tcp_congestion_inflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's partial acknowledgement of `octets`: deflated by them, back by 1 SMSS if they were that many
 * (RFC 6582 §3.2 step 3). */
void tcp_congestion_deflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's full acknowledgement with `flight_octets` still in flight (RFC 6582 §3.2 step 3, the first
 * option). */
void tcp_congestion_end_inflation(tcp_congestion *congestion, uint64_t flight_octets);

#endif
