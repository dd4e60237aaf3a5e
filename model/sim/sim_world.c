#include "sim/sim_world.h"

#include <inttypes.h>

#include "base/pattern.h"
#include "base/random_stream.h"
#include "sim/sim_ending.h"
#include "sim/sim_results.h"
#include "sim/sim_setup.h"

enum { ENDS = RNIC_WORKLOAD_ENDS }; /* of a connection, by mpa_role */

typedef struct world_connection world_connection;

/* One end with its timer. */
typedef struct world_end {
  world_connection *connection;
  mpa_role side;
  rnic_endpoint *endpoint;
  rnic_fault_bait *bait; /* that the peer's fault names; NULL: none */
  engine_timer *timer;
  bool closed;
  bool may_post; /* its ULP waited for a buffer and is to be woken */
} world_end;

struct world_connection {
  sim_world *world;
  uint32_t index;
  uint32_t protection_domains[ENDS];
  world_end ends[ENDS];
  rnic_workload *workload;
  engine_timer *workload_timer; /* starts the connection; later wakes ULPs */
  bool started;
  bool delivered;  /* all of its workload */
  bool terminated; /* ended as the documents say it must */
};

struct sim_world {
  const scenario *s;
  engine *clock;
  mpa_role measured; /* the Data Sink's side */
  rnic_host *hosts[ENDS];
  uint8_t *private_data[ENDS];
  sim_path *paths[SIM_DIRECTIONS];
  packet_capture *captures[ENDS];
  sim_recorder *recorder;
  pattern *table;
  world_connection *connections;
  uint32_t connection_count;
  uint32_t started;        /* connections that have been opened */
  uint32_t ends_open;      /* TCP */
  uint32_t workloads_open; /* neither all Delivered nor terminated */
  uint64_t delivered;      /* segments, at either end: progress */
  engine_timer *stall_timer;
  uint64_t progress_seen; /* when the stall timer last looked */
  bool abandoned;         /* nothing more happens, though not all ends are closed */
  char *failure;          /* why the run fails; NULL: it does not so far */
  sim_ending ending;      /* of the connection that was terminated first */
};

/* --- What one end does after every event --- */

static void settle(world_end *end, time_ps now)
{
  sim_world *world = end->connection->world;
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    if (world->captures[end->side]) {
      packet_capture_add(world->captures[end->side], packet, now);
    }
    sim_path_send(world->paths[sim_setup_direction_to(sim_setup_peer(end->side))], packet, now);
  }
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (engine_timer_when(end->timer) != deadline) {
    engine_timer_set(end->timer, deadline);
  }
  if (end->side == world->measured) {
    rnic_held held;
    rnic_endpoint_held(end->endpoint, &held);
    sim_recorder_held(world->recorder, end->connection->index, &held, now);
  }
}

static void on_timer(void *user, time_ps now)
{
  world_end *end = user;

  rnic_endpoint_run(end->endpoint, now);
  settle(end, now);
}

static void receive(sim_world *world, mpa_role side, datagram *packet, time_ps now)
{
  tcp_header header;

  datagram_tcp_header(packet, &header);
  uint32_t port = side == MPA_INITIATOR ? header.destination_port : header.source_port;
  g_assert(port >= SIM_INITIATOR_FIRST_PORT && port - SIM_INITIATOR_FIRST_PORT < world->connection_count);
  world_end *end = &world->connections[port - SIM_INITIATOR_FIRST_PORT].ends[side];
  if (world->captures[side]) {
    packet_capture_add(world->captures[side], packet, now);
  }
  rnic_endpoint_receive(end->endpoint, packet, now);
  datagram_unref(packet);
  settle(end, now);
}

static void on_initiators_packet(void *user, datagram *packet, time_ps now)
{
  receive(user, MPA_INITIATOR, packet, now);
}

static void on_responders_packet(void *user, datagram *packet, time_ps now)
{
  receive(user, MPA_RESPONDER, packet, now);
}

/* --- What endpoints tell --- */

/* A run ends when the workload is done and the connections are closed (definitions.md, Defaults). */
static bool is_done(const sim_world *world)
{
  return world->ends_open == 0 && world->workloads_open == 0;
}

static void stop_when_done(const sim_world *world)
{
  if (is_done(world)) {
    engine_stop(world->clock);
  }
}

static void fail(sim_world *world, char *failure)
{
  if (world->failure) {
    g_free(failure);
    return;
  }
  world->failure = failure;
  engine_stop(world->clock);
}

static bool on_want_operation(void *user, rnic_endpoint *endpoint, time_ps now)
{
  world_end *end = user;
  (void)endpoint;
  (void)now;

  return rnic_workload_post_next(end->connection->workload, end->side);
}

