/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a scenario with a graph (topology.kind): its hosts' interfaces, switches and links. */
#pragma once

#include <glib.h>

#include "network/network_switch.h"
#include "platform/run_engine.h"
#include "session/session.h"
#include "session/session_network.h"

/* Makes the graph of `c` between the hosts of `of`. NULL and `error` when the engine, of `kind`, refuses a
 * link. Free with session_network_free(), before the engine. */
session_network *session_graph_new(session *of, const configuration *c, run_engine kind, engine *clock,
                                   trace *to, GError **error);

/* Adds to `values` what the boxes of `host` counted (middlebox.at); nothing where there are none. */
void session_graph_count_host(const session_network *network, uint32_t host, metric_values *values);

/* This is what a port of a switch did, or all ports of the switch. */
typedef struct session_port {
  const char *node;
  const char *to; /* where its link leads; NULL: all ports */
  uint32_t number;
  network_port_counts counts;
  const network_port_gauge *gauge; /* NULL: all ports */
  uint64_t buffer_peak_octets;     /* of the switch, of all ports */
} session_port;

/* Returns what was counted (session_port) at each port of each switch and, after its ports, of the switch;
 * after session_finish(). Names and gauges stay the network's. Free with g_array_unref(). */
GArray *session_graph_ports(const session_network *network);
