/* SPDX-License-Identifier: GPL-2.0-only */
/* The queue before a link decides which packets may wait, and counts how much waits. */
#pragma once

#include "network/path_element.h"
#include "network/path_link.h"
#include "network/path_queue_manager.h"

/* The packets that wait are those after the packet in transmission. Of each pair of limits the one that is
 * reached first counts; 0: no limit. */
typedef struct path_transmitter_config {
  uint32_t queue_limit_packets; /* a packet that finds so many waiting is dropped (tail drop) */
  uint64_t queue_limit_octets;  /* so is one with which more octets (IP) would wait than this */
  uint32_t mark_packets; /* an ECN-capable packet that finds at least so many waiting is marked: DCTCP's K */
  uint64_t mark_octets;  /* so is one that finds so many octets (RFC 8257 §3.1) */
  uint32_t index;        /* of the link in its direction, for a trace */
  path_queue_manager *manager; /* becomes the transmitter's; NULL: none */
} path_transmitter_config;

/* A path element in front of `link`, which it owns. A transmitter that becomes free at `now` has become free
 * before a packet that comes at `now` (docs/architecture.md, "Order within one picosecond"). Packets go on by
 * the link, not by the element's output. With a manager that decides at dequeue the element has a deadline,
 * when the transmitter becomes free (ENGINE_TRANSMITTER); else it has none. */
path_element *path_transmitter_new(path_link *link, const path_transmitter_config *config);

/* The link as it is. */
path_link_config path_transmitter_link_config(const path_element *element);

/* Changes the link's rate and delay at `now`, which must be the link's clock's: path_link_set_config(). */
void path_transmitter_set_link(path_element *element, const path_link_config *config, time_ps now);

/* Returns when a packet without payload that comes at `now` would arrive at the link's other end at the
 * earliest: after all taken before it, as far as these are sure to be transmitted. */
time_ps path_transmitter_earliest_arrival(const path_element *element, time_ps now);

/* Returns the most octets (IP) that ever waited. path_element_counts has what was dropped and marked. */
uint64_t path_transmitter_queue_peak_octets(const path_element *element);

/* A token bucket stands before a link: tokens come at a rate of its own until the bucket is full, and each
 * packet takes as many as it has octets. A policer drops what finds too few (tc-police), a shaper lets it
 * wait for them (tc-tbf(8)). */

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
