/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/graph_routes.h"

#include <string.h>

#include "base/error.h"
#include "base/numbers.h"

/* This is where a host is. A switch with hosts has an edge number: routes lead to those only. */
typedef struct place {
  uint32_t node; /* at the other end of its link: a switch, or a host that is linked to it directly */
  uint16_t edge; /* of the switch */
  uint16_t port; /* of `node`; GRAPH_NO_PORT while the link is down */
} place;

/* These are the ports of one switch from which packets get nearer to the switch with one edge number. */
typedef struct next_hops {
  uint32_t first; /* in `ports` */
  uint16_t count;
  uint16_t turn; /* of round robin: the one that is next */
} next_hops;

/* It is what one switch has by itself. */
typedef struct switch_state {
  uint64_t seed;         /* of its ECMP */
  random_stream *stream; /* of its spraying */
  time_ps latency_ps;
  uint32_t distance;  /* in the last search; UINT32_MAX: no way leads there */
  graph_pair reached; /* in a walk: what leads here; 0 routes: nothing so far */
} switch_state;

struct graph_routes {
  const graph *network;
  graph_choice choice;
  bool sprays_acks;
  uint32_t switch_count;
  uint32_t edges;
  place *places; /* of each host */
  switch_state *switches;
  uint32_t *edge_of; /* the switch that has each edge number */
  next_hops *hops;   /* of each switch, and there of each edge number */
  GArray *ports;     /* uint16_t */
  uint32_t *queue;   /* of switches, in a search or a walk */
  GHashTable *known; /* of graph_pair: what has been found between two switches with hosts */
};

/* Returns the link at `port` of the switch `index` when it is up and leads to a switch, and which; else NULL.
 */
static const graph_link *trunk_at(const graph *network, uint32_t index, uint32_t port, uint32_t *other)
{
  uint32_t node = network->host_count + index;
  const graph_link *link = &network->links[graph_link_at(network, node, port)];
  uint32_t far = link->nodes[1 - graph_end_at(link, node)];

  *other = far - network->host_count;
  return link->is_up && !graph_is_host(network, far) ? link : NULL;
}

/* Sets the distance of all switches from the one with `edge`. */
static void search(graph_routes *self, uint32_t edge)
{
  uint32_t count = 1;

  for (uint32_t i = 0; i < self->switch_count; i++) {
    self->switches[i].distance = UINT32_MAX;
  }
  self->queue[0] = self->edge_of[edge];
  self->switches[self->queue[0]].distance = 0;
  for (uint32_t done = 0; done < count; done++) {
    uint32_t index = self->queue[done];
    uint32_t ports = graph_port_count(self->network, self->network->host_count + index);
    for (uint32_t port = 0; port < ports; port++) {
      uint32_t other;
      if (trunk_at(self->network, index, port, &other) != NULL &&
          self->switches[other].distance == UINT32_MAX) {
        self->switches[other].distance = self->switches[index].distance + 1;
        self->queue[count++] = other;
      }
    }
  }
}

/* Appends the ports of the switch `index` that lead nearer to the switch of the search. */
static void find_hops(graph_routes *self, uint32_t index, uint32_t edge)
{
  next_hops *hops = &self->hops[(size_t)index * self->edges + edge];
  uint32_t distance = self->switches[index].distance;
  uint16_t count_before = hops->count;
  uint32_t ports = graph_port_count(self->network, self->network->host_count + index);

  hops->first = self->ports->len;
  for (uint16_t port = 0; distance != 0 && distance != UINT32_MAX && port < ports; port++) {
    uint32_t other;
    if (trunk_at(self->network, index, port, &other) != NULL &&
        self->switches[other].distance == distance - 1) {
      g_array_append_val(self->ports, port);
    }
  }
  hops->count = (uint16_t)(self->ports->len - hops->first);
  if (hops->count != count_before && hops->count != 0) {
    hops->turn = (uint16_t)(random_mix(self->switches[index].seed + edge) % hops->count);
  }
}

void graph_routes_update(graph_routes *self)
{
  const graph *network = self->network;

  for (uint32_t host = 0; host < network->host_count; host++) {
    const graph_link *link = &network->links[graph_link_at(network, host, 0)];
    self->places[host].port = link->is_up ? link->ports[1 - graph_end_at(link, host)] : GRAPH_NO_PORT;
  }
  g_array_set_size(self->ports, 0);
  g_hash_table_remove_all(self->known);
  for (uint32_t edge = 0; edge < self->edges; edge++) {
    search(self, edge);
    for (uint32_t index = 0; index < self->switch_count; index++) {
      find_hops(self, index, edge);
    }
  }
}

/* Sets where each host is, and numbers the switches with hosts. */
static void place_hosts(graph_routes *self)
{
  const graph *network = self->network;
  g_autofree uint16_t *edges = g_new(uint16_t, network->node_count); /* of each switch */

  memset(edges, UINT8_MAX, network->node_count * sizeof(*edges)); /* UINT16_MAX: it has no number */
  self->places = g_new0(place, network->host_count);
  self->edge_of = g_new(uint32_t, network->host_count);
  for (uint32_t host = 0; host < network->host_count; host++) {
    const graph_link *link = &network->links[graph_link_at(network, host, 0)];
    uint32_t node = link->nodes[1 - graph_end_at(link, host)];

    if (edges[node] == UINT16_MAX && !graph_is_host(network, node)) {
      self->edge_of[self->edges] = node - network->host_count;
      edges[node] = (uint16_t)self->edges++;
    }
    self->places[host].node = node;
    self->places[host].edge = edges[node];
  }
}

