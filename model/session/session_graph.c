/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_graph.h"

#include <inttypes.h>

#include "engine/order.h"
#include "network/graph_routes.h"
#include "network/network_switch.h"
#include "network/path_direction.h"
#include "network/path_segment.h"
#include "session/session_setup.h"

typedef struct session_graph session_graph;

/* What a packet comes to at the other end of a link's direction. */
typedef struct graph_arrival {
  network_switch *at;        /* NULL: it is a host, which … */
  session_host *host;        /* … this is, with … */
  path_segment *boxes;       /* … these before it; NULL: there are none */
  uint32_t port;             /* of the switch */
  path_segment *impairments; /* on the way; NULL: there are none */
} graph_arrival;

/* A node that chooses ports. */
typedef struct graph_node {
  session_graph *network;
  uint32_t number;
  network_switch *ports; /* a host's interface is a switch with one port and no limits */
  path_segment *boxes; /* of a host, before its link or after it (middlebox.position); NULL: there are none */
  time_ps earliest;    /* in a walk: when a packet can be here; TIME_PS_NEVER: the walk has not come here */
  network_ideal_time ideal; /* in a walk: the least times to here */
} graph_node;

/* Links of an entry that fail or return. */
typedef struct graph_event {
  session_graph *network;
  const graph_change *change;
  engine_timer *timer;
} graph_event;

struct session_graph {
  session_network network;
  const configuration *configuration;
  engine *clock;
  graph *graph;
  graph_routes *routes;
  graph_node *nodes;
  network_switch_turns *turns;
  uint32_t *walk;                  /* of nodes, in the order in which it came to them */
  network_way way;                 /* what any way has */
  graph_arrival *arrivals;         /* of each link, first of the direction from its first end */
  graph_event *events;             /* of each change of the graph */
  engine_timer *opening, *closing; /* of the ports' window */
  uint32_t open_windows;           /* of the hosts that it follows */
};

/* --- Packets --- */

static void arrive(void *user, datagram *packet, time_ps now)
{
  const graph_arrival *arrival = user;

  if (arrival->at) {
    network_switch_receive(arrival->at, arrival->port, packet, now);
  } else if (arrival->boxes) {
    path_segment_send(arrival->boxes, packet, now);
  } else {
    session_receive(arrival->host, packet, now);
  }
}

static void enter_impairments(void *user, datagram *packet, time_ps now)
{
  path_segment_send(((const graph_arrival *)user)->impairments, packet, now);
}

static G_GNUC_NO_INLINE uint32_t choose_by_flow(const graph_node *node, const datagram *packet,
                                                uint32_t destination)
{
  const ip_address source = ip_header_source(packet->header);
  const uint32_t ports =
      packet->kind == DATAGRAM_TCP ? big_endian_read_32(packet->header + packet->ip_octets) : 0;
  const graph_flow of = {.source = (uint16_t)session_setup_host_at(&source),
                         .destination = (uint16_t)destination,
                         .source_port = (uint16_t)(ports >> 16),
                         .destination_port = (uint16_t)ports};
  return graph_routes_port(node->network->routes, node->number, of, packet->payload.length > 0);
}

static uint32_t choose(void *user, G_GNUC_UNUSED uint32_t input, const datagram *packet,
                       G_GNUC_UNUSED time_ps now)
{
  const graph_node *node = user;
  const ip_address address = ip_header_destination(packet->header);
  const uint32_t destination = session_setup_host_at(&address);
  uint32_t count;
  const uint16_t *ports = graph_routes_ports(node->network->routes, node->number, destination, &count);

  return count == 1 ? ports[0] : choose_by_flow(node, packet, destination);
}

static enum side side_of(const datagram_flow *flow)
{
  return flow->source_port == TRAFFIC_RESPONDER_PORT ? SIDE_RESPONDER : SIDE_INITIATOR;
}

