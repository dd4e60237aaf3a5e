/* SPDX-License-Identifier: GPL-2.0-only */
/* A token bucket stands before a link: tokens come at a rate of its own until the bucket is full, and each
 * packet takes as many as it has octets. A policer drops what finds too few (tc-police), a shaper lets it
 * wait for them (tc-tbf(8)). */
#pragma once

#include "network/path_element.h"
#include "network/path_transmitter.h"

typedef struct path_bucket_config {
  uint64_t rate_bit_per_s; /* at which tokens come */
  uint64_t burst_octets;   /* that the bucket holds; 0: there is none */
  bool shapes;             /* else it polices */
} path_bucket_config;

/* Makes a bucket that is full at time 0. Octets are counted as `link` counts them (path_link_octets()), also
 * those that wait in a shaper, where `queue` has the limits: of 0 octets, or packets, there is none. All
 * configurations are copied. A shaper has a deadline (ENGINE_TIMER), a policer has none. */
path_element *path_bucket_new(const path_bucket_config *config, const path_transmitter_config *queue,
                              const path_link_config *link);

/* Returns when a packet without payload that comes at `now` would leave `element`, a bucket, at the earliest:
 * after all that wait. */
time_ps path_bucket_earliest_departure(const path_element *element, time_ps now);