graph_routes *graph_routes_new(const graph *network, const graph_routes_config *config)
{
  graph_routes *self = g_new0(graph_routes, 1);

  self->network = network;
  self->choice = config->choice;
  self->sprays_acks = config->sprays_acks;
  self->switch_count = network->node_count - network->host_count;
  self->switches = g_new0(switch_state, self->switch_count);
  for (uint32_t i = 0; i < self->switch_count; i++) {
    const char *name = network->names[network->host_count + i];
    g_autofree char *seed = g_strconcat("ecmp.", name, NULL);
    g_autofree char *stream = g_strconcat("spray.", name, NULL);
    self->switches[i].latency_ps = config->switches != NULL ? config->switches[i].latency_ps : 0;
    self->switches[i].seed = random_hash(config->seed, seed, 0);
    self->switches[i].stream = random_stream_new(config->seed, stream);
  }
  place_hosts(self);
  self->hops = g_new0(next_hops, (size_t)self->switch_count * self->edges);
  self->ports = g_array_new(FALSE, FALSE, sizeof(uint16_t));
  self->queue = g_new(uint32_t, self->switch_count);
  self->known = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  graph_routes_update(self);
  return self;
}

void graph_routes_free(graph_routes *self)
{
  if (self == NULL) {
    return;
  }
  for (uint32_t i = 0; i < self->switch_count; i++) {
    g_free(self->switches[i].stream);
  }
  g_free(self->switches);
  g_free(self->places);
  g_free(self->edge_of);
  g_free(self->hops);
  g_array_unref(self->ports);
  g_free(self->queue);
  g_hash_table_unref(self->known);
  g_free(self);
}

/* --- The choice of a port --- */

static inline next_hops *hops_at(const graph_routes *self, uint32_t node, const place *to)
{
  return &self->hops[(size_t)(node - self->network->host_count) * self->edges + to->edge];
}

const uint16_t *graph_routes_ports(const graph_routes *self, uint32_t node, uint32_t destination,
                                   uint32_t *count)
{
  const place *to = &self->places[destination];

  if (to->node == node) {
    *count = to->port != GRAPH_NO_PORT;
    return &to->port;
  }
  const next_hops *hops = hops_at(self, node, to);
  *count = hops->count;
  return &g_array_index(self->ports, uint16_t, hops->first);
}

uint16_t graph_routes_port(graph_routes *self, uint32_t node, graph_flow flow, bool has_payload)
{
  switch_state *at = &self->switches[node - self->network->host_count];
  uint32_t count;
  const uint16_t *ports = graph_routes_ports(self, node, flow.destination, &count);

  if (count < 2) {
    return count > 0 ? ports[0] : GRAPH_NO_PORT;
  }
  if (self->choice == GRAPH_ECMP || (!has_payload && !self->sprays_acks)) {
    uint64_t key = (uint64_t)flow.source | (uint64_t)flow.destination << 16 |
                   (uint64_t)flow.source_port << 32 | (uint64_t)flow.destination_port << 48;
    return ports[(uint128)random_mix(key ^ at->seed) * count >> 64];
  }
  if (self->choice == GRAPH_SPRAY_RANDOM) {
    return ports[random_stream_below(at->stream, count)];
  }
  next_hops *hops = hops_at(self, node, &self->places[flow.destination]);
  uint16_t turn = hops->turn;
  hops->turn = (uint16_t)(turn + 1U < count ? turn + 1 : 0);
  return ports[turn];
}

/* --- Pairs of hosts --- */

static bool is_reached(const graph_routes *self, uint32_t source, uint32_t destination)
{
  const place *from = &self->places[source];
  const place *to = &self->places[destination];

  return from->port != GRAPH_NO_PORT && to->port != GRAPH_NO_PORT &&
         (from->node == to->node || from->node == destination || hops_at(self, from->node, to)->count > 0);
}

const host_pair *graph_routes_find_cut(const graph_routes *self, const host_pair *pairs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (!is_reached(self, pairs[i].hosts[0], pairs[i].hosts[1])) {
      return &pairs[i];
    }
  }
  return NULL;
}

/* It leads to the host or the switch where a route begins. */
static const graph_pair beginning = {.routes = 1, .rate_bit_per_s = UINT64_MAX, .mtu_octets = UINT32_MAX};

