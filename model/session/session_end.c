/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what an end of a connection does after every event, and how packets and the start of the connection
 * reach it. */
#include "base/numbers.h"
#include "engine/order.h"
#include "session/session_private.h"

/* --- After every event --- */

static void send(const session_host *host, datagram *packet, time_ps now)
{
  session_network *network = host->session->network;

  if (host->capture) {
    packet_capture_add(host->capture, packet, now);
  }
  network->class->send(network, host->number, packet, now);
}

void session_end_set_timer(void *user, time_ps when)
{
  session_end *end = user;

  end->timer_due = when;
  engine_timer_set(end->timer, when);
}

void session_end_settle(session_end *end, time_ps now)
{
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    send(end->host, packet, now);
  }
  /* Nearly every segment moves TCP's deadline, mostly to later. A timer that is too early looks again when
   * it is due. */
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (deadline < end->timer_due) {
    session_end_set_timer(end, deadline);
  }
  session_recorder *recorder = end->host->recorder;
  if (end->is_sink && !(session_recorder_expects_nothing_held(recorder, end->recorded, now) &&
                        rnic_endpoint_holds_nothing(end->endpoint))) {
    rnic_occupancy held;
    rnic_endpoint_held(end->endpoint, &held);
    session_recorder_held(recorder, end->recorded, &held, now);
  }
}

void session_end_on_timer(void *user, time_ps now)
{
  session_end *end = user;
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);

  end->timer_due = TIME_PS_NEVER;
  if (deadline > now) {
    session_end_set_timer(end, deadline);
    return;
  }
  rnic_endpoint_run(end->endpoint, now);
  session_end_settle(end, now);
}

/* --- The workload --- */

/* Returns whether all of it is Delivered, which has not been noted so far. */
static inline bool is_done_now(const session_connection *connection)
{
  return !connection->delivered && !connection->terminated &&
         ulp_workload_is_delivered(connection->ends[SIDE_INITIATOR].workload) &&
         ulp_workload_is_delivered(connection->ends[SIDE_RESPONDER].workload);
}

void session_connection_note_delivery(session_connection *connection)
{
  if (is_done_now(connection)) {
    connection->delivered = true;
    session_workload_is_done(connection->ends->session);
  }
}

void session_end_close_if_complete(session_end *end)
{
  const session_connection *connection = session_connection_of(end);

  if (ulp_workload_posts(&session_class_of(end)->workload, end->side) &&
      ulp_workload_is_complete(connection->ends[SIDE_INITIATOR].workload) &&
      ulp_workload_is_complete(connection->ends[SIDE_RESPONDER].workload)) {
    rnic_endpoint_close(end->endpoint);
  }
}

static void on_workload_due(void *user, time_ps now);

/* The connection's timer, made when it has none, is due at `when`. */
static void set_workload_timer(session_connection *connection, time_ps when)
{
  const session_end *end = &connection->ends[SIDE_INITIATOR];

  if (!connection->workload_timer) {
    connection->workload_timer =
        engine_timer_new(end->session->config.clock, ENGINE_WORKLOAD,
                         order_of_connection(end->session->config.number, session_end_index(end)), 0,
                         on_workload_due, connection);
  }
  engine_timer_set(connection->workload_timer, when);
}

/* The connections of a class start one after the other, so a single timer waits for the next start: that of
 * its connection number `place`, from 0 on. */
static void await_start(session_class *class, session *self, uint32_t place)
{
  const traffic_class *of = class->of;
  const int128 spread = of->start_spread_ps;

  if (place < of->connection_count) {
    set_workload_timer(&self->connections[of->first_connection + place],
                       class->start + (time_ps)(spread * place / of->connection_count));
  }
}

void session_connection_open(session_connection *connection, time_ps now)
{
  session_end *ends = connection->ends;

  connection->started = true;
  ends->session->started++;
  if (ends->session->opened) {
    ends->session->opened[session_end_index(ends)] = now;
  }
  session_make_connections(ends->session, session_end_index(ends));
  rnic_endpoint_start(ends[SIDE_RESPONDER].endpoint, now);
  rnic_endpoint_start(ends[SIDE_INITIATOR].endpoint, now);
  session_end_settle(&ends[SIDE_INITIATOR], now);
}

void session_connection_await_thought(session_connection *connection, time_ps now)
{
  const session_end *ends = connection->ends;
  const ulp_workload_config *config = &session_class_of(ends)->workload;
  /* Its time may end before a message, and before a Responder may send: nothing else notes that. */
  for (enum side side = 0; side < SIDES && config->until_ps > 0 && now >= config->until_ps; side++) {
    if (!connection->delivered) {
      ulp_workload_note_time(ends[side].workload, now);
    }
  }
  time_ps when = is_done_now(connection) ? now : TIME_PS_NEVER;

  for (enum side side = 0; side < SIDES; side++) {
    const time_ps held_until = ulp_workload_held_until(ends[side].workload);
    /* A time that has come waits for room to send, not for a timer. */
    when = held_until > now ? time_ps_earlier(when, held_until) : when;
  }
  if (when < TIME_PS_NEVER && !ends[SIDE_INITIATOR].may_post && !ends[SIDE_RESPONDER].may_post) {
    set_workload_timer(connection, when);
  }
}

