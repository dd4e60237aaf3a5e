/* SPDX-License-Identifier: GPL-2.0-only */
/* Delays that differ from packet to packet: netem's `delay TIME JITTER CORRELATION distribution NAME`. */
#ifndef PATH_PATH_JITTER_H
#define PATH_PATH_JITTER_H

#include "base/random_stream.h"
#include "network/path_element.h"
#include "network/path_jitter_table.h"
#include "network/path_reorder.h"

typedef struct path_jitter_config {
  time_ps delay_ps; /* added to every packet's delay: what the jitter lies around */
  time_ps
      jitter_ps; /* uniform: at most so far around it; else the scale of the table (normal: the standard deviation) */
  path_jitter_distribution distribution;
  double
      correlation; /* of a packet's place in the distribution with the last packet's (path_correlation.h) */
  bool
      reorders; /* packets leave when they are due, and overtake; else none leaves before one that entered before it */
  path_reorder_config
      reorder; /* packets that go at once, netem's `reorder` and `gap`, also without reorders */
  random_stream *reorder_random; /* draws for them, the caller's; NULL: there are none */
} path_jitter_config;

/* Holds each packet for delay ± what is drawn, but not below 0: nothing can leave before it has come, so a jitter without
 * a delay is on average late. (netem cuts there too; its delay is all of the link's, ours comes on top of it.) With
 * `reorders` what is due together leaves in the order of entry. Draws once a
 * packet that is held, also with a jitter of 0. `config` is copied; `random` stays the caller's and outlives the element. */
path_element *path_jitter_new(const path_jitter_config *config, random_stream *random);

#endif
