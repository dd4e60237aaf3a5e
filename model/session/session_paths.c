/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_paths.h"

#include "base/random_stream.h"
#include "engine/order.h"
#include "net/flow_table.h"
#include "network/path_proxy.h"
#include "session/session_setup.h"

typedef struct session_paths session_paths;

/* This is one path in both directions. */
typedef struct network_route {
  path_direction *paths[SIDES];
  path_box *proxy[SIDES]; /* its ends; NULL: there is none */
  path_gate *gate;        /* with it */
} network_route;

/* This is what a connection sends in one direction, with paths of their own. */
typedef struct routed_flow {
  datagram_flow flow;
  const network_route *route;
} routed_flow;

/* This is one event of the scenario. */
typedef struct network_event {
  session_paths *network;
  path_change change;
  engine_timer *timer;
} network_event;

struct session_paths {
  session_network network;
  const configuration *configuration;
  engine *clock;
  session_network_ends ends;
  network_route *routes;
  uint32_t route_count;
  flow_table flows; /* of routed_flow: those seen so far */
  network_event *events;
  gsize event_count;
};

/* --- The proxy --- */

/* The proxy's TCP towards `side` is as the hosts', but for the MTUs of the links on that side. With position
 * "before" the proxy is beside the Initiator: all links are on the Responder's side, to which it is the
 * Initiator; and so on. */
static tcp_config tcp_towards(const configuration *c, enum side side)
{
  enum side peer = side_peer(side);
  gsize last_to = path_links(&c->path.directions[peer]) - 1;
  gsize last_from = path_links(&c->path.directions[side]) - 1;
  tcp_config tcp = c->endpoint[peer].tcp;

  if (c->path.middleboxes.position == PATH_POSITION_BETWEEN) {
    /* The first forward link lies on the Initiator's side, and the reverse direction's last one. */
    gsize sent = side == SIDE_INITIATOR ? last_to : MIN(1, last_to);
    gsize received = side == SIDE_INITIATOR ? 0 : MAX(last_from, 1) - 1;

    tcp.send_mtu_octets = path_link_at(&c->path.directions[peer], sent).mtu_octets;
    tcp.receive_mtu_octets = path_link_at(&c->path.directions[side], received).mtu_octets;
  }
  return tcp;
}

bool session_paths_proxy(const configuration *c, uint32_t index, path_box *ends[SIDES])
{
  if (!choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY)) {
    return false;
  }
  const path_proxy_config config = {
      .side = {[SIDE_INITIATOR] = tcp_towards(c, SIDE_INITIATOR),
               [SIDE_RESPONDER] = tcp_towards(c, SIDE_RESPONDER)},
      .buffer_octets = c->path.middleboxes.proxy_buffer_octets,
      .seed = random_hash(c->run.seed, "proxy", index),
  };

  path_proxy_new(&config, &ends[SIDE_INITIATOR], &ends[SIDE_RESPONDER]);
  return true;
}

/* --- Routes --- */

/* The message travels all the way back to the packet's source. */
static void on_too_big(void *other_direction, datagram *message, time_ps now)
{
  path_direction_send(*(path_direction **)other_direction, message, now);
}

static bool make_route(session_paths *network, uint32_t index, run_engine kind, GError **error)
{
  const session_network_ends *ends = &network->ends;
  const configuration *c = network->configuration;
  network_route *route = &network->routes[index];

  route->gate = session_paths_proxy(c, index, route->proxy) ? path_gate_new() : NULL;
  for (enum side direction = 0; direction < SIDES; direction++) {
    const path_place config = {
        .network = &c->path,
        .direction = direction,
        .index = index,
        .segment = {.number = ends->first_segment + direction * network->route_count + index,
                    .seed = c->run.seed,
                    .clock = network->clock,
                    .new_link = run_engine_links(kind),
                    .gate = route->gate,
                    .identification = ends->identifications[direction],
                    .is_fpdu_start = direction == c->main_direction ? ends->is_fpdu_start : NULL,
                    .is_fpdu_start_user = ends->session,
                    .trace = {.to = ends->trace,
                              .node = ends->nodes[direction],
                              .port = index + 1,
                              .direction = direction,
                              .connection_of = ends->connection_of,
                              .connection_user = ends->session,
                              .undone = &network->network.undone[direction]}},
        .ipv6 = c->ipv6,
        .relay = route->proxy[direction],
        .relay_back = route->proxy[side_peer(direction)],
        .output = ends->output,
        .output_user = ends->users[direction],
        .too_big = c->path.routers_are_silent ? NULL : on_too_big,
        .too_big_user = &route->paths[side_peer(direction)],
    };

    route->paths[direction] = path_direction_new(&config, error);
    if (!route->paths[direction]) {
      return false;
    }
  }
  return true;
}

/* Returns the route of `flow`: with paths of their own, that of its connection, which is asked for once. */
static const network_route *route_of(session_paths *network, const datagram_flow *flow)
{
  uint32_t index = 0;

  if (network->route_count == 1) {
    return network->routes;
  }
  routed_flow *known = flow_table_find(&network->flows, flow);
  if (!known) {
    network->ends.connection_of(network->ends.session, flow, &index);
    known = flow_table_add(&network->flows, flow);
    known->route = &network->routes[index];
  }
  return known->route;
}

/* --- Events --- */

static void on_event(void *user, time_ps now)
{
  const network_event *due = user;

  for (uint32_t i = 0; i < due->network->route_count; i++) {
    path_direction_change(due->network->routes[i].paths[due->change.direction], due->change.quantity,
                          due->change.number, now);
  }
}