static void on_can_post(void *user, mpa_role side)
{
  world_connection *connection = user;

  connection->ends[side].may_post = true;
  engine_timer_set(connection->workload_timer, engine_now(connection->world->clock));
}

static void note_delivery(world_connection *connection)
{
  if (!connection->delivered && !connection->terminated && rnic_workload_is_delivered(connection->workload)) {
    connection->delivered = true;
    connection->world->workloads_open--;
    stop_when_done(connection->world);
  }
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  world_end *end = user;
  rnic_workload *workload = end->connection->workload;
  (void)now;

  rnic_workload_poll(workload, end->side);
  note_delivery(end->connection);
  if (rnic_workload_is_requester(workload, end->side) && rnic_workload_is_complete(workload)) {
    rnic_endpoint_close(endpoint);
  }
}

static void on_framed(void *user, uint64_t phase_offset)
{
  world_end *end = user;

  sim_recorder_framed(end->connection->world->recorder, end->connection->index, phase_offset);
}

static void on_retransmitted(void *user, int64_t phase_offset, uint32_t length, time_ps now)
{
  world_end *end = user;
  sim_world *world = end->connection->world;

  sim_recorder_retransmitted(
      world->recorder, end->connection->index, phase_offset, length,
      sim_path_earliest_arrival(world->paths[sim_setup_direction_to(world->measured)], now));
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  world_end *end = user;

  sim_recorder_segment(end->connection->world->recorder, end->connection->index, phase_offset, length,
                       new_octets, out_of_order, now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  world_end *end = user;
  bool out_of_order = rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start);

  sim_recorder_placed(end->connection->world->recorder, segment, ulpdu, out_of_order, now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  world_end *end = user;
  world_connection *connection = end->connection;
  sim_world *world = connection->world;

  world->delivered++;
  if (end->side == world->measured) {
    sim_recorder_delivered(world->recorder, segment, now);
  }
  rnic_workload_delivered(connection->workload, end->side, segment);
  if (segment->header.last) {
    note_delivery(connection);
  }
}

static void on_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now)
{
  world_end *end = user;
  sim_world *world = end->connection->world;
  mpa_role peer = sim_setup_peer(end->side);
  (void)now;

  if (!world->failure &&
      !sim_setup_private_data_is(world->s, peer, world->private_data[peer], octets, length)) {
    world->failure =
        g_strdup_printf("connection %u: the Private Data that came to the %s is not what was sent",
                        end->connection->index, sim_setup_side_name(end->side));
    engine_stop(world->clock);
  }
}

static void on_finished(void *user, rnic_endpoint *endpoint, time_ps now)
{
  (void)user;
  (void)now;
  rnic_endpoint_close(endpoint);
}

static void on_closed(void *user, time_ps now)
{
  world_end *end = user;
  world_connection *connection = end->connection;
  sim_world *world = connection->world;
  (void)now;

  if (end->closed) {
    return;
  }
  end->closed = true;
  world->ends_open--;
  if (!connection->delivered && !connection->terminated &&
      connection->ends[sim_setup_peer(end->side)].closed) {
    fail(world, g_strdup_printf("connection %u was closed before its workload was done", connection->index));
  }
  stop_when_done(world);
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  world_end *end = user;
  world_connection *connection = end->connection;
  sim_world *world = connection->world;

  if (connection->terminated) {
    return; /* what the other end says of the same end */
  }
  if (!sim_ending_is_documented(world->s, connection->index, failure)) {
    fail(world, g_strdup_printf("connection %u failed at its %s after %.12f s: %s", connection->index,
                                sim_setup_side_name(end->side), time_ps_in_seconds(now),
                                rnic_failure_text(failure)));
    return;
  }
  sim_ending_note(&world->ending, connection->index, end->side, failure, now);
  connection->terminated = true;
  world->workloads_open -= !connection->delivered;
}

/* --- Building --- */

/* The Data Sink is measured; what the Data Source sends is known for that. */
static rnic_endpoint_events events_of(const world_end *end)
{
  bool measured = end->side == end->connection->world->measured;

  return (rnic_endpoint_events){.want_operation = on_want_operation,
                                .completion = on_completion,
                                .private_data = on_private_data,
                                .placed = measured ? on_placed : NULL,
                                .delivered = on_delivered,
                                .segment = measured ? on_segment : NULL,
                                .retransmitted = measured ? NULL : on_retransmitted,
                                .framed = measured ? NULL : on_framed,
                                .finished = on_finished,
                                .closed = on_closed,
                                .failed = on_failed};
}

