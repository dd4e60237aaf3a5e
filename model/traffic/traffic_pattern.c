/* SPDX-License-Identifier: GPL-2.0-only */
#include "traffic/traffic_pattern.h"

#include <string.h>

#include "base/error.h"
#include "base/random_stream.h"

typedef struct drawing {
  const traffic_config *config;
  const GArray *from; /* of uint32_t */
  const GArray *to;
  uint32_t connections;
  random_stream *random;
  GArray *pairs;   /* of host_pair: as many as there may be of … */
  uint64_t *count; /* … so many connections */
  traffic_part *part;
} drawing;

static uint32_t host_at(const GArray *hosts, guint i)
{
  return g_array_index(hosts, uint32_t, i);
}

/* Returns `hosts` without `host`. */
static GArray *others_of(const GArray *hosts, uint32_t host)
{
  GArray *others = g_array_new(FALSE, FALSE, sizeof(uint32_t));

  for (guint i = 0; i < hosts->len; i++) {
    const uint32_t other = host_at(hosts, i);
    if (other != host) {
      g_array_append_val(others, other);
    }
  }
  return others;
}

/* The connections of a pair of different hosts; of two that are one there are none. */
static void add(const drawing *on, uint32_t from, uint32_t to)
{
  const host_pair pair = {{from, to}};

  *on->count += from != to ? on->connections : 0;
  for (uint32_t i = 0; from != to && i < on->connections && on->pairs->len < TRAFFIC_CONNECTIONS_MAX; i++) {
    g_array_append_val(on->pairs, pair);
  }
}

static void shuffle(GArray *hosts, random_stream *random, bool in_one_cycle)
{
  for (guint left = hosts->len; left > 1; left--) {
    uint32_t *of = &g_array_index(hosts, uint32_t, 0);
    const guint other = (guint)random_stream_below(random, left - in_one_cycle);
    const uint32_t host = of[left - 1];

    of[left - 1] = of[other];
    of[other] = host;
  }
}

static gboolean draw_pairs(const drawing *on, GError **error)
{
  if (on->from->len != on->to->len) {
    return error_set(error, "pairs of %u %s and %u others; expected as many", on->from->len,
                     on->from->len == 1 ? "host" : "hosts", on->to->len);
  }
  for (guint i = 0; i < on->from->len; i++) {
    if (host_at(on->from, i) == host_at(on->to, i)) {
      return error_set(error, "h%u would be a pair with itself; expected another order of the sets",
                       host_at(on->from, i));
    }
    add(on, host_at(on->from, i), host_at(on->to, i));
  }
  return TRUE;
}

static gboolean draw_incast(const drawing *on, GError **error)
{
  for (guint i = 0; i < on->to->len; i++) {
    const uint32_t to = host_at(on->to, i);
    g_autoptr(GArray) senders = others_of(on->from, to);

    if (on->config->fan_in > senders->len) {
      *on->part = TRAFFIC_FAN_IN;
      return error_set(error, "%u, but %u %s could send to h%u; expected at most that", on->config->fan_in,
                       senders->len, senders->len == 1 ? "host" : "hosts", to);
    }
    if (on->config->fan_in > 0 && !on->config->draws_messages) {
      shuffle(senders, on->random, false);
      g_array_set_size(senders, on->config->fan_in);
    }
    for (guint k = 0; k < senders->len; k++) {
      add(on, host_at(senders, k), to);
    }
  }
  return TRUE;
}

static gboolean draw_permutation(const drawing *on, GError **error)
{
  g_autoptr(GArray) others = g_array_copy((GArray *)on->from);

  if (others->len < 2) {
    return error_set(error, "a permutation of one host; expected two or more");
  }
  shuffle(others, on->random, true); /* Sattolo's: no host keeps its place */
  for (guint i = 0; i < others->len; i++) {
    add(on, host_at(on->from, i), host_at(others, i));
  }
  return TRUE;
}

static gboolean draw_all(const drawing *on, G_GNUC_UNUSED GError **error)
{
  for (guint i = 0; i < on->from->len; i++) {
    for (guint k = 0; k < on->to->len; k++) {
      add(on, host_at(on->from, i), host_at(on->to, k));
    }
  }
  return TRUE;
}

