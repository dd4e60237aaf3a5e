/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/flow_table.h"

#include <string.h>

#include "base/big_endian.h"

/* ports follow addresses */
G_STATIC_ASSERT(IPV4_SOURCE_AT + FLOW_WIRE_OCTETS == IPV4_HEADER_OCTETS + 4);

guint flow_hash(const datagram_flow *key)
{
  uint64_t hash = (uint64_t)key->source_port << 16 | key->destination_port;
  uint64_t words[4];

  memcpy(words, key->source.octets, 16);
  memcpy(words + 2, key->destination.octets, 16);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return (guint)hash;
}

bool flow_equal(const datagram_flow *a, const datagram_flow *b)
{
  return a->source_port == b->source_port && a->destination_port == b->destination_port &&
         ip_address_equal(&a->source, &b->source) && ip_address_equal(&a->destination, &b->destination);
}

static guint hash_key(gconstpointer key)
{
  return flow_hash(key);
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  return flow_equal(a, b);
}

void flow_table_init(flow_table *table, size_t entry_octets, GDestroyNotify free_entry)
{
  g_assert(entry_octets >= sizeof(flow_entry));
  table->flows = g_hash_table_new_full(hash_key, equal_keys, NULL, free_entry);
  table->entry_octets = entry_octets;
  table->last = NULL;
}

void flow_table_clear(flow_table *table)
{
  g_hash_table_destroy(table->flows);
}

void *flow_table_find(flow_table *table, const datagram_flow *key)
{
  if (table->last && flow_equal(&table->last->key, key)) {
    return table->last;
  }
  flow_entry *entry = g_hash_table_lookup(table->flows, key);
  if (entry) {
    table->last = entry;
  }
  return entry;
}

/* The same as flow_table_find_of() of a flow that was not found last. */
static G_GNUC_NO_INLINE void *find_another_of(flow_table *table, const datagram *packet)
{
  datagram_flow key;

  return datagram_flow_of(packet, &key) ? flow_table_find(table, &key) : NULL;
}

/* Nearly all packets have an IPv4 header without options, in which the whole key lies in one run. No header
 * of IPv6 is as short. */
inline bool flow_entry_is_of(const flow_entry *entry, const datagram *packet)
{
  if (packet->kind == DATAGRAM_TCP && packet->ip_octets == IPV4_HEADER_OCTETS) {
    return entry->ipv4 && memcmp(packet->header + IPV4_SOURCE_AT, entry->wire, FLOW_WIRE_OCTETS) == 0;
  }
  return datagram_is_of_flow(packet, &entry->key);
}

void *flow_table_find_of(flow_table *table, const datagram *packet)
{
  if (table->last && flow_entry_is_of(table->last, packet)) {
    return table->last;
  }
  return find_another_of(table, packet);
}

void *flow_table_of(flow_table *table, const datagram *packet)
{
  void *flow = flow_table_find_of(table, packet);
  datagram_flow key;

  return flow ? flow : datagram_flow_of(packet, &key) ? flow_table_add(table, &key) : NULL;
}

void flow_entry_init(flow_entry *entry, const datagram_flow *key)
{
  entry->key = *key;
  entry->ipv4 = key->source.version == 4 && key->destination.version == 4;
  memcpy(entry->wire, key->source.octets, IPV4_ADDRESS_OCTETS);
  memcpy(entry->wire + IPV4_ADDRESS_OCTETS, key->destination.octets, IPV4_ADDRESS_OCTETS);
  big_endian_write_16(entry->wire + 8, key->source_port);
  big_endian_write_16(entry->wire + 10, key->destination_port);
}

void *flow_table_add(flow_table *table, const datagram_flow *key)
{
  flow_entry *entry = g_malloc0(table->entry_octets);

  flow_entry_init(entry, key);
  bool is_new = g_hash_table_insert(table->flows, &entry->key, entry);
  g_assert(is_new);
  return entry;
}

datagram_flow flow_table_reversed(const datagram_flow *key)
{
  return (datagram_flow){.source = key->destination,
                         .destination = key->source,
                         .source_port = key->destination_port,
                         .destination_port = key->source_port};
}

bool flow_table_order(datagram_flow *key)
{
  int order = memcmp(&key->source, &key->destination, sizeof key->source);
  bool is_reversed = order > 0 || (order == 0 && key->source_port > key->destination_port);

  if (is_reversed) {
    *key = flow_table_reversed(key);
  }
  return is_reversed;
}