static void leave(void *user, datagram *packet, time_ps now)
{
  network_switch_send(((const graph_node *)user)->ports, packet, now);
}

/* Returns the boxes of a host if they stand at `place`; else NULL. */
static inline path_segment *boxes_at(const session_graph *network, uint32_t host, path_position place)
{
  return network->configuration->path.middleboxes.position == place ? network->nodes[host].boxes : NULL;
}

static void graph_send(session_network *self, uint32_t host, datagram *packet, time_ps now)
{
  session_graph *network = (session_graph *)self;
  path_segment *boxes = boxes_at(network, host, PATH_POSITION_BEFORE);

  if (boxes) {
    path_segment_send(boxes, packet, now);
  } else {
    leave(&network->nodes[host], packet, now);
  }
}

/* Goes all routes from `source` to `destination` in as many steps as these have links: all that lead to a
 * node have one length, so that when its turn comes all nodes before it have had theirs. Returns the earliest
 * time at which a packet that leaves at `now` can be there, in the network as it is; or, with `ideal`, how
 * long what that is of takes in the empty one. All of it passes each link of its way if its flow has one
 * route, else those beside which there are no others. */
static time_ps go_routes(session_graph *network, uint32_t source, uint32_t destination, time_ps now,
                         network_ideal *ideal)
{
  static const network_ideal_time never = {TIME_PS_NEVER, TIME_PS_NEVER, TIME_PS_NEVER};
  const bool is_one_route = network->configuration->routing.choice == GRAPH_ECMP;
  uint32_t *const walk = network->walk, walked = 1;

  walk[0] = source;
  network->nodes[source].earliest = now;
  network->nodes[source].ideal = (network_ideal_time){0};
  for (uint32_t done = 0; done < walked && walk[done] != destination; done++) {
    const graph_node *node = &network->nodes[walk[done]];
    const bool is_alone = walked == done + 1;
    static const uint16_t only = 0; /* that of the source, a host */
    uint32_t count = 1;
    const uint16_t *ports =
        done == 0 ? &only : graph_routes_ports(network->routes, node->number, destination, &count);

    for (uint32_t i = 0; i < count; i++) {
      const graph_link *link = &network->graph->links[graph_link_at(network->graph, node->number, ports[i])];
      graph_node *next = &network->nodes[link->nodes[1 - graph_end_at(link, node->number)]];

      if (next->earliest == TIME_PS_NEVER) {
        walk[walked++] = next->number;
        next->ideal = never;
      }
      if (ideal) {
        const network_ideal_time there =
            network_ideal_cross(ideal, node->ideal, network_switch_link(node->ports, ports[i]),
                                is_one_route || (is_alone && count == 1));
        next->earliest = now; /* it was here */
        next->ideal.first_ps = MIN(next->ideal.first_ps, there.first_ps);
        next->ideal.any_ps = MIN(next->ideal.any_ps, there.any_ps);
        next->ideal.all_ps = MIN(next->ideal.all_ps, there.all_ps);
      } else {
        const time_ps there = network_switch_earliest_arrival(node->ports, ports[i], node->earliest);
        next->earliest = MIN(next->earliest, there);
      }
    }
  }
  const graph_node *at = &network->nodes[destination];
  const time_ps earliest = ideal ? network_ideal_end(at->ideal) : at->earliest;
  for (uint32_t i = 0; i < walked; i++) {
    network->nodes[walk[i]].earliest = TIME_PS_NEVER;
  }
  return earliest;
}

static time_ps graph_earliest_arrival(session_network *self, const datagram_flow *flow, time_ps now)
{
  return go_routes((session_graph *)self, session_setup_host_at(&flow->source),
                   session_setup_host_at(&flow->destination), now, NULL);
}

