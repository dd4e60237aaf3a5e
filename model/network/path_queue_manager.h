/* SPDX-License-Identifier: GPL-2.0-only */
/* Active queue management before a link (RFC 7567) decides which packets a queue drops or marks before it is
 * full. There are two kinds, RED and CoDel; path_transmitter asks them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/random_stream.h"
#include "base/time_ps.h"

typedef struct path_queue_manager path_queue_manager;

typedef enum path_queue_verdict {
  PATH_QUEUE_PASS,
  PATH_QUEUE_MARK, /* only of a packet that is ECN-capable */
  PATH_QUEUE_DROP,
} path_queue_verdict;

/* This is what is asked about a packet. */
typedef struct path_queue_question {
  bool ecn_capable;
  uint32_t packets;  /* that wait, without the one in transmission and this one */
  uint64_t octets;   /* of these */
  time_ps idle_ps;   /* enqueue: how long the transmitter has had nothing to do; 0: it is busy */
  time_ps waited_ps; /* dequeue: since the packet was enqueued */
} path_queue_question;

typedef struct path_queue_manager_class {
  const char *name;
  /* A packet comes at `now`; NULL: all pass. */
  path_queue_verdict (*enqueue)(path_queue_manager *manager, const path_queue_question *question,
                                time_ps now);
  /* The transmitter is free and the packet is next; after a drop the question is asked again of the one after
   * it. NULL: all pass, and the queue need not hold them itself. */
  path_queue_verdict (*dequeue)(path_queue_manager *manager, const path_queue_question *question,
                                time_ps now);
} path_queue_manager_class;

/* Each kind has this as its first member. */
struct path_queue_manager {
  const path_queue_manager_class *class;
};

/* These are the parameters of Random Early Detection (RFC 2309 §3; Floyd and Jacobson, "Random Early
 * Detection Gateways for Congestion Avoidance", 1993). */
typedef struct path_red_config {
  uint32_t minimum_packets; /* average queue below which all pass */
  uint32_t maximum_packets; /* above minimum_packets: average from which on all are dropped */
  double probability;       /* max_p: of an early drop, as the average nears the maximum */
  double weight;            /* w_q of the average, above 0 to 1; 0.002 in the paper */
  time_ps packet_ps;        /* > 0: of a typical packet on the link; idle time counts as that many arrivals */
} path_red_config;

/* Decides when a packet comes, by the average length of the queue in packets, and marks ECN-capable ones
 * where it drops others (between the two thresholds only: from the maximum on it drops, RFC 3168 §7). Draws
 * once for every packet. `config` is copied; `random` stays the caller's and outlives the manager, which
 * becomes the transmitter's. */
path_queue_manager *path_red_new(const path_red_config *config, random_stream *random);

/* Controlled Delay (RFC 8289) drops when packets have waited too long for too long. Intervals are shorter
 * than this, 140 s. */
#define PATH_CODEL_INTERVAL_END (INT64_C(1) << 47)

typedef struct path_codel_config {
  time_ps target_ps;      /* a wait that is acceptable; 5 ms by RFC 8289 §4 */
  time_ps interval_ps;    /* > 0: how long waits must have been above it; 100 ms by §4 */
  uint32_t packet_octets; /* of the largest: while no more waits than this nothing is dropped (§5) */
} path_codel_config;

/* Decides when a packet leaves. ECN-capable packets are marked where others are dropped (RFC 8289 leaves that
 * open; it goes on as after a drop). Becomes the transmitter's, which frees either with g_free(). */
path_queue_manager *path_codel_new(const path_codel_config *config);
