/* SPDX-License-Identifier: GPL-2.0-only */
/* This makes a session and runs it to its end. */
#include "base/random_stream.h"
#include "engine/order.h"
#include "platform/ns3_types.h"
#include "platform/run_engine.h"
#include "rnic/rnic_verbs.h"
#include "session/session_private.h"

/* Reading the clock costs 25 ns, a callback of the engine 100 ns and more. */
#define CALLBACKS_BETWEEN_LOOKS 256

#define REPORT_EVERY_US (G_USEC_PER_SEC / 10)

/* --- Hosts --- */

static void on_window(void *user, bool is_open, time_ps now)
{
  const session_host *host = user;
  session_network *network = host->session->network;

  if (network->class->measured) {
    network->class->measured(network, host->number, is_open, now);
  }
}

static void make_recorder(const session *self, session_host *host)
{
  FILE *const *series = self->config.series;
  session_recorder_config config = session_setup_recorder(session_configuration_of(host), host->sinks,
                                                          series ? series[host->number] : NULL);

  config.on_window = on_window;
  config.user = host;
  config.trace = self->config.trace;
  config.node = host->name;
  config.side = self->measured;
  config.unknown = self->config.configuration->connections.count + host->number;
  host->recorder = session_recorder_new(&config);
}

static void make_host(session *self, uint32_t number)
{
  session_host *host = &self->hosts[number];
  bool measured = host->sinks > 0;

  host->session = self;
  host->number = number;
  const configuration *c = session_configuration_of(host);
  ip_reassembly_config reassembly =
      session_setup_reassembly(c, measured ? self->measured : side_peer(self->measured));
  g_snprintf(host->name, sizeof host->name, "h%u", number);
  session_host_init_ends(host);
  host->rnic = rnic_host_new(number == 0 ? random_hash(c->run.seed, "stags.initiator", 0)
                                         : random_hash(c->run.seed, "stags.responder", number - 1));
  host->capture = self->config.captures ? self->config.captures[number] : NULL;
  host->address = session_setup_address(c, self->config.number, number);
  host->input = ip_input_new(&reassembly, self->config.number * SESSION_HOSTS_MAX + number,
                             self->config.clock, &session_input_events, host);
  session_setup_limits(c, measured, host->rnic);
  if (measured) {
    make_recorder(self, host);
  }
}

/* Places the ends of the connections at their hosts. */
static void place_connections(session *self)
{
  g_autoptr(GHashTable) opened = g_hash_table_new(NULL, NULL); /* how many, from one host to another */

  self->connection_count = self->config.configuration->connections.count;
  self->connections = g_aligned_alloc0(self->connection_count, sizeof(session_connection), CACHE_LINE_OCTETS);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    const host_pair *pair = self->config.pairs ? &self->config.pairs[i] : &session_scenario_pair;
    const uint32_t *hosts = pair->hosts;
    const gpointer key = GUINT_TO_POINTER(hosts[SIDE_INITIATOR] * SESSION_HOSTS_MAX + hosts[SIDE_RESPONDER]);
    const uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(opened, key));

    g_assert(before < SESSION_PAIR_CONNECTIONS_MAX);
    g_hash_table_insert(opened, key, GUINT_TO_POINTER(before + 1));
    self->connections[i].port = (uint16_t)(SESSION_INITIATOR_FIRST_PORT + before);
    for (enum side side = 0; side < SIDES; side++) {
      self->connections[i].ends[side] =
          (session_end){.session = self, .host = session_host_of(self, hosts[side]), .side = side};
    }
    self->connections[i].ends[self->measured].host->sinks++;
  }
}

session *session_new(const session_config *config)
{
  const configuration *c = config->configuration;
  session *self = g_new0(session, 1);

  self->config = *config;
  self->measured = c->measured;
  self->table = pattern_new();
  self->host_count = config->pairs ? config->hosts : SESSION_SCENARIO_HOSTS;
  self->hosts = g_new0(session_host, self->host_count);
  place_connections(self);
  for (uint32_t i = 0; i < self->host_count; i++) {
    make_host(self, i);
  }
  return self;
}

/* --- Connections --- */