static void make_end(world_connection *connection, mpa_role side)
{
  sim_world *world = connection->world;
  world_end *end = &connection->ends[side];
  world_end *peer = &connection->ends[sim_setup_peer(side)];
  rnic_fault_config fault;
  bool faulty = sim_setup_fault(world->s, connection->index, side, &fault);

  end->connection = connection;
  end->side = side;
  if (faulty) {
    peer->bait = rnic_fault_bait_new(world->hosts[sim_setup_peer(side)],
                                     connection->protection_domains[sim_setup_peer(side)], fault.row->bait);
    fault.bait_stag = rnic_fault_bait_stag(peer->bait);
  }
  const sim_setup_place place = {.host = world->hosts[side],
                                 .protection_domain = connection->protection_domains[side],
                                 .private_data = world->private_data[side],
                                 .fault = faulty ? &fault : NULL};
  const rnic_endpoint_config config = sim_setup_endpoint(world->s, connection->index, side, &place);
  const rnic_endpoint_events events = events_of(end);
  end->endpoint = rnic_endpoint_new(&config, &events, end);
  end->timer =
      engine_timer_new(world->clock, ENGINE_TIMER, connection->index * ENDS + side, 0, on_timer, end);
}

static void on_workload_due(void *user, time_ps now)
{
  world_connection *connection = user;

  if (!connection->started) {
    connection->started = true;
    connection->world->started++;
    rnic_endpoint_start(connection->ends[MPA_RESPONDER].endpoint, now);
    rnic_endpoint_start(connection->ends[MPA_INITIATOR].endpoint, now);
    settle(&connection->ends[MPA_INITIATOR], now);
    return;
  }
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    if (connection->ends[side].may_post) {
      connection->ends[side].may_post = false;
      settle(&connection->ends[side], now);
    }
  }
}

static void make_workload(world_connection *connection)
{
  rnic_endpoint *endpoints[ENDS] = {connection->ends[MPA_INITIATOR].endpoint,
                                    connection->ends[MPA_RESPONDER].endpoint};
  rnic_workload_config config =
      sim_setup_workload(connection->world->s, connection->index, connection->world->table);

  config.can_post = on_can_post;
  config.user = connection;
  connection->workload = rnic_workload_new(&config);
  rnic_workload_lend(connection->workload, endpoints);
}

static void make_connection(sim_world *world, uint32_t index)
{
  world_connection *connection = &world->connections[index];
  time_ps spread = scenario_time(world->s, SCENARIO_WORKLOAD_START_SPREAD);

  connection->world = world;
  connection->index = index;
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    connection->protection_domains[side] = rnic_host_protection_domain_new(world->hosts[side]);
  }
  make_end(connection, MPA_INITIATOR);
  make_end(connection, MPA_RESPONDER);
  make_workload(connection);
  connection->workload_timer =
      engine_timer_new(world->clock, ENGINE_WORKLOAD, index, 0, on_workload_due, connection);
  engine_timer_set(connection->workload_timer, (time_ps)((__int128)spread * index / world->connection_count));
}

static uint64_t progress_of(const sim_world *world)
{
  return world->delivered + ENDS * (uint64_t)world->connection_count - world->ends_open + world->started;
}