/* Adds what leads to `link`, and the link with the latency at its end, to what leads to there. */
static void add_route(graph_pair *there, const graph_pair *here, const graph_link *link, time_ps latency_ps,
                      uint32_t octets)
{
  time_ps delay_ps = path_link_arrival_at(&link->config->link, latency_ps, octets);
  uint64_t rate_bit_per_s = MIN(here->rate_bit_per_s, path_bottleneck_bit_per_s(link->config));
  uint32_t mtu_octets = MIN(here->mtu_octets, path_mtu_octets(link->config));

  if (there->routes == 0) {
    *there = (graph_pair){
        .smallest_delay_ps = TIME_PS_NEVER, .rate_bit_per_s = UINT64_MAX, .mtu_octets = UINT32_MAX};
  }
  there->routes = there->routes > UINT64_MAX - here->routes ? UINT64_MAX : there->routes + here->routes;
  there->links = here->links + 1;
  there->smallest_delay_ps = MIN(there->smallest_delay_ps, here->smallest_delay_ps + delay_ps);
  there->largest_delay_ps = MAX(there->largest_delay_ps, here->largest_delay_ps + delay_ps);
  there->rate_bit_per_s = MIN(there->rate_bit_per_s, rate_bit_per_s);
  there->mtu_octets = MIN(there->mtu_octets, mtu_octets);
}

/* Returns the routes from the switch `from` to that of `to`, without the latency of `from`. */
static graph_pair walk(graph_routes *self, uint32_t from, const place *to, uint32_t octets)
{
  uint32_t count = 1;
  uint32_t done;
  graph_pair result;

  self->queue[0] = from;
  self->switches[from].reached = beginning;
  /* All routes to a switch have one length: when its turn comes, all switches before it had theirs. */
  for (done = 0; self->queue[done] != self->edge_of[to->edge]; done++) {
    uint32_t index = self->queue[done];
    const next_hops *hops = hops_at(self, self->network->host_count + index, to);
    for (uint32_t i = 0; i < hops->count; i++) {
      uint32_t next;
      uint16_t port = g_array_index(self->ports, uint16_t, hops->first + i);
      const graph_link *link = trunk_at(self->network, index, port, &next);
      switch_state *there = &self->switches[next];
      if (there->reached.routes == 0) {
        self->queue[count++] = next;
      }
      add_route(&there->reached, &self->switches[index].reached, link, there->latency_ps, octets);
    }
  }
  result = self->switches[self->queue[done]].reached;
  for (uint32_t i = 0; i < count; i++) {
    self->switches[self->queue[i]].reached.routes = 0;
  }
  return result;
}

/* Returns the same of the switches of two hosts, which is found once. */
static graph_pair between(graph_routes *self, const place *from, const place *to, uint32_t octets)
{
  const gpointer key =
      GSIZE_TO_POINTER(((gsize)from->edge * self->edges + to->edge) << 16 | (octets & UINT16_MAX));
  graph_pair *known = g_hash_table_lookup(self->known, key);

  if (known == NULL) {
    known = g_new(graph_pair, 1);
    *known = walk(self, self->edge_of[from->edge], to, octets);
    g_hash_table_insert(self->known, key, known);
  }
  return *known;
}

graph_pair graph_routes_pair(graph_routes *self, uint32_t source, uint32_t destination, uint32_t octets)
{
  const graph *network = self->network;
  const place *from = &self->places[source];
  const place *to = &self->places[destination];
  const graph_link *first = &network->links[graph_link_at(network, source, 0)];
  const graph_link *last = &network->links[graph_link_at(network, destination, 0)];
  graph_pair all = {0};

  if (!is_reached(self, source, destination)) {
    return all;
  }
  if (from->node == destination) {
    add_route(&all, &beginning, first, 0, octets);
    return all;
  }
  graph_pair there = {0};
  graph_pair start = between(self, from, to, octets);
  /* Links lead both ways, so that the first may come last. */
  add_route(&there, &start, first, self->switches[self->edge_of[from->edge]].latency_ps, octets);
  add_route(&all, &there, last, 0, octets);
  return octets <= all.mtu_octets ? all : graph_routes_pair(self, source, destination, all.mtu_octets);
}

gboolean graph_routes_check_mtu(graph_routes *self, GError **error)
{
  const graph *network = self->network;
  const uint32_t hosts = network->host_count;
  g_autofree uint32_t *mtus = g_new(uint32_t, network->link_count);
  uint32_t least = UINT32_MAX;
  uint32_t most = 0; /* of a host's link */

  for (uint32_t i = 0; i < network->link_count; i++) {
    mtus[i] = path_mtu_octets(network->links[i].config);
    least = MIN(least, mtus[i]);
    most = graph_is_host(network, network->links[i].nodes[0]) ? MAX(most, mtus[i]) : most;
  }
  for (uint32_t i = 0; least < most && i < hosts * hosts; i++) {
    const uint32_t source = i / hosts, destination = i % hosts;
    const uint32_t sent =
        MIN(mtus[graph_link_at(network, source, 0)], mtus[graph_link_at(network, destination, 0)]);
    const uint32_t mtu = sent > least && source != destination
                             ? graph_routes_pair(self, source, destination, 1).mtu_octets
                             : 0;
    if (mtu > 0 && mtu < sent) {
      return error_set(error,
                       "the MTU falls from %u octets at %s to %u on the way to %s; expected path MTU "
                       "discovery, or an MTU that does not fall",
                       sent, network->names[source], mtu, network->names[destination]);
    }
  }
  return TRUE;
}