/* Returns what any way has, but for the boxes of its hosts. */
static network_way way_of(const configuration *c, const graph *of)
{
  network_way way = {.mtu_octets = UINT32_MAX,
                     .keeps_order = c->routing.choice == GRAPH_ECMP && c->graph.change_count == 0};

  for (uint32_t i = 0; i < of->link_count; i++) {
    const path_direction_config *link = of->links[i].config;

    way.mtu_octets = MIN(way.mtu_octets, path_mtu_octets(link));
    way.keeps_order = way.keeps_order && link->jitter.jitter_ps == 0 && link->displace.probability == 0;
  }
  return way;
}

/* Where links fail, routes change: only the links of the two hosts are passed in any case. */
static time_ps graph_ideal(session_network *self, const datagram_flow *flow, const network_transfer *transfer)
{
  session_graph *network = (session_graph *)self;
  const graph *of = network->graph;
  const uint32_t source = session_setup_host_at(&flow->source),
                 destination = session_setup_host_at(&flow->destination);
  const graph_node *from = &network->nodes[source];
  network_way way = network->way;

  way.is_cut = from->boxes || network->nodes[destination].boxes;
  network_ideal ideal = network_ideal_of(transfer, &way);
  if (network->configuration->graph.change_count == 0) {
    return go_routes(network, source, destination, 0, &ideal);
  }
  const uint32_t first = graph_link_at(of, source, 0), last = graph_link_at(of, destination, 0);
  const graph_link *link = &of->links[last];
  const unsigned end = 1 - graph_end_at(link, destination);
  network_ideal_time time =
      network_ideal_cross(&ideal, (network_ideal_time){0}, network_switch_link(from->ports, 0), true);

  if (last != first) {
    const network_switch *before = network->nodes[link->nodes[end]].ports;
    time = network_ideal_cross(&ideal, time, network_switch_link(before, link->ports[end]), true);
  }
  return network_ideal_end(time);
}

/* --- Events --- */

/* Both directions of a link fail or return. */
static void set_link_up(session_graph *network, uint32_t number, bool is_up, time_ps now)
{
  const graph_link *link = &network->graph->links[number];

  graph_set_up(network->graph, number, is_up);
  for (unsigned end = 0; end < 2; end++) {
    network_switch_set_up(network->nodes[link->nodes[end]].ports, link->ports[end], is_up, now);
  }
}

/* A pair whose last route goes is no failure of the run: TCP tries on. It may be why the run fails. */
static void on_event(void *user, time_ps now)
{
  const graph_event *event = user;
  session_graph *network = event->network;
  const configuration *c = network->configuration;

  for (uint32_t i = 0; i < network->graph->link_count; i++) {
    if (network->graph->links[i].entry == &c->graph.entries[event->change->entry]) {
      set_link_up(network, i, event->change->is_up, now);
    }
  }
  graph_routes_update(network->routes);
  const host_pair *cut = graph_routes_find_cut(network->routes, c->of_graph.pairs, c->connections.count);
  g_clear_pointer(&network->network.problem, g_free);
  if (cut) {
    network->network.problem = g_strdup_printf("at the end no way led from h%u to h%u: links were down",
                                               cut->hosts[0], cut->hosts[1]);
  }
}

/* A change comes after transmitters have become free in its picosecond, and before everything else. */
static void make_events(session_graph *network)
{
  const graph_config *of = &network->configuration->graph;

  for (uint32_t i = 0; i < network->graph->link_count; i++) {
    if (!network->graph->links[i].is_up) {
      set_link_up(network, i, false, 0);
    }
  }
  network->events = g_new0(graph_event, of->change_count);
  for (gsize i = 0; i < of->change_count; i++) {
    graph_event *event = &network->events[i];

    event->network = network;
    event->change = &of->changes[i];
    event->timer = engine_timer_new(network->clock, ENGINE_TRANSMITTER, ORDER_EVENTS,
                                    order_of_event(0, (uint32_t)i), on_event, event);
    engine_timer_set(event->timer, event->change->at);
  }
}

/* --- Results --- */