void session_connection_await_second_try(session_connection *connection)
{
  set_workload_timer(connection, engine_now(connection->ends->session->config.clock));
}

static void on_workload_due(void *user, time_ps now)
{
  session_connection *connection = user;
  session *self = connection->ends[SIDE_INITIATOR].session;
  session_class *class = session_class_of(connection->ends);

  if (connection->falls_back) {
    session_start_again(connection, now);
    session_end_settle(&connection->ends[SIDE_INITIATOR], now);
    return;
  }

  if (!connection->started) {
    engine_timer_free(connection->workload_timer);
    connection->workload_timer = NULL;
    self->awaited--;
    await_start(class, self, session_end_index(connection->ends) - class->of->first_connection + 1);
    session_connection_open(connection, now);
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    session_end *end = &connection->ends[side];
    if (end->may_post || ulp_workload_held_until(end->workload) <= now) {
      end->may_post = false;
      session_end_settle(end, now);
    }
  }
  if (class->holds) { /* its time may have come to its end */
    session_connection_note_delivery(connection);
    session_end_close_if_complete(&connection->ends[SIDE_INITIATOR]);
    session_end_settle(&connection->ends[SIDE_INITIATOR], now);
    session_connection_await_thought(connection, now);
  }
}

void session_class_open(session_class *class, session *self, time_ps when)
{
  class->start = when;
  self->awaited += class->of->connection_count;
  await_start(class, self, 0);
}

void session_can_post(void *user, enum side side)
{
  session_connection *connection = user;

  connection->ends[side].may_post = true;
  set_workload_timer(connection, engine_now(connection->ends[side].session->config.clock));
}

/* --- What arrives --- */

/* This is what a capture shows, which is no flow of the session's own addresses. */
typedef struct observed_flow {
  datagram_flow flow;
  session_end *end; /* NULL: it is of no connection, or not any more */
} observed_flow;

void session_host_init_ends(session_host *host)
{
  if (host->session->config.absence) {
    flow_table_init(&host->ends, sizeof(observed_flow), g_free);
  } else {
    flow_table_init_of(&host->ends, session_end_arriving_flow);
  }
}

void session_host_observe(session_host *host, uint32_t connection, const datagram_flow *flow)
{
  session *self = host->session;
  const datagram_flow back = flow_table_reversed(flow);
  observed_flow *other = flow_table_find(&host->ends, &back);
  observed_flow *observed = flow_table_find(&host->ends, flow);

  if (other) {
    other->end = NULL;
  }
  observed = observed ? observed : flow_table_add(&host->ends, flow);
  observed->end =
      connection == SESSION_NO_CONNECTION ? NULL : &self->connections[connection].ends[self->measured];
}

/* Returns the end that an entry of a host's table stands for. */
static inline session_end *end_of(const session_host *host, void *entry)
{
  return entry && host->session->config.absence ? ((const observed_flow *)entry)->end : entry;
}

/* The end at `host` that packets of `flow` come to; NULL: there is none. */
static session_end *end_of_flow(session_host *host, const datagram_flow *flow)
{
  return end_of(host, flow_table_find(&host->ends, flow));
}

/* Returns the end whose packet the ICMP message `packet` quotes: it was sent from here. */
static G_GNUC_NO_INLINE session_end *quoted_end(session_host *host, const datagram *packet)
{
  datagram_flow sent;

  if (!datagram_flow_of(packet, &sent)) {
    return NULL;
  }
  const datagram_flow arriving = flow_table_reversed(&sent);
  return end_of_flow(host, &arriving);
}

inline session_end *session_host_end(session_host *host, const datagram *packet)
{
  return packet->kind == DATAGRAM_TCP ? end_of(host, flow_table_find_of(&host->ends, packet))
                                      : quoted_end(host, packet);
}

/* Makes the connection of `end`, which has not started: the ports of `packet` were damaged. NULL: it is for
 * no connection, and is counted. Returns `end`. */
static G_GNUC_NO_INLINE session_end *unexpected_end(const session_host *host, session_end *end,
                                                    const datagram *packet)
{
  session *self = host->session;

  if (end) {
    session_make_connections(self, session_end_index(end));
    return end;
  }
  self->strays++;
  self->damaged_strays += packet->kind == DATAGRAM_TCP && !datagram_checksum_is_right(packet);
  return NULL;
}

/* Passes a whole packet to TCP; takes its reference. One that is for no connection is dropped. */
static inline void receive_whole(session_host *host, datagram *packet, time_ps now)
{
  session_end *end = session_host_end(host, packet);

  if ((!end || !end->endpoint) && !unexpected_end(host, end, packet)) {
    datagram_unref(packet);
    return;
  }
  rnic_endpoint_receive(end->endpoint, packet, now);
  datagram_unref(packet);
  session_end_settle(end, now);
}

