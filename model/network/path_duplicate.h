/* SPDX-License-Identifier: GPL-2.0-only */
/* Duplication: netem's `duplicate`. */
#ifndef PATH_PATH_DUPLICATE_H
#define PATH_PATH_DUPLICATE_H

#include "base/random_stream.h"
#include "network/path_element.h"

/* Sends, with `probability` of each packet with or without payload, a copy right after it: in the same picosecond and with the same
 * send order. Every packet draws once, with `correlation` to the last draw (path_correlation.h). `random` stays the caller's and outlives
 * the element. */
path_element *path_duplicate_new(double probability, double correlation, random_stream *random);

#endif
