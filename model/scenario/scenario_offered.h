/* SPDX-License-Identifier: GPL-2.0-only */
/* What arrives at links, of the classes whose messages come whatever is complete: their offered load. */
#pragma once

#include "scenario/configuration.h"

/* Shares of the rate of a link, in one direction. */
typedef struct offered_load {
  double payload;
  double wire;  /* with markers, headers and framing */
  bool is_port; /* a switch sends there, not a host */
} offered_load;

/* Returns the offered load of each direction of each link of a graph, first of that from its first end; of a
 * path of each direction, on its first link. `*count` of them; free with g_free(). `c` has no problem. */
offered_load *scenario_offered(const configuration *c, uint32_t *count);

/* Returns what people call link direction `i`: "path.forward", "the link of h3", "the port of s0 to h3". Free
 * with g_free(). */
char *scenario_offered_name(const configuration *c, uint32_t i);

/* Returns the octets that a message of the class takes on a link of `mtu_octets`, on average, with markers,
 * headers and `framing_octets` of each packet. */
double scenario_wire_octets(const configuration *c, const traffic_class *of, enum side direction,
                            uint32_t mtu_octets, int32_t framing_octets);
