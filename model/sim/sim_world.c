#include "sim/sim_world.h"

#include <inttypes.h>

#include "base/pattern.h"
#include "base/random_stream.h"
#include "rnic/rnic_workload.h"
#include "sim/sim_path.h"
#include "sim/sim_recorder.h"
#include "sim/sim_results.h"

/* Addresses and ports of the two hosts: 10.0.0.1 opens connection i from port 49152 + i to 10.0.0.2, port 5044. */
enum {
  INITIATOR_ADDRESS = 0x0A000001,
  RESPONDER_ADDRESS = 0x0A000002,
  INITIATOR_FIRST_PORT = 49152,
  RESPONDER_PORT = 5044,
};

/* The two ends of every connection. The main direction is forward: the Initiator is the Data Source. */
typedef enum world_side { SIDE_SOURCE, SIDE_SINK, SIDES } world_side;

typedef struct world_connection world_connection;

/* One end with its timer. */
typedef struct world_end {
  world_connection *connection;
  world_side side;
  rnic_endpoint *endpoint;
  engine_timer *timer;
  bool closed;
} world_end;

struct world_connection {
  sim_world *world;
  uint32_t index;
  world_end ends[SIDES];
  rnic_workload *workload;
  engine_timer *workload_timer; /* starts the connection; later wakes the Data Source's ULP */
  bool started;
};

