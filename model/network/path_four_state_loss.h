/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss in bursts with single losses between: the Markov chain of four states, netem's `loss state`. */
#ifndef PATH_PATH_FOUR_STATE_LOSS_H
#define PATH_PATH_FOUR_STATE_LOSS_H

#include "base/random_stream.h"
#include "network/path_element.h"

/* A packet moves the chain, and is lost when that leads to a state of loss. State 1 (at first): received, in a gap
 * between bursts; 2: received within a burst; 3: lost within a burst; 4: lost alone in a gap, from which the next packet
 * always leads back to 1. pXY is the probability of going from X to Y; what is left is that of staying. */
typedef struct path_four_state_loss_config {
  double p13;
  double p31; /* netem's default: 1 - p13 */
  double p32; /* 0 */
  double p23; /* 1 */
  double p14; /* 0 */
} path_four_state_loss_config;

/* Drops packets, with or without payload; one draw a packet. In the long run the share of packets lost is
 * (p13 / p31 + p14) / (1 + p13 / p31 · (1 + p32 / p23) + p14). All are 0 … 1, also p13 + p14 and p31 + p32. `config` is
 * copied; `random` stays the caller's and outlives the element. */
path_element *path_four_state_loss_new(const path_four_state_loss_config *config, random_stream *random);

#endif