static void measure_ports(const session_graph *network, bool is_open, time_ps now)
{
  for (uint32_t node = 0; node < network->graph->node_count; node++) {
    network_switch_measure(network->nodes[node].ports, is_open, now);
  }
}

static void graph_delivered(session_network *self, time_ps now)
{
  const session_graph *network = (const session_graph *)self;

  engine_timer_set(network->opening, TIME_PS_NEVER);
  engine_timer_set(network->closing, TIME_PS_NEVER);
  measure_ports(network, false, now);
}

static void open_window(void *user, time_ps now)
{
  measure_ports(user, true, now);
}

static void close_window(void *user, time_ps now)
{
  measure_ports(user, false, now);
}

/* Where measure.from or measure.to is a moment of each host, the ports' window is open while that of
 * measure.host is; of `auto` while that of any host is. */
static void graph_measured(session_network *self, uint32_t host, bool is_open, time_ps now)
{
  session_graph *network = (session_graph *)self;
  const configuration *c = network->configuration;
  const run_moment *from = &c->measure.from, *to = &c->measure.to;
  const bool is_followed = c->of_graph.measured == network->graph->host_count || c->of_graph.measured == host;

  if (!is_followed || !(run_moment_is_of_host(from) || run_moment_is_of_host(to))) {
    return;
  }
  network->open_windows += is_open ? 1 : -1;
  if (network->open_windows == is_open && !(to->kind == RUN_MOMENT_TIME && now >= (time_ps)to->number)) {
    measure_ports(network, is_open, now);
  }
}

/* The ports' window begins and ends at the times that measure.from and measure.to are, or at 0 and when all
 * is delivered; for other moments see graph_measured(). */
static void make_window(session_graph *network)
{
  const run_moment *from = &network->configuration->measure.from, *to = &network->configuration->measure.to;
  const time_ps beginning = run_moment_is_of_host(from) || run_moment_is_of_host(to) ? TIME_PS_NEVER : 0;

  network->opening = engine_timer_new(network->clock, ENGINE_WORKLOAD, ORDER_STALL, 1, open_window, network);
  network->closing = engine_timer_new(network->clock, ENGINE_WORKLOAD, ORDER_STALL, 2, close_window, network);
  engine_timer_set(network->opening, from->kind == RUN_MOMENT_TIME ? (time_ps)from->number : beginning);
  engine_timer_set(network->closing, to->kind == RUN_MOMENT_TIME ? (time_ps)to->number : TIME_PS_NEVER);
}

void session_graph_count_host(const session_network *self, uint32_t host, metric_values *values)
{
  const graph_node *node = &((const session_graph *)self)->nodes[host];

  if (node->boxes) {
    path_segment_count_alignment(node->boxes, values);
  }
}

static void add_counts(network_port_counts *sums, const network_port_counts *counts)
{
  sums->packets_sent += counts->packets_sent;
  sums->octets_sent += counts->octets_sent;
  for (unsigned cause = 0; cause < NETWORK_SWITCH_DROPS; cause++) {
    sums->dropped[cause] += counts->dropped[cause];
  }
  sums->lost_on_link += counts->lost_on_link;
  sums->marked += counts->marked;
  sums->fragments += counts->fragments;
  sums->peak_octets = MAX(sums->peak_octets, counts->peak_octets);
}

