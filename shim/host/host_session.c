#include "shim/host/host_session.h"

#include <glib.h>
#include <string.h>

#include "base/random_stream.h"
#include "shim/ns3_engine.h"
#include "sim/sim_recorder.h"
#include "sim/sim_results.h"
#include "sim/sim_setup.h"

typedef struct host_connection host_connection;

typedef struct host_end {
  host_connection *connection;
  enum side side;
  rnic_endpoint *endpoint;
  engine_timer *timer;
  bool closed;
  bool may_post; /* its ULP waited for a buffer and is to be woken */
} host_end;

struct host_connection {
  host_session *session;
  uint32_t index;
  host_end ends[SIDES];
  ulp_workload *workload;
  engine_timer *workload_timer; /* starts the connection; later wakes ULPs */
  bool started;
};

struct host_session {
  scenario *s;
  engine *clock;
  enum side measured;
  rnic_host *hosts[SIDES];
  uint8_t *private_data[SIDES];
  pattern *table;
  ulp_workload_config workload_config; /* of all connections */
  sim_recorder *recorder;
  host_connection *connections;
  uint32_t connection_count;
  uint32_t ends_open;
  host_session_output output;
  void *user;
  uint8_t *wire;
  char *failure; /* the first; NULL: none */
  metric_values metrics;
};

/* --- An end at work --- */

static void settle(host_end *end, time_ps now)
{
  host_session *session = end->connection->session;
  datagram *packet;
  rnic_held held;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    datagram_write(packet, session->wire, true);
    session->output(session->user, end->side, session->wire, datagram_octets(packet));
    datagram_unref(packet);
  }
  engine_timer_set(end->timer, rnic_endpoint_deadline(end->endpoint));
  if (end->side == session->measured) {
    rnic_endpoint_held(end->endpoint, &held);
    sim_recorder_held(session->recorder, end->connection->index, &held, now);
  }
}

static void on_timer(void *user, time_ps now)
{
  host_end *end = user;

  rnic_endpoint_run(end->endpoint, now);
  settle(end, now);
}

static void on_workload_due(void *user, time_ps now)
{
  host_connection *connection = user;

  if (!connection->started) {
    connection->started = true;
    rnic_endpoint_start(connection->ends[SIDE_RESPONDER].endpoint, now);
    rnic_endpoint_start(connection->ends[SIDE_INITIATOR].endpoint, now);
    settle(&connection->ends[SIDE_INITIATOR], now);
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    if (connection->ends[side].may_post) {
      connection->ends[side].may_post = false;
      settle(&connection->ends[side], now);
    }
  }
}

static void can_post(void *user, enum side side)
{
  host_connection *connection = user;

  connection->ends[side].may_post = true;
  engine_timer_set(connection->workload_timer, engine_now(connection->session->clock));
}

static host_end *end_of(host_session *session, enum side side, const datagram *packet)
{
  ip_address own = sim_setup_address(session->s, side);
  datagram_flow flow;

  if (!datagram_flow_of(packet, &flow)) {
    return NULL;
  }
  /* An ICMP message quotes a packet of this host's. */
  bool outward = packet->kind == DATAGRAM_TOO_BIG;
  const ip_address *mine = outward ? &flow.source : &flow.destination;
  bool initiators = (side == SIDE_INITIATOR) != outward;
  uint32_t port = initiators ? flow.destination_port : flow.source_port;
  bool is_ours = ip_address_equal(mine, &own) && port >= SIM_INITIATOR_FIRST_PORT &&
                 port - SIM_INITIATOR_FIRST_PORT < session->connection_count;
  return is_ours ? &session->connections[port - SIM_INITIATOR_FIRST_PORT].ends[side] : NULL;
}

void host_session_receive(host_session *session, enum side side, const uint8_t *octets, uint32_t length)
{
  octet_block *block = octet_block_new(MAX(length, 1));
  time_ps now = ns3_shim_now();

  memcpy(octet_block_octets(block), octets, length);
  datagram *packet = datagram_read(block, octet_block_octets(block), length);
  octet_block_unref(block);
  host_end *end = packet ? end_of(session, side, packet) : NULL;
  if (end && end->connection->started) {
    rnic_endpoint_receive(end->endpoint, packet, now);
    settle(end, now);
  }
  datagram_unref(packet);
}

/* --- What the endpoints tell --- */

static bool on_want_operation(void *user, rnic_endpoint *endpoint, time_ps now)
{
  host_end *end = user;
  (void)endpoint;
  (void)now;

  return ulp_workload_post_next(end->connection->workload, end->side);
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  host_end *end = user;
  ulp_workload *workload = end->connection->workload;
  (void)now;

  ulp_workload_poll(workload, end->side);
  if (ulp_workload_is_requester(workload, end->side) && ulp_workload_is_complete(workload)) {
    rnic_endpoint_close(endpoint);
  }
}

static bool is_measured(const host_end *end)
{
  return end->side == end->connection->session->measured;
}

