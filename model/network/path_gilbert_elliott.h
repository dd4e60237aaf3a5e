/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss in bursts: the channel of Gilbert and Elliott, netem's `loss gemodel`. */
#ifndef PATH_PATH_GILBERT_ELLIOTT_H
#define PATH_PATH_GILBERT_ELLIOTT_H

#include "base/random_stream.h"
#include "network/path_element.h"

/* The channel is good (at first) or bad. All are probabilities, 0 … 1. */
typedef struct path_gilbert_elliott_config {
  double p;         /* a packet makes the good channel bad */
  double r;         /* a packet makes the bad channel good */
  double loss_bad;  /* of a packet that finds the channel bad: netem's 1-h; its default is 1 */
  double loss_good; /* of a packet that finds it good: netem's 1-k; its default is 0 */
} path_gilbert_elliott_config;

/* Drops packets, with or without payload. Each finds the channel as the one before left it: it may change it, and is
 * lost by the state it found. Two draws a packet, whatever the state. In the long run a share p / (p + r) of the packets
 * finds the channel bad, 1 / r in a row on average. `config` is copied; `random` stays the caller's and outlives the
 * element. */
path_element *path_gilbert_elliott_new(const path_gilbert_elliott_config *config, random_stream *random);

#endif
