/* SPDX-License-Identifier: GPL-2.0-only */
/* Random Early Detection (RFC 2309 §3; Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", 1993). */
#ifndef PATH_PATH_RED_H
#define PATH_PATH_RED_H

#include "base/random_stream.h"
#include "network/path_queue_manager.h"

typedef struct path_red_config {
  uint32_t minimum_packets; /* average queue below which all pass */
  uint32_t maximum_packets; /* above minimum_packets: average from which on all are dropped */
  double
      probability; /* max_p: what the probability of an early drop tends to as the average nears the maximum */
  double weight;   /* w_q of the average, above 0 to 1; 0.002 in the paper */
  time_ps
      packet_ps; /* > 0: what a packet typically takes on the link, by which an idle time counts as empty arrivals */
} path_red_config;

/* Decides when a packet comes, by the average length of the queue in packets, and marks ECN-capable ones where it drops others
 * (between the two thresholds only: from the maximum on it drops, RFC 3168 §7). Draws once for every packet. `config` is copied;
 * `random` stays the caller's and outlives the manager, which becomes the transmitter's. */
path_queue_manager *path_red_new(const path_red_config *config, random_stream *random);

#endif
