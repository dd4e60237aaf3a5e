/* SPDX-License-Identifier: GPL-2.0-only */
/* Routes through a graph: which port a packet takes at each switch.
 *
 * Routes are the shortest paths by the number of links that are up. A switch from which several links begin
 * such a path chooses one of them for each packet (docs/decisions.md, "Graphs (model/network)"): parallel
 * links count each. Hosts forward nothing. */
#pragma once

#include "base/random_stream.h"
#include "base/side.h"
#include "network/graph.h"
#include "network/network_switch.h"

typedef enum graph_choice {
  GRAPH_ECMP,              /* by a hash of the flow: all packets of a flow take one route */
  GRAPH_SPRAY_RANDOM,      /* one random stream a switch, "spray.NAME" */
  GRAPH_SPRAY_ROUND_ROBIN, /* in turn, with a counter for each pair of a switch and a switch with hosts */
} graph_choice;

typedef struct graph_routes_config {
  graph_choice choice;
  bool sprays_acks; /* false: packets without payload go by ECMP */
  uint64_t seed;
  const network_switch_config *switches; /* of each, in their order, for its latency; NULL: all have none */
} graph_routes_config;

/* A switch knows a packet by the numbers of its hosts and by its ports, which are 0 of a packet that has
 * none. */
typedef struct graph_flow {
  uint16_t source;
  uint16_t destination;
  uint16_t source_port;
  uint16_t destination_port;
} graph_flow;

enum { GRAPH_NO_PORT = UINT16_MAX };

typedef struct graph_routes graph_routes;

/* Makes the routes of `network`, which outlives them, as its links are now. Free with graph_routes_free(). */
graph_routes *graph_routes_new(const graph *network, const graph_routes_config *config);
void graph_routes_free(graph_routes *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(graph_routes, graph_routes_free)

/* Makes the routes follow from links that failed or returned. A counter of round robin goes on where there
 * are as many ports as before, and else begins anew. */
void graph_routes_update(graph_routes *self);

/* Returns the first of the `pairs` of different hosts between which there is no route; NULL: all have one. */
const host_pair *graph_routes_find_cut(const graph_routes *self, const host_pair *pairs, size_t count);

/* Returns the port at which a packet of `flow` leaves `node`, a switch at which it has arrived, and counts or
 * draws where packets are sprayed: call it once a packet. GRAPH_NO_PORT: no route leads to its destination.
 * O(1). */
uint16_t graph_routes_port(graph_routes *self, uint32_t node, graph_flow flow, bool has_payload);

/* Returns the ports from which the one above chooses, at `node` for the host `destination`, and how many.
 * They are the routes', until these are updated. */
const uint16_t *graph_routes_ports(const graph_routes *self, uint32_t node, uint32_t destination,
                                   uint32_t *count);

/* It describes all routes from one host to another, which are those back as well. */
typedef struct graph_pair {
  uint64_t routes;           /* parallel links count each; 0: none, and the rest is 0. At most UINT64_MAX */
  uint32_t links;            /* of each route */
  time_ps smallest_delay_ps; /* of a packet that waits nowhere, from its first octet sent to its last
                                received: … */
  time_ps largest_delay_ps;  /* … the links' times, one after the other, and the switches' latencies */
  uint64_t rate_bit_per_s;   /* the smallest of all links of all routes */
  uint32_t mtu_octets;       /* the same */
} graph_pair;

/* Returns what there is between two different hosts, for a packet of `octets` IP, or of the smallest MTU when
 * that is less. O(the links of their routes): callers keep what they need often. */
graph_pair graph_routes_pair(graph_routes *self, uint32_t source, uint32_t destination, uint32_t octets);

/* Returns FALSE, and sets `error`, when the MTU between two hosts is smaller than those of their own links,
 * from which they know what to send: by name, what host and MTU, and to what. */
gboolean graph_routes_check_mtu(graph_routes *self, GError **error);
