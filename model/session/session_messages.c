/* SPDX-License-Identifier: GPL-2.0-only */
/* This gives the messages of a session to its log: those that are complete, those that are not at the end,
 * and how many wait in the applications. */
#include "scenario/scenario_keys.h"
#include "session/session_private.h"

/* The messages that wait are measured while the window is open: from measure.from to measure.to where these
 * are times, else while that of any host is. */
typedef enum queue_window { QUEUE_WAITS, QUEUE_IS_OPEN, QUEUE_IS_CLOSED } queue_window;

struct session_messages {
  session *session;
  message_log *log;
  uint64_t queued; /* messages submitted and not posted, in all applications */
  queue_window window;
  uint32_t open_windows; /* of hosts */
};

session_messages *session_messages_new(session *self)
{
  const configuration *c = self->config.configuration;
  const message_log_config config = {.class_count = c->class_count, .lines = c->measure.messages};
  session_messages *messages = g_new(session_messages, 1);

  *messages = (session_messages){.session = self, .log = message_log_new(&config)};
  return messages;
}

void session_messages_free(session_messages *messages)
{
  if (messages) {
    message_log_free(messages->log);
    g_free(messages);
  }
}

/* --- What waits --- */

static void close_window(session_messages *messages, time_ps now)
{
  messages->window = QUEUE_IS_CLOSED;
  message_log_queued(messages->log, messages->queued, now);
}

/* Opens or closes the window if its time has come. Without measure.from it opens when the traffic begins. */
static void look_at_window(session_messages *messages, time_ps now)
{
  const session *self = messages->session;
  const run_moment *from = &self->config.configuration->measure.from;
  const run_moment *to = &self->config.configuration->measure.to;
  const time_ps opens = from->kind == RUN_MOMENT_TIME ? (time_ps)from->number : self->zero;
  const time_ps closes = to->kind == RUN_MOMENT_TIME ? (time_ps)to->number : TIME_PS_NEVER;

  if (messages->window == QUEUE_WAITS && !run_moment_is_of_host(from) && now >= opens) {
    messages->window = QUEUE_IS_OPEN;
    message_log_queued(messages->log, messages->queued, opens);
  }
  if (messages->window == QUEUE_IS_OPEN && now >= closes) {
    close_window(messages, closes);
  }
}

void session_messages_window(session_messages *messages, bool is_open, time_ps now)
{
  const configuration *c = messages->session->config.configuration;
  const run_moment *moment = is_open ? &c->measure.from : &c->measure.to;

  messages->open_windows += is_open ? 1 : -1;
  if (!messages->session->traffic || !run_moment_is_of_host(moment)) {
    return;
  }
  if (is_open && messages->window == QUEUE_WAITS) {
    messages->window = QUEUE_IS_OPEN;
    message_log_queued(messages->log, messages->queued, now);
  } else if (!is_open && messages->window == QUEUE_IS_OPEN && messages->open_windows == 0) {
    close_window(messages, now);
  }
}

void session_queue_changed(session *self, int64_t change, time_ps now)
{
  session_messages *messages = self->messages;

  look_at_window(messages, now);
  messages->queued += (uint64_t)change;
  if (messages->window == QUEUE_IS_OPEN) {
    message_log_queued(messages->log, messages->queued, now);
  }
}

/* --- Messages --- */

/* Returns the end of `connection` that the payload of the message comes to. */
static const session_end *sink_of(const session_connection *connection, const ulp_message_times *times)
{
  const session_end *requester = &connection->ends[times->requester];

  return ulp_operation_rules_of(times->operation)->to_requester ? requester : session_end_peer(requester);
}

/* Returns whether the message counts: it was posted in the measured window of the host that its payload comes
 * to; where nothing is measured at that one, of its peer. */
static bool is_measured(const session_end *sink, const ulp_message_times *times)
{
  const session_end *peer = session_end_peer(sink);
  const session_recorder *recorder = sink->host->recorder ? sink->host->recorder : peer->host->recorder;

  return session_recorder_is_measured(recorder, times->posted);
}

/* Returns the word of workload.operation for it. */
static const char *word_of(ulp_operation operation)
{
  const named_value *words = scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION)->words;

  while (words->value != operation) {
    words++;
  }
  return words->name;
}

/* Traces that the message is complete; `of` has its times from the start of the traffic. */
static void trace_complete(const session_end *sink, const ulp_message_times *times, const message_record *of)
{
  TRACE(session_end_trace(sink), MESSAGE_COMPLETE, .id = of->id,
        .traffic = TRACE_NAME(traffic_class_name(session_class_of(sink)->of)),
        .operation = TRACE_NAME(word_of(times->operation)), .octets = of->octets,
        .posted_ps = (uint64_t)times->posted, .first_ps = (uint64_t)times->first_placed,
        .placed_ps = (uint64_t)times->placed, .delivered_ps = (uint64_t)times->delivered,
        .completed_ps = (uint64_t)times->completed, .ideal_ps = (uint64_t)of->ideal,
        .answered = of->comes_back);
}

void session_message_is_complete(const session_connection *connection, const ulp_message_times *times)
{
  const session_end *sink = sink_of(connection, times);
  const session *self = sink->session;
  const ulp_operation_rules *rules = ulp_operation_rules_of(times->operation);
  const message_record record = {
      .id = times->id,
      .class = connection->class,
      .source = session_end_peer(sink)->host->number,
      .destination = sink->host->number,
      .connection = session_end_index(sink),
      .operation = (uint8_t)times->operation,
      .octets = times->octets,
      .posted = times->posted - self->zero,
      .first = times->first_placed - self->zero,
      .placed = times->placed - self->zero,
      .delivered = times->delivered - self->zero,
      .completed = times->completed - self->zero,
      .ideal = session_ideal_of(connection, times),
      .comes_back = rules->is_exchange || rules->is_read || rules->is_atomic,
      .counts = is_measured(sink, times),
  };

  if (G_UNLIKELY(self->config.trace)) {
    trace_complete(sink, times, &record);
  }
  message_log_add(self->messages->log, &record);
}

static void add_incomplete(void *user, const ulp_message_times *times)
{
  const session_connection *connection = user;
  const session_end *sink = sink_of(connection, times);

  TRACE(session_end_trace(sink), MESSAGE_INCOMPLETE, .id = times->id,
        .traffic = TRACE_NAME(traffic_class_name(session_class_of(sink)->of)),
        .operation = TRACE_NAME(word_of(times->operation)), .octets = times->octets,
        .posted_ps = (uint64_t)times->posted);
  if (is_measured(sink, times)) {
    message_log_incomplete(sink->session->messages->log, connection->class, times->octets);
  }
}

message_log *session_messages_finish(session_messages *messages, time_ps now)
{
  const session *self = messages->session;

  for (uint32_t i = 0; i < SIDES * self->connection_count; i++) {
    session_connection *connection = &self->connections[i / SIDES];
    const ulp_workload *workload = connection->ends[i % SIDES].workload;
    if (workload) {
      ulp_workload_each_incomplete(workload, add_incomplete, connection);
    }
  }
  now = time_ps_earlier(now, self->all_delivered);
  if (self->traffic) {
    look_at_window(messages, now);
  }
  if (messages->window == QUEUE_IS_OPEN) {
    close_window(messages, now);
  }
  return g_steal_pointer(&messages->log);
}
