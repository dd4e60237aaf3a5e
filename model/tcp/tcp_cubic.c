/* SPDX-License-Identifier: GPL-2.0-only */

#include <glib.h>

#include "base/numbers.h"
#include "tcp/tcp_congestion_control.h"

/* These are the constants of RFC 9438 as fractions: beta (§4.6), C in segments per second cubed (§5.1), alpha
 * of the Reno-friendly region, 3 (1 - beta) / (1 + beta) (§4.3). */
enum {
  BETA_NUMERATOR = 7,
  BETA_DENOMINATOR = 10,
  C_NUMERATOR = 2,
  C_DENOMINATOR = 5,
  ALPHA_NUMERATOR = 9,
  ALPHA_DENOMINATOR = 17,
};

enum {
  SECOND_BITS = 30, /* time within a stage counts in 2^-30 s */
  TIME_BITS = 41,   /* and no further than 2^11 s: then the cube is beyond any window of TCP */
  DEPTH_BITS = 35,  /* W_max - cwnd no further than 32 GiB: so is that */
  OCTET_BITS = 20,  /* windows between two octets count in 2^-20 octets */
};

typedef struct cubic_state {
  /* W_max; 0: no loss yet that showed it, or the last one was a time-out (§4.8, §4.10) */
  uint64_t maximum_octets;
  uint64_t prior_octets;  /* cwnd_prior, the window before the last reduction */
  bool drained;           /* the last acknowledgement left nothing in flight */
  bool in_stage;          /* the rest is of this stage of congestion avoidance */
  time_ps stage_start;    /* t_epoch, moved on by what is not counted (§5.8) */
  time_ps seen;           /* when the last acknowledgement came */
  uint64_t origin_octets; /* the window at the flat place of the curve */
  uint64_t flat_after;    /* K, in 2^-30 s */
  uint64_t estimate;      /* W_est, in 2^-20 octets */
  uint64_t grown;         /* by less than an octet, in 2^-20 octets */
} cubic_state;

/* 2^30 / 10^12 is 2^18 / 5^12; quotient and remainder apart, for 64 bits to hold them. */
static uint64_t in_fractions_of_second(time_ps time)
{
  const uint64_t five_to_the_12th = 244140625;
  const unsigned bits = SECOND_BITS - 12;
  uint64_t whole = (uint64_t)time / five_to_the_12th;
  uint64_t rest = (uint64_t)time % five_to_the_12th;
  return MIN((whole << bits) + (rest << bits) / five_to_the_12th, UINT64_C(1) << TIME_BITS);
}

/* Returns W_cubic(t) (§4.2, figure 1). */
static uint64_t curve_octets(const cubic_state *cubic, uint32_t smss_octets, time_ps since_start)
{
  uint64_t time = in_fractions_of_second(since_start);
  bool concave = time < cubic->flat_after;
  uint64_t distance = concave ? cubic->flat_after - time : time - cubic->flat_after;
  uint128 square = (uint128)distance * distance >> SECOND_BITS;
  uint128 cube = square * distance >> SECOND_BITS;
  uint64_t octets = (uint64_t)(cube * smss_octets * C_NUMERATOR >> SECOND_BITS) / C_DENOMINATOR;
  if (!concave) {
    return cubic->origin_octets + octets;
  }
  return cubic->origin_octets - MIN(octets, cubic->origin_octets);
}

static void begin_stage(cubic_state *cubic, const tcp_congestion_window *window, time_ps now)
{
  cubic->in_stage = true;
  cubic->stage_start = now;
  cubic->seen = now;
  /* Without a loss to remember, or beyond it, the curve is flat here and rises from now on (§4.8, §4.10). */
  cubic->origin_octets = MAX(cubic->maximum_octets, window->octets);
  /* K is the cube root of (W_max - cwnd_epoch) / C (§4.2, figure 2), so that the curve starts at the
   * window. */
  uint64_t depth = MIN(cubic->origin_octets - window->octets, UINT64_C(1) << DEPTH_BITS);
  cubic->flat_after = integer_cube_root(((uint128)depth * C_DENOMINATOR << (3 * SECOND_BITS)) /
                                        (C_NUMERATOR * (uint64_t)window->smss_octets));
  cubic->estimate = window->octets << OCTET_BITS;
  cubic->grown = 0;
}

/* Time in which the window was not what held the sender back is no time of the curve (§5.8). Nor is what
 * passed with nothing in flight, between the last acknowledgement and the departure of what this one
 * samples. */
