/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's own TCP is the TCP of an endpoint here (tcp.implementation "ns3"): each end is an ns-3 node of its
 * own, and its packets travel on the path as our own TCP's do.
 *
 * What it is not: it does not know MPA, so it cuts the stream at EMSS (TCP_SEGMENTATION_STREAM); it passes
 * octets in order (TCP_PASSING_IN_ORDER); it has no path-MTU handling. The engine must be
 * ns3_engine_new()'s. */
#pragma once

#include "shim/ns3_shim.h"
#include "tcp/tcp_transport.h"

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
