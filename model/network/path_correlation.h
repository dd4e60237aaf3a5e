/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws that remember the last one, netem's "correlation": what loss, jitter, duplication and corruption
 * share. */
#ifndef PATH_PATH_CORRELATION_H
#define PATH_PATH_CORRELATION_H

#include "base/random_stream.h"

/* Embedded in an element; written only by the functions below. */
typedef struct path_correlation {
  random_stream *random; /* the caller's */
  double correlation;
  double last;
} path_correlation;

/* Draws from `random` with `correlation` (0 … 1) between neighbours; each takes one number of the stream, and
 * with a correlation the start takes one too. */
void path_correlation_init(path_correlation *correlation, random_stream *random, double value);

/* x = u · (1 - correlation) + the last x · correlation, u uniform: in 0 … 1, without 1. With correlation 0 x
 * is uniform. As in netem, x with a correlation is no longer uniform but gathers around 1/2: a probability
 * below 1/2 then strikes less often than it says, one above more often. */
double path_correlation_next(path_correlation *correlation);

/* Whether the next x is below `probability` (0 … 1). With correlation 0: random_stream_chance(). */
bool path_correlation_chance(path_correlation *correlation, double probability);

#endif
