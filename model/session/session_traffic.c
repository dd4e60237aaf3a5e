/* SPDX-License-Identifier: GPL-2.0-only */
/* This drives the traffic of a session: it hands the messages of each class's source to the ULPs when they
 * are due, and opens the connections that they need. */
#include <math.h>

#include "engine/order.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/scenario_flows.h"
#include "scenario/scenario_volume.h"
#include "session/session_private.h"
#include "traffic/traffic_source.h"

/* This is the traffic of one class, or of all that share a flow list: the first of them has it. */
typedef struct class_traffic {
  session_traffic *traffic;
  session_class *class;
  uint32_t class_count;
  uint32_t connection_count;
  traffic_source *source; /* NULL: the ULPs post by themselves. These are its own: */
  host_pair *pairs;       /* … of the connections, … */
  double *intervals_ps;
  flow_list *flows;
  graph *network;      /* … and of the flow list */
  engine_timer *timer; /* of the next message; without a source, of the beginning */
  uint64_t submitted;  /* messages, … */
  uint64_t unfinished; /* … of which these are not complete; of terminated connections none */
  bool has_ended;
} class_traffic;

struct session_traffic {
  session *session;
  class_traffic
      *classes;     /* of the configuration, in its order; of those that have another's traffic, nothing */
  uint32_t opening; /* connections that the traffic waits for */
  time_ps zero;     /* when it begins; TIME_PS_NEVER: that is not known so far */
};

/* --- The end of a class --- */

/* A connection that no message ever needed has nothing to do. */
static void end_unused(session_connection *connection)
{
  session *self = connection->ends->session;

  connection->delivered = true;
  for (enum side side = 0; side < SIDES; side++) {
    connection->ends[side].closed = true;
    self->ends_open--;
  }
  session_workload_is_done(self);
}

/* No more messages are submitted at `connection`, which may be complete. */
static void end_connection(session_connection *connection, time_ps now)
{
  const ulp_workload_config *config = &session_class_of(connection->ends)->workload;

  for (enum side side = 0; side < SIDES; side++) {
    if (ulp_workload_posts(config, side)) {
      ulp_workload_end(connection->ends[side].workload);
    }
  }
  session_connection_note_delivery(connection);
  session_end_close_if_complete(&connection->ends[SIDE_INITIATOR]);
  session_end_settle(&connection->ends[SIDE_INITIATOR], now);
}

static void end_class(class_traffic *of, time_ps now)
{
  session *self = of->traffic->session;
  const uint32_t first = of->class->of->first_connection;

  of->has_ended = true;
  for (uint32_t i = first; i < first + of->connection_count; i++) {
    session_connection *connection = &self->connections[i];

    if (!connection->started) {
      end_unused(connection);
    } else if (!connection->terminated) {
      end_connection(connection, now);
    }
  }
}

/* --- Messages --- */

static void submit(class_traffic *of, const traffic_message *message, time_ps now)
{
  session *self = of->traffic->session;
  session_connection *connection = &self->connections[message->connection];
  session_end *end = &connection->ends[message->side];
  const ulp_request request = {.operation = (ulp_operation)message->operation,
                               .octets = message->octets,
                               .id = message->id,
                               .posted = now};

  if (!connection->started) {
    session_connection_open(connection, now);
  }
  ulp_workload_submit(end->workload, &request);
  of->submitted++;
  if (!connection->terminated) { /* else it stays incomplete */
    of->unfinished++;
    session_queue_changed(self, 1, now);
    if (!message->continues) { /* a batch is posted at once */
      session_end_settle(end, now);
    }
  }
}

/* Returns whether no message follows: those that wait for others wait in vain when none is on its way. */
static bool is_over(const class_traffic *of)
{
  return !of->source || traffic_source_is_done(of->source) ||
         (!traffic_source_peek(of->source) && of->unfinished == 0);
}

/* Sets the timer: for the next message, which is due at present at the earliest, or for the end. */
static void await_next(const class_traffic *of, time_ps now)
{
  const traffic_message *next = of->source ? traffic_source_peek(of->source) : NULL;

  if (next) {
    engine_timer_set(of->timer, MAX(time_ps_after(of->traffic->zero, next->at), now));
  } else if (!of->has_ended && is_over(of)) {
    engine_timer_set(of->timer, now);
  }
}

/* The ULPs of a class without a source may post. */
static void begin_posting(const class_traffic *of, time_ps now)
{
  session *self = of->traffic->session;
  const traffic_class *class = of->class->of;

  if (class->connects_at_first_use) {
    session_class_open(of->class, self, now);
    return;
  }
  for (uint32_t i = SIDES * class->first_connection;
       i < SIDES * (class->first_connection + class->connection_count); i++) {
    session_end_settle(&self->connections[i / SIDES].ends[i % SIDES], now);
  }
}

