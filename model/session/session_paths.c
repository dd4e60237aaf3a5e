#include "session/session_paths.h"

#include "sim/sim_relay.h"
#include "sim/sim_topology.h"

typedef struct session_paths session_paths;

/* One path in both directions. */
typedef struct network_route {
  session_paths *network;
  sim_path *paths[SIDES];
  sim_relay *relay; /* the proxy between them; NULL: none */
  sim_gate *gate;   /* with it */
} network_route;

/* One event of the scenario. */
typedef struct network_event {
  session_paths *network;
  const scenario_event *event;
  engine_timer *timer;
} network_event;

struct session_paths {
  session_network network;
  const scenario *s;
  engine *clock;
  session_paths_ends ends;
  sim_topology *topology; /* instead of routes; NULL: there is none */
  network_route *routes;  /* one without paths when there is a topology */
  uint32_t route_count;
  network_event *events;
  gsize event_count;
};

/* --- Routes --- */

static void on_forward_output(void *user, datagram *packet, time_ps now)
{
  const session_paths_ends *ends = &((network_route *)user)->network->ends;

  ends->output(ends->users[SIDE_INITIATOR], packet, now);
}

static void on_reverse_output(void *user, datagram *packet, time_ps now)
{
  const session_paths_ends *ends = &((network_route *)user)->network->ends;

  ends->output(ends->users[SIDE_RESPONDER], packet, now);
}

/* The message takes the whole way back to the packet's source: from the start of the other direction, or from the proxy. */
static void on_forward_too_big(void *user, datagram *message, sim_path_entrance entrance, time_ps now)
{
  network_route *route = user;

  sim_path_inject(route->paths[SIDE_RESPONDER], message, entrance, now);
}

static void on_reverse_too_big(void *user, datagram *message, sim_path_entrance entrance, time_ps now)
{
  network_route *route = user;

  sim_path_inject(route->paths[SIDE_INITIATOR], message, entrance, now);
}

static bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, uint32_t *hint)
{
  const session_paths_ends *ends = &((const network_route *)user)->network->ends;

  return ends->is_fpdu_start(ends->is_fpdu_start_user, flow, position, hint);
}

static const path_output outputs[SIDES] = {on_forward_output, on_reverse_output};

static bool make_route(session_paths *network, uint32_t index, sim_engine_kind kind, GError **error)
{
  static const sim_path_too_big too_big[SIDES] = {on_forward_too_big, on_reverse_too_big};
  network_route *route = &network->routes[index];
  bool tells = g_str_equal(scenario_text(network->s, SCENARIO_PATH_TOO_BIG), "icmp");

  route->relay = sim_relay_new(network->s, index);
  route->gate = route->relay ? sim_gate_new() : NULL;
  for (enum side direction = 0; direction < SIDES; direction++) {
    const sim_path_config config = {
        .s = network->s,
        .direction = direction,
        .index = index,
        .paths = network->route_count,
        .kind = kind,
        .clock = network->clock,
        .relay = route->relay ? sim_relay_element(route->relay, direction) : NULL,
        .is_fpdu_start = direction == scenario_main_direction(network->s) ? is_fpdu_start : NULL,
        .identification = network->ends.identifications[direction],
        .gate = route->gate,
        .output = outputs[direction],
        .too_big = tells ? too_big[direction] : NULL,
        .user = route,
    };

    route->paths[direction] = sim_path_new(&config, error);
    if (!route->paths[direction]) {
      return false;
    }
  }
  return true;
}

static network_route *route_of(const session_paths *network, uint32_t connection)
{
  return &network->routes[network->route_count > 1 ? connection : 0];
}

/* --- Events --- */

static void on_event(void *user, time_ps now)
{
  const network_event *due = user;
  scenario_key key = due->event->key;
  bool forward = key < SCENARIO_PATH_REVERSE_RATE;
  enum side direction = forward ? SIDE_INITIATOR : SIDE_RESPONDER;

  for (uint32_t i = 0; i < due->network->route_count; i++) {
    sim_path_change(due->network->routes[i].paths[direction],
                    forward ? key : key - (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE),
                    due->event->number, now);
  }
}