/* Memory for Sends that nobody reads. */
static uint8_t *supply_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t id)
{
  return NULL;
}

static void make_end(session *self, uint32_t index, enum side side, const uint32_t domains[SIDES])
{
  const session_absence *absence = self->config.absence;
  session_end *end = &self->connections[index].ends[side];
  const configuration *c = session_configuration_of(end->host);
  enum side peer = side_peer(side);
  const ns3_tcp_transport_place ns3_place = {.wake = session_end_set_timer, .user = end};
  fault_config fault;
  fault_injector *injector = NULL;

  if (!end->host->first_end) {
    end->host->first_end = end;
  }
  session_host *counts_at =
      self->config.measured == SESSION_ALL_HOSTS ? end->host : self->connections[index].ends[peer].host;
  if (side != self->measured && !counts_at->first_source) {
    counts_at->first_source = end;
  }
  if (session_setup_fault(c, index, side, &fault)) {
    injector = fault_injector_new(&fault, self->connections[index].ends[peer].host->rnic, domains[peer]);
    g_ptr_array_add(self->faults, injector);
  }
  const datagram_flow flow = session_end_flow(end);
  if (!absence) {
    flow_table_insert(&end->host->ends, end);
  }
  rnic_endpoint_config config = session_setup_endpoint(c, index, side, &flow);
  config.host = end->host->rnic;
  config.protection_domain = domains[side];
  config.private_data = self->private_data[side];
  config.fault = injector ? &injector->misbehaviour : NULL;
  const session_end *sink = &self->connections[index].ends[self->measured];
  config.starts = end == sink ? NULL : session_recorder_starts(sink->host->recorder, sink->recorded);
  if ((config.tcp.trace = session_end_trace(end))) {
    *config.tcp.trace =
        (trace_scope){.to = self->config.trace, .node = end->host->name, .connection = index, .side = side};
  }
  if (c->tcp_is_ns3) {
    config.tcp_new = run_engine_ns3_tcp();
    config.tcp_new_user = (void *)&ns3_place;
  }
  if (absence) {
    absence->configure(absence->user, index, &config);
  }
  end->endpoint = rnic_endpoint_new(&config, &self->endpoint_events[side], end);
  end->timer = engine_timer_new(self->config.clock, ENGINE_TIMER,
                                order_of_end(self->config.number, index, side), 0, session_end_on_timer, end);
  end->timer_due = TIME_PS_NEVER;
  if (absence) {
    rnic_supply_receives(end->endpoint, supply_nothing, NULL);
    rnic_post_receives(end->endpoint, INT32_MAX, absence->receive_octets, 0);
    rnic_endpoint_start(end->endpoint, 0);
  }
}

static void make_connection(session *self, uint32_t index)
{
  session_connection *connection = &self->connections[index];
  uint32_t domains[SIDES];

  for (enum side side = 0; side < SIDES; side++) {
    domains[side] = rnic_host_protection_domain_new(connection->ends[side].host->rnic);
  }
  session_end *sink = &connection->ends[self->measured];
  sink->recorded = session_recorder_connect(sink->host->recorder, index);
  if (self->config.absence) {
    make_end(self, index, self->measured, domains);
    connection->delivered = true;
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    make_end(self, index, side, domains);
  }
  ulp_agreement *agreement = ulp_agreement_new(&self->workload_config, index, connection);
  for (enum side side = 0; side < SIDES; side++) {
    session_end *end = &connection->ends[side];
    end->workload = ulp_workload_new(agreement, side, end->endpoint);
  }
}

void session_connect(session *self, session_network *network)
{
  const configuration *c = self->config.configuration;

  self->network = network;
  self->workload_config = c->workload;
  self->workload_config.table = self->table;
  self->workload_config.can_post = session_can_post;
  for (enum side side = 0; side < SIDES; side++) {
    self->private_data[side] = session_setup_private_data(c, side, self->table);
    self->endpoint_events[side] = session_endpoint_events(self, side);
  }
  self->ends_open = self->config.absence ? 1 : SIDES * self->connection_count;
  self->workloads_open = self->config.absence ? 0 : self->connection_count;
  self->scopes = self->config.trace ? g_new(trace_scope, SIDES * self->connection_count) : NULL;
  self->faults = g_ptr_array_new_with_free_func((GDestroyNotify)fault_injector_free);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    make_connection(self, i);
  }
}

