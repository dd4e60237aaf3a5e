/* SPDX-License-Identifier: GPL-2.0-only */
/* This makes a session and runs it to its end. */
#include "base/random_stream.h"
#include "engine/order.h"
#include "fault/fault_edit.h"
#include "session/session_private.h"

/* Reading the clock costs 25 ns, a callback of the engine 100 ns and more. */
#define CALLBACKS_BETWEEN_LOOKS 256

#define REPORT_EVERY_US (G_USEC_PER_SEC / 10)

/* --- Hosts --- */

/* Returns whether what happens at the host is traced: measure.hosts has it, or names none. */
static bool is_traced(const session *self, uint32_t host)
{
  const configuration_of_graph *of = &self->config.configuration->of_graph;

  return of->named_count == 0 || configuration_names_host(of, host);
}

/* A trace keeps to the connections of the hosts that are traced. */
static void restrict_trace(const session *self)
{
  bool *kept = g_new(bool, self->connection_count);

  for (uint32_t i = 0; i < self->connection_count; i++) {
    const session_end *ends = self->connections[i].ends;

    kept[i] = is_traced(self, ends[SIDE_INITIATOR].host->number) ||
              is_traced(self, ends[SIDE_RESPONDER].host->number);
  }
  trace_keep_to(self->config.trace, kept, self->connection_count);
}

static void on_window(void *user, bool is_open, time_ps now)
{
  const session_host *host = user;
  session_network *network = host->session->network;

  if (host->session->messages) {
    session_messages_window(host->session->messages, is_open, now);
  }
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
  config.trace = is_traced(self, host->number) ? self->config.trace : NULL;
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
                                         : random_hash(c->run.seed, "stags.responder", number - 1),
                             self->hosts->rnic);
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
  const traffic_class *of = self->config.configuration->classes;

  self->connection_count = self->config.configuration->connections.count;
  g_autofree uint16_t *ports = traffic_ports(self->config.pairs, self->connection_count);
  self->connections = g_aligned_alloc0(self->connection_count, sizeof(session_connection), CACHE_LINE_OCTETS);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    const host_pair *pair = self->config.pairs ? &self->config.pairs[i] : &host_pair_of_path;
    const uint32_t *hosts = pair->hosts;
    of += i == of->first_connection + of->connection_count;
    self->connections[i].port = ports[i];
    self->connections[i].class = (uint8_t)(of - self->config.configuration->classes);
    for (enum side side = 0; side < SIDES; side++) {
      self->connections[i].ends[side] = (session_end){.session = self,
                                                      .host = session_host_of(self, hosts[side]),
                                                      .side = side,
                                                      .is_sink = of->measures[side]};
      self->connections[i].ends[side].host->sinks += of->measures[side];
    }
  }
}

session *session_new(const session_config *config)
{
  const configuration *c = config->configuration;
  session *self = g_new0(session, 1);

  self->config = *config;
  self->measured = c->measured;
  self->all_delivered = TIME_PS_NEVER;
  self->table = pattern_new();
  self->host_count = config->pairs ? config->hosts : HOSTS_OF_PATH;
  self->hosts = g_new0(session_host, self->host_count);
  place_connections(self);
  for (uint32_t i = 0; i < self->host_count; i++) {
    make_host(self, i);
  }
  return self;
}

static void free_classes(session *self)
{
  for (uint32_t i = 0; self->classes && i < self->config.configuration->class_count; i++) {
    session_class *class = &self->classes[i];

    for (uint32_t end = 0; class->sizes && end < SIDES * class->of->connection_count; end++) {
      g_free(class->sizes[end]);
    }
    g_free(class->sizes);
  }
  g_free(self->classes);
}

