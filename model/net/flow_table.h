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

/* Returns the key of an entry, always the same one. */
typedef datagram_flow (*flow_table_key)(const void *entry);

/* This is no GHashTable, whose functions know an entry but not its table, which knows where the key is. */
typedef struct flow_table {
  void **entries;   /* NULL: a free slot */
  uint32_t *hashes; /* of each */
  uint32_t slots;   /* a power of two, or 0 */
  uint32_t count;
  flow_table_key key_of;
  size_t entry_octets;
  GDestroyNotify free_entry;
  void *last; /* found last: packets of one flow come in trains. NULL: nothing has been found */
  datagram_flow last_key;
  bool last_is_ipv4; /* then `last_wire` is the key as it stands in a packet: addresses and ports */
  uint8_t last_wire[FLOW_WIRE_OCTETS];
} flow_table;

/* Makes a table of entries of `entry_octets` octets each, whose first member is their key, a datagram_flow,
 * written only by flow_table_add(). `free_entry` releases what the owner's part of an entry owns and calls
 * g_free() for the entry: g_free itself when there is nothing else. */
void flow_table_init(flow_table *table, size_t entry_octets, GDestroyNotify free_entry);

/* Makes a table of entries that are their owner's, and come by flow_table_insert(). */
void flow_table_init_of(flow_table *table, flow_table_key key_of);

/* Frees all entries that are the table's. */
void flow_table_clear(flow_table *table);

/* Returns the entry of `key`, or of a DATAGRAM_TCP; NULL when there is none. */
void *flow_table_find(flow_table *table, const datagram_flow *key);
void *flow_table_find_of(flow_table *table, const datagram *packet);

/* Returns the entry of a DATAGRAM_TCP, added when there is none. */
void *flow_table_of(flow_table *table, const datagram *packet);

/* Adds an entry of `key`, which has none yet, all zero but for the key. It is the table's. */
void *flow_table_add(flow_table *table, const datagram_flow *key);

/* Adds an entry, whose key has none yet. One whose key has changed is added again: it is found by the new key
 * alone. */
void flow_table_insert(flow_table *table, void *entry);

/* Returns the key of the other direction. */
datagram_flow flow_table_reversed(const datagram_flow *key);

/* Reverses `key` when its source is the higher one of its ends, so that both directions have one key; true
 * when it did. */
bool flow_table_order(datagram_flow *key);
