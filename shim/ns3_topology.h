/* SPDX-License-Identifier: GPL-2.0-only */
/* A chain of ns-3 nodes that route IPv4 packets from one end to the other in both directions, with ns-3's
 * queue disciplines and error models on the way and cross traffic of ns-3's own over the same hops, as plain
 * C.
 *
 *   end 0 — node 0 —hop 0— node 1 —hop 1— … — node n — end 1
 *
 * A packet enters at the node of its end and takes no time to get there; each node decrements TTL. The
 * simulator of ns3_shim.h must be open. An object or attribute for which ns-3 would end the process is
 * checked beforehand and is an error with a message. */
#pragma once

#include "shim/ns3_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ns3_topology ns3_topology;

/* A packet has come out at `end`; the octets are valid during the call. `mark` is that of
 * ns3_topology_send(). */
typedef void (*ns3_topology_output)(void *user, unsigned end, const uint8_t *octets, uint32_t length,
                                    uint64_t mark);

/* Everything in `config` is copied; its numbers are within the ranges of ns3_topology_config. NULL: too many
 * flows, a flow that stops before it starts, an unknown type, attribute or value. Free with
 * ns3_topology_free() (NULL is allowed), also after the simulator was closed; freed before that, the chain
 * goes on without output. */
ns3_topology *ns3_topology_new(const ns3_topology_config *config, ns3_topology_output output, void *user,
                               ns3_shim_error *error);
void ns3_topology_free(ns3_topology *topology);

/* An IPv4 packet enters at `end`, with right checksums, for the address at the other end. `mark` travels with
 * it, on no wire. ns-3 fragments what is larger than a hop's MTU, whatever DF is: see
 * ns3_topology_narrow_hop(). */
void ns3_topology_send(ns3_topology *topology, unsigned end, const uint8_t *octets, uint32_t length,
                       uint64_t mark);

/* They are the number of hops, the MTU of one, and the first hop from `end` whose MTU is less than `octets`
 * (the number of hops when there is none). */
size_t ns3_topology_hops(const ns3_topology *topology);
uint32_t ns3_topology_hop_mtu(const ns3_topology *topology, size_t hop);
size_t ns3_topology_narrow_hop(const ns3_topology *topology, unsigned end, uint32_t octets);

/* Gives the counts of one hop in the direction that leads to `to_end`. */
void ns3_topology_counts_of(const ns3_topology *topology, size_t hop, unsigned to_end,
                            ns3_topology_counts *counts);

#ifdef __cplusplus
}
#endif