void session_free(session *self)
{
  if (!self) {
    return;
  }
  for (uint32_t i = 0; i < self->connection_count; i++) {
    session_connection *connection = &self->connections[i];

    for (enum side side = 0; side < SIDES; side++) {
      engine_timer_free(connection->ends[side].timer);
      rnic_endpoint_free(connection->ends[side].endpoint);
    }
    engine_timer_free(connection->workload_timer);
    for (enum side side = 0; side < SIDES; side++) {
      ulp_workload_free(connection->ends[side].workload);
    }
  }
  g_aligned_free(self->connections);
  free_classes(self);
  g_free(self->scopes);
  g_free(self->opened);
  g_clear_pointer(&self->first_tcp, g_hash_table_destroy);
  g_clear_pointer(&self->faults, g_ptr_array_unref);
  engine_timer_free(self->stall_timer);
  session_traffic_free(self->traffic);
  session_messages_free(self->messages);
  session_network_free(self->network);
  for (uint32_t i = 0; i < self->host_count; i++) {
    ip_input_free(self->hosts[i].input);
    flow_table_clear(&self->hosts[i].ends);
    rnic_host_free(self->hosts[i].rnic);
    g_free(self->hosts[i].counter);
    session_recorder_free(self->hosts[i].recorder);
    session_ending_clear(&self->hosts[i].ending);
  }
  g_free(self->hosts);
  pattern_free(self->table);
  for (enum side side = 0; side < SIDES; side++) {
    g_free(self->private_data[side]);
  }
  g_free(self->failure);
  g_free(self);
}

/* --- Connections --- */

/* The hosts of connection `index` know its ends, which find what arrives by its flow. */
static void place_connection(session *self, uint32_t index)
{
  session_connection *connection = &self->connections[index];

  for (enum side side = 0; side < SIDES; side++) {
    session_end *end = &connection->ends[side];
    const session_end *peer = &connection->ends[side_peer(side)];
    if (end->is_sink) {
      end->recorded = session_recorder_connect(end->host->recorder, index, side);
    } else if (self->config.absence) {
      continue;
    }
    end->host->first_end = end->host->first_end ? end->host->first_end : end;
    session_host *counts_at = self->config.measured == SESSION_ALL_HOSTS ? end->host : peer->host;
    if (peer->is_sink && !counts_at->first_source) {
      counts_at->first_source = end;
    }
    if (!self->config.absence) {
      flow_table_insert(&end->host->ends, end);
    }
    if (self->scopes) {
      *session_end_trace(end) =
          (trace_scope){.to = self->config.trace, .node = end->host->name, .connection = index, .side = side};
    }
  }
}

/* Where STags are renewed, the hosts choose before that those which the ends of all connections of a class
 * will allocate when they are made, and a fault its own. */
static void reserve_stags(const session *self, const session_class *class)
{
  const uint32_t stags[SIDES] = {ulp_workload_renewable_stags(&class->workload, SIDE_INITIATOR),
                                 ulp_workload_renewable_stags(&class->workload, SIDE_RESPONDER)};
  const bool any = stags[SIDE_INITIATOR] + stags[SIDE_RESPONDER] > 0;
  fault_config fault;

  for (uint32_t place = 0; any && place < class->of->connection_count; place++) {
    const uint32_t i = class->of->first_connection + place;
    const session_end *ends = self->connections[i].ends;
    for (enum side side = 0; side < SIDES; side++) {
      const bool has_decoy =
          session_setup_fault(session_configuration_of(ends[side].host), i, side, &fault) &&
          fault_row_of(fault.id)->decoy != FAULT_NO_DECOY;
      ddp_stag_table_reserve(ends[side].host->rnic->stags, stags[side]);
      ddp_stag_table_reserve(ends[side_peer(side)].host->rnic->stags, has_decoy);
    }
  }
}