static void on_due(void *user, time_ps now)
{
  class_traffic *of = user;
  const time_ps zero = of->traffic->zero;
  const traffic_message *next;

  if (!of->class->workload.open_loop) {
    begin_posting(of, now);
    return;
  }
  while (of->source && (next = traffic_source_peek(of->source)) && time_ps_after(zero, next->at) <= now) {
    submit(of, next, now);
    traffic_source_take(of->source);
  }
  if (is_over(of)) {
    end_class(of, now);
  } else {
    await_next(of, now);
  }
}

/* --- What happens in the session --- */

static class_traffic *traffic_of(const session_traffic *traffic, const session_connection *connection)
{
  class_traffic *of = &traffic->classes[connection->class];

  while (of->class_count == 0) {
    of--;
  }
  return of;
}

/* A closed loop that begins at `now` ends at its time. */
static void set_until(session_class *class, time_ps now)
{
  if (!class->workload.open_loop && class->of->until_ps > 0) {
    class->workload.until_ps = time_ps_after(now, class->of->until_ps);
  }
}

static void begin(session_traffic *traffic, time_ps now)
{
  const configuration *c = traffic->session->config.configuration;

  traffic->zero = traffic->session->zero = now;
  for (uint32_t i = 0; i < c->class_count; i++) {
    set_until(&traffic->session->classes[i], now);
    if (traffic->classes[i].class_count > 0) {
      engine_timer_set(traffic->classes[i].timer, now);
    }
  }
}

void session_start(session *self, time_ps when)
{
  const configuration *c = self->config.configuration;
  session_traffic *traffic = self->traffic;

  self->zero = when;
  for (uint32_t i = 0; i < c->class_count; i++) {
    session_class *class = &self->classes[i];

    if (!traffic || !class->of->connects_at_first_use) {
      session_class_open(class, self, when);
    }
    if (!traffic) {
      set_until(class, when);
    }
  }
  if (traffic && traffic->opening == 0) {
    begin(traffic, when);
  }
}

bool session_traffic_has_begun(const session_traffic *traffic)
{
  return traffic->zero < TIME_PS_NEVER;
}

void session_traffic_opened(session_traffic *traffic, session_connection *connection, time_ps now)
{
  connection->is_open = true;
  if (!traffic_of(traffic, connection)->class->of->connects_at_first_use && --traffic->opening == 0) {
    begin(traffic, now);
  }
}

void session_traffic_delivered(session_traffic *traffic, const session_connection *connection, uint64_t id,
                               time_ps now)
{
  class_traffic *of = traffic_of(traffic, connection);

  if (of->flows) {
    traffic_source_delivered(of->source, id, now - traffic->zero);
    await_next(of, now);
  }
}

void session_traffic_completed(session_traffic *traffic, const session_connection *connection, time_ps now)
{
  class_traffic *of = traffic_of(traffic, connection);

  if (of->source && !connection->terminated && --of->unfinished == 0) {
    await_next(of, now);
  }
}

static void count(void *user, G_GNUC_UNUSED const ulp_message_times *times)
{
  ++*(uint64_t *)user;
}

void session_traffic_terminated(session_traffic *traffic, session_connection *connection, time_ps now)
{
  class_traffic *of = traffic_of(traffic, connection);
  uint64_t incomplete = 0, queued = 0;

  if (!connection->is_open) {
    session_traffic_opened(traffic, connection, now);
  }
  for (enum side side = 0; of->source && side < SIDES; side++) {
    ulp_workload_each_incomplete(connection->ends[side].workload, count, &incomplete);
    queued += ulp_workload_queued(connection->ends[side].workload);
  }
  of->unfinished -= incomplete;
  if (queued > 0) {
    session_queue_changed(traffic->session, -(int64_t)queued, now);
  }
  if (of->source && session_traffic_has_begun(traffic)) {
    await_next(of, now);
  }
}

bool session_traffic_is_quiet(const session_traffic *traffic)
{
  const uint32_t classes = traffic->session->config.configuration->class_count;
  bool more = false;

  for (uint32_t i = 0; i < classes; i++) {
    const class_traffic *of = &traffic->classes[i];

    if (of->unfinished > 0) {
      return false;
    }
    more = more || (of->source && traffic_source_peek(of->source));
  }
  return more && session_traffic_has_begun(traffic);
}

double session_traffic_share(const session_traffic *traffic, time_ps now)
{
  const configuration *c = traffic->session->config.configuration;
  double least = 1;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const class_traffic *of = &traffic->classes[i];
    const double until = of->source ? (double)of->class->of->until_ps : 0;

    if (until > 0) {
      least = fmin(least, (double)(now - traffic->session->zero) / until);
    } else if (of->source) {
      least = fmin(least, (double)of->submitted / scenario_messages(c, of->class->of));
    }
  }
  return session_traffic_has_begun(traffic) ? least : 0;
}

