/* SPDX-License-Identifier: GPL-2.0-only */
/* What the graph of a scenario is, for people: computed of its keys, without a run. */
#pragma once

#include "scenario/scenario.h"

/* Returns rows, "  hosts      17: h[0-16]\n": the counts of nodes, links and connections, the
 * oversubscription of each tier, round trips, routes and skew of each kind of pair, which ports first windows
 * and open ones overflow, and what the port of a host can do. `draws`: the graph in Graphviz's language DOT
 * instead, which `dot` reads as it is. scenario_check() finds nothing wrong in `s`. NULL: it is a path. Free
 * with g_free(). */
char *scenario_topology_text(const scenario *s, gboolean draws);
