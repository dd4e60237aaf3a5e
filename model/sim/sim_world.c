#include "sim/sim_world.h"

#include "base/random_stream.h"
#include "sim/sim_setup.h"
#include "sim/sim_world_private.h"

/* --- What one end does after every event --- */

static void send(world_end *end, datagram *packet, time_ps now)
{
  sim_world *world = end->world;

  if (world->captures[end->side]) {
    packet_capture_add(world->captures[end->side], packet, now);
  }
  sim_network_send(world->network, end->index, end->side, packet, now);
}

static void set_timer(world_end *end, time_ps when)
{
  end->timer_due = when;
  engine_timer_set(end->timer, when);
}

/* Sends what the end has to send, sets its timer, and gives the recorder what it holds: after every event. */
static void settle(world_end *end, time_ps now)
{
  sim_world *world = end->world;
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    send(end, packet, now);
  }
  /* Nearly every segment moves TCP's deadline, mostly to later: a timer that is too early looks again when it is due. */
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (deadline < end->timer_due) {
    set_timer(end, deadline);
  }
  if (end->side == world->measured && !(sim_recorder_expects_nothing_held(world->recorder, end->index) &&
                                        rnic_endpoint_holds_nothing(end->endpoint))) {
    rnic_held held;
    rnic_endpoint_held(end->endpoint, &held);
    sim_recorder_held(world->recorder, end->index, &held, now);
  }
}

static void on_timer(void *user, time_ps now)
{
  world_end *end = user;
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);

  end->timer_due = TIME_PS_NEVER;
  if (deadline > now) {
    set_timer(end, deadline);
    return;
  }
  rnic_endpoint_run(end->endpoint, now);
  settle(end, now);
}

/* A whole packet for TCP; takes its reference. One whose ports were damaged on the way is nobody's: its TCP checksum would be
 * wrong for any connection. */
static inline void receive_whole(sim_world *world, enum side side, datagram *packet, time_ps now)
{
  uint32_t index;

  if (!sim_ip_input_connection_of(packet, side, world->connection_count, &index)) {
    world->strays++;
    datagram_unref(packet);
    return;
  }
  world_end *end = &world->connections[index].ends[side];
  rnic_endpoint_receive(end->endpoint, packet, now);
  datagram_unref(packet);
  settle(end, now);
}

static inline void on_packet(sim_world *world, enum side side, datagram *packet, time_ps now)
{
  if (world->captures[side]) {
    packet_capture_add(world->captures[side], packet, now);
  }
  if (packet->kind == DATAGRAM_FRAGMENT) {
    sim_ip_input_receive(world->inputs[side], packet, now);
  } else {
    receive_whole(world, side, packet, now); /* nearly all: there is nothing to reassemble */
  }
}

static void on_initiators_packet(void *user, datagram *packet, time_ps now)
{
  on_packet(user, SIDE_INITIATOR, packet, now);
}

static void on_responders_packet(void *user, datagram *packet, time_ps now)
{
  on_packet(user, SIDE_RESPONDER, packet, now);
}

static void on_initiators_whole(void *user, datagram *packet, time_ps now)
{
  receive_whole(user, SIDE_INITIATOR, packet, now);
}

static void on_responders_whole(void *user, datagram *packet, time_ps now)
{
  receive_whole(user, SIDE_RESPONDER, packet, now);
}

/* An ICMP message of `side`'s, about a fragment it dropped, leaves by the path of the connection it is about. */
static void answer(sim_world *world, enum side side, datagram *message, time_ps now)
{
  uint32_t index = 0;

  if (world->captures[side]) {
    packet_capture_add(world->captures[side], message, now);
  }
  /* It is for the peer: as the peer will see it. */
  sim_ip_input_connection_of(message, side_peer(side), world->connection_count, &index);
  sim_network_send(world->network, index < world->connection_count ? index : 0, side, message, now);
}

static void on_initiators_answer(void *user, datagram *message, time_ps now)
{
  answer(user, SIDE_INITIATOR, message, now);
}

static void on_responders_answer(void *user, datagram *message, time_ps now)
{
  answer(user, SIDE_RESPONDER, message, now);
}

static void on_measured_fragments(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  sim_world *world = user;

  sim_recorder_fragments(world->recorder, connection, octets, now);
}

static void on_other_fragments(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  (void)user;
  (void)connection;
  (void)octets;
  (void)now;
}

