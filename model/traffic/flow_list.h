/* SPDX-License-Identifier: GPL-2.0-only */
/* A flow list is a text file with a line for each message, or each set of messages: who sends how much to
 * whom, when, or after which others.
 *
 *     # id  after  start   source  destination  operation  size   [class]
 *       1   -      0us     h0      h4           write      1MiB
 *       2   -      1.5us   h[1-3]  h4           send       4096
 *       3   1+2    2us     h4      h5           write      1MiB   grads   # 2 us after all of 1 and 2
 *
 * Ids ascend. `start` is from the start of the traffic and ascends; of a line that is after others it is the
 * delay from the moment when all their messages are delivered. A set in `source` makes one message of each of
 * its hosts.
 *
 * The file is read twice or three times: to check it, to find out how many messages each line has that others
 * wait for, and, while the messages are taken, a line at a time. Lines without `after` need no memory; those
 * that are after others have some until they are taken. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/settings.h"
#include "base/side.h"
#include "base/time_ps.h"
#include "network/graph.h"

/* What it points to is the caller's and outlives the list. */
typedef struct flow_list_config {
  const char *path;
  const graph *network;          /* NULL: a path from h0 to h1 */
  const named_value *operations; /* the words for a ulp_operation */
  const char *const *classes; /* the names that `class` may have, then NULL; a line without has the first */
  time_ps until_ps;           /* no message is at or after it; 0: no limit */
} flow_list_config;

/* Two hosts that a class has messages between. In a graph the source is the Initiator's; on a path all are
 * between h0 and h1, whoever sends. */
typedef struct flow_pair {
  uint32_t class; /* its index in `classes` */
  host_pair hosts;
} flow_pair;

/* What the lines of a class come to. */
typedef struct flow_list_totals {
  uint64_t messages;
  uint64_t octets;
  uint32_t smallest_octets, largest_octets;
  uint32_t operations; /* 1 << each ulp_operation that there is */
} flow_list_totals;

/* A message that is due. */
typedef struct flow_message {
  time_ps at;
  uint64_t id;
  uint32_t pair;     /* its index in flow_list_pairs() */
  enum side side;    /* whose host sends */
  uint8_t operation; /* a ulp_operation */
  uint32_t octets;
} flow_message;

typedef struct flow_list flow_list;

/* Checks the whole list. Free with flow_list_free(). NULL and `error`, "PATH:LINE: what is wrong; what was
 * expected", when the file cannot be read or has no line, or a line has
 * - other than seven or eight columns;
 * - an id that is no whole number or not above the one before;
 * - in `after` an id that no earlier line has;
 * - a start without a unit or, where it is not after others, before that of the line before;
 * - a host, operation or class that does not exist, a set as destination, or a host that sends to itself;
 * - a size that is none (units_parse_size()) or above UINT32_MAX;
 * - one more pair of hosts than there may be connections (TRAFFIC_CONNECTIONS_MAX). */
flow_list *flow_list_open(const flow_list_config *config, GError **error);
void flow_list_free(flow_list *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(flow_list, flow_list_free)

/* Returns the pairs (flow_pair), class by class, those of a class in the order of their first messages; the
 * list's own. */
const GArray *flow_list_pairs(const flow_list *self);

/* Returns the totals of a class, its index in `classes`; the list's own. */
const flow_list_totals *flow_list_totals_of(const flow_list *self, uint32_t class);

/* Returns the next message, the list's own until it is taken: the earliest, of those of one time the one with
 * the smallest id, of a set the one of its first host. NULL: there is none, or all wait for others. Aborts
 * when the file is no longer as it was checked. */
const flow_message *flow_list_peek(flow_list *self);

/* Takes that message; there must be one. */
void flow_list_take(flow_list *self);

/* A message of line `id` was delivered at `now`; each that was taken once. */
void flow_list_delivered(flow_list *self, uint64_t id, time_ps now);

/* Returns whether no message is left: none is due, and none waits for one that was taken. */
bool flow_list_is_done(const flow_list *self);
