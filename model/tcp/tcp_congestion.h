/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the congestion window: how it grows, and how losses and marks reduce it. All is in octets; SMSS is
 * EMSS.
 *
 * One interface, three controls: NewReno (RFC 5681, 6582 with byte counting, RFC 3465), CUBIC (RFC 9438),
 * DCTCP (RFC 8257); they share slow start, which may end early (HyStart). The controls know nothing about
 * segments in flight except what they are given. Within fast recovery the window is what PRR or NewReno's
 * inflation makes of the threshold. Sans libm: CUBIC's cube root and powers are integer arithmetic. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_congestion_control.h"
#include "tcp/tcp_hystart.h"

typedef struct tcp_congestion {
  tcp_congestion_window window;
  const tcp_congestion_control *control;
  void *state;             /* NULL before the control has anything to do: state_of() */
  uint32_t restart_octets; /* RFC 5681 §4.1: the initial window */
  bool inflated : 1;       /* the window counts what has left the network, too (RFC 6582 §3.2) */
  bool remembers : 1;      /* there is something to undo: memory_of() is of tcp_congestion_remember() */
  bool has_hystart : 1;    /* not together with … */
  bool has_hystart_pp : 1; /* … HyStart++ */
  bool in_flight : 1;      /* something is; with has_hystart alone */
  bool late_rounds : 1;    /* HyStart's */
  bool found : 1;          /* HyStart has ended slow start: it judges again after a time-out */
  bool paced : 1;          /* HyStart judges trains of acknowledgements with that in mind */
  bool of_segments : 1;    /* tcp_config.window_of_segments */
  bool of_window : 1;      /* tcp_config.threshold_of_window */
  union {                  /* with has_hystart one of the first two */
    time_ps shortest_ps;   /* while nothing is in flight */
    tcp_hystart *hystart;  /* with in_flight: the flight's */
    tcp_hystart_pp *hystart_pp;
  };
} tcp_congestion;

/* Begins with a window of `initial_window_octets` (RFC 6928), no slow start threshold yet, nothing in
 * flight. */
void tcp_congestion_init(tcp_congestion *congestion, const tcp_config *config, uint32_t smss_octets,
                         uint64_t initial_window_octets);

/* Something is in flight, or an acknowledgement is at hand: lends `hystart`, uninitialised, until
 * tcp_congestion_end_flight(). What is acknowledged later was sent later, and begins a round of HyStart's
 * anyway. */
void tcp_congestion_begin_flight(tcp_congestion *congestion, tcp_hystart *hystart);
void tcp_congestion_end_flight(tcp_congestion *congestion);

bool tcp_congestion_in_slow_start(const tcp_congestion *congestion);

/* SMSS has changed with the path MTU. The window keeps its octets (RFC 1191 §6.4: a smaller MTU is no sign of
 * congestion), but has room for at least one segment of the new size; or it `keeps_segments`: as many of the
 * new size as it had of the old, as Linux counts. */
void tcp_congestion_set_smss(tcp_congestion *congestion, uint32_t smss_octets, bool keeps_segments);

/* HyStart alone judges any acknowledgement, in recovery, too, before that changes anything, as
 * cubictcp_acked() does. */
void tcp_congestion_judge_delay(tcp_congestion *congestion, const tcp_congestion_ack *ack, time_ps now);

/* Slow start, by at most 2 SMSS an acknowledgement (RFC 3465 §2.2) unless it is unlimited, congestion
 * avoidance, the end of slow start by HyStart, DCTCP's estimate. */
void tcp_congestion_acknowledged(tcp_congestion *congestion, const tcp_congestion_ack *ack, time_ps now);

/* A recovery starts with `flight_octets` in flight (what was sent beyond by Limited Transmit left out):
 * the threshold is what the control makes of it, or of the window, at least 2 SMSS (RFC 5681 equation 4; RFC
 * 9438 §4.6; RFC 8257 §3.5), and so is the window. */
void tcp_congestion_reduce(tcp_congestion *congestion, uint64_t flight_octets);

/* ECE has come, once a round trip (RFC 3168 §6.1.2): this is like a loss, except that DCTCP reduces by its
 * alpha (RFC 8257 §3.3). Congestion is certain: what a reduction before took away is not given back, however
 * spurious that one proves to be (Linux, tcp_enter_cwr()). */
void tcp_congestion_reduce_for_ecn(tcp_congestion *congestion, uint64_t flight_octets);

/* The retransmission timer has expired: the window is 1 SMSS; if it `reduces`, which it does for the first
 * time in a row, the threshold is that of a loss with `flight_octets` in flight (RFC 5681 §3.1; RFC 9438
 * §4.8). */
void tcp_congestion_collapse(tcp_congestion *congestion, uint64_t flight_octets, bool reduces);

/* The reduction or collapse since the last tcp_congestion_remember() was spurious: window and threshold are
 * at least what they were then (RFC 4015 §3.2, RFC 9438 §4.9). remember: called before the first reduction of
 * a recovery or time-out. undo does nothing without a remember before it, or a second time; what NewReno's
 * inflation added is not kept. */
void tcp_congestion_remember(tcp_congestion *congestion);
void tcp_congestion_undo(tcp_congestion *congestion);

/* Nothing was sent for an RTO or more, `idle_ps`: the window is at most the restart window (RFC 5681 §4.1,
 * RFC 9438 §5.8); CUBIC's epoch does not count the time. */
void tcp_congestion_restart_after_idle(tcp_congestion *congestion, time_ps idle_ps);

/* Does the same as Linux has it: the window is halved, in whole segments, for each RTO of `idle_ps`, down to
 * the restart window; slow start leads back to three quarters of it (RFC 2861 §3.1, tcp_cwnd_restart()), and
 * CUBIC goes on on its curve. */
void tcp_congestion_decay(tcp_congestion *congestion, time_ps idle_ps, time_ps rto_ps);

/* Something leaves while nothing is in flight, `idle_ps` after the last departure: Linux's CUBIC does not
 * count that time. */
void tcp_congestion_resume(tcp_congestion *congestion, time_ps idle_ps, time_ps now);

/* The window within fast recovery is `octets` (PRR, RFC 6937), or the end of it (RFC 6937 §3: the
 * threshold). */
void tcp_congestion_set_window(tcp_congestion *congestion, uint64_t octets);

/* NewReno's inflation by what left the network (RFC 6582 §3.2 steps 2 and 4), of any control without SACK. */
void tcp_congestion_inflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's partial acknowledgement of `octets` has come: the window is deflated by them, and inflated by 1
 * SMSS if they were that many (RFC 6582 §3.2 step 3). */
void tcp_congestion_deflate(tcp_congestion *congestion, uint64_t octets);

/* NewReno's full acknowledgement has come, with `flight_octets` still in flight (RFC 6582 §3.2 step 3, the
 * first option). */
void tcp_congestion_end_inflation(tcp_congestion *congestion, uint64_t flight_octets);