static void observe(void *state, G_GNUC_UNUSED const tcp_congestion_window *window,
                    const tcp_congestion_ack *ack, time_ps now)
{
  cubic_state *cubic = state;
  if (cubic->in_stage) {
    time_ps uncounted = 0;
    if (!ack->limited) {
      uncounted = now - cubic->seen;
    } else if (cubic->drained && ack->round_trip_ps >= 0) {
      uncounted = MAX(now - ack->round_trip_ps - cubic->seen, 0);
    }
    cubic->stage_start += uncounted;
    cubic->seen = now;
  }
  cubic->drained = ack->position == ack->next;
}

/* W_est (§4.3, figure 4) increases additively, such that its mean is Reno's in spite of the gentler beta, and
 * Reno's own once it is back where the last reduction was. */
static void grow_estimate(cubic_state *cubic, const tcp_congestion_window *window, uint64_t octets)
{
  bool recovered = cubic->estimate >> OCTET_BITS >= cubic->prior_octets;
  uint64_t numerator = recovered ? 1 : ALPHA_NUMERATOR;
  uint64_t denominator = recovered ? 1 : ALPHA_DENOMINATOR;
  uint128 segments = ((uint128)octets << OCTET_BITS) * numerator;
  cubic->estimate += (uint64_t)(segments * window->smss_octets / ((uint128)window->octets * denominator));
}

/* By (target - cwnd) / cwnd of what was acknowledged (§4.4, §4.5), where target is the curve a round trip
 * ahead, within cwnd and 1.5 cwnd (§4.2). */
static void follow_curve(cubic_state *cubic, tcp_congestion_window *window, uint64_t ahead_octets,
                         uint64_t octets)
{
  uint64_t target = CLAMP(ahead_octets, window->octets, window->octets + window->octets / 2);
  uint64_t gap = target - window->octets;
  uint64_t acknowledged = MIN(octets, window->octets);
  cubic->grown += (uint64_t)(((uint128)gap * acknowledged << OCTET_BITS) / window->octets);
  window->octets += cubic->grown >> OCTET_BITS;
  cubic->grown &= (UINT64_C(1) << OCTET_BITS) - 1;
}

static void avoid(void *state, tcp_congestion_window *window, const tcp_congestion_ack *ack, uint64_t octets,
                  time_ps now)
{
  cubic_state *cubic = state;
  window->octets = MAX(window->octets, 1);
  cubic->drained = ack->position == ack->next; /* the first one was not observed */
  if (!cubic->in_stage) {
    begin_stage(cubic, window, now);
  }
  time_ps since_start = now - cubic->stage_start;
  grow_estimate(cubic, window, octets);
  if (curve_octets(cubic, window->smss_octets, since_start) < cubic->estimate >> OCTET_BITS) {
    window->octets = MAX(window->octets, cubic->estimate >> OCTET_BITS);
  } else {
    follow_curve(cubic, window, curve_octets(cubic, window->smss_octets, since_start + ack->smoothed_ps),
                 octets);
  }
}

static uint64_t after_loss(void *state, const tcp_congestion_window *window, uint64_t basis_octets)
{
  cubic_state *cubic = state;
  /* Fast convergence (§4.7): a flow that did not get back to its last maximum leaves room for others. */
  bool converges = window->octets < cubic->maximum_octets;
  cubic->maximum_octets = converges
                              ? window->octets * (BETA_DENOMINATOR + BETA_NUMERATOR) / (2 * BETA_DENOMINATOR)
                              : window->octets;
  cubic->prior_octets = window->octets;
  cubic->in_stage = false;
  return basis_octets * BETA_NUMERATOR / BETA_DENOMINATOR;
}

static void timed_out(void *state)
{
  cubic_state *cubic = state;
  cubic->maximum_octets = 0; /* §4.8: the next stage has K = 0 and W_max where it begins */
}

static void idled(void *state, time_ps idle_ps, bool cut)
{
  cubic_state *cubic = state;
  cubic->stage_start += idle_ps;
  cubic->seen += idle_ps;
  /* W_est and the curve of this stage are of a window that is gone. */
  cubic->in_stage = cubic->in_stage && !cut;
}

static void smss_changed(void *state, uint32_t before_octets, uint32_t after_octets)
{
  cubic_state *cubic = state;
  cubic->maximum_octets = tcp_congestion_scaled(cubic->maximum_octets, before_octets, after_octets);
  cubic->prior_octets = tcp_congestion_scaled(cubic->prior_octets, before_octets, after_octets);
  cubic->in_stage = false; /* K was of the old SMSS: the curve would jump */
}

const tcp_congestion_control tcp_cubic = {.state_octets = sizeof(cubic_state),
                                          .observe = observe,
                                          .avoid = avoid,
                                          .after_loss = after_loss,
                                          .timed_out = timed_out,
                                          .idled = idled,
                                          .smss_changed = smss_changed,
                                          .undoes = true /* §4.9 */};
