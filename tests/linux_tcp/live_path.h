/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a path in real time between two TUN devices: a queue and a link each way and, from the first to the
 * second, a drop list, displacement, duplication, ECN marks and a box that cuts segments anew. Times are
 * nanoseconds of CLOCK_MONOTONIC. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct live_path_config {
  int64_t rate_bit_per_s;
  int64_t delay_ns;
  int64_t framing_octets;
  int64_t queue_packets; /* that may wait for the link forward; 0: no limit */
  GArray *drop;          /* of int64_t, ascending: data segments, from 1, as they leave the link */
  int64_t again;         /* how often what was sent again for the first of them is dropped, too */
  double displace;       /* the share of data segments that come late, */
  int64_t displace_ns;   /* and by how much */
  double duplicate;
  int64_t ecn_every;
  int64_t split_octets; /* 0: no such box */
  int64_t chunk_octets; /* of a box that cuts on a grid; 0: no such box */
  int64_t join_octets;  /* of a box that joins; 0: no such box */
  int64_t flush_ns;     /* how long those two wait for more octets, */
  bool flush_at_psh;    /* and whether PSH ends that */
  uint32_t seed;
} live_path_config;

typedef struct live_path_result {
  int64_t lateness_ns; /* of the packet that was handed over latest */
  int64_t late;        /* packets handed over more than a millisecond late */
  int64_t dropped;     /* by the list */
  int64_t queue_dropped;
} live_path_result;

/* Carries packets between `tuns` until `*done` or `until_ns`; writes sender.pcap and receiver.pcap into
 * `folder`. */
live_path_result live_path_run(const live_path_config *config, const int tuns[2], const bool *done,
                               int64_t until_ns, const char *folder);

int64_t live_now_ns(void);
