/* The flows that go through a box, told apart by addresses and ports (one direction each), and when each
 * is next due. What a box knows of a flow begins with a path_flow.
 *
 * Nothing is forgotten while the box lives: a flow is a few hundred octets. */
#ifndef PATH_PATH_FLOW_TABLE_H
#define PATH_PATH_FLOW_TABLE_H

#include <glib.h>

#include "base/time_ps.h"
#include "net/datagram.h"

enum { PATH_FLOW_WIRE_OCTETS = 12 };

/* Embedded as the first member of what a box knows of a flow; written only by the functions below. */
typedef struct path_flow {
  datagram_flow key;
  time_ps deadline;    /* TIME_PS_NEVER: none */
  uint64_t send_order; /* of the packet that the deadline belongs to */
  GList due;           /* its node of path_flow_table.due */
  bool ipv4;           /* then `wire` is the key as it stands in a packet: addresses and ports */
  uint8_t wire[PATH_FLOW_WIRE_OCTETS];
} path_flow;

typedef struct path_flow_table {
  GHashTable *flows;
  GQueue due; /* flows with a deadline, earliest first */
  size_t flow_octets;
  path_flow *last; /* found last: packets of one flow come in trains */
} path_flow_table;

/* What `free_flow` must do: release what the box's part of the flow owns and g_free() the flow. */
typedef void (*path_flow_free)(path_flow *flow);

/* A table of flows of `flow_octets` octets each. */
void path_flow_table_init(path_flow_table *table, size_t flow_octets, path_flow_free free_flow);

/* Frees all flows. */
void path_flow_table_clear(path_flow_table *table);

/* The flow of `key`; NULL when it is not known. */
path_flow *path_flow_table_find(path_flow_table *table, const datagram_flow *key);

/* The flow of a DATAGRAM_TCP; NULL when there is none. */
path_flow *path_flow_table_find_of(path_flow_table *table, const datagram *packet);

/* A new flow of `key`, which is not known yet, all zero but for the path_flow. Stays the table's. */
path_flow *path_flow_table_add(path_flow_table *table, const datagram_flow *key);

/* The flow is due at `deadline`, because of the packet of `send_order`; TIME_PS_NEVER: not at all. No
 * deadline set before may be later, so that due flows are a queue: a box waits equally long for all its
 * flows. Of those due together the one set first comes first. */
void path_flow_table_set_deadline(path_flow_table *table, path_flow *flow, time_ps deadline,
                                  uint64_t send_order);

/* The flow that is due first; NULL when none is. */
path_flow *path_flow_table_first_due(const path_flow_table *table);

#endif