/* --- Making --- */

/* Opens the flow list of `traffic`, which was right when the scenario was read. */
static void open_flows(class_traffic *traffic)
{
  session *self = traffic->traffic->session;
  const configuration *c = self->config.configuration;
  g_autoptr(GError) error = NULL;
  size_t entry;

  traffic->network = c->graph.kind != GRAPH_PATH ? graph_new(&c->graph, &entry, NULL) : NULL;
  traffic->flows = scenario_flows_open(traffic->class->of, traffic->network, &error);
  if (!traffic->flows) {
    session_fail(self, g_strdup(error->message));
  }
}

/* Makes the source of messages that arrive whatever is complete. */
static void make_source(class_traffic *traffic)
{
  const session *self = traffic->traffic->session;
  const configuration *c = self->config.configuration;
  const traffic_class *of = traffic->class->of;
  const bool has_flows = of->pattern.pattern == TRAFFIC_FLOWS;

  traffic->pairs = g_new(host_pair, traffic->connection_count);
  for (uint32_t i = 0; i < traffic->connection_count; i++) {
    const session_end *ends = self->connections[of->first_connection + i].ends;
    traffic->pairs[i] = (host_pair){{ends[SIDE_INITIATOR].host->number, ends[SIDE_RESPONDER].host->number}};
  }
  if (has_flows) {
    open_flows(traffic);
  } else {
    traffic->intervals_ps = traffic_class_intervals_ps(of, c);
  }
  const traffic_source_config config = {
      .kind = has_flows                          ? TRAFFIC_SOURCE_FLOWS
              : of->arrivals == ARRIVALS_POISSON ? TRAFFIC_SOURCE_POISSON
                                                 : TRAFFIC_SOURCE_INTERVAL,
      .flows = traffic->flows,
      .name = traffic_class_name(of),
      .seed = c->run.seed,
      .pairs = traffic->pairs,
      .connection_count = traffic->connection_count,
      .first_connection = of->first_connection,
      .pattern = c->graph.kind != GRAPH_PATH ? of->pattern.pattern : TRAFFIC_PAIRS,
      .both = of->workload.both,
      .fan_in = of->pattern.fan_in,
      .interval_ps = traffic->intervals_ps,
      .spread_ps = of->start_spread_ps,
      .until_ps = of->until_ps,
      .messages = of->workload.messages < UINT64_MAX ? of->workload.messages : 0,
      .batch = of->batch,
      .operations = of->workload.mix,
      .sizes = of->sizes,
      .message_sizes = of->workload.message_sizes,
      .message_octets = of->message_octets,
  };
  if (!has_flows || traffic->flows) {
    traffic->source = traffic_source_new(&config);
  }
}

/* Makes the traffic of class number `first`, and of those that share it. */
static void make_traffic(session_traffic *traffic, uint32_t first)
{
  session *self = traffic->session;
  class_traffic *of = &traffic->classes[first];

  *of = (class_traffic){.traffic = traffic,
                        .class = &self->classes[first],
                        .class_count = MAX(self->classes[first].of->flows_class_count, 1)};
  for (uint32_t i = first; i < first + of->class_count; i++) {
    const traffic_class *class = self->classes[i].of;

    of->connection_count += class->connection_count;
    traffic->opening += class->connects_at_first_use ? 0 : class->connection_count;
  }
  if (of->class->workload.open_loop) {
    make_source(of);
  }
  of->timer = engine_timer_new(self->config.clock, ENGINE_WORKLOAD, ORDER_TRAFFIC + self->config.number,
                               first, on_due, of);
}

session_traffic *session_traffic_new(session *self)
{
  const configuration *c = self->config.configuration;
  session_traffic *traffic = NULL;

  for (uint32_t i = 0; i < c->class_count && !traffic; i++) {
    traffic = self->classes[i].workload.open_loop ? g_new(session_traffic, 1) : NULL;
  }
  if (!traffic) {
    return NULL;
  }
  *traffic = (session_traffic){
      .session = self, .classes = g_new0(class_traffic, c->class_count), .zero = TIME_PS_NEVER};
  for (uint32_t i = 0; i < c->class_count; i += traffic->classes[i].class_count) {
    make_traffic(traffic, i);
  }
  return traffic;
}

void session_traffic_free(session_traffic *traffic)
{
  if (!traffic) {
    return;
  }
  for (uint32_t i = 0; i < traffic->session->config.configuration->class_count; i++) {
    class_traffic *of = &traffic->classes[i];

    traffic_source_free(of->source);
    engine_timer_free(of->timer);
    flow_list_free(of->flows);
    graph_free(of->network);
    g_free(of->intervals_ps);
    g_free(of->pairs);
  }
  g_free(traffic->classes);
  g_free(traffic);
}
