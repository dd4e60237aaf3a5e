/* SPDX-License-Identifier: GPL-2.0-only */
/* The flow lists of a configuration's traffic classes. Classes that follow each other and have the same file
 * share a list, whose lines name theirs. */
#pragma once

#include "network/graph.h"
#include "scenario/configuration.h"
#include "traffic/flow_list.h"

/* Finds the classes that share the list of class number `first`, and gives them what it has: their operations
 * and sizes, and the number of their connections, of which it appends the hosts (host_pair) to `pairs`;
 * `network` NULL: the hosts are those of a path. FALSE and `error` when the list is wrong (flow_list_open()),
 * a class has no line in it, or the classes differ in how many connections a pair of hosts has. */
gboolean scenario_flows_fill(configuration *c, uint32_t first, const graph *network, GArray *pairs,
                             GError **error);

/* After that: opens the list of the class `first`, to take its messages. Free with flow_list_free(), before
 * the graph. NULL and `error` as of flow_list_open(). */
flow_list *scenario_flows_open(const traffic_class *first, const graph *network, GError **error);
