#include "replay/replay_flows.h"

#include <string.h>

#include "net/ip_address.h"

/* Two ends, the lower one first; no octet of it is padding. */
typedef struct pair_key {
  ip_address addresses[2];
  uint8_t ports[4];
} pair_key;

/* One flow between them. */
typedef struct known_flow {
  uint32_t connection;
  uint8_t measured; /* of the pair's ends */
} known_flow;

typedef struct flow_pair {
  pair_key key;
  GArray *flows; /* of known_flow, one after the other */
  guint seen;    /* of them, the second time */
} flow_pair;

struct replay_flows {
  GHashTable *pairs;    /* of flow_pair, its own key */
  GArray *places;       /* of replay_flow_place, the second time, by index */
  GHashTable *measured; /* set of ip_address */
};

static guint hash_octets(gconstpointer octets, gsize length)
{
  guint hash = 2166136261U; /* FNV-1a */

  for (gsize i = 0; i < length; i++) {
    hash = (hash ^ ((const uint8_t *)octets)[i]) * 16777619U;
  }
  return hash;
}

static guint hash_key(gconstpointer key)
{
  return hash_octets(key, sizeof(pair_key));
}

static gboolean keys_are_equal(gconstpointer a, gconstpointer b)
{
  return memcmp(a, b, sizeof(pair_key)) == 0;
}

static guint hash_address(gconstpointer address)
{
  return hash_octets(address, sizeof(ip_address));
}

static gboolean addresses_are_equal(gconstpointer a, gconstpointer b)
{
  return ip_address_equal(a, b);
}

static void free_pair(gpointer data)
{
  flow_pair *pair = data;

  g_array_free(pair->flows, TRUE);
  g_free(pair);
}

replay_flows *replay_flows_new(void)
{
  replay_flows *flows = g_new0(replay_flows, 1);

  flows->pairs = g_hash_table_new_full(hash_key, keys_are_equal, NULL, free_pair);
  flows->places = g_array_new(FALSE, FALSE, sizeof(replay_flow_place));
  flows->measured = g_hash_table_new_full(hash_address, addresses_are_equal, g_free, NULL);
  return flows;
}

void replay_flows_free(replay_flows *flows)
{
  if (flows) {
    g_hash_table_unref(flows->pairs);
    g_array_free(flows->places, TRUE);
    g_hash_table_unref(flows->measured);
    g_free(flows);
  }
}

/* The key of two ends; returns which of its ends `first` is. */
static uint8_t key_of(pair_key *key, const capture_end *first, const capture_end *second)
{
  int order = memcmp(&first->address, &second->address, sizeof first->address);
  bool swap = order > 0 || (order == 0 && first->port > second->port);
  const capture_end *low = swap ? second : first;
  const capture_end *high = swap ? first : second;

  *key = (pair_key){.addresses = {low->address, high->address},
                    .ports = {(uint8_t)(low->port >> 8), (uint8_t)low->port, (uint8_t)(high->port >> 8),
                              (uint8_t)high->port}};
  return swap;
}

static flow_pair *pair_of(replay_flows *flows, const pair_key *key)
{
  flow_pair *pair = g_hash_table_lookup(flows->pairs, key);

  if (!pair) {
    pair = g_new0(flow_pair, 1);
    pair->key = *key;
    pair->flows = g_array_new(FALSE, FALSE, sizeof(known_flow));
    g_hash_table_insert(flows->pairs, &pair->key, pair);
  }
  return pair;
}

void replay_flows_add(replay_flows *flows, const capture_flow *flow, uint32_t connection, uint8_t measured)
{
  pair_key key;
  uint8_t first = key_of(&key, &flow->ends[0], &flow->ends[1]);
  const known_flow known = {.connection = connection, .measured = (uint8_t)(measured ^ first)};

  g_array_append_val(pair_of(flows, &key)->flows, known);
  if (connection != REPLAY_FLOW_OF_NONE) {
    ip_address *address = g_memdup2(&flow->ends[measured].address, sizeof *address);

    g_hash_table_add(flows->measured, address);
  }
}

/* What the next flow between the ends of `flow` is. */
static replay_flow_place find(replay_flows *flows, const capture_flow *flow)
{
  pair_key key;
  uint8_t first = key_of(&key, &flow->ends[0], &flow->ends[1]);
  flow_pair *pair = pair_of(flows, &key);

  if (pair->seen == pair->flows->len) {
    return (replay_flow_place){.connection = REPLAY_FLOW_OF_NONE};
  }
  const known_flow *known = &g_array_index(pair->flows, known_flow, pair->seen++);
  return (replay_flow_place){.connection = known->connection, .measured = (uint8_t)(known->measured ^ first)};
}

replay_flow_place replay_flows_place_of(replay_flows *flows, const capture_flow *flow)
{
  if (flow->index == flows->places->len) {
    const replay_flow_place found = find(flows, flow);

    g_array_append_val(flows->places, found);
  }
  g_assert(flow->index < flows->places->len);
  return g_array_index(flows->places, replay_flow_place, flow->index);
}

bool replay_flows_connection_of(const replay_flows *flows, const datagram_flow *flow, uint32_t *connection)
{
  const capture_end source = {.address = flow->source, .port = flow->source_port};
  const capture_end destination = {.address = flow->destination, .port = flow->destination_port};
  pair_key key;
  uint8_t to = key_of(&key, &destination, &source);
  const flow_pair *pair = g_hash_table_lookup(flows->pairs, &key);

  if (!pair || pair->flows->len == 0) {
    return false;
  }
  const known_flow *known = &g_array_index(pair->flows, known_flow, MAX(pair->seen, 1) - 1);
  *connection = known->connection;
  return known->connection != REPLAY_FLOW_OF_NONE && known->measured == to;
}

bool replay_flows_is_measured(const replay_flows *flows, const ip_address *address)
{
  return g_hash_table_contains(flows->measured, address);
}
