/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a scenario with a graph (topology.kind): its hosts' interfaces, switches and links. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "platform/run_engine.h"
#include "session/session.h"
#include "session/session_network.h"

/* Makes the graph of `c` between the hosts of `of`. NULL and `error` when the engine, of `kind`, refuses a
 * link. Free with session_network_free(), before the engine. */
session_network *session_graph_new(session *of, const configuration *c, run_engine kind, engine *clock,
                                   trace *to, GError **error);

/* Writes ports.csv, after session_finish(): what each port of each switch did, one line each, and for each
 * switch a line with what its memory held. */
void session_graph_write_ports(const session_network *network, FILE *file);
