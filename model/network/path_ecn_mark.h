/* SPDX-License-Identifier: GPL-2.0-only */
/* Congestion marks without congestion: CE on packets that are ECN-capable (RFC 3168 §5). */
#ifndef PATH_PATH_ECN_MARK_H
#define PATH_PATH_ECN_MARK_H

#include "base/random_stream.h"
#include "network/path_element.h"

typedef struct path_ecn_mark_config {
  double probability; /* of each ECN-capable packet */
  uint64_t
      every; /* marks the ECN-capable packets number every, 2 · every, … (the first to enter is 1); 0: none */
} path_ecn_mark_config;

/* Marks what either of the two says. Packets that are not ECN-capable pass; those that are marked already pass, count for
 * `every`, but not as marked. Every packet draws once, also one that cannot be marked. A packet that somebody else refers to is
 * copied before. `config` is copied; `random` stays the caller's and outlives the element. */
path_element *path_ecn_mark_new(const path_ecn_mark_config *config, random_stream *random);

#endif
