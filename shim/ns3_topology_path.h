/* SPDX-License-Identifier: GPL-2.0-only */
/* A chain of ns-3's nodes as the path between two hosts, both directions in one object: datagrams in at
 * either end, datagrams out at the other, in their place among everything else that is due in a picosecond.
 * IPv4. */
#pragma once

#include "engine/engine.h"
#include "network/path_element.h"
#include "shim/ns3_topology.h"

typedef struct ns3_topology_path ns3_topology_path;

/* Makes the chain of `config` under `clock`, which must be ns3_engine_new()'s. What comes out at an end goes
 * to `output`, called with the end's of `users`. `id` and `id` + 1 are the major keys of its arrivals
 * (ENGINE_ARRIVAL). NULL: see ns3_topology_new(). Free with ns3_topology_path_free() (NULL is allowed),
 * before the engine. */
ns3_topology_path *ns3_topology_path_new(const ns3_topology_config *config, engine *clock, uint32_t id,
                                         path_output output, void *const users[NS3_TOPOLOGY_ENDS],
                                         ns3_shim_error *error);
void ns3_topology_path_free(ns3_topology_path *path);

/* An IPv4 packet enters at `end`; takes its reference. Its marks (retransmission, flow_order) come out with
 * it. One that may not be fragmented (DF) and is larger than a hop's MTU is dropped and answered as RFC 1191
 * §4 says, by the node before that hop; the answer is at the sender at once, because ns-3's nodes, which
 * would fragment it, cannot be asked to send it. */
void ns3_topology_path_send(ns3_topology_path *path, unsigned end, datagram *packet, time_ps now);

/* No packet that enters at `now` comes out before this. */
time_ps ns3_topology_path_earliest_arrival(const ns3_topology_path *path, time_ps now);

/* They are the packets dropped as too big, and the chain's own counts. */
uint64_t ns3_topology_path_too_big(const ns3_topology_path *path);
const ns3_topology *ns3_topology_path_chain(const ns3_topology_path *path);