/* A change comes after transmitters have become free in its picosecond, and before everything else. */
static void make_events(session_paths *network)
{
  const path_config *path = &network->configuration->path;

  network->event_count = path->change_count;
  network->events = g_new0(network_event, network->event_count);
  for (gsize i = 0; i < network->event_count; i++) {
    network_event *event = &network->events[i];

    event->network = network;
    event->change = path->changes[i];
    event->timer =
        engine_timer_new(network->clock, ENGINE_TRANSMITTER, ORDER_EVENTS,
                         order_of_event(network->ends.first_segment, (uint32_t)i), on_event, event);
    engine_timer_set(event->timer, event->change.at);
  }
}

/* --- The network --- */

static void paths_free(session_network *self)
{
  session_paths *network = (session_paths *)self;

  for (gsize i = 0; i < network->event_count; i++) {
    engine_timer_free(network->events[i].timer);
  }
  for (uint32_t i = 0; i < network->route_count; i++) {
    network_route *route = &network->routes[i];

    for (enum side direction = 0; direction < SIDES; direction++) {
      path_direction_free(route->paths[direction]);
    }
    for (enum side direction = 0; route->gate && direction < SIDES; direction++) {
      path_element_free(&route->proxy[direction]->element);
    }
    path_gate_free(route->gate);
  }
  g_free(network->events);
  g_free(network->routes);
  flow_table_clear(&network->flows);
  g_free(network);
}

static G_GNUC_NO_INLINE void send_on_its_own(session_paths *network, enum side direction, datagram *packet,
                                             time_ps now)
{
  datagram_flow flow;
  const network_route *route = datagram_flow_of(packet, &flow) ? route_of(network, &flow) : network->routes;

  path_direction_send(route->paths[direction], packet, now);
}

static void paths_send(session_network *self, uint32_t host, datagram *packet, time_ps now)
{
  session_paths *network = (session_paths *)self;
  const enum side direction = session_network_direction(&network->ends, host);

  if (network->route_count > 1) {
    send_on_its_own(network, direction, packet, now);
  } else {
    path_direction_send(network->routes->paths[direction], packet, now);
  }
}

static time_ps paths_earliest_arrival(session_network *self, const datagram_flow *flow, time_ps now)
{
  session_paths *network = (session_paths *)self;
  uint32_t host = session_setup_host_at(&flow->source);

  return path_direction_earliest_arrival(
      route_of(network, flow)->paths[session_network_direction(&network->ends, host)], now);
}

/* Events may change the first link: it counts as the fastest and shortest that it ever is, and with the
 * smallest MTU. What waits for the tokens of a bucket only comes later. */
static time_ps paths_ideal(session_network *self, const datagram_flow *flow, const network_transfer *transfer)
{
  const session_paths *network = (const session_paths *)self;
  const path_config *path = &network->configuration->path;
  const enum side direction = session_network_direction(&network->ends, session_setup_host_at(&flow->source));
  const path_direction_config *config = &path->directions[direction];
  path_link_config first = path_link_at(config, 0);
  network_way way = {.mtu_octets = path_mtu_octets(config),
                     .is_cut = path->middleboxes.mode.values[0] != PATH_MIDDLEBOX_NONE,
                     .keeps_order = path->change_count == 0}; /* impairments come after the links */
  network_ideal_time time = {0};

  for (size_t i = 0; i < path->change_count; i++) {
    const path_change *change = &path->changes[i];
    if (change->direction != direction) {
      continue;
    }
    if (change->quantity == PATH_RATE) {
      first.rate_bit_per_s = MAX(first.rate_bit_per_s, change->number);
    } else if (change->quantity == PATH_DELAY) {
      first.delay_ps = MIN(first.delay_ps, (time_ps)change->number);
    } else {
      way.mtu_octets = MIN(way.mtu_octets, (uint32_t)change->number);
    }
  }
  network_ideal ideal = network_ideal_of(transfer, &way);
  for (size_t i = 0; i < path_links(config); i++) {
    const path_link_config link = i > 0 ? path_link_at(config, i) : first;
    time = network_ideal_cross(&ideal, time, &link, true);
  }
  return network_ideal_end(time);
}

/* --- Results --- */

static void paths_set_metrics(session_network *self, metric_values *values)
{
  const session_paths *network = (const session_paths *)self;
  const enum side main_direction = network->configuration->main_direction;
  uint64_t extent_sum = 0;

  for (uint32_t i = 0; i < network->route_count; i++) {
    const path_direction *path = network->routes[i].paths[main_direction];

    path_direction_count(path, true, values);
    path_direction_count(network->routes[i].paths[side_peer(main_direction)], false, values);
    path_direction_count_alignment(path, values);
    path_direction_count_extents(path, &extent_sum, values);
  }
}

/* --- Making --- */

static const session_network_class paths_class = {.send = paths_send,
                                                  .earliest_arrival = paths_earliest_arrival,
                                                  .ideal = paths_ideal,
                                                  .set_metrics = paths_set_metrics,
                                                  .free = paths_free};

session_network *session_paths_new(const configuration *c, run_engine kind, engine *clock,
                                   const session_network_ends *ends, GError **error)
{
  session_paths *network = g_new0(session_paths, 1);

  network->network = (session_network){.class = &paths_class, .undone = {UINT32_MAX, UINT32_MAX}};
  network->configuration = c;
  network->clock = clock;
  network->ends = *ends;
  flow_table_init(&network->flows, sizeof(routed_flow), g_free);
  network->route_count = c->connections.own_paths ? c->connections.count : 1;
  network->routes = g_new0(network_route, network->route_count);
  for (uint32_t i = 0; i < network->route_count; i++) {
    if (!make_route(network, i, kind, error)) {
      paths_free(&network->network);
      return NULL;
    }
  }
  make_events(network);
  return &network->network;
}