/* `position` is that of the Data Source's stream. Startup frames and octets of streaming mode start no FPDU. */
static bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, uint32_t *hint)
{
  const sim_world *world = user;
  enum side source = side_peer(world->measured);
  uint32_t port = source == SIDE_INITIATOR ? flow->source_port : flow->destination_port;
  uint32_t index = port - SIM_INITIATOR_FIRST_PORT;
  int64_t start;

  if (port < SIM_INITIATOR_FIRST_PORT || index >= world->connection_count) {
    return false;
  }
  start = rnic_endpoint_sent_phase_start(world->connections[index].ends[source].endpoint);
  return start >= 0 && position >= start &&
         sim_recorder_is_fpdu_start(world->recorder, index, (uint64_t)(position - start), hint);
}

static void make_inputs(sim_world *world)
{
  const sim_ip_input_events events[SIDES] = {[SIDE_INITIATOR] = {.whole = on_initiators_whole,
                                                                 .answer = on_initiators_answer,
                                                                 .held = on_other_fragments},
                                             [SIDE_RESPONDER] = {.whole = on_responders_whole,
                                                                 .answer = on_responders_answer,
                                                                 .held = on_other_fragments}};

  for (enum side side = 0; side < SIDES; side++) {
    sim_ip_input_events own = events[side];

    own.held = side == world->measured ? on_measured_fragments : own.held;
    world->inputs[side] = sim_ip_input_new(world->s, side, world->clock, &own, world);
  }
}

/* --- Building --- */

static bool is_ns3_tcp(const scenario *s)
{
  return g_str_equal(scenario_text(s, SCENARIO_TCP_IMPLEMENTATION), "ns3");
}

/* ns-3's TCP can be as the scenario asks, at both ends. */
static bool check_ns3_tcp(const scenario *s, GError **error)
{
  tcp_config initiator = sim_setup_tcp(s, 0, SIDE_INITIATOR);
  tcp_config responder = sim_setup_tcp(s, 0, SIDE_RESPONDER);

  return !is_ns3_tcp(s) ||
         (sim_engine_ns3_tcp_supports(&initiator, error) && sim_engine_ns3_tcp_supports(&responder, error));
}

static void on_wake(void *user, time_ps now)
{
  set_timer(user, now);
}

/* The Protection Domains of a connection, by side. */
typedef uint32_t end_domains[SIDES];

static void make_endpoint(world_end *end, const end_domains domains)
{
  sim_world *world = end->world;
  enum side side = end->side, other = side_peer(side);
  fault_config fault;
  fault_injector *injector = NULL;

  if (sim_setup_fault(world->s, end->index, side, &fault)) {
    injector = fault_injector_new(&fault, world->hosts[other], domains[other]);
    g_ptr_array_add(world->faults, injector);
  }
  const sim_setup_place place = {.host = world->hosts[side],
                                 .protection_domain = domains[side],
                                 .private_data = world->private_data[side],
                                 .fault = injector ? &injector->misbehaviour : NULL};
  rnic_endpoint_config config = world->endpoint_configs[side];
  sim_setup_endpoint_of(&config, world->s, end->index, side, &place);
  sim_engine_wake wake = {.wake = on_wake, .user = end};
  if (is_ns3_tcp(world->s)) {
    config.tcp_new = sim_engine_ns3_tcp_new;
    config.tcp_new_user = &wake;
  }
  end->endpoint = rnic_endpoint_new(&config, &world->endpoint_events[side], end);
}

static void make_end(sim_world *world, uint32_t index, enum side side, const end_domains domains)
{
  world_end *end = &world->connections[index].ends[side];

  end->world = world;
  end->index = index;
  end->side = side;
  make_endpoint(end, domains);
  end->timer = engine_timer_new(world->clock, ENGINE_TIMER, index * SIDES + side, 0, on_timer, end);
  end->timer_due = TIME_PS_NEVER;
}

/* Connections start one behind the other, so one timer at a time waits for that: that of connection `index`. */
static void await_start(sim_world *world, uint32_t index)
{
  time_ps spread = scenario_time(world->s, SCENARIO_WORKLOAD_START_SPREAD);

  if (index < world->connection_count) {
    sim_world_set_workload_timer(&world->connections[index],
                                 (time_ps)((__int128)spread * index / world->connection_count));
  }
}

