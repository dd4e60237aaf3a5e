/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/flow_table.h"

#include <string.h>

#include "base/big_endian.h"

enum { FIRST_SLOTS = 8 };

/* ports follow addresses */
G_STATIC_ASSERT(IPV4_SOURCE_AT + FLOW_WIRE_OCTETS == IPV4_HEADER_OCTETS + 4);

static uint32_t hash_of(const datagram_flow *key)
{
  uint64_t hash = (uint64_t)key->source_port << 16 | key->destination_port;
  uint64_t words[4];

  memcpy(words, key->source.octets, 16);
  memcpy(words + 2, key->destination.octets, 16);
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
    hash = (hash ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return (uint32_t)hash;
}

static bool flow_equal(const datagram_flow *a, const datagram_flow *b)
{
  return a->source_port == b->source_port && a->destination_port == b->destination_port &&
         ip_address_equal(&a->source, &b->source) && ip_address_equal(&a->destination, &b->destination);
}

static datagram_flow first_member(const void *entry)
{
  return *(const datagram_flow *)entry;
}

void flow_table_init(flow_table *table, size_t entry_octets, GDestroyNotify free_entry)
{
  *table = (flow_table){.key_of = first_member, .entry_octets = entry_octets, .free_entry = free_entry};
}

void flow_table_init_of(flow_table *table, flow_table_key key_of)
{
  *table = (flow_table){.key_of = key_of};
}

void flow_table_clear(flow_table *table)
{
  for (uint32_t i = 0; table->free_entry && i < table->slots; i++) {
    if (table->entries[i]) {
      table->free_entry(table->entries[i]);
    }
  }
  g_free(table->entries);
  g_free(table->hashes);
}

/* Returns the slot of the entry of `key`, or the free one where it belongs. */
static uint32_t slot_of(const flow_table *table, const datagram_flow *key, uint32_t hash)
{
  uint32_t slot = hash & (table->slots - 1);

  for (; table->entries[slot]; slot = (slot + 1) & (table->slots - 1)) {
    if (table->hashes[slot] == hash) {
      const datagram_flow of_entry = table->key_of(table->entries[slot]);
      if (flow_equal(&of_entry, key)) {
        break;
      }
    }
  }
  return slot;
}

void *flow_table_find(flow_table *table, const datagram_flow *key)
{
  if (table->last && flow_equal(&table->last_key, key)) {
    return table->last;
  }
  void *entry = table->count > 0 ? table->entries[slot_of(table, key, hash_of(key))] : NULL;
  if (entry) {
    table->last = entry;
    table->last_key = *key;
    table->last_is_ipv4 = key->source.version == 4 && key->destination.version == 4;
    memcpy(table->last_wire, key->source.octets, IPV4_ADDRESS_OCTETS);
    memcpy(table->last_wire + IPV4_ADDRESS_OCTETS, key->destination.octets, IPV4_ADDRESS_OCTETS);
    big_endian_write_16(table->last_wire + 8, key->source_port);
    big_endian_write_16(table->last_wire + 10, key->destination_port);
  }
  return entry;
}

/* Does what flow_table_find_of() does for a flow that was not found last. */
static G_GNUC_NO_INLINE void *find_another_of(flow_table *table, const datagram *packet)
{
  datagram_flow key;

  return datagram_flow_of(packet, &key) ? flow_table_find(table, &key) : NULL;
}

/* Nearly all packets have an IPv4 header without options, in which the whole key lies in one run. No header
 * of IPv6 is as short. */
static inline bool is_of_last(const flow_table *table, const datagram *packet)
{
  if (packet->kind == DATAGRAM_TCP && packet->ip_octets == IPV4_HEADER_OCTETS) {
    const uint8_t *wire = packet->header + IPV4_SOURCE_AT; /* compared as two words, without a call */
    return table->last_is_ipv4 && memcmp(wire, table->last_wire, 8) == 0 &&
           memcmp(wire + 8, table->last_wire + 8, FLOW_WIRE_OCTETS - 8) == 0;
  }
  return datagram_is_of_flow(packet, &table->last_key);
}

inline void *flow_table_find_of(flow_table *table, const datagram *packet)
{
  return table->last && is_of_last(table, packet) ? table->last : find_another_of(table, packet);
}

void *flow_table_of(flow_table *table, const datagram *packet)
{
  void *flow = flow_table_find_of(table, packet);
  datagram_flow key;

  return flow ? flow : datagram_flow_of(packet, &key) ? flow_table_add(table, &key) : NULL;
}

/* Makes room for one more: at most three of four slots are taken. */
static void grow(flow_table *table)
{
  const flow_table old = *table;

  if (old.count < old.slots / 4 * 3) {
    return;
  }
  table->slots = MAX(2 * old.slots, FIRST_SLOTS);
  table->entries = g_new0(void *, table->slots);
  table->hashes = g_new(uint32_t, table->slots);
  for (uint32_t i = 0; i < old.slots; i++) {
    if (old.entries[i]) {
      const datagram_flow key = table->key_of(old.entries[i]);
      const uint32_t slot = slot_of(table, &key, old.hashes[i]);
      table->entries[slot] = old.entries[i];
      table->hashes[slot] = old.hashes[i];
    }
  }
  g_free(old.entries);
  g_free(old.hashes);
}

void flow_table_insert(flow_table *table, void *entry)
{
  const datagram_flow key = table->key_of(entry);
  const uint32_t hash = hash_of(&key);

  grow(table);
  const uint32_t slot = slot_of(table, &key, hash);
  g_assert(!table->entries[slot]);
  table->entries[slot] = entry;
  table->hashes[slot] = hash;
  table->count++;
  table->last = NULL; /* it may be of a key that is no more */
}

void *flow_table_add(flow_table *table, const datagram_flow *key)
{
  datagram_flow *entry = g_malloc0(table->entry_octets);

  *entry = *key;
  flow_table_insert(table, entry);
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