struct sim_world {
  const scenario *s;
  engine *clock;
  sim_path *paths[SIM_DIRECTIONS];
  packet_capture *captures[SIDES];
  sim_recorder *recorder;
  pattern *table;
  world_connection *connections;
  uint32_t connection_count;
  uint32_t started;    /* connections that have been opened */
  uint32_t ends_open;  /* TCP */
  uint32_t sinks_open; /* connections whose workload is not all Delivered */
  engine_timer *stall_timer;
  uint64_t progress_seen; /* when the stall timer last looked */
  char *failure;          /* why the run fails; NULL: it does not so far */
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
    sim_path_send(world->paths[end->side == SIDE_SOURCE ? SIM_FORWARD : SIM_REVERSE], packet, now);
  }
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (engine_timer_when(end->timer) != deadline) {
    engine_timer_set(end->timer, deadline);
  }
  if (end->side == SIDE_SINK) {
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

static void receive(sim_world *world, world_side side, datagram *packet, time_ps now)
{
  tcp_header header;

  datagram_tcp_header(packet, &header);
  uint32_t port = side == SIDE_SOURCE ? header.destination_port : header.source_port;
  g_assert(port >= INITIATOR_FIRST_PORT && port - INITIATOR_FIRST_PORT < world->connection_count);
  world_end *end = &world->connections[port - INITIATOR_FIRST_PORT].ends[side];
  if (world->captures[side]) {
    packet_capture_add(world->captures[side], packet, now);
  }
  rnic_endpoint_receive(end->endpoint, packet, now);
  datagram_unref(packet);
  settle(end, now);
}

static void on_source_packet(void *user, datagram *packet, time_ps now)
{
  receive(user, SIDE_SOURCE, packet, now);
}

static void on_sink_packet(void *user, datagram *packet, time_ps now)
{
  receive(user, SIDE_SINK, packet, now);
}

/* --- What endpoints tell --- */

/* A run ends when the workload is done and the connections are closed (definitions.md, Defaults). */
static bool is_done(const sim_world *world)
{
  return world->ends_open == 0 && world->sinks_open == 0;
}

static void stop_when_done(const sim_world *world)
{
  if (is_done(world)) {
    engine_stop(world->clock);
  }
}

static bool on_want_operation(void *user, rnic_endpoint *endpoint, time_ps now)
{
  world_end *end = user;
  (void)now;

  return rnic_workload_post_next(end->connection->workload, rnic_endpoint_stream(endpoint));
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  world_end *end = user;
  rnic_workload *workload = end->connection->workload;
  (void)id;
  (void)now;

  rnic_workload_completed(workload);
  if (rnic_workload_source_done(workload)) {
    rnic_endpoint_close(end->endpoint);
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

  sim_recorder_retransmitted(world->recorder, end->connection->index, phase_offset, length,
                             sim_path_earliest_arrival(world->paths[SIM_FORWARD], now));
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

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  world_end *end = user;
  world_connection *connection = end->connection;

  sim_recorder_delivered(connection->world->recorder, segment, now);
  if (rnic_workload_delivered(connection->workload, segment, buffer_id)) {
    engine_timer_set(connection->workload_timer, now);
  }
  if (segment->header.last && rnic_workload_sink_done(connection->workload)) {
    connection->world->sinks_open--;
    stop_when_done(connection->world);
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
  sim_world *world = end->connection->world;
  (void)now;

  if (!end->closed) {
    end->closed = true;
    world->ends_open--;
    stop_when_done(world);
  }
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  world_end *end = user;
  sim_world *world = end->connection->world;

  if (!world->failure) {
    world->failure =
        g_strdup_printf("connection %u failed at its %s after %.12f s: %s", end->connection->index,
                        end->side == SIDE_SOURCE ? "Data Source" : "Data Sink", time_ps_in_seconds(now),
                        rnic_failure_text(failure));
  }
  engine_stop(world->clock);
}

/* --- Building --- */

static rnic_endpoint_config endpoint_config(const sim_world *world, uint32_t connection, world_side side)
{
  const scenario *s = world->s;
  bool source = side == SIDE_SOURCE;
  sim_direction sends = source ? SIM_FORWARD : SIM_REVERSE;
  uint16_t initiator_port = (uint16_t)(INITIATOR_FIRST_PORT + connection);
  bool stream = g_str_equal(scenario_text(s, SCENARIO_SENDER_SEGMENTATION), "stream");
  bool in_order = g_str_equal(scenario_text(s, SCENARIO_RECEIVER_MODE), "in-order");

  return (rnic_endpoint_config){
      .tcp = {.local_address = source ? INITIATOR_ADDRESS : RESPONDER_ADDRESS,
              .remote_address = source ? RESPONDER_ADDRESS : INITIATOR_ADDRESS,
              .local_port = source ? initiator_port : RESPONDER_PORT,
              .remote_port = source ? RESPONDER_PORT : initiator_port,
              .isn = (uint32_t)random_hash(scenario_integer(s, SCENARIO_RUN_SEED),
                                           source ? "tcp.isn.initiator" : "tcp.isn.responder", connection),
              .receive_mtu_octets = sim_path_link_config(s, source ? SIM_REVERSE : SIM_FORWARD).mtu_octets,
              .send_mtu_octets = sim_path_link_config(s, sends).mtu_octets,
              .receive_window_octets = scenario_receive_window_octets(s),
              .initial_window_segments = (uint32_t)scenario_integer(s, SCENARIO_TCP_INITIAL_WINDOW),
              .sack = scenario_boolean(s, SCENARIO_TCP_SACK),
              .timestamps = scenario_boolean(s, SCENARIO_TCP_TIMESTAMPS),
              .delayed_ack_segments = (uint32_t)scenario_integer(s, SCENARIO_TCP_DELAYED_ACK_SEGMENTS),
              .delayed_ack_ps = scenario_time(s, SCENARIO_TCP_DELAYED_ACK),
              .duplicate_ack_threshold = (uint32_t)scenario_integer(s, SCENARIO_TCP_DUPLICATE_ACKS),
              .rto_initial_ps = scenario_time(s, SCENARIO_TCP_RTO_INITIAL),
              .rto_min_ps = scenario_time(s, SCENARIO_TCP_RTO_MIN),
              .rto_max_ps = scenario_time(s, SCENARIO_TCP_RTO_MAX),
              .retries_max = (uint32_t)scenario_integer(s, SCENARIO_TCP_RETRIES),
              .segmentation = stream ? TCP_SEGMENTATION_STREAM : TCP_SEGMENTATION_ALIGNED,
              .passing = in_order ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED},
      .generation = MPA_GENERATION_IETF,
      .role = source ? MPA_INITIATOR : MPA_RESPONDER,
      .markers = scenario_boolean(s, SCENARIO_MPA_MARKERS),
      .crc = scenario_boolean(s, SCENARIO_MPA_CRC),
      .placement_latency_ps = source ? 0 : scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY),
  };
}

static rnic_workload *make_workload(const sim_world *world, uint32_t connection)
{
  const scenario *s = world->s;
  uint64_t rate = sim_path_link_config(s, SIM_FORWARD).rate_bit_per_s;
  /* What is acknowledged and not placed yet: the placement latency's worth, and a whole segment that came at one instant. */
  uint64_t segments = 2 * (uint64_t)sim_path_link_config(s, SIM_FORWARD).mtu_octets;
  double waiting_s = time_ps_in_seconds(scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY));
  bool send = g_str_equal(scenario_text(s, SCENARIO_WORKLOAD_OPERATION), "send");
  const rnic_workload_config config = {
      .connection = connection,
      .operation = send ? RNIC_OPERATION_SEND : RNIC_OPERATION_WRITE,
      .message_octets = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_MESSAGE_SIZE),
      .messages = scenario_integer(s, SCENARIO_WORKLOAD_MESSAGES),
      .signal_every = scenario_integer(s, SCENARIO_WORKLOAD_SIGNAL_EVERY),
      .outstanding = scenario_integer(s, SCENARIO_WORKLOAD_OUTSTANDING),
      .in_flight_octets =
          scenario_receive_window_octets(s) + segments + (uint64_t)((double)rate / 8 * waiting_s),
      .table = world->table,
  };

  return rnic_workload_new(&config);
}