static void on_framed(void *user, uint64_t phase_offset)
{
  host_end *end = user;

  sim_recorder_framed(end->connection->session->recorder, end->connection->index, phase_offset);
}

static void on_retransmitted(void *user, int64_t phase_offset, uint32_t length, time_ps now)
{
  host_end *end = user;

  /* Nothing is known of the path but that it is not faster than light: it can be there at once. */
  sim_recorder_retransmitted(end->connection->session->recorder, end->connection->index, phase_offset, length,
                             now);
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  host_end *end = user;

  sim_recorder_segment(end->connection->session->recorder, end->connection->index, phase_offset, length,
                       new_octets, out_of_order, now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  host_end *end = user;

  sim_recorder_placed(end->connection->session->recorder, segment, ulpdu,
                      rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start), now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  host_end *end = user;

  if (is_measured(end)) {
    sim_recorder_delivered(end->connection->session->recorder, segment, now);
  }
  ulp_workload_delivered(end->connection->workload, end->side, segment);
}

static void on_finished(void *user, rnic_endpoint *endpoint, time_ps now)
{
  (void)user;
  (void)now;
  rnic_endpoint_close(endpoint);
}

static void on_closed(void *user, time_ps now)
{
  host_end *end = user;
  (void)now;

  end->connection->session->ends_open -= !end->closed;
  end->closed = true;
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  host_end *end = user;
  host_session *session = end->connection->session;

  if (!session->failure) {
    session->failure =
        g_strdup_printf("connection %u failed at its %s after %.12f s: %s", end->connection->index,
                        sim_setup_side_name(end->side), time_ps_in_seconds(now), rnic_failure_text(failure));
  }
}

/* --- Building --- */

/* What is measured of the Data Sink, and what of the Data Source is known for that. */
static const rnic_endpoint_events sink_events = {.want_operation = on_want_operation,
                                                 .completion = on_completion,
                                                 .placed = on_placed,
                                                 .delivered = on_delivered,
                                                 .segment = on_segment,
                                                 .finished = on_finished,
                                                 .closed = on_closed,
                                                 .failed = on_failed};
static const rnic_endpoint_events source_events = {.want_operation = on_want_operation,
                                                   .completion = on_completion,
                                                   .delivered = on_delivered,
                                                   .retransmitted = on_retransmitted,
                                                   .framed = on_framed,
                                                   .finished = on_finished,
                                                   .closed = on_closed,
                                                   .failed = on_failed};

static void make_end(host_connection *connection, enum side side)
{
  host_session *session = connection->session;
  host_end *end = &connection->ends[side];
  bool measured = side == session->measured;
  const sim_setup_place place = {.host = session->hosts[side],
                                 .protection_domain = rnic_host_protection_domain_new(session->hosts[side]),
                                 .private_data = session->private_data[side]};
  const rnic_endpoint_config config = sim_setup_endpoint(session->s, connection->index, side, &place);

  end->connection = connection;
  end->side = side;
  end->endpoint = rnic_endpoint_new(&config, measured ? &sink_events : &source_events, end);
  end->timer = engine_timer_new(session->clock, ENGINE_TIMER, connection->index * SIDES + (uint32_t)side, 0,
                                on_timer, end);
}

static void make_connection(host_session *session, uint32_t index)
{
  host_connection *connection = &session->connections[index];

  connection->session = session;
  connection->index = index;
  make_end(connection, SIDE_INITIATOR);
  make_end(connection, SIDE_RESPONDER);
  rnic_endpoint *endpoints[SIDES] = {connection->ends[SIDE_INITIATOR].endpoint,
                                     connection->ends[SIDE_RESPONDER].endpoint};
  connection->workload = ulp_workload_new(&session->workload_config, index, connection);
  ulp_workload_lend(connection->workload, endpoints);
  connection->workload_timer =
      engine_timer_new(session->clock, ENGINE_WORKLOAD, index, 0, on_workload_due, connection);
}

/* What belongs to the scenario's own path, or to its own way of ending a run. */
static char *find_unsupported(const scenario *s)
{
  fault_config fault;

  if (sim_setup_address(s, SIDE_INITIATOR).version != 4) {
    return g_strdup("a host in another's ns-3 program speaks IPv4 only");
  }
  if (sim_setup_fault(s, 0, SIDE_INITIATOR, &fault) || sim_setup_fault(s, 0, SIDE_RESPONDER, &fault)) {
    return g_strdup("a host in another's ns-3 program does no faults");
  }
  return NULL;
}

static void build(host_session *session)
{
  const sim_recorder_config recorder = sim_setup_recorder(session->s, NULL);
  uint64_t seed = scenario_integer(session->s, SCENARIO_RUN_SEED);

  session->measured = scenario_measured_side(session->s);
  session->connection_count = (uint32_t)scenario_integer(session->s, SCENARIO_WORKLOAD_CONNECTIONS);
  session->ends_open = SIDES * session->connection_count;
  session->recorder = sim_recorder_new(&recorder);
  session->table = pattern_new();
  session->workload_config = sim_setup_workload(session->s, session->table);
  session->workload_config.can_post = can_post;
  session->wire = g_malloc(UINT16_MAX);
  for (enum side side = 0; side < SIDES; side++) {
    session->hosts[side] = rnic_host_new(random_hash(seed, "host.stags", (uint64_t)side));
    sim_setup_host_rate(session->s, session->hosts[side]);
    session->private_data[side] = sim_setup_private_data(session->s, side, session->table);
  }
  session->connections = g_new0(host_connection, session->connection_count);
  for (uint32_t i = 0; i < session->connection_count; i++) {
    make_connection(session, i);
  }
}

host_session *host_session_new(const char *path, const char *const *sets, host_session_output output,
                               void *user, char **message)
{
  GError *wrong = NULL;
  ns3_shim_error error;
  scenario *s = scenario_load(path, sets, &wrong);

  if (!s) {
    *message = g_strdup(wrong->message);
    g_error_free(wrong);
    return NULL;
  }
  *message = find_unsupported(s);
  engine *clock = *message ? NULL : ns3_engine_new(&error);
  if (!clock) {
    if (!*message) {
      *message = g_strdup(error.message);
    }
    scenario_free(s);
    return NULL;
  }
  host_session *session = g_new0(host_session, 1);
  session->s = s;
  session->clock = clock;
  session->output = output;
  session->user = user;
  build(session);
  return session;
}

void host_session_free(host_session *session)
{
  if (!session) {
    return;
  }
  for (uint32_t i = 0; i < session->connection_count; i++) {
    host_connection *connection = &session->connections[i];
    for (enum side side = 0; side < SIDES; side++) {
      engine_timer_free(connection->ends[side].timer);
      rnic_endpoint_free(connection->ends[side].endpoint);
    }
    engine_timer_free(connection->workload_timer);
    ulp_workload_free(connection->workload);
  }
  g_free(session->connections);
  engine_free(session->clock);
  sim_recorder_free(session->recorder);
  pattern_free(session->table);
  for (enum side side = 0; side < SIDES; side++) {
    rnic_host_free(session->hosts[side]);
    g_free(session->private_data[side]);
  }
  scenario_free(session->s);
  g_free(session->wire);
  g_free(session->failure);
  g_free(session);
}

void host_session_start(host_session *session, time_ps when)
{
  time_ps spread = scenario_time(session->s, SCENARIO_WORKLOAD_START_SPREAD);

  for (uint32_t i = 0; i < session->connection_count; i++) {
    engine_timer_set(session->connections[i].workload_timer,
                     when + (time_ps)((__int128)spread * i / session->connection_count));
  }
}

uint32_t host_session_address(const host_session *session, enum side side)
{
  (void)session;

  return side == SIDE_INITIATOR ? SIM_INITIATOR_ADDRESS : SIM_RESPONDER_ADDRESS;
}

/* --- How it went --- */

static void add_totals(const host_session *session, sim_totals *totals)
{
  for (uint32_t i = 0; i < session->connection_count; i++) {
    const host_connection *connection = &session->connections[i];
    const sim_totals_connection parts = {
        .workload = connection->workload,
        .measured = session->measured,
        .source = connection->ends[side_peer(session->measured)].endpoint,
        .sink = connection->ends[session->measured].endpoint,
    };
    sim_totals_add(totals, &parts);
  }
}

bool host_session_is_done(const host_session *session)
{
  bool delivered = true;

  for (uint32_t i = 0; i < session->connection_count; i++) {
    delivered = delivered && ulp_workload_is_delivered(session->connections[i].workload);
  }
  return delivered && session->ends_open == 0;
}

char *host_session_failure(const host_session *session)
{
  sim_totals totals = {0};

  if (session->failure) {
    return g_strdup(session->failure);
  }
  add_totals(session, &totals);
  return sim_totals_check(&totals);
}

void host_session_finish(host_session *session)
{
  sim_totals totals = {0};
  time_ps now = ns3_shim_now();

  add_totals(session, &totals);
  sim_recorder_finish(session->recorder, now, &session->metrics);
  sim_totals_set_metrics(&totals, session->s, &session->metrics);
  metric_values_set(&session->metrics, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
}

bool host_session_metric(const host_session *session, const char *name, double *value)
{
  metric_id id = metric_find(name);

  if (id == METRIC_COUNT || !session->metrics.present[id]) {
    return false;
  }
  *value = session->metrics.value[id];
  return true;
}

char *host_session_metrics_text(const host_session *session)
{
  GString *text = g_string_new(NULL);

  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (session->metrics.present[id]) {
      const metric_row *row = metric_row_of(id);
      g_string_append_printf(text, "%s = %.10g %s\n", row->name, session->metrics.value[id], row->unit);
    }
  }
  return g_string_free(text, FALSE);
}
