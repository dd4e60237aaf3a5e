/* SPDX-License-Identifier: GPL-2.0-only */
/* A receiver's mean occupancy where packets are sprayed over routes of unequal delay. */
#include "scenario/scenario_finding.h"

#include <math.h>

/* Returns the delay in seconds from `node` to the host `to`, by the link at `port` and after it by the first
 * routes, for a packet of `octets` IP. */
static double delay_by(const configuration *c, const graph *network, const graph_routes *routes,
                       uint32_t node, uint32_t port, uint32_t to, uint32_t octets)
{
  const graph_link *way = &network->links[graph_link_at(network, node, port)];
  const path_link_config *link = &way->config->link;
  const uint32_t next = way->nodes[1 - graph_end_at(way, node)];
  const time_ps latency_ps =
      graph_is_host(network, next) ? 0 : c->of_graph.switches[next - network->host_count].latency_ps;
  const double seconds = time_ps_in_seconds(
      latency_ps + link->delay_ps + time_ps_to_send(path_link_octets(link, octets), link->rate_bit_per_s));
  uint32_t count;

  return next == to ? seconds
                    : seconds + delay_by(c, network, routes, next,
                                         *graph_routes_ports(routes, next, to, &count), to, octets);
}

double scenario_spray_octets(const scenario *s)
{
  enum { SEGMENTS = 1 << 16 };
  const configuration *c = scenario_configuration(s);
  size_t entry;

  if (c->graph.kind == GRAPH_PATH || c->routing.choice == GRAPH_ECMP || c->of_graph.problem != NULL) {
    return (double)NAN;
  }
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  g_autoptr(graph_routes) routes = graph_routes_new(network, &c->routing);
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  const uint32_t *pair = c->of_graph.pairs[0].hosts, to = pair[c->measured], from = pair[1 - c->measured];
  const graph_link *access = &network->links[graph_link_at(network, from, 0)];
  const path_link_config *link = &access->config->link;
  const uint32_t leaf = access->nodes[1 - graph_end_at(access, from)], mtu = link->mtu_octets;
  const configuration *sink = c->of_graph.hosts[to];
  const bool stream = c->of_graph.hosts[from]->tcp.segmentation == TCP_SEGMENTATION_STREAM;
  const bool by_markers = sink->own[c->measured].markers && sink->receiver.mode == RECEIVER_OUT_OF_ORDER;
  const double segment_s = time_ps_in_seconds(
      time_ps_to_send(path_link_octets(link, mtu), graph_routes_pair(routes, from, to, mtu).rate_bit_per_s));
  double before_s = 0, complete_s = 0, sum_s = 0;
  uint32_t count;
  const uint16_t *ports = graph_routes_ports(routes, leaf, to, &count);

  for (int32_t k = 0; k < SEGMENTS; k++) {
    const int32_t route = c->routing.choice == GRAPH_SPRAY_ROUND_ROBIN
                              ? k % (int32_t)count
                              : g_rand_int_range(random, 0, (int32_t)count);
    const double arrival_s = k * segment_s + delay_by(c, network, routes, leaf, ports[route], to, mtu);

    /* In order, it waits for all before it, and the front of an FPDU, half a segment, for the next one. With
     * markers what the next segment cuts, half a segment, waits until both are there. */
    complete_s = fmax(complete_s, arrival_s);
    sum_s +=
        by_markers ? fabs(arrival_s - before_s) / 2 : complete_s - arrival_s + (stream ? segment_s / 2 : 0);
    before_s = arrival_s;
  }
  return !stream && (by_markers || sink->receiver.mode == RECEIVER_ASSUME_ALIGNED)
             ? 0
             : (mtu - configuration_headers_octets(c)) * sum_s / SEGMENTS / segment_s;
}