session_network_ends session_ends(session *self, const host_pair *pair)
{
  session_network_ends ends = {.output = session_receive,
                               .is_fpdu_start = session_is_fpdu_start,
                               .connection_of = session_find_connection,
                               .session = self,
                               .trace = self->config.trace};

  for (enum side side = 0; side < SIDES; side++) {
    session_host *host = session_host_of(self, pair->hosts[side]);
    ends.hosts[side] = host->number;
    ends.users[side_peer(side)] = host; /* What leaves one host arrives at the other one. */
    ends.nodes[side] = host->name;
    ends.identifications[side] = &host->rnic->identification;
  }
  return ends;
}

/* --- Running --- */

static void on_stall_timer(void *user, time_ps now)
{
  session *self = user;
  const configuration *c = self->config.configuration;
  time_ps stall = c->run.stall_ps;
  uint64_t ends_closed = SIDES * (uint64_t)self->connection_count - self->ends_open;
  uint64_t progress = self->delivered + ends_closed + self->started;

  /* While connections wait for their start, nothing may happen for long. */
  if (progress == self->progress_seen && self->started == self->connection_count) {
    if (self->workloads_open > 0 || !self->ending) {
      session_fail(self, g_strdup_printf("no progress in %.3f s of simulated time (run.stall): nothing was "
                                         "%sdelivered and no connection closed",
                                         time_ps_in_seconds(stall), self->delivered > 0 ? "" : "ever "));
    }
    /* Otherwise an end of a terminated connection waits for what its peer never sends: it may listen again
     * after a reset (RFC 793 §3.4). */
    self->abandoned = true;
    engine_stop(self->config.clock);
    return;
  }
  self->progress_seen = progress;
  engine_timer_set(self->stall_timer, now + stall);
}

void session_run(session *self)
{
  const configuration *c = self->config.configuration;
  time_ps stop = c->run.stop_ps;
  gint64 start_us = g_get_monotonic_time();

  self->is_running = true;
  if (!self->config.absence) {
    self->stall_timer =
        engine_timer_new(self->config.clock, ENGINE_WORKLOAD, ORDER_STALL, 0, on_stall_timer, self);
    self->progress_seen = UINT64_MAX;
    engine_timer_set(self->stall_timer, c->run.stall_ps);
    session_start(self, 0);
  }
  engine_run(self->config.clock, stop > 0 ? stop : TIME_PS_NEVER);
  self->wall_us = g_get_monotonic_time() - start_us;
}

/* --- Progress --- */

static double share_of(const session *self, time_ps now)
{
  const configuration *c = self->config.configuration;
  time_ps stop = c->run.stop_ps;
  double of_time = stop > 0 ? (double)now / (double)stop : 0;
  uint64_t delivered = 0;
  uint64_t expected = 0;

  if (self->network->class->share) {
    return self->network->class->share(self->network);
  }

  for (uint32_t i = 0; i < self->connection_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      ulp_workload_results results = ulp_workload_results_of(self->connections[i].ends[side].workload);
      delivered += results.messages_delivered;
      expected += results.messages_expected;
    }
  }
  return MAX((double)delivered / (double)MAX(expected, 1), of_time);
}

static void look(void *user, time_ps now)
{
  session *self = user;
  gint64 wall_us = g_get_monotonic_time();

  if (wall_us - self->progress_reported_us < REPORT_EVERY_US) {
    return;
  }
  self->progress_reported_us = wall_us;
  const session_progress progress = {.now = now, .share = CLAMP(share_of(self, now), 0, 1)};
  self->on_progress(&progress, self->on_progress_user);
}

void session_on_progress(session *self, session_progress_function function, void *user)
{
  if (!function) {
    return;
  }
  self->on_progress = function;
  self->on_progress_user = user;
  self->progress_reported_us = g_get_monotonic_time();
  engine_observe(self->config.clock, CALLBACKS_BETWEEN_LOOKS, look, self);
}
