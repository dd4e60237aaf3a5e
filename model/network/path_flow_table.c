#include "network/path_flow_table.h"

#include <string.h>

#include "base/big_endian.h"
#include "net/datagram_ip.h"

G_STATIC_ASSERT(IPV4_SOURCE_AT + PATH_FLOW_WIRE_OCTETS ==
                IPV4_HEADER_OCTETS + 4); /* ports are behind addresses */

static guint hash_key(gconstpointer pointer)
{
  const datagram_flow *key = pointer;
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

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
  const datagram_flow *left = a;
  const datagram_flow *right = b;

  return left->source_port == right->source_port && left->destination_port == right->destination_port &&
         ip_address_equal(&left->source, &right->source) &&
         ip_address_equal(&left->destination, &right->destination);
}

void path_flow_table_init(path_flow_table *table, size_t flow_octets, path_flow_free free_flow)
{
  g_assert(flow_octets >= sizeof(path_flow));
  table->flows = g_hash_table_new_full(hash_key, equal_keys, NULL, (GDestroyNotify)free_flow);
  g_queue_init(&table->due);
  table->flow_octets = flow_octets;
  table->last = NULL;
}

void path_flow_table_clear(path_flow_table *table)
{
  g_hash_table_destroy(table->flows);
}

path_flow *path_flow_table_find(path_flow_table *table, const datagram_flow *key)
{
  if (table->last && equal_keys(&table->last->key, key)) {
    return table->last;
  }
  path_flow *flow = g_hash_table_lookup(table->flows, key);
  if (flow) {
    table->last = flow;
  }
  return flow;
}

/* The same as path_flow_table_find_of() of a flow that was not found last. */
static G_GNUC_NO_INLINE path_flow *find_another_of(path_flow_table *table, const datagram *packet)
{
  datagram_flow key;

  return datagram_flow_of(packet, &key) ? path_flow_table_find(table, &key) : NULL;
}

/* Nearly all packets have an IPv4 header without options, in which the whole key lies in one run. */
static inline bool is_of(const path_flow *flow, const datagram *packet)
{
  if (packet->kind == DATAGRAM_TCP && packet->ip_octets == IPV4_HEADER_OCTETS && datagram_is_ipv4(packet)) {
    return flow->ipv4 && memcmp(packet->header + IPV4_SOURCE_AT, flow->wire, PATH_FLOW_WIRE_OCTETS) == 0;
  }
  return datagram_is_of_flow(packet, &flow->key);
}

path_flow *path_flow_table_find_of(path_flow_table *table, const datagram *packet)
{
  if (table->last && is_of(table->last, packet)) {
    return table->last;
  }
  return find_another_of(table, packet);
}

path_flow *path_flow_table_add(path_flow_table *table, const datagram_flow *key)
{
  path_flow *flow = g_malloc0(table->flow_octets);

  flow->key = *key;
  flow->ipv4 = key->source.version == 4 && key->destination.version == 4;
  memcpy(flow->wire, key->source.octets, IPV4_ADDRESS_OCTETS);
  memcpy(flow->wire + IPV4_ADDRESS_OCTETS, key->destination.octets, IPV4_ADDRESS_OCTETS);
  big_endian_write_16(flow->wire + 8, key->source_port);
  big_endian_write_16(flow->wire + 10, key->destination_port);
  flow->deadline = TIME_PS_NEVER;
  flow->due.data = flow;
  bool is_new = g_hash_table_insert(table->flows, &flow->key, flow);
  g_assert(is_new);
  return flow;
}

void path_flow_table_set_deadline(path_flow_table *table, path_flow *flow, time_ps deadline,
                                  uint64_t send_order)
{
  bool stays_last = table->due.tail == &flow->due && flow->deadline <= deadline && deadline != TIME_PS_NEVER;

  flow->send_order = send_order;
  if (stays_last) {
    flow->deadline = deadline;
    return;
  }
  if (flow->deadline != TIME_PS_NEVER) {
    g_queue_unlink(&table->due, &flow->due);
  }
  flow->deadline = deadline;
  if (deadline != TIME_PS_NEVER) {
    g_assert(!table->due.tail || ((const path_flow *)table->due.tail->data)->deadline <= deadline);
    g_queue_push_tail_link(&table->due, &flow->due);
  }
}

path_flow *path_flow_table_first_due(const path_flow_table *table)
{
  return table->due.head ? table->due.head->data : NULL;
}
