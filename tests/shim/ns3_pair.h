/* SPDX-License-Identifier: GPL-2.0-only */
/* Two endpoints with the whole MPA/DDP/RDMAP stack over TCPs of either kind, on links of an engine over ns-3,
 * and a workload between them, every octet of which is verified. */
#pragma once

#include "engine/engine.h"
#include "network/path_link.h"
#include "rnic/rnic_endpoint.h"
#include "shim/ns3_tcp_transport.h"
#include "shim/ns3_topology_path.h"
#include "ulp/ulp_workload.h"

enum { PAIR_DROPS = 8 };

typedef struct ns3_pair ns3_pair;

typedef struct pair_side {
  ns3_pair *pair;
  enum side side;
  rnic_endpoint_config config;
  bool ns3; /* its TCP is that of ns-3, otherwise our own */
  ns3_tcp_transport_place place;
  rnic_host *host;
  rnic_endpoint *endpoint;
  ulp_workload *workload;
  engine_timer *timer;
  path_link *link; /* of the direction it sends */
  /* Of the packets with payload that it sends, counted from 1: those that the path loses; ends with 0. */
  uint64_t lost[PAIR_DROPS];
  bool loses_all;
  uint64_t duplicated; /* the one that the path delivers twice; 0: none */
  uint64_t damaged;    /* the one that the path damages; 0: none */
  uint64_t payload_packets;
  bool closed, failed, finished;
  rnic_failure failure;          /* the first */
  uint64_t retransmitted_octets; /* told */
  uint64_t segments;             /* with payload that arrived here */
  uint64_t segments_behind_hole;
  uint64_t held_max;
  size_t runs_max;
  uint64_t payload_octets, new_octets; /* of those segments, and how much of that was reported as new */
  uint64_t retransmissions_arrived;    /* packets that have the mark */
  uint64_t fpdus_waited;               /* placed some time after all of their octets had come */
} pair_side;

struct ns3_pair {
  engine *clock;
  path_link_config links[SIDES];
  const ns3_topology_config *topology; /* instead of the links; NULL: none. The ends are the sides */
  ns3_topology_path *path;
  ulp_workload_config workload_config;
  pattern *table;
  pair_side sides[SIDES];
  time_ps done_at; /* when all of the workload was delivered */
};

/* Both TCPs are those of ns-3: MTU 1500, 1 Gbit/s, 1 ms, window 1 MiB, SACK on, timestamps off, NewReno;
 * markers and CRC on; 40 Writes of 20,000 octets. Change what is to differ, then call ns3_pair_run(). Opens
 * the simulator. */
ns3_pair *ns3_pair_new(void);

/* Runs until nothing is left to do, at most until `stop`. */
void ns3_pair_run(ns3_pair *pair, time_ps stop);

/* Asserts that all of the workload was delivered, no octet wrong, and that both ends closed in order. */
void ns3_pair_assert_done(const ns3_pair *pair);

/* Both. */
void ns3_pair_complete(ns3_pair *pair, time_ps until);

void ns3_pair_free(ns3_pair *pair);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ns3_pair, ns3_pair_free)