static gboolean draw_random(const drawing *on, GError **error)
{
  drawing each = *on;

  each.connections = 1;
  for (guint i = 0; i < on->from->len; i++) {
    const uint32_t from = host_at(on->from, i);
    g_autoptr(GArray) others = others_of(on->to, from);

    if (others->len == 0) {
      return error_set(error, "h%u has no other host to send to; expected more in workload.to", from);
    }
    for (guint k = 0; on->config->draws_messages && k < others->len; k++) {
      add(on, from, host_at(others, k));
    }
    for (uint32_t c = 0; !on->config->draws_messages && c < on->connections; c++) {
      add(&each, from, host_at(others, (guint)random_stream_below(on->random, others->len)));
    }
  }
  return TRUE;
}

/* Returns the hosts of `set`; of "auto" those of the numbers from `first` to before `end`. */
static GArray *hosts_of(const graph *network, const char *set, uint32_t first, uint32_t end, GError **error)
{
  if (strcmp(set, "auto") != 0) {
    return graph_members(network, set, GRAPH_HOSTS, error);
  }
  GArray *hosts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t host = first; host < end; host++) {
    g_array_append_val(hosts, host);
  }
  return hosts;
}

GArray *traffic_pairs(const traffic_config *config, const graph *network, uint32_t connections, uint64_t seed,
                      traffic_part *part, GError **error)
{
  static gboolean (*const draw[])(const drawing *on, GError **error) = {
      [TRAFFIC_PAIRS] = draw_pairs,    [TRAFFIC_INCAST] = draw_incast,
      [TRAFFIC_OUTCAST] = draw_all,    [TRAFFIC_PERMUTATION] = draw_permutation,
      [TRAFFIC_ALL_TO_ALL] = draw_all, [TRAFFIC_RANDOM] = draw_random,
  };
  const uint32_t hosts = network->host_count;
  const uint32_t from_end = config->pattern == TRAFFIC_OUTCAST ? 1
                            : config->pattern == TRAFFIC_PAIRS ? hosts / 2
                                                               : hosts;
  const uint32_t to_first = config->pattern == TRAFFIC_INCAST  ? hosts - 1
                            : config->pattern == TRAFFIC_PAIRS ? hosts / 2
                                                               : 0;
  const uint32_t to_end = config->pattern == TRAFFIC_PAIRS ? hosts / 2 * 2 : hosts;
  g_autoptr(GArray) from = hosts_of(network, config->from, 0, from_end, error);
  g_autoptr(GArray) to = from != NULL ? hosts_of(network, config->to, to_first, to_end, error) : NULL;
  g_autofree char *stream = g_strconcat(config->name != NULL ? config->name : "workload", ".pattern", NULL);
  g_autofree random_stream *random = random_stream_new(seed, stream);
  g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(host_pair));
  uint64_t count = 0;
  const drawing on = {config, from, to, connections, random, pairs, &count, part};

  *part = from == NULL ? TRAFFIC_FROM : to == NULL ? TRAFFIC_TO : TRAFFIC_PATTERN;
  if (to == NULL || !draw[config->pattern](&on, error)) {
    return NULL;
  }
  if (count == 0) {
    error_set(error,
              "no host has another one to send to; expected two hosts or more in workload.from and .to");
    return NULL;
  }
  if (count > TRAFFIC_CONNECTIONS_MAX) {
    error_set(error, "%" G_GUINT64_FORMAT " connections; expected at most %d", count,
              TRAFFIC_CONNECTIONS_MAX);
    return NULL;
  }
  return g_steal_pointer(&pairs);
}

uint16_t *traffic_ports(const host_pair *pairs, uint32_t count)
{
  g_autoptr(GHashTable) opened = g_hash_table_new(NULL, NULL); /* how many, from one host to another */
  uint16_t *ports = g_new(uint16_t, count);

  for (uint32_t i = 0; i < count; i++) {
    const uint32_t hosts =
        pairs ? pairs[i].hosts[SIDE_INITIATOR] * GRAPH_HOSTS_MAX + pairs[i].hosts[SIDE_RESPONDER] : 0;
    const gpointer key = GUINT_TO_POINTER(hosts);
    const uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(opened, key));

    g_assert(before < TRAFFIC_PAIR_CONNECTIONS_MAX);
    g_hash_table_insert(opened, key, GUINT_TO_POINTER(before + 1));
    ports[i] = (uint16_t)(TRAFFIC_INITIATOR_FIRST_PORT + before);
  }
  return ports;
}
