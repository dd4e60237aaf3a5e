/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the topology and the flow list that HPCC's ns-3 simulator takes, and those that came of it: conweave,
 * astra-network, SimAI, ns3-datacenter.
 *
 * topology: "NODES SWITCHES LINKS", the numbers of the switches, then for each link "A B 100Gbps 1000ns
 * LOSS". flows: their count, then for each "SOURCE DESTINATION PG [PORT] OCTETS START", the start in seconds,
 * ascending. What follows the last of them and begins with no digit is text. */
#pragma once

#include <stdio.h>

#include "import/import_scenario.h"

/* Host N of a scenario is the file's Nth node that is no switch; a switch has its own number. */
typedef struct import_hpcc import_hpcc;

/* Reads the topology `path` into `scenario`. NULL and `error`, "FILE:LINE: …", when it is wrong, or has what
 * a graph cannot have: more hosts or links, or a host with two links. Free with import_hpcc_free(). */
import_hpcc *import_hpcc_new(import_scenario *scenario, const char *path, GError **error);
void import_hpcc_free(import_hpcc *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(import_hpcc, import_hpcc_free)

/* Reads the flows `path` in constant memory, and prints each as a line of a flow list on `list`, whose errors
 * the caller finds. Times count from the first flow's start. FALSE and `error`, "FILE:LINE: …", when they are
 * wrong. */
gboolean import_hpcc_flows(import_hpcc *self, const char *path, FILE *list, GError **error);