/* Makes what the connections of each class have in common. */
static void make_classes(session *self)
{
  const configuration *c = self->config.configuration;

  self->classes = g_new0(session_class, c->class_count);
  for (uint32_t i = 0; i < c->class_count; i++) {
    session_class *class = &self->classes[i];
    const bool stops = c->classes[i].until_ps > 0 && !c->classes[i].workload.open_loop;

    class->of = &c->classes[i];
    class->workload = c->classes[i].workload;
    class->workload.table = self->table;
    class->workload.can_post = session_can_post;
    class->workload.message = session_on_message;
    class->workload.delivered =
        class->of->pattern.pattern == TRAFFIC_FLOWS ? session_on_message_delivered : NULL;
    class->workload.until_ps =
        stops ? class->of->until_ps : 0; /* after a beginning that is not known so far */
    if (class->of->sizes && !class->workload.open_loop) {
      class->sizes = g_new0(random_stream *, SIDES * class->of->connection_count);
      class->workload.draw_octets = session_draw_octets;
    }
    class->workload.counter = class->of->shares_atomic_memory ? session_shared_counter : NULL;
    class->holds = class->workload.think_time_ps > 0 || stops;
    self->stall_ps = MAX(self->stall_ps, time_ps_after(c->run.stall_ps, class->workload.think_time_ps));
  }
  if (!self->config.absence) {
    self->messages = session_messages_new(self);
    self->traffic = session_traffic_new(self);
  }
  for (uint32_t i = 0; i < c->class_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      self->classes[i].events[side] = session_endpoint_events(self, i, side);
    }
  }
}

/* Returns whether an end may have enhanced startup frames. */
static bool starts_by_rfc6581(const session *self)
{
  bool any = false;

  for (uint32_t i = 0; i < self->host_count && !self->config.absence; i++) {
    const rnic_endpoint_config *ends = session_configuration_of(&self->hosts[i])->endpoint;
    any = any || ends[SIDE_INITIATOR].generation == IWARP_RFC6581 ||
          ends[SIDE_RESPONDER].generation == IWARP_RFC6581;
  }
  return any;
}

void session_connect(session *self, session_network *network)
{
  const configuration *c = self->config.configuration;

  self->network = network;
  for (enum side side = 0; side < SIDES; side++) {
    self->private_data[side] = session_setup_private_data(c, side, self->table);
  }
  make_classes(self);
  self->ends_open = self->config.absence ? 1 : SIDES * self->connection_count;
  self->workloads_open = self->config.absence ? 0 : self->connection_count;
  self->scopes = self->config.trace ? g_new(trace_scope, SIDES * self->connection_count) : NULL;
  if (self->config.trace && c->of_graph.named_count > 0) {
    restrict_trace(self);
  }
  self->first_tcp = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)tcp_transport_free);
  self->opened = starts_by_rfc6581(self) ? g_new0(time_ps, self->connection_count) : NULL;
  self->revision = -1;
  self->faults = g_ptr_array_new_with_free_func((GDestroyNotify)fault_injector_free);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    place_connection(self, i);
  }
  for (uint32_t i = 0; i < c->class_count; i++) {
    reserve_stags(self, &self->classes[i]);
  }
  for (uint32_t i = 0; i < c->class_count && (self->config.absence || c->tcp_is_ns3); i++) {
    session_make_connections(self, c->classes[i].first_connection + c->classes[i].connection_count - 1);
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
  uint64_t ends_closed = SIDES * (uint64_t)self->connection_count - self->ends_open;
  uint64_t progress = self->delivered + ends_closed + self->started;

  /* While connections wait for their start, or messages for their time, nothing may happen for long. */
  const bool waits = self->awaited > 0 || (self->traffic && session_traffic_is_quiet(self->traffic));

  if (progress == self->progress_seen && !waits) {
    if (self->workloads_open > 0 || !self->ending) {
      session_fail(self,
                   g_strdup_printf("no progress in %.3f s of simulated time (run.stall): nothing was "
                                   "%sdelivered and no connection closed",
                                   time_ps_in_seconds(self->stall_ps), self->delivered > 0 ? "" : "ever "));
    }
    /* Otherwise an end of a terminated connection waits for what its peer never sends: it may listen again
     * after a reset (RFC 793 §3.4). */
    self->abandoned = true;
    engine_stop(self->config.clock);
    return;
  }
  self->progress_seen = progress;
  engine_timer_set(self->stall_timer, now + self->stall_ps);
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
    engine_timer_set(self->stall_timer, self->stall_ps);
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
  if (self->traffic) {
    return MAX(session_traffic_share(self->traffic, now), of_time);
  }
  for (uint32_t i = 0; i < self->connection_count; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      ulp_workload_results results = session_end_results(&self->connections[i].ends[side]);
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
