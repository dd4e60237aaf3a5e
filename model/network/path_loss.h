/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss: random, by an exact list (definitions.md, `drop`), and every n-th. */
#ifndef PATH_PATH_LOSS_H
#define PATH_PATH_LOSS_H

#include <stddef.h>

#include "base/random_stream.h"
#include "base/settings.h"
#include "network/path_element.h"

/* Segments with payload are numbered 1, 2, … as they enter; retransmissions and startup frames count. */
typedef struct path_loss_config {
  double probability; /* of each packet, with or without payload: netem's `loss` */
  double correlation; /* netem's: of each draw with the last (path_correlation.h); 0: independent */
  uint64_t every;     /* drops the segments number every, 2 · every, …; 0: none */
  number_list drop;   /* drops the segments of these numbers, which ascend */
} path_loss_config;

/* Drops what any of the three says. Every packet draws once, also one that is dropped anyway, so that list and count
 * never change which others are lost. `config` is copied, with its list; `random` stays the caller's and outlives the
 * element. */
path_element *path_loss_new(const path_loss_config *config, random_stream *random);

#endif
