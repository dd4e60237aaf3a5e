/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the fat trees (.topo) and the connection matrices (.cm) of htsim: csg-htsim and uet-htsim.
 *
 * .topo: Nodes, Tiers (2 or 3) and Podsize; then of each Tier its Downlink_speed_Gbps, Downlink_Latency_ns,
 * Switch_Latency_ns, Radix_Down, Radix_Up, Queue_Down, Queue_Up (octets), Oversubscribed and Bundle. Tier 0
 * are the switches of hosts, torN here, tier 1 aggN, tier 2 coreN; a host has the same number. .cm: Nodes,
 * Connections, Triggers and Failures, then as many lines "A->B id N start PS size OCTETS …", "trigger id N
 * oneshot|multishot|barrier count N" and "failure …". */
#pragma once

#include <stdio.h>

#include "import/import_scenario.h"

/* Reads the tree `path` into `scenario`; `*hosts` is how many it has. FALSE and `error`, "FILE:LINE: …", when
 * it is wrong, is no tree, or has more hosts or links than a graph may have. */
gboolean import_htsim_topology(import_scenario *scenario, const char *path, uint32_t *hosts, GError **error);

/* Reads the connections `path` between hosts numbered below `hosts`, and prints each as a line of a flow list
 * on `list`, whose errors the caller finds: what a trigger starts comes after what fires it. FALSE and
 * `error`, "FILE:LINE: …", when they are wrong. Takes memory in proportion to the connections. */
gboolean import_htsim_matrix(import_scenario *scenario, const char *path, uint32_t hosts, FILE *list,
                             GError **error);
