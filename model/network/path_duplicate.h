/* SPDX-License-Identifier: GPL-2.0-only */
/* Duplication: netem's `duplicate`. */
#ifndef PATH_PATH_DUPLICATE_H
#define PATH_PATH_DUPLICATE_H

#include "base/random_stream.h"
#include "network/path_element.h"

typedef struct path_duplicate_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation.h) */
} path_duplicate_config;

/* Sends, with `probability` of each packet with or without payload, a copy right after it: in the same picosecond and with the same
 * send order. Every packet draws once. `config` is copied; `random` stays the caller's and outlives
 * the element. */
path_element *path_duplicate_new(const path_duplicate_config *config, random_stream *random);

#endif