static void start(world_connection *connection, time_ps now)
{
  sim_world *world = connection->ends[SIDE_INITIATOR].world;

  connection->started = true;
  world->started++;
  engine_timer_free(connection->workload_timer);
  connection->workload_timer = NULL;
  await_start(world, connection->ends[SIDE_INITIATOR].index + 1);
  rnic_endpoint_start(connection->ends[SIDE_RESPONDER].endpoint, now);
  rnic_endpoint_start(connection->ends[SIDE_INITIATOR].endpoint, now);
  settle(&connection->ends[SIDE_INITIATOR], now);
}

static void on_workload_due(void *user, time_ps now)
{
  world_connection *connection = user;

  if (!connection->started) {
    start(connection, now);
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    if (connection->ends[side].may_post) {
      connection->ends[side].may_post = false;
      settle(&connection->ends[side], now);
    }
  }
}

void sim_world_set_workload_timer(world_connection *connection, time_ps when)
{
  const world_end *end = &connection->ends[SIDE_INITIATOR];

  if (!connection->workload_timer) {
    connection->workload_timer =
        engine_timer_new(end->world->clock, ENGINE_WORKLOAD, end->index, 0, on_workload_due, connection);
  }
  engine_timer_set(connection->workload_timer, when);
}

static void make_workload(sim_world *world, uint32_t index)
{
  world_connection *connection = &world->connections[index];
  rnic_endpoint *endpoints[SIDES] = {connection->ends[SIDE_INITIATOR].endpoint,
                                     connection->ends[SIDE_RESPONDER].endpoint};

  connection->workload = ulp_workload_new(&world->workload_config, index, connection);
  ulp_workload_lend(connection->workload, endpoints);
}

static void make_connection(sim_world *world, uint32_t index)
{
  end_domains domains;

  for (enum side side = 0; side < SIDES; side++) {
    domains[side] = rnic_host_protection_domain_new(world->hosts[side]);
  }
  make_end(world, index, SIDE_INITIATOR, domains);
  make_end(world, index, SIDE_RESPONDER, domains);
  make_workload(world, index);
}

static void free_fault(gpointer injector)
{
  fault_injector_free(injector);
}

/* All configurations are made once: asking the scenario costs more than the rest of a connection. */
static void make_connections(sim_world *world)
{
  for (enum side side = 0; side < SIDES; side++) {
    const sim_setup_place nowhere = {.host = world->hosts[side]};

    world->endpoint_configs[side] = sim_setup_endpoint(world->s, 0, side, &nowhere);
  }
  world->workload_config = sim_setup_workload(world->s, world->table);
  world->workload_config.can_post = sim_world_can_post;
  for (enum side side = 0; side < SIDES; side++) {
    bool posts = ulp_workload_posts(&world->workload_config, side);
    world->endpoint_events[side] = sim_world_events_of(side == world->measured, posts);
  }
  world->connections = g_aligned_alloc0(world->connection_count, sizeof(world_connection), CACHE_LINE_OCTETS);
  world->faults = g_ptr_array_new_with_free_func(free_fault);
  for (uint32_t i = 0; i < world->connection_count; i++) {
    make_connection(world, i);
  }
  await_start(world, 0);
}

static uint64_t progress_of(const sim_world *world)
{
  return world->delivered + SIDES * (uint64_t)world->connection_count - world->ends_open + world->started;
}

static void on_stall_timer(void *user, time_ps now)
{
  sim_world *world = user;
  time_ps stall = scenario_time(world->s, SCENARIO_RUN_STALL);
  uint64_t progress = progress_of(world);

  /* While connections wait for their start, nothing may happen for long. */
  if (progress == world->progress_seen && world->started == world->connection_count) {
    if (world->workloads_open > 0 || !world->ending.code) {
      sim_world_fail(
          world,
          g_strdup_printf("no progress in %.3f s of simulated time (run.stall): nothing was %sdelivered "
                          "and no connection closed",
                          time_ps_in_seconds(stall), world->delivered > 0 ? "" : "ever "));
    }
    /* Else one end of a terminated connection waits for what its peer never sends: it may listen again after a reset (RFC 793 §3.4). */
    world->abandoned = true;
    engine_stop(world->clock);
    return;
  }
  world->progress_seen = progress;
  engine_timer_set(world->stall_timer, now + stall);
}