static void make_end(world_connection *connection, world_side side)
{
  static const rnic_endpoint_events events[SIDES] = {
      [SIDE_SOURCE] = {.want_operation = on_want_operation,
                       .completed = on_completed,
                       .framed = on_framed,
                       .retransmitted = on_retransmitted,
                       .closed = on_closed,
                       .failed = on_failed},
      [SIDE_SINK] = {.placed = on_placed,
                     .delivered = on_delivered,
                     .segment = on_segment,
                     .finished = on_finished,
                     .closed = on_closed,
                     .failed = on_failed},
  };
  sim_world *world = connection->world;
  world_end *end = &connection->ends[side];
  const rnic_endpoint_config config = endpoint_config(world, connection->index, side);

  end->connection = connection;
  end->side = side;
  end->endpoint = rnic_endpoint_new(&config, &events[side], end);
  end->timer =
      engine_timer_new(world->clock, ENGINE_TIMER, connection->index * SIDES + side, 0, on_timer, end);
}

static void on_workload_due(void *user, time_ps now)
{
  world_connection *connection = user;

  if (!connection->started) {
    connection->started = true;
    connection->world->started++;
    rnic_endpoint_start(connection->ends[SIDE_SINK].endpoint, now);
    rnic_endpoint_start(connection->ends[SIDE_SOURCE].endpoint, now);
  }
  settle(&connection->ends[SIDE_SOURCE], now);
}

static void make_connection(sim_world *world, uint32_t index)
{
  world_connection *connection = &world->connections[index];
  time_ps spread = scenario_time(world->s, SCENARIO_WORKLOAD_START_SPREAD);

  connection->world = world;
  connection->index = index;
  connection->workload = make_workload(world, index);
  make_end(connection, SIDE_SOURCE);
  make_end(connection, SIDE_SINK);
  rnic_workload_lend(connection->workload, rnic_endpoint_stream(connection->ends[SIDE_SINK].endpoint));
  connection->workload_timer =
      engine_timer_new(world->clock, ENGINE_WORKLOAD, index, 0, on_workload_due, connection);
  engine_timer_set(connection->workload_timer, (time_ps)((__int128)spread * index / world->connection_count));
}

