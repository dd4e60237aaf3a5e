/* SPDX-License-Identifier: GPL-2.0-only */
/* A token bucket before a link: tokens come at a rate of its own until the bucket is full, and each packet
 * takes as many as it has octets. A policer drops what finds too few (tc-police), a shaper lets it wait for
 * them (tc-tbf(8)). */
#pragma once

#include "network/path_element.h"
#include "network/path_link.h"

typedef struct path_bucket_config {
  uint64_t rate_bit_per_s;      /* at which tokens come */
  uint64_t burst_octets;        /* that the bucket holds; 0: there is none */
  bool shapes;                  /* else it polices */
  uint32_t queue_limit_packets; /* a packet that finds so many waiting in a shaper is dropped; 0: no limit */
  uint64_t
      queue_limit_octets; /* so is one with which more would wait, counted as in the bucket; 0: no limit */
} path_bucket_config;

/* The bucket, full at time 0. Octets are counted as `link` counts them (path_link_octets()); both
 * configurations are copied. A shaper has a deadline (ENGINE_TIMER), a policer has none. */
path_element *path_bucket_new(const path_bucket_config *config, const path_link_config *link);

/* When a packet without payload that comes at `now` would leave `element`, a bucket, at the earliest:
 * after all that wait. */
time_ps path_bucket_earliest_departure(const path_element *element, time_ps now);
