/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of a traffic class whose arrivals are open loop, in the order of time: which end of which
 * connection posts how many octets when. Nothing here waits for the network, and nothing is drawn before it
 * is needed.
 *
 * A host sends messages at intervals, which are exponential (poisson) or equal (interval), to its peers: of
 * `random` to one that each message draws, of other patterns to each in turn. Of `incast` a host receives
 * incasts at such intervals: `fan_in` of its peers, drawn anew, post a message each at the same time. The
 * connections of two hosts take turns. Where several arrive at a time, intervals are as much longer.
 *
 * Or the messages are those of a flow list, where some wait until others are delivered.
 *
 * Random streams are those of the class and the host (CLASS.arrivals.hN, CLASS.peers.hN, CLASS.sizes.hN), so
 * that another host, another class or other sizes change no other draws. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/settings.h"
#include "base/side.h"
#include "base/time_ps.h"
#include "traffic/flow_list.h"
#include "traffic/size_distribution.h"
#include "traffic/traffic_pattern.h"

typedef enum traffic_source_kind {
  TRAFFIC_SOURCE_POISSON,
  TRAFFIC_SOURCE_INTERVAL,
  TRAFFIC_SOURCE_FLOWS,
} traffic_source_kind;

/* What it points to is the caller's and outlives the source. */
typedef struct traffic_source_config {
  traffic_source_kind kind;
  uint32_t connection_count; /* of the class; of a flow list those of all its pairs, each as many */
  uint32_t first_connection; /* the number of the first of them in the session */
  /* Of TRAFFIC_SOURCE_FLOWS: the list, of which nobody else takes messages. Its pairs have the connections
   * in their order. The rest is of the other kinds. */
  flow_list *flows;
  const char *name; /* of the class */
  uint64_t seed;
  const host_pair *pairs; /* of each connection of the class; those of two hosts follow each other */
  traffic_pattern pattern;
  bool both;       /* the hosts of the Responders do the same towards those of the Initiators */
  uint32_t fan_in; /* of incast; 0: all that have a connection */
  /* The mean time between two messages of a host, by its number, > 0; of incast between two incasts at it. */
  const double *interval_ps;
  time_ps spread_ps; /* each host begins equal intervals at a time drawn below it; 0: all at 0 */
  time_ps until_ps;  /* no message is at or after it; 0: no limit */
  uint64_t messages; /* of each host, or incasts at each; 0: no limit */
  uint32_t batch; /* > 0: messages of a host, or incasts at it, at a time; to one peer over one connection */
  choice_list operations; /* of ulp_operation, at least one: the messages of a host, or the incasts at it,
                             have them in turn */
  const size_distribution *sizes; /* each message draws its own; NULL: … */
  number_list message_sizes; /* … the messages of a host, or the incasts at it, have them in turn; empty: … */
  uint32_t message_octets; /* … all have this */
} traffic_source_config;

typedef struct traffic_message {
  time_ps at;          /* from the start of the traffic */
  uint32_t connection; /* of the session */
  enum side side;      /* whose ULP posts it */
  uint8_t operation;   /* a ulp_operation */
  bool continues;      /* the next message is of the same batch: of one end, or of incasts of one host */
  uint32_t octets;
  uint64_t id; /* the flow list's, of a set the same; else 1, 2, 3 … within the class */
} traffic_message;

typedef struct traffic_source traffic_source;

/* Free with traffic_source_free(). `config` is copied. */
traffic_source *traffic_source_new(const traffic_source_config *config);
void traffic_source_free(traffic_source *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(traffic_source, traffic_source_free)

/* Returns the next message, the source's own until anything below is called; NULL when there is none, or all
 * wait for others. A flow list has its own order. Else the host with the smaller number is first of those of
 * one time; of incasts the one at that host, and of an incast its senders in that order. */
const traffic_message *traffic_source_peek(const traffic_source *self);

/* Takes that message; there must be one. */
void traffic_source_take(traffic_source *self);

/* The message `id`, which was taken, is delivered at `now`: others of a flow list may be due then or later.
 */
void traffic_source_delivered(traffic_source *self, uint64_t id, time_ps now);

/* Returns whether no message is left: none is due, and none waits for one that was taken. */
bool traffic_source_is_done(const traffic_source *self);