static sim_recorder *make_recorder(const scenario *s, const sim_world_files *files, uint32_t connections)
{
  enum { SERIES_CONNECTIONS = 16 }; /* design.md: the RNIC and up to 16 connections */
  const char *series = scenario_text(s, SCENARIO_MEASURE_SERIES);
  const sim_recorder_config config = {
      .connections = connections,
      .cell_octets = (uint32_t)scenario_integer(s, SCENARIO_RECEIVER_CELL),
      .placement_latency_ps = scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY),
      .receive_window_octets = scenario_receive_window_octets(s),
      .series = g_str_equal(series, "none") ? NULL : files->series,
      .series_all = g_str_equal(series, "all"),
      .series_connections = MIN(connections, (uint32_t)SERIES_CONNECTIONS),
  };

  return sim_recorder_new(&config);
}

static uint64_t progress_of(const sim_world *world)
{
  return sim_recorder_segments_delivered(world->recorder) + SIDES * (uint64_t)world->connection_count -
         world->ends_open + world->started;
}

static void on_stall_timer(void *user, time_ps now)
{
  sim_world *world = user;
  time_ps stall = scenario_time(world->s, SCENARIO_RUN_STALL);
  uint64_t progress = progress_of(world);

  /* While connections wait for their start, nothing may happen for long. */
  if (progress == world->progress_seen && world->started == world->connection_count) {
    bool ever = sim_recorder_segments_delivered(world->recorder) > 0;
    world->failure =
        g_strdup_printf("no progress in %.3f s of simulated time (run.stall): nothing was %sdelivered "
                        "and no connection closed",
                        time_ps_in_seconds(stall), ever ? "" : "ever ");
    engine_stop(world->clock);
    return;
  }
  world->progress_seen = progress;
  engine_timer_set(world->stall_timer, now + stall);
}

static bool make_paths(sim_world *world, sim_engine_kind kind, GError **error)
{
  world->paths[SIM_FORWARD] =
      sim_path_new(world->s, SIM_FORWARD, kind, world->clock, on_sink_packet, world, error);
  if (!world->paths[SIM_FORWARD]) {
    return false;
  }
  world->paths[SIM_REVERSE] =
      sim_path_new(world->s, SIM_REVERSE, kind, world->clock, on_source_packet, world, error);
  return world->paths[SIM_REVERSE] != NULL;
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
  world->captures[SIDE_SOURCE] = files->sender_capture;
  world->captures[SIDE_SINK] = files->receiver_capture;
  world->connection_count = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_CONNECTIONS);
  world->ends_open = SIDES * world->connection_count;
  world->sinks_open = world->connection_count;
  world->recorder = make_recorder(s, files, world->connection_count);
  world->table = pattern_new();
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
  for (world_side side = 0; side < SIDES; side++) {
    engine_timer_free(connection->ends[side].timer);
    rnic_endpoint_free(connection->ends[side].endpoint);
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

static bool checks_passed(const sim_totals *totals, char **message)
{
  *message = sim_totals_check(totals);
  return **message == '\0';
}

run_status sim_world_finish(sim_world *world, metric_values *values, char **message)
{
  sim_totals totals = {0};
  time_ps now = engine_now(world->clock);

  for (uint32_t i = 0; i < world->connection_count; i++) {
    const world_connection *connection = &world->connections[i];
    sim_totals_add(&totals, connection->workload, connection->ends[SIDE_SOURCE].endpoint,
                   connection->ends[SIDE_SINK].endpoint);
  }
  sim_recorder_finish(world->recorder, now, values);
  sim_totals_set_metrics(&totals, world->s, values);
  metric_values_set(values, METRIC_PATH_PACKETS_LOST,
                    (double)(sim_path_packets_lost(world->paths[SIM_FORWARD]) +
                             sim_path_packets_lost(world->paths[SIM_REVERSE])));
  metric_values_set(values, METRIC_PATH_QUEUE_PEAK_OCTETS,
                    (double)sim_path_queue_peak_octets(world->paths[SIM_FORWARD]));
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
  if (world->failure) {
    *message = g_strdup(world->failure);
    return RUN_FAILED;
  }
  if (!is_done(world)) {
    *message = g_strdup_printf("run.stop reached: %" PRIu64 " of %" PRIu64 " messages were delivered",
                               totals.results.messages_delivered, totals.operations);
    return RUN_STOPPED;
  }
  return checks_passed(&totals, message) ? RUN_OK : RUN_FAILED;
}
