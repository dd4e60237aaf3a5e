/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the interface between tcp_congestion and a congestion control: the window, and the functions that
 * change it. Slow start, inflation and the loss window are tcp_congestion's, the same for every control. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/numbers.h"
#include "base/time_ps.h"

typedef struct tcp_congestion_window {
  uint32_t smss_octets;
  uint64_t octets;           /* cwnd */
  uint64_t threshold_octets; /* ssthresh; UINT64_MAX: none yet */
} tcp_congestion_window;

/* This is what an acknowledgement that moves SND.UNA shows. */
typedef struct tcp_congestion_ack {
  uint64_t octets;           /* newly acknowledged by it, or delivered */
  uint64_t position;         /* SND.UNA now */
  uint64_t next;             /* SND.NXT now: a round of HyStart, DCTCP's window of observation */
  bool limited;              /* the congestion window was what held the sender back: else it does not grow */
  bool unlimited_slow_start; /* slow start by all of `octets`, up to the threshold: beyond, congestion
                                avoidance */
  bool after_timeout; /* slow start by at most 1 SMSS an acknowledgement (RFC 3465 §2.3), unless unlimited */
  bool in_recovery;   /* fast recovery: does not grow; DCTCP still counts */
  bool judged;        /* tcp_congestion_judge_delay() has had it */
  bool congestion_experienced; /* ECE */
  time_ps round_trip_ps;       /* the sample of this acknowledgement; -1: none */
  time_ps latest_ps;           /* the same of the last segment that it acknowledges: HyStart's */
  time_ps smoothed_ps;         /* SRTT; 0: no sample yet */
  time_ps least_ps;            /* of all round trips; 0: no sample yet */
} tcp_congestion_ack;

/* The state is the control's own: state_octets of memory that can be copied octet by octet, zero before
 * start(). Every function except after_loss and avoid may be NULL. */
typedef struct tcp_congestion_control {
  size_t state_octets;
  void (*start)(void *state);
  /* Called for every acknowledgement that moves SND.UNA, whatever its other effects; for those of the first
   * slow start only if `observes_slow_start`. */
  bool observes_slow_start;
  void (*observe)(void *state, const tcp_congestion_window *window, const tcp_congestion_ack *ack,
                  time_ps now);
  /* Called for one in congestion avoidance, when the window was what held the sender back: the window grows
   * by the share that `octets` of it count for. */
  void (*avoid)(void *state, tcp_congestion_window *window, const tcp_congestion_ack *ack, uint64_t octets,
                time_ps now);
  /* Returns the threshold that a loss makes of `basis_octets`, what is in flight or the window, before the
   * floor of 2 SMSS; `window` is still the one before it. */
  uint64_t (*after_loss)(void *state, const tcp_congestion_window *window, uint64_t basis_octets);
  /* Does the same for ECE; NULL: it is as for a loss. */
  uint64_t (*after_mark)(void *state, const tcp_congestion_window *window, uint64_t basis_octets);
  /* Returns whether HyStart passes over a delay measured at `now`. NULL: never. */
  bool (*disregards_delay)(const void *state, time_ps now);
  /* The retransmission timer has expired; after_loss() may have been called for it before. */
  void (*timed_out)(void *state);
  /* Something leaves while nothing is in flight, `idle_ps` after the last departure. */
  void (*resumed)(void *state, time_ps idle_ps, time_ps now);
  /* Nothing was sent for `idle_ps`; `cut`: the window is smaller for it. */
  void (*idled)(void *state, time_ps idle_ps, bool cut);
  /* SMSS has changed, and windows of `before_octets` are windows of `after_octets` now. */
  void (*smss_changed)(void *state, uint32_t before_octets, uint32_t after_octets);
  /* Where a reduction was spurious, the state is again what it was before. */
  bool undoes;
} tcp_congestion_control;

/* CUBIC (RFC 9438): in congestion avoidance the window follows a cube of the time since the stage began,
 * flat where the last loss was, and is never below what a NewReno with the same losses would have. Integer
 * arithmetic: octets, seconds in 2^-30. */
extern const tcp_congestion_control tcp_cubic;

/* CUBIC as Linux has it, in whole segments and ticks. */
extern const tcp_congestion_control tcp_cubic_linux;

/* `octets` in segments of `before_octets`, as octets in as many of `after_octets`; UINT64_MAX stays. */
static inline uint64_t tcp_congestion_scaled(uint64_t octets, uint32_t before_octets, uint32_t after_octets)
{
  return octets == UINT64_MAX ? octets : (uint64_t)((uint128)octets * after_octets / before_octets);
}
