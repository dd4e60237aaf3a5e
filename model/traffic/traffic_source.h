/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages of a traffic class whose arrivals are open loop, in the order of time: which end of which
 * connection posts how many octets when. Nothing here waits for the network, and nothing is drawn before it
 * is needed.
 *
 * A host sends messages at intervals, which are exponential (poisson) or equal (interval), to its peers: of
 * `random` to one that each message draws, of other patterns to each in turn. Of `incast` a host receives
 * incasts at such intervals: `fan_in` of its peers, drawn anew, post a message each at the same time. The
 * connections of two hosts take turns.
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
#include "traffic/size_distribution.h"
#include "traffic/traffic_pattern.h"

typedef enum traffic_source_kind { TRAFFIC_SOURCE_POISSON, TRAFFIC_SOURCE_INTERVAL } traffic_source_kind;

/* What it points to is the caller's and outlives the source. */
typedef struct traffic_source_config {
  traffic_source_kind kind;
  const char *name; /* of the class */
  uint64_t seed;
  const host_pair *pairs; /* of each connection of the class; those of two hosts follow each other */
  uint32_t connection_count;
  uint32_t first_connection; /* the number of the first of them in the session */
  traffic_pattern pattern;
  bool both;       /* the hosts of the Responders do the same towards those of the Initiators */
  uint32_t fan_in; /* of incast; 0: all that have a connection */
  /* The mean time between two messages of a host, by its number, > 0; of incast between two incasts at it. */
  const double *interval_ps;
  time_ps spread_ps;      /* each host begins equal intervals at a time drawn below it; 0: all at 0 */
  time_ps until_ps;       /* no message is at or after it; 0: no limit */
  uint64_t messages;      /* of each host, or incasts at each; 0: no limit */
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
  uint32_t octets;
  uint64_t id; /* 1, 2, 3 … within the class */
} traffic_message;

typedef struct traffic_source traffic_source;

/* Free with traffic_source_free(). `config` is copied. */
traffic_source *traffic_source_new(const traffic_source_config *config);
void traffic_source_free(traffic_source *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(traffic_source, traffic_source_free)

/* Returns the next message, the source's own until it is taken; NULL when there is none any more. Of those of
 * one time the host with the smaller number sends first; of incasts the one at that host, and of an incast
 * its senders in that order. */
const traffic_message *traffic_source_peek(const traffic_source *self);

/* Takes that message; there must be one. */
void traffic_source_take(traffic_source *self);
