/* SPDX-License-Identifier: GPL-2.0-only */
/* Chosen packets come late: by a number of segments, or by a time. */
#ifndef PATH_PATH_DISPLACE_H
#define PATH_PATH_DISPLACE_H

#include "base/random_stream.h"
#include "base/settings.h"
#include "network/path_element.h"

typedef struct path_displace_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation.h) */
  packet_distance by; /* how late, more than 0 */
  time_ps wait_ps;    /* by segments: the longest that a packet waits for them */
} path_displace_config;

/* Holds each packet with `probability`. By segments: only packets with payload are chosen, and each goes on right behind the
 * n-th later packet with payload that passes (chosen ones do not pass), so that within one flow its reordering extent
 * (RFC 4737 §4.2) is n, and one more for each other chosen one that is let go between; or after wait_ps, because behind the
 * last segments of a flow there may come no more. By a time: any packet is chosen, and goes on after that. Every packet draws
 * once. path_element_counts.displaced counts the chosen. `config` is copied; `random` stays the caller's and outlives the
 * element. */
path_element *path_displace_new(const path_displace_config *config, random_stream *random);

#endif
