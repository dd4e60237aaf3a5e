/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3 in plain C, as model/ takes it through ns3_functions.c: the engine, links, a chain of nodes and the
 * TCP. */
#pragma once

#include "engine/engine.h"
#include "network/path_element.h"
#include "network/path_link.h"
#include "shim/ns3_shim.h"
#include "shim/ns3_topology.h"
#include "tcp/tcp_transport.h"

/* --- The engine --- */

/* The engine runs over ns-3's simulator: its timers and whatever else runs in ns-3 share one clock. */

/* Opens ns-3's simulator and returns an engine over it; free with engine_free(), which closes the simulator:
 * free what lives in ns-3 (links) before. NULL when the simulator is open already: one engine per process at
 * a time. */
engine *ns3_engine_new(ns3_shim_error *error);

/* --- Links --- */

/* A link as `config` (copied), whose arrivals take their place in the event queue of `clock`, which must be
 * ns3_engine_new()'s: path_link_native_new()'s. While ns-3's log is on (ns3_shim_is_logging()) it is over two
 * ns-3 nodes, two point-to-point devices and a channel of its own, and the packets' octets travel through
 * them; nothing else is different. Free with path_link_free() before the engine. NULL when ns-3 cannot do
 * it. */
path_link *ns3_link_new(const path_link_config *config, engine *clock, ns3_shim_error *error);

/* --- A chain of nodes --- */

/* A chain of ns-3's nodes as the path between two hosts, both directions in one object: datagrams in at
 * either end, datagrams out at the other, in their place among everything else that is due in a picosecond.
 * IPv4. */

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

/* --- ns-3's TCP --- */

/* ns-3's own TCP is the TCP of an endpoint here (tcp.implementation "ns3"): each end is an ns-3 node of its
 * own, and its packets travel on the path as our own TCP's do.
 *
 * What it is not: it does not know MPA, so it cuts the stream at EMSS (TCP_SEGMENTATION_STREAM); it passes
 * octets in order (TCP_PASSING_IN_ORDER); it has no path-MTU handling. The engine must be
 * ns3_engine_new()'s. */

/* True when ns-3's TCP can be as `config` asks. False and a message when not: IPv6, aligned segments, octets
 * passed as they arrive, a window of less than a segment or above 2^30 octets. What ns-3 lacks and nothing
 * but the figures show is ignored (RACK, tail loss probes, F-RTO, D-SACK, restart after idle, HyStart outside
 * CUBIC, `retransmission`, black hole detection, a largest RTO other than 60 s). */
bool ns3_tcp_transport_supports(const tcp_config *config, ns3_shim_error *error);

/* A tcp_transport_factory; `user` is a ns3_tcp_transport_place. `config` is one that is supported, the
 * simulator open.
 *
 * Where it differs from tcp_connection: a new path MTU changes nothing; `unsent` is what goes beyond two
 * windows, so that ns-3 never lacks octets for a whole segment (it would send a small one); FIN waits until
 * no octets after a hole are held, because ns-3 would send RST; `inspect` is asked for each run of new
 * octets as ever. */
tcp_transport *ns3_tcp_transport_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                     void *user);
