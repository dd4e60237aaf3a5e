/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_offered.h"

#include <math.h>

#include "scenario/scenario_volume.h"

enum { FPDU_OVERHEAD_OCTETS = 20 }; /* tagged DDP header, ULPDU_Length, CRC */

double scenario_wire_octets(const configuration *c, const traffic_class *of, enum side direction,
                            uint32_t mtu_octets, int32_t framing_octets)
{
  g_autoptr(GArray) sizes = scenario_sizes(of);
  const double room = scenario_segment_payload(c, direction, mtu_octets);
  const double markers = c->endpoint[side_peer(direction)].markers ? 516.0 / 512 : 1;
  const double packet = configuration_headers_octets(c) + framing_octets;
  double all = 0;

  for (guint i = 0; i < sizes->len; i++) {
    const double octets = g_array_index(sizes, double, i);
    const double segments = fmax(ceil(octets / room), 1);
    all += (octets + segments * FPDU_OVERHEAD_OCTETS) * markers + segments * packet;
  }
  return all / sizes->len;
}

/* A walk along the routes of connections. */
typedef struct offered_walk {
  const configuration *c;
  const graph *network;
  graph_routes *routes;
  double *shares; /* of each node, of what it sends on */
  uint32_t *walked;
  offered_load *loads;
} offered_walk;

/* Adds what `flow` brings, so many bits each second, to the links of its routes: all have one length, and
 * what is sprayed is divided equally. */
static void add_flow(const offered_walk *on, graph_flow flow, double payload, double wire)
{
  uint32_t walked = 1;

  on->walked[0] = flow.source;
  on->shares[flow.source] = 1;
  for (uint32_t done = 0; done < walked && on->walked[done] != flow.destination; done++) {
    const uint32_t node = on->walked[done];
    const bool is_host = graph_is_host(on->network, node);
    uint32_t count = 1;
    const uint16_t *ports = is_host ? NULL : graph_routes_ports(on->routes, node, flow.destination, &count);
    const bool by_flow = count > 1 && on->c->routing.choice == GRAPH_ECMP;

    count = by_flow ? 1 : count;
    for (uint32_t i = 0; i < count; i++) {
      const uint16_t port = is_host   ? 0
                            : by_flow ? graph_routes_port(on->routes, node, flow, true)
                                      : ports[i];
      const uint32_t at = graph_link_at(on->network, node, port);
      const graph_link *link = &on->network->links[at];
      const uint32_t end = graph_end_at(link, node), next = link->nodes[1 - end];
      const double part = on->shares[node] / count / (double)link->config->link.rate_bit_per_s;

      if (!(on->shares[next] > 0)) {
        on->walked[walked++] = next;
      }
      on->shares[next] += on->shares[node] / count;
      on->loads[2 * at + end].payload += part * payload;
      on->loads[2 * at + end].wire += part * wire;
    }
  }
  for (uint32_t i = 0; i < walked; i++) {
    on->shares[on->walked[i]] = 0;
  }
}