/* A change comes before all that happens in its picosecond. */
static void make_events(session_paths *network)
{
  const scenario_event *events;

  network->event_count = scenario_events(network->s, &events);
  network->events = g_new0(network_event, network->event_count);
  for (gsize i = 0; i < network->event_count; i++) {
    network_event *event = &network->events[i];

    event->network = network;
    event->event = &events[i];
    event->timer = engine_timer_new(network->clock, ENGINE_TRANSMITTER, UINT32_MAX, i, on_event, event);
    engine_timer_set(event->timer, events[i].at);
  }
}

/* --- The network --- */

static session_paths *paths_of(session_network *network)
{
  return (session_paths *)network;
}

static const session_paths *const_paths_of(const session_network *network)
{
  return (const session_paths *)network;
}

static void paths_free(session_network *self)
{
  session_paths *network = paths_of(self);

  for (gsize i = 0; i < network->event_count; i++) {
    engine_timer_free(network->events[i].timer);
  }
  for (uint32_t i = 0; i < network->route_count; i++) {
    sim_path_free(network->routes[i].paths[SIDE_INITIATOR]);
    sim_path_free(network->routes[i].paths[SIDE_RESPONDER]);
    sim_relay_free(network->routes[i].relay);
    sim_gate_free(network->routes[i].gate);
  }
  sim_topology_free(network->topology);
  g_free(network->events);
  g_free(network->routes);
  g_free(network);
}

static void paths_send(session_network *self, uint32_t connection, enum side direction, datagram *packet,
                       time_ps now)
{
  session_paths *network = paths_of(self);

  if (network->topology) {
    sim_topology_send(network->topology, direction, packet, now);
  } else {
    sim_path_send(route_of(network, connection)->paths[direction], packet, now);
  }
}

static time_ps paths_earliest_arrival(const session_network *self, uint32_t connection, enum side direction,
                                      time_ps now)
{
  const session_paths *network = const_paths_of(self);

  return network->topology ? sim_topology_earliest_arrival(network->topology, now)
                           : sim_path_earliest_arrival(route_of(network, connection)->paths[direction], now);
}

/* --- Results --- */

static void paths_set_metrics(const session_network *self, enum side main_direction, metric_values *values)
{
  const session_paths *network = const_paths_of(self);
  uint64_t extent_sum = 0;

  if (network->topology) {
    sim_topology_set_metrics(network->topology, values);
    return;
  }
  for (uint32_t i = 0; i < network->route_count; i++) {
    const sim_path *path = network->routes[i].paths[main_direction];

    sim_path_count(path, true, values);
    sim_path_count(network->routes[i].paths[side_peer(main_direction)], false, values);
    sim_path_count_alignment(path, values);
    extent_sum += sim_path_extent_sum(path);
  }
  if (values->value[METRIC_PATH_SEGMENTS_REORDERED] > 0) {
    metric_values_set(values, METRIC_PATH_REORDERING_EXTENT_MEAN,
                      (double)extent_sum / values->value[METRIC_PATH_SEGMENTS_REORDERED]);
  }
}

/* --- Making --- */

static const session_network_class paths_class = {.send = paths_send,
                                                  .earliest_arrival = paths_earliest_arrival,
                                                  .set_metrics = paths_set_metrics,
                                                  .free = paths_free};

session_network *session_paths_new(const scenario *s, sim_engine_kind kind, engine *clock,
                                   const session_paths_ends *ends, GError **error)
{
  session_paths *network = g_new0(session_paths, 1);
  bool in_ns3 = sim_topology_is_wanted(s);
  bool own = g_str_equal(scenario_text(s, SCENARIO_WORKLOAD_PATHS), "own");

  network->network.class = &paths_class;
  network->s = s;
  network->clock = clock;
  network->ends = *ends;
  network->route_count = in_ns3 ? 0 : own ? (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_CONNECTIONS) : 1;
  network->routes = g_new0(network_route, MAX(network->route_count, 1));
  for (uint32_t i = 0; i < MAX(network->route_count, 1); i++) {
    network->routes[i].network = network;
  }
  for (uint32_t i = 0; i < network->route_count; i++) {
    if (!make_route(network, i, kind, error)) {
      paths_free(&network->network);
      return NULL;
    }
  }
  network->topology = in_ns3 ? sim_topology_new(s, clock, outputs, network->routes, error) : NULL;
  if (in_ns3 && !network->topology) {
    paths_free(&network->network);
    return NULL;
  }
  make_events(network);
  return &network->network;
}
