/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP flows by addresses and ports: a hash table from those to what its owner knows of a flow. A
 * key is one direction, as its packets have it; who wants both directions of a connection in one entry puts
 * the key in order first.
 *
 * Nothing is forgotten while the table lives: a flow is a few hundred octets. */
#pragma once

#include <glib.h>

#include "net/datagram.h"

enum { FLOW_WIRE_OCTETS = 12 };

/* Embedded as the first member of what the owner knows of a flow; written only by the functions below. */
typedef struct flow_entry {
  datagram_flow key;
  bool ipv4; /* then `wire` is the key as it stands in a packet: addresses and ports */
  uint8_t wire[FLOW_WIRE_OCTETS];
} flow_entry;

typedef struct flow_table {
  GHashTable *flows;
  size_t entry_octets;
  flow_entry *last; /* found last: packets of one flow come in trains */
} flow_table;

/* A table of entries of `entry_octets` octets each. `free_entry` releases what the owner's part of an entry
 * owns and calls g_free() for the entry: g_free itself when there is nothing else. */
void flow_table_init(flow_table *table, size_t entry_octets, GDestroyNotify free_entry);

/* Frees all entries. */
void flow_table_clear(flow_table *table);

/* The entry of `key`, or of a DATAGRAM_TCP; NULL when there is none. The table's. */
void *flow_table_find(flow_table *table, const datagram_flow *key);
void *flow_table_find_of(flow_table *table, const datagram *packet);

/* The entry of a DATAGRAM_TCP, added when there is none. */
void *flow_table_of(flow_table *table, const datagram *packet);

/* A new entry of `key`, which has none yet, all zero but for the flow_entry. The table's. */
void *flow_table_add(flow_table *table, const datagram_flow *key);

/* For tables that keep their keys in another way: `entry` becomes that of `key`; whether a `packet` is of it;
 * the hash of a key; whether two are equal. */
void flow_entry_init(flow_entry *entry, const datagram_flow *key);
bool flow_entry_is_of(const flow_entry *entry, const datagram *packet);
guint flow_hash(const datagram_flow *key);
bool flow_equal(const datagram_flow *a, const datagram_flow *b);

/* The key of the other direction. */
datagram_flow flow_table_reversed(const datagram_flow *key);

/* Reverses `key` when its source is the higher one of its ends, so that both directions have one key; true
 * when it did. */
bool flow_table_order(datagram_flow *key);