/* Adds the connections of `of`, each in the directions that its payload goes in. */
static void add_class(const offered_walk *on, const traffic_class *of, const uint16_t *ports)
{
  const configuration *c = on->c;
  const bool is_incast = of->pattern.pattern == TRAFFIC_INCAST;
  const enum side arrives = is_incast ? SIDE_RESPONDER : SIDE_INITIATOR;
  const host_pair *pairs = &c->of_graph.pairs[of->first_connection];
  g_autofree double *intervals = traffic_class_intervals_ps(of, c);
  g_autofree double *connections = g_new0(double, c->of_graph.host_count);
  const double bits = 8 * traffic_class_mean_octets(of);
  const configuration *known[SIDES] = {NULL}; /* most hosts have the same */
  double wire[SIDES] = {0};

  for (uint32_t i = 0; i < of->connection_count; i++) {
    connections[pairs[i].hosts[arrives]]++;
  }
  for (uint32_t i = 0; i < of->connection_count; i++) {
    const uint32_t *hosts = pairs[i].hosts, host = hosts[arrives];
    const double peers = connections[host] / of->connections_per_pair;
    const double at_once = !is_incast ? 1 : of->pattern.fan_in > 0 ? fmin(of->pattern.fan_in, peers) : peers;
    const double rate = at_once / intervals[host] * (double)TIME_PS_PER_SECOND / connections[host];

    for (enum side side = 0; side < SIDES; side++) {
      const double share = traffic_class_payload_share(of, side);
      const configuration *from = c->of_graph.hosts[hosts[side]];
      const path_link_config *link = &from->path.directions[side].link;
      const uint16_t port = ports[of->first_connection + i];
      const graph_flow flow = {(uint16_t)hosts[side], (uint16_t)hosts[side_peer(side)],
                               side == SIDE_INITIATOR ? port : TRAFFIC_RESPONDER_PORT,
                               side == SIDE_INITIATOR ? TRAFFIC_RESPONDER_PORT : port};
      if (share > 0) {
        if (known[side] != from) {
          known[side] = from;
          wire[side] = scenario_wire_octets(from, of, side, link->mtu_octets, link->framing_octets);
        }
        add_flow(on, flow, share * rate * bits, share * rate * 8 * wire[side]);
      }
    }
  }
}

static offered_load *offered_of_graph(const configuration *c, uint32_t *count)
{
  size_t entry;
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  g_autoptr(graph_routes) routes = graph_routes_new(network, &c->routing);
  g_autofree uint16_t *ports = traffic_ports(c->of_graph.pairs, c->connections.count);
  g_autofree double *shares = g_new0(double, network->node_count);
  g_autofree uint32_t *walked = g_new(uint32_t, network->node_count);
  offered_load *loads = g_new0(offered_load, (gsize)2 * network->link_count);
  const offered_walk on = {c, network, routes, shares, walked, loads};

  *count = 2 * network->link_count;
  for (uint32_t i = 0; i < *count; i++) {
    loads[i].is_port = !graph_is_host(network, network->links[i / 2].nodes[i % 2]);
  }
  for (uint32_t i = 0; i < c->class_count; i++) {
    if (c->classes[i].arrivals != ARRIVALS_POSTED) {
      add_class(&on, &c->classes[i], ports);
    }
  }
  return loads;
}

offered_load *scenario_offered(const configuration *c, uint32_t *count)
{
  if (c->graph.kind != GRAPH_PATH) {
    return offered_of_graph(c, count);
  }
  offered_load *loads = g_new0(offered_load, SIDES);

  *count = SIDES;
  for (uint32_t i = 0; i < c->class_count; i++) {
    const traffic_class *of = &c->classes[i];
    if (of->arrivals == ARRIVALS_POSTED) {
      continue;
    }
    g_autofree double *intervals = traffic_class_intervals_ps(of, c);
    for (enum side side = 0; side < SIDES; side++) {
      const path_link_config *link = &c->path.directions[side].link;
      const double rate = (double)TIME_PS_PER_SECOND / intervals[of->workload.both ? side : SIDE_INITIATOR] *
                          traffic_class_payload_share(of, side) * 8 / (double)link->rate_bit_per_s;
      loads[side].payload += rate * traffic_class_mean_octets(of);
      loads[side].wire += rate * scenario_wire_octets(c, of, side, link->mtu_octets, link->framing_octets);
    }
  }
  return loads;
}

char *scenario_offered_name(const configuration *c, uint32_t i)
{
  size_t entry;

  if (c->graph.kind == GRAPH_PATH) {
    return g_strdup(i == SIDE_INITIATOR ? "path.forward" : "path.reverse");
  }
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  const uint32_t *nodes = network->links[i / 2].nodes, from = nodes[i % 2], to = nodes[1 - i % 2];
  return graph_is_host(network, from)
             ? g_strdup_printf("the link of %s", network->names[from])
             : g_strdup_printf("the port of %s to %s", network->names[from], network->names[to]);
}