static void graph_set_metrics(session_network *self, metric_values *values)
{
  const session_graph *network = (const session_graph *)self;
  const time_ps now = engine_now(network->clock);
  const graph *of = network->graph;
  network_port_counts all = {0};
  uint64_t without_way = 0, again = 0;

#define IN_PATH_ELEMENT(id, name, unit, side, how, type, member, sentence)                                   \
  metric_values_count(values, METRIC_##id, 0);
#define IN_PATH_LOST_BY(id, name, unit, side, how, sentence) metric_values_count(values, METRIC_##id, 0);
#include "measure/metrics.def"
  for (uint32_t i = 0; i < 2 * of->link_count; i++) {
    if (network->arrivals[i].impairments) {
      path_segment_count(network->arrivals[i].impairments, values);
    }
  }
  for (uint32_t node = 0; node < of->node_count; node++) {
    network_switch *ports = network->nodes[node].ports;

    if (network->nodes[node].boxes) {
      path_segment_count(network->nodes[node].boxes, values);
      session_graph_count_host(self, node, values);
    }
    network_switch_end(ports, now);
    const network_switch_totals totals = network_switch_totals_of(ports);
    without_way += totals.packets_without_way; /* all had one when all links were up */
    again += totals.retransmissions_lost;
    for (uint32_t port = 0; port < graph_port_count(of, node); port++) {
      network_port_counts counts = network_switch_port_counts(ports, port);

      counts.peak_octets = graph_is_host(of, node) ? 0 : counts.peak_octets; /* the metric is of switches */
      add_counts(&all, &counts);
    }
  }
  const uint64_t by_switch = all.dropped[NETWORK_SWITCH_PORT] + all.dropped[NETWORK_SWITCH_BUFFER] +
                             all.dropped[NETWORK_SWITCH_THRESHOLD];
  const uint64_t by_link = all.dropped[NETWORK_SWITCH_LINK] + all.lost_on_link + without_way;
  const uint64_t too_big = all.dropped[NETWORK_SWITCH_TOO_BIG];
  metric_values_count(values, METRIC_LOSSES_SWITCH, by_switch);
  metric_values_count(values, METRIC_LOSSES_LINK, by_link);
  metric_values_count(values, METRIC_LOSSES_MIDDLEBOX, too_big);
  metric_values_count(values, METRIC_PATH_PACKETS_TOO_BIG, too_big);
  metric_values_count(values, METRIC_PATH_PACKETS_LOST, by_switch + by_link + too_big);
  metric_values_count(values, METRIC_PATH_PACKETS_MARKED, all.marked);
  metric_values_count(values, METRIC_PATH_FRAGMENTS, all.fragments);
  metric_values_count(values, METRIC_TCP_LOST_RETRANSMISSIONS, again);
  metric_values_count(values, METRIC_PATH_QUEUE_PEAK_OCTETS, all.peak_octets);
}

GArray *session_graph_ports(const session_network *self)
{
  const session_graph *network = (const session_graph *)self;
  const graph *of = network->graph;
  GArray *ports = g_array_new(FALSE, FALSE, sizeof(session_port));

  for (uint32_t node = of->host_count; node < of->node_count; node++) {
    const network_switch *at = network->nodes[node].ports;
    const network_switch_totals totals = network_switch_totals_of(at);
    session_port all = {.node = of->names[node],
                        .buffer_peak_octets = totals.buffer_peak_octets,
                        .counts.lost_on_link = totals.packets_without_way};

    for (uint32_t port = 0; port < graph_port_count(of, node); port++) {
      const graph_link *link = &of->links[graph_link_at(of, node, port)];
      const session_port one = {.node = all.node,
                                .to = of->names[link->nodes[1 - graph_end_at(link, node)]],
                                .number = port + 1,
                                .counts = network_switch_port_counts(at, port),
                                .gauge = network_switch_port_gauge(at, port)};

      add_counts(&all.counts, &one.counts);
      g_array_append_val(ports, one);
    }
    g_array_append_val(ports, all);
  }
  return ports;
}

/* --- Making --- */

static void graph_network_free(session_network *self)
{
  session_graph *network = (session_graph *)self;

  for (gsize i = 0; network->events && i < network->configuration->graph.change_count; i++) {
    engine_timer_free(network->events[i].timer);
  }
  for (uint32_t node = 0; node < network->graph->node_count; node++) {
    network_switch_free(network->nodes[node].ports);
    path_segment_free(network->nodes[node].boxes);
  }
  for (uint32_t i = 0; i < 2 * network->graph->link_count; i++) {
    path_segment_free(network->arrivals[i].impairments);
  }
  network_switch_turns_free(network->turns);
  engine_timer_free(network->opening);
  engine_timer_free(network->closing);
  graph_routes_free(network->routes);
  graph_free(network->graph);
  g_free(network->nodes);
  g_free(network->walk);
  g_free(network->arrivals);
  g_free(network->events);
  g_free(network->network.problem);
  g_free(network);
}

static void make_node(session_graph *network, uint32_t number, run_engine kind, engine *clock, trace *to)
{
  static const network_switch_config interface = {.buffer_octets = 0};
  const configuration *c = network->configuration;
  const bool is_host = graph_is_host(network->graph, number);
  graph_node *node = &network->nodes[number];
  const network_switch_place place = {
      .name = network->graph->names[number],
      .turns = is_host ? NULL : network->turns,
      .port_room = graph_port_count(network->graph, number),
      .seed = c->run.seed,
      .clock = clock,
      .new_link = run_engine_links(kind),
      .choose = is_host ? NULL : choose,
      .choose_user = node,
      .address = c->ipv6 ? ip_address_v6(SESSION_ADDRESS_V6_PREFIX, 0x10000 + number)
                         : ip_address_v4(PATH_ROUTER_ADDRESS + number),
      .trace = to,
      .side_of = side_of,
  };

  node->network = network;
  node->number = number;
  node->earliest = TIME_PS_NEVER;
  node->ports = network_switch_new(
      is_host ? &interface : &c->of_graph.switches[number - network->graph->host_count], &place);
}

/* Returns what segments have whose elements are at `port` of `node`, but for their number: 2 · direction of
 * the impairments of a link, and one more of the boxes of the host from which it leads. A direction has the
 * number 2 · link, or one more. */
static path_segment_config segment_at(session_graph *network, uint32_t node, uint32_t port, trace *to)
{
  const configuration *c = network->configuration;

  return (path_segment_config){.seed = c->run.seed,
                               .clock = network->clock,
                               .trace = {.to = to,
                                         .node = network->graph->names[node],
                                         .port = port + 1,
                                         .direction = c->main_direction,
                                         .side_of = side_of,
                                         .undone = &network->network.undone[SIDE_INITIATOR]}};
}

/* What they make too large for the host's link is its interface's matter, as that of any port. */
static void make_boxes(session_graph *network, session *of, uint32_t host, trace *to)
{
  const path_middleboxes_config *middleboxes = &network->configuration->path.middleboxes;
  const uint32_t link = graph_link_at(network->graph, host, 0);
  const bool is_before = middleboxes->position == PATH_POSITION_BEFORE;
  session_host *at = session_host_of(of, host);
  graph_node *node = &network->nodes[host];
  g_autofree char *name = g_strconcat(network->graph->names[host], ".1", NULL);
  path_segment_config config = segment_at(network, host, 0, to);

  config.number = 2 * (2 * link + graph_end_at(&network->graph->links[link], host)) + 1;
  config.name = name;
  config.identification = is_before ? &session_host_rnic(at)->identification : NULL;
  config.is_fpdu_start = session_is_fpdu_start;
  config.is_fpdu_start_user = of;
  node->boxes = path_segment_new(&config);
  path_segment_add_boxes(node->boxes, middleboxes, NULL, false);
  path_segment_end(node->boxes, is_before ? leave : session_receive, is_before ? (void *)node : (void *)at);
}

/* What a direction leads to from its port. The impairments come before the link in the order of what is due
 * in one picosecond, as on a path. */
static void make_arrival(session_graph *network, session *of, uint32_t direction, trace *to)
{
  const graph_link *link = &network->graph->links[direction / 2];
  const uint32_t from = link->nodes[direction % 2], at = link->nodes[1 - direction % 2];
  const uint32_t port = link->ports[direction % 2];
  graph_arrival *arrival = &network->arrivals[direction];
  g_autofree char *name = g_strdup_printf("%s.%u", network->graph->names[from], port + 1);
  path_segment_config config = segment_at(network, from, port, to);

  if (graph_is_host(network->graph, at)) {
    arrival->host = session_host_of(of, at);
    arrival->boxes = boxes_at(network, at, PATH_POSITION_BEHIND);
  } else {
    arrival->at = network->nodes[at].ports;
    arrival->port = link->ports[1 - direction % 2];
  }
  config.number = 2 * direction;
  config.name = name;
  path_segment *impairments = path_segment_new(&config);
  path_segment_add_impairments(impairments, link->config, name);
  if (path_segment_is_empty(impairments)) {
    path_segment_free(impairments);
    return;
  }
  path_segment_end(impairments, arrive, arrival);
  arrival->impairments = impairments;
}

/* Gives the nodes their ports, in the order in which the graph has them. */
static bool make_ports(session_graph *network, uint32_t node, GError **error)
{
  const graph *of = network->graph;

  for (uint32_t port = 0; port < graph_port_count(of, node); port++) {
    const uint32_t link = graph_link_at(of, node, port);
    const uint32_t direction = 2 * link + graph_end_at(&of->links[link], node);
    graph_arrival *arrival = &network->arrivals[direction];
    path_link_config config = of->links[link].config->link;

    /* What a switch looks up is as good as still under way: so it takes no event of its own. */
    const uint32_t to = of->links[link].nodes[1 - direction % 2];
    config.delay_ps +=
        arrival->at ? network->configuration->of_graph.switches[to - of->host_count].latency_ps : 0;
    config.id = order_of_node(2 * direction + 1, ORDER_NODES - 1);
    if (!network_switch_add_port(network->nodes[node].ports, &config,
                                 arrival->impairments ? enter_impairments : arrive, arrival, error)) {
      return false;
    }
  }
  return true;
}

session_network *session_graph_new(session *of, const configuration *c, run_engine kind, engine *clock,
                                   trace *to, GError **error)
{
  static const session_network_class class = {.send = graph_send,
                                              .earliest_arrival = graph_earliest_arrival,
                                              .ideal = graph_ideal,
                                              .delivered = graph_delivered,
                                              .measured = graph_measured,
                                              .set_metrics = graph_set_metrics,
                                              .free = graph_network_free};
  session_graph *network = g_new0(session_graph, 1);
  gsize entry;
  bool made = true;

  network->network = (session_network){.class = &class, .undone = {UINT32_MAX, UINT32_MAX}};
  network->configuration = c;
  network->clock = clock;
  network->graph = graph_new(&c->graph, &entry, NULL);
  g_assert(network->graph); /* checked */
  network->routes = graph_routes_new(network->graph, &c->routing);
  network->nodes = g_new0(graph_node, network->graph->node_count);
  network->turns = network_switch_turns_new(clock);
  network->walk = g_new(uint32_t, network->graph->node_count);
  network->way = way_of(c, network->graph);
  network->arrivals = g_new0(graph_arrival, 2 * network->graph->link_count);
  for (uint32_t node = 0; node < network->graph->node_count; node++) {
    make_node(network, node, kind, clock, to);
  }
  for (uint32_t i = 0; i < c->of_graph.boxed_count; i++) {
    make_boxes(network, of, c->of_graph.boxed[i], to);
  }
  make_window(network);
  for (uint32_t direction = 0; direction < 2 * network->graph->link_count; direction++) {
    make_arrival(network, of, direction, to);
  }
  for (uint32_t node = 0; made && node < network->graph->node_count; node++) {
    made = make_ports(network, node, error);
  }
  if (!made) {
    graph_network_free(&network->network);
    return NULL;
  }
  make_events(network);
  return &network->network;
}
