/* SPDX-License-Identifier: GPL-2.0-only */
/* The pattern of a traffic class determines which hosts of a graph open connections to which. */
#pragma once

#include <glib.h>

#include "base/side.h"
#include "network/graph.h"

typedef enum traffic_pattern {
  TRAFFIC_PAIRS,       /* each of `from` to the one at its place of `to` */
  TRAFFIC_INCAST,      /* each of `from`, or `fan_in` that are drawn, to each of `to` */
  TRAFFIC_OUTCAST,     /* each of `from` to each of `to` */
  TRAFFIC_PERMUTATION, /* each of `from` to another of them, so that each is one's */
  TRAFFIC_ALL_TO_ALL,  /* each of `from` to each of `to` */
  TRAFFIC_RANDOM,      /* each of `from` to one of `to`, drawn for each connection */
  TRAFFIC_FLOWS,       /* those of a flow list: flow_list_pairs(), not traffic_pairs() */
} traffic_pattern;

enum { TRAFFIC_CONNECTIONS_MAX = 65536 };

/* The connections that one host opens to another come from ports 49152, 49153 and so on, and go to port 5044.
 * A second TCP connection in place of one comes from the port that is TRAFFIC_PAIR_CONNECTIONS_MAX lower.
 */
enum {
  TRAFFIC_INITIATOR_FIRST_PORT = 49152,
  TRAFFIC_PAIR_CONNECTIONS_MAX = 65536 - TRAFFIC_INITIATOR_FIRST_PORT,
  TRAFFIC_RESPONDER_PORT = 5044,
};

/* Nobody opens a connection to itself. The sets are as of graph_members(), or "auto": all hosts, but the
 * first half of them and the other half of `pairs`, the last as `to` of `incast`, the first as `from` of
 * `outcast`. */
typedef struct traffic_config {
  const char *name; /* of the class, which its random stream has; NULL: "workload" */
  traffic_pattern pattern;
  const char *from; /* the Initiators' hosts */
  const char *to;   /* the Responders' */
  uint32_t fan_in;  /* of incast; 0: all */
  /* Each message draws whom `random` or the `fan_in` of incast has it go to, or come from: every pair that
   * can be drawn has its connections. */
  bool draws_messages;
} traffic_config;

/* It is what of the configuration is wrong. */
typedef enum traffic_part { TRAFFIC_PATTERN, TRAFFIC_FROM, TRAFFIC_TO, TRAFFIC_FAN_IN } traffic_part;

/* Returns the hosts (host_pair) of each connection, `connections` for each pair, one after the other. Free
 * with g_array_unref(). NULL sets `error` to what is wrong, and `*part` to where: a set, hosts that do not
 * suffice for the pattern, or too many connections. */
GArray *traffic_pairs(const traffic_config *config, const graph *network, uint32_t connections, uint64_t seed,
                      traffic_part *part, GError **error);

/* Returns the Initiator's port of each of `count` connections; `pairs` are their hosts, NULL: all have the
 * same two. Free with g_free(). */
uint16_t *traffic_ports(const host_pair *pairs, uint32_t count);