static inline void receive(session_host *host, datagram *packet, time_ps now)
{
  if (host->capture) {
    packet_capture_add(host->capture, packet, now);
  }
  if (packet->kind == DATAGRAM_FRAGMENT) {
    ip_input_receive(host->input, packet, now);
  } else {
    receive_whole(host, packet, now); /* nearly all: there is nothing to reassemble */
  }
}

/* Returns the end at `host` whose peer has sent `packet`, for a trace. A packet that comes out of a chain of
 * ns-3's nodes has its number alone, so that TCP's ports come first; what has no connection that can be known
 * is shown as of the host's first. */
static const session_end *traced_end(session_host *host, const datagram *packet)
{
  const session *self = host->session;
  const session_end *to = packet->kind == DATAGRAM_TCP ? session_host_end(host, packet) : NULL;

  if (!to && packet->number > 0 && packet->connection < self->connection_count) {
    const session_end *ends = self->connections[packet->connection].ends;
    to = &ends[ends->host == host ? SIDE_INITIATOR : SIDE_RESPONDER];
  }
  return to ? to : host->first_end;
}

static G_GNUC_NO_INLINE void receive_traced(session_host *host, datagram *packet, time_ps now)
{
  const session_config *config = &host->session->config;

  if (config->absence && packet->number == 0) { /* others got their numbers when they were sent */
    packet->number = trace_next_packet(config->trace);
  }
  const session_end *to = traced_end(host, packet);
  const trace_scope at = {.to = config->trace,
                          .node = host->name,
                          .connection = session_end_index(to),
                          .packet = packet->number,
                          .side = side_peer(to->side)};
  TRACE(&at, PACKET_ARRIVED, .ip_octets = datagram_octets(packet));
  trace_arrives(at.to, packet->number);
  receive(host, packet, now);
  trace_arrives(at.to, 0);
}

void session_receive(void *user, datagram *packet, time_ps now)
{
  session_host *host = user;

  if (G_UNLIKELY(host->session->config.trace)) {
    receive_traced(host, packet, now);
  } else {
    receive(host, packet, now);
  }
}

static void on_whole(void *user, datagram *packet, time_ps now)
{
  receive_whole(user, packet, now);
}

static bool on_connection_of(void *user, const datagram_flow *flow, uint32_t *connection)
{
  const session_end *end = end_of_flow(user, flow);

  if (end) {
    *connection = session_end_index(end);
  }
  return end;
}

/* Sends the host's ICMP message about a fragment that it dropped. */
static void on_answer(void *user, datagram *message, time_ps now)
{
  session_host *host = user;
  datagram_flow flow;

  if (host->session->config.trace) {
    const session_end *end = datagram_flow_of(message, &flow) ? end_of_flow(host, &flow) : NULL;
    trace_scope at = *session_end_trace(end ? end : host->first_end);
    at.packet = message->number = trace_next_packet(at.to);
    message->connection = at.connection;
    TRACE(&at, PACKET_SENT, .ip_octets = datagram_octets(message));
  }
  send(host, message, now);
}

/* Fragments whose connection is not known count for the host, if Data Sinks are there. */
static void on_fragments(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  const session_host *host = user;
  const session *self = host->session;

  if (connection == IP_INPUT_UNKNOWN) {
    if (host->recorder) {
      session_recorder_fragments(host->recorder, host->sinks, octets, now);
    }
    return;
  }
  const session_end *ends = self->connections[connection].ends;
  const session_end *to = &ends[ends->host == host ? SIDE_INITIATOR : SIDE_RESPONDER];
  if (to->is_sink) {
    session_recorder_fragments(host->recorder, to->recorded, octets, now);
  }
}

const ip_input_events session_input_events = {
    .whole = on_whole, .answer = on_answer, .held = on_fragments, .connection_of = on_connection_of};

bool session_find_connection(void *user, const datagram_flow *flow, uint32_t *connection)
{
  session_host *host = session_host_at(user, &flow->destination);

  return host && on_connection_of(host, flow, connection);
}

/* Sets in `cursor` where FPDUs of `flow` start; nowhere before full operation. */
static G_GNUC_NO_INLINE void find_starts(const session *self, const datagram_flow *flow,
                                         path_alignment_cursor *cursor)
{
  session_host *sink = session_host_at(self, &flow->destination);
  session_end *end = sink ? end_of_flow(sink, flow) : NULL;

  if (end && end->is_sink) {
    const session_end *source = &session_connection_of(end)->ends[side_peer(end->side)];
    cursor->starts_from = source->endpoint ? rnic_endpoint_sent_phase_start(source->endpoint) : -1;
    cursor->starts = cursor->starts_from < 0 ? NULL : session_recorder_starts(sink->recorder, end->recorded);
  }
}

bool session_is_fpdu_start(void *user, const datagram_flow *flow, int64_t position,
                           path_alignment_cursor *cursor)
{
  if (G_UNLIKELY(!cursor->starts)) {
    find_starts(user, flow, cursor);
  }
  return cursor->starts && position >= cursor->starts_from &&
         fpdu_starts_has(cursor->starts, &cursor->at, (uint64_t)(position - cursor->starts_from));
}