static void on_stall_timer(void *user, time_ps now)
{
  sim_world *world = user;
  time_ps stall = scenario_time(world->s, SCENARIO_RUN_STALL);
  uint64_t progress = progress_of(world);

  /* While connections wait for their start, nothing may happen for long. */
  if (progress == world->progress_seen && world->started == world->connection_count) {
    if (world->workloads_open > 0 || !world->ending.code) {
      fail(world,
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

static bool make_paths(sim_world *world, sim_engine_kind kind, GError **error)
{
  world->paths[SIM_FORWARD] =
      sim_path_new(world->s, SIM_FORWARD, kind, world->clock, on_responders_packet, world, error);
  if (!world->paths[SIM_FORWARD]) {
    return false;
  }
  world->paths[SIM_REVERSE] =
      sim_path_new(world->s, SIM_REVERSE, kind, world->clock, on_initiators_packet, world, error);
  return world->paths[SIM_REVERSE] != NULL;
}

static void make_hosts(sim_world *world)
{
  static const char *const names[ENDS] = {
      [MPA_INITIATOR] = "stags.initiator", [MPA_RESPONDER] = "stags.responder"};

  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    world->hosts[side] =
        rnic_host_new(random_hash(scenario_integer(world->s, SCENARIO_RUN_SEED), names[side], 0));
    world->private_data[side] = sim_setup_private_data(world->s, side, world->table);
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
  if (!make_paths(world, kind, error)) {
    sim_world_free(world);
    return NULL;
  }
  world->measured = sim_setup_measured(s);
  world->captures[sim_setup_peer(world->measured)] = files->sender_capture;
  world->captures[world->measured] = files->receiver_capture;
  world->connection_count = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_CONNECTIONS);
  world->ends_open = ENDS * world->connection_count;
  world->workloads_open = world->connection_count;
  const sim_recorder_config recorder = sim_setup_recorder(s, files->series);
  world->recorder = sim_recorder_new(&recorder);
  world->table = pattern_new();
  make_hosts(world);
  world->connections = g_new0(world_connection, world->connection_count);
  for (uint32_t i = 0; i < world->connection_count; i++) {
    make_connection(world, i);
  }
  world->stall_timer = engine_timer_new(clock, ENGINE_WORKLOAD, UINT32_MAX, 0, on_stall_timer, world);
  world->progress_seen = UINT64_MAX;
  engine_timer_set(world->stall_timer, scenario_time(s, SCENARIO_RUN_STALL));
  return world;
}

static void connection_clear(world_connection *connection)
{
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    engine_timer_free(connection->ends[side].timer);
    rnic_endpoint_free(connection->ends[side].endpoint);
    rnic_fault_bait_free(connection->ends[side].bait);
  }
  engine_timer_free(connection->workload_timer);
  rnic_workload_free(connection->workload);
}

void sim_world_free(sim_world *world)
{
  if (!world) {
    return;
  }
  for (uint32_t i = 0; world->connections && i < world->connection_count; i++) {
    connection_clear(&world->connections[i]);
  }
  g_free(world->connections);
  if (world->stall_timer) {
    engine_timer_free(world->stall_timer);
  }
  sim_path_free(world->paths[SIM_FORWARD]);
  sim_path_free(world->paths[SIM_REVERSE]);
  engine_free(world->clock);
  sim_recorder_free(world->recorder);
  pattern_free(world->table);
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
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

/* --- Results --- */

/* Memory that a fault's victim lends to nobody the peer may use it as. */
static bool baits_untouched(const sim_world *world)
{
  bool untouched = true;

  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    untouched = untouched && rnic_fault_bait_is_untouched(world->connections[0].ends[side].bait);
  }
  return untouched;
}

/* What was wrong with what was Delivered; "" when nothing was. Free with g_free(). */
static char *check(const sim_world *world, const sim_totals *totals)
{
  if (world->failure) {
    return g_strdup(world->failure);
  }
  if (!baits_untouched(world)) {
    return g_strdup("memory was written, or an STag invalidated, that the peer had no right to");
  }
  return sim_totals_check(totals);
}

static void add_totals(const sim_world *world, sim_totals *totals)
{
  for (uint32_t i = 0; i < world->connection_count; i++) {
    const world_connection *connection = &world->connections[i];
    const sim_totals_connection parts = {
        .workload = connection->workload,
        .measured = world->measured,
        .source = connection->ends[sim_setup_peer(world->measured)].endpoint,
        .sink = connection->ends[world->measured].endpoint,
    };
    sim_totals_add(totals, &parts);
  }
}

run_status sim_world_finish(sim_world *world, metric_values *values, sim_world_outcome *outcome)
{
  sim_totals totals = {0};
  time_ps now = engine_now(world->clock);

  *outcome = (sim_world_outcome){.message = NULL};
  add_totals(world, &totals);
  sim_recorder_finish(world->recorder, now, values);
  sim_totals_set_metrics(&totals, world->s, values);
  metric_values_set(values, METRIC_PATH_PACKETS_LOST,
                    (double)(sim_path_packets_lost(world->paths[SIM_FORWARD]) +
                             sim_path_packets_lost(world->paths[SIM_REVERSE])));
  metric_values_set(
      values, METRIC_PATH_QUEUE_PEAK_OCTETS,
      (double)sim_path_queue_peak_octets(world->paths[sim_setup_direction_to(world->measured)]));
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
  outcome->message = check(world, &totals);
  if (*outcome->message != '\0') {
    return RUN_FAILED;
  }
  if (!is_done(world) && !world->abandoned) {
    g_free(outcome->message);
    outcome->message = g_strdup_printf("run.stop reached: %" PRIu64 " of %" PRIu64 " messages were delivered",
                                       totals.delivered, totals.expected);
    return RUN_STOPPED;
  }
  if (world->ending.code) {
    g_free(outcome->message);
    outcome->message = g_strdup(world->ending.message);
    outcome->terminate_code = g_strdup(world->ending.code);
    outcome->terminate_side = sim_setup_side_name(world->ending.side);
    return RUN_TERMINATED;
  }
  return RUN_OK;
}