static void make_hosts(sim_world *world)
{
  static const char *const names[SIDES] = {
      [SIDE_INITIATOR] = "stags.initiator", [SIDE_RESPONDER] = "stags.responder"};

  for (enum side side = 0; side < SIDES; side++) {
    world->hosts[side] =
        rnic_host_new(random_hash(scenario_integer(world->s, SCENARIO_RUN_SEED), names[side], 0));
    sim_setup_host_rate(world->s, world->hosts[side]);
    world->private_data[side] = sim_setup_private_data(world->s, side, world->table);
  }
  if (!scenario_is_word(world->s, SCENARIO_RECEIVER_MEMORY)) {
    rnic_host_limit_memory(world->hosts[world->measured],
                           scenario_integer(world->s, SCENARIO_RECEIVER_MEMORY),
                           (uint32_t)scenario_integer(world->s, SCENARIO_RECEIVER_CELL));
  }
}

sim_world *sim_world_new(const scenario *s, sim_engine_kind kind, const sim_world_files *files,
                         GError **error)
{
  engine *clock = sim_engine_new(kind, error);

  if (!clock) {
    return NULL;
  }
  sim_world *world = g_new0(sim_world, 1);
  world->s = s;
  world->clock = clock;
  world->measured = scenario_measured_side(s);
  world->table = pattern_new();
  make_hosts(world);
  const sim_network_events events = {
      .outputs = {[SIDE_INITIATOR] = on_responders_packet, [SIDE_RESPONDER] = on_initiators_packet},
      .is_fpdu_start = is_fpdu_start,
      .identifications = {[SIDE_INITIATOR] = rnic_host_identification(world->hosts[SIDE_INITIATOR]),
                          [SIDE_RESPONDER] = rnic_host_identification(world->hosts[SIDE_RESPONDER])}};
  world->network = check_ns3_tcp(s, error) ? sim_network_new(s, kind, clock, &events, world, error) : NULL;
  if (!world->network) {
    sim_world_free(world);
    return NULL;
  }
  world->captures[side_peer(world->measured)] = files->sender_capture;
  world->captures[world->measured] = files->receiver_capture;
  world->connection_count = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_CONNECTIONS);
  world->ends_open = SIDES * world->connection_count;
  world->workloads_open = world->connection_count;
  const sim_recorder_config recorder = sim_setup_recorder(s, files->series);
  world->recorder = sim_recorder_new(&recorder);
  make_inputs(world);
  make_connections(world);
  world->stall_timer = engine_timer_new(clock, ENGINE_WORKLOAD, UINT32_MAX, 0, on_stall_timer, world);
  world->progress_seen = UINT64_MAX;
  engine_timer_set(world->stall_timer, scenario_time(s, SCENARIO_RUN_STALL));
  return world;
}

static void connection_clear(world_connection *connection)
{
  for (enum side side = 0; side < SIDES; side++) {
    engine_timer_free(connection->ends[side].timer);
    rnic_endpoint_free(connection->ends[side].endpoint);
  }
  engine_timer_free(connection->workload_timer); /* NULL is allowed */
  ulp_workload_free(connection->workload);
}

void sim_world_free(sim_world *world)
{
  if (!world) {
    return;
  }
  for (uint32_t i = 0; world->connections && i < world->connection_count; i++) {
    connection_clear(&world->connections[i]);
  }
  g_aligned_free(world->connections);
  g_clear_pointer(&world->faults, g_ptr_array_unref);
  if (world->stall_timer) {
    engine_timer_free(world->stall_timer);
  }
  sim_ip_input_free(world->inputs[SIDE_INITIATOR]);
  sim_ip_input_free(world->inputs[SIDE_RESPONDER]);
  sim_network_free(world->network);
  engine_free(world->clock);
  sim_recorder_free(world->recorder);
  pattern_free(world->table);
  for (enum side side = 0; side < SIDES; side++) {
    rnic_host_free(world->hosts[side]);
    g_free(world->private_data[side]);
  }
  sim_ending_clear(&world->ending);
  g_free(world->failure);
  g_free(world);
}

/* --- Running --- */

void sim_world_run(sim_world *world)
{
  time_ps stop = scenario_time(world->s, SCENARIO_RUN_STOP);

  engine_run(world->clock, stop > 0 ? stop : TIME_PS_NEVER);
}
