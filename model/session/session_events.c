/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the endpoints of a session report. */
#include "rnic/rnic_verbs.h"
#include "session/session_private.h"

static bool on_want_operation(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, time_ps now)
{
  session_end *end = user;

  return ulp_workload_post_next(end->workload, now);
}

/* In a session with traffic: nothing is posted before it begins, or while its application thinks. */
static bool on_want_traffic(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, time_ps now)
{
  session_end *end = user;
  session *self = end->session;
  session_connection *connection = session_connection_of(end);

  if (self->traffic && !connection->is_open && end->side == SIDE_INITIATOR) {
    session_traffic_opened(self->traffic, connection, now);
  }
  if (self->traffic && !session_traffic_has_begun(self->traffic)) {
    return false;
  }
  const uint32_t queued = ulp_workload_queued(end->workload);
  const bool is_posted = ulp_workload_post_next(end->workload, now);
  if (queued != ulp_workload_queued(end->workload)) {
    session_queue_changed(self, -1, now);
  }
  if (!is_posted && session_class_of(end)->holds) {
    session_connection_await_thought(connection, now);
  }
  return is_posted;
}

static void on_completion(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, time_ps now)
{
  session_end *end = user;

  ulp_workload_poll(end->workload, now);
  session_connection_note_delivery(session_connection_of(end));
  session_end_close_if_complete(end);
}

uint32_t session_draw_octets(void *user, enum side requester)
{
  const session_end *ends = ((const session_connection *)user)->ends;
  const session_class *class = session_class_of(ends);
  const uint32_t place = session_end_index(ends) - class->of->first_connection;
  random_stream **stream = &class->sizes[SIDES * place + requester];

  if (!*stream) {
    g_autofree char *name =
        g_strdup_printf("%s.sizes.%s.%u", traffic_class_name(class->of), side_name(requester), place);
    *stream = random_stream_new(ends->session->config.configuration->run.seed, name);
  }
  return size_distribution_draw(class->of->sizes, *stream);
}

ulp_counter *session_shared_counter(void *user, enum side side)
{
  session_host *host = ((const session_connection *)user)->ends[side].host;

  if (!host->counter) {
    host->counter = g_new(ulp_counter, 1);
    ulp_counter_init(host->counter);
  }
  return host->counter;
}

void session_on_message_delivered(void *user, const ulp_message_times *times)
{
  const session_connection *connection = user;

  session_traffic_delivered(connection->ends->session->traffic, connection, times->id, times->delivered);
}

void session_on_message(void *user, const ulp_message_times *times)
{
  const session_connection *connection = user;
  const session *self = connection->ends->session;

  session_message_is_complete(connection, times);
  if (self->traffic) {
    session_traffic_completed(self->traffic, connection, engine_now(self->config.clock));
  }
}

static void on_retransmitted(void *user, int64_t phase_offset, uint32_t length, time_ps now)
{
  session_end *end = user;
  session *self = end->session;

  const datagram_flow flow = session_end_flow(end);
  const time_ps earliest = self->network->class->earliest_arrival(self->network, &flow, now);
  if (self->config.trace && phase_offset >= 0) {
    const trace_scope *at = session_end_trace(end);
    TRACE(at, SEGMENT_SENT_AGAIN,
          .position = (uint64_t)(phase_offset + rnic_endpoint_sent_phase_start(end->endpoint)),
          .payload_octets = length, .earliest_arrival_ps = (uint64_t)earliest);
  }
  const session_end *sink = session_end_peer(end);
  session_recorder_retransmitted(sink->host->recorder, sink->recorded, phase_offset, length, earliest);
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  session_end *end = user;

  session_recorder_segment(end->host->recorder, end->recorded, phase_offset, length, new_octets, out_of_order,
                           now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  session_end *end = user;
  bool out_of_order = rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start);

  session_recorder_placed(end->host->recorder, segment, ulpdu, out_of_order, now);
}

static void on_placed_traced(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  const session_end *end = user;
  const trace_scope *at = session_end_trace(end);
  const uint64_t position = rnic_endpoint_received_phase_start(end->endpoint) + ulpdu->fpdu.start;
  const uint32_t payload_from = ulpdu->fpdu.ulpdu_octets - segment->payload_octets;

  TRACE(at, PLACED, .position = position, .payload_octets = segment->payload_octets,
        .held_octets = ulpdu->held_octets,
        .out_of_order = rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start),
        .last = segment->header.last, .opcode = rdmap_control_opcode(segment->header.ulp_control));
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    const mpa_ulpdu_part *part = &ulpdu->parts[i];
    const uint32_t from = MAX(part->from, payload_from), to = part->from + part->length;
    if (to > from) {
      TRACE(at, PLACED_PART, .position = position, .payload_octets = to - from,
            .waited_ps = (uint64_t)(now - part->arrival));
    }
  }
  on_placed(user, segment, ulpdu, now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  session_end *end = user;
  session *self = end->session;

  self->delivered++;
  if (G_UNLIKELY(rdmap_control_opcode(segment->header.ulp_control) == RDMAP_READ_REQUEST)) {
    session_ideal_note_request(session_connection_of(end), segment);
  }
  if (end->is_sink) {
    session_recorder_delivered(end->host->recorder, segment, now);
  }
  if (end->workload) {
    ulp_workload_delivered(end->workload, segment, now);
    if (segment->header.last) {
      session_connection_note_delivery(session_connection_of(end));
    }
  }
}

static void on_delivered_traced(void *user, const ddp_segment *segment, time_ps now)
{
  session_end *end = user;
  const trace_scope *at = session_end_trace(end);
  const ulp_wrong_octets wrong =
      end->workload ? ulp_workload_wrong(end->workload, segment) : (ulp_wrong_octets){0};

  const uint64_t position = rnic_endpoint_received_phase_start(end->endpoint) + segment->fpdu_start;
  TRACE(at, DELIVERED, .position = position, .payload_octets = segment->payload_octets,
        .last = segment->header.last, .opcode = rdmap_control_opcode(segment->header.ulp_control));
  if (wrong.count > 0) {
    TRACE(at, OCTETS_WRONG, .position = position, .octets = wrong.count, .message = wrong.message,
          .offset = wrong.offset, .sent = wrong.sent, .placed = wrong.placed);
  }
  on_delivered(end, segment, now);
}

/* Notes what startup comes to at `end`: of plain frames what the scenario has. */
static void note_agreement(session_end *end, const mpa_agreement *agreement, time_ps now)
{
  static const char *const rtrs[MPA_RTRS] = {
      [MPA_RTR_SEND] = "send", [MPA_RTR_WRITE] = "write", [MPA_RTR_READ] = "read"};
  session *self = end->session;
  const rnic_endpoint_config *config = &session_configuration_of(end->host)->endpoint[end->side];
  const bool sends_rtr = end->side == SIDE_INITIATOR && mpa_agreement_has_rtr(agreement);
  const int plain = MIN(iwarp_generation_rules_of(config->generation)->mpa_revision, 1);
  const int revision = agreement->is_enhanced ? MPA_ENHANCED_REVISION : plain;
  mpa_agreement agreed = *agreement;

  if (!agreement->is_enhanced) {
    agreed.ird = config->rdmap.ird;
    agreed.ord = config->rdmap.ord;
  }
  if (end->side == SIDE_INITIATOR) {
    self->startup_ps = MAX(self->startup_ps, now - self->opened[session_end_index(end)]);
  }
  if (session_end_index(end) == 0) {
    self->agreed[end->side] = agreed;
    self->revision = revision;
  }
  if (self->config.trace) {
    TRACE(session_end_trace(end), AGREED, .revision = (uint64_t)revision, .ird = agreed.ird,
          .ord = agreed.ord, .peer_ird = agreed.peer_ird, .peer_ord = agreed.peer_ord,
          .rtr = TRACE_NAME(sends_rtr ? rtrs[agreed.rtr] : ""));
  }
}

static void on_private_data(void *user, const uint8_t *octets, uint32_t length,
                            const mpa_agreement *agreement, time_ps now)
{
  session_end *end = user;
  session *self = end->session;
  const configuration *c = self->config.configuration;
  enum side peer = side_peer(end->side);

  if (self->opened) {
    note_agreement(end, agreement, now);
  }
  if (!session_setup_private_data_is(c, peer, self->private_data[peer], octets, length)) {
    session_fail(self,
                 g_strdup_printf("connection %u: the Private Data that came to the %s is not what was sent",
                                 session_end_index(end), side_name(end->side)));
  }
}

static void on_half_closed(void *user, G_GNUC_UNUSED time_ps now)
{
  rnic_endpoint_close(((session_end *)user)->endpoint);
}

/* Returns whether octets wait out the placement latency: they will be Delivered after TCP has closed. */
static bool waits_for_placement(const session_connection *connection)
{
  bool waits = false;

  for (enum side side = 0; side < SIDES; side++) {
    rnic_occupancy held;

    rnic_endpoint_held(connection->ends[side].endpoint, &held);
    waits = waits || held.processing > 0;
  }
  return waits;
}

static void on_closed(void *user, G_GNUC_UNUSED time_ps now)
{
  session_end *end = user;
  session_connection *connection = session_connection_of(end);
  session *self = end->session;

  if (end->closed) {
    return;
  }
  end->closed = true;
  self->ends_open--;
  if (connection->falls_back && end->side == SIDE_INITIATOR) {
    session_connection_await_second_try(connection);
    return;
  }
  if (!connection->delivered && !connection->terminated && session_end_peer(end)->closed &&
      !waits_for_placement(connection)) {
    session_fail(self, g_strdup_printf("connection %u was closed before its workload was done",
                                       session_end_index(end)));
  }
  session_stop_when_done(self);
}

/* What is at fault is known by the layer that found it: a startup frame, MPA's FPDU, DDP's or RDMAP's. */
static void trace_failed(const session_end *end, const rnic_failure *failure)
{
  const trace_scope *at = session_end_trace(end);
  const uint64_t start = rnic_endpoint_received_phase_start(end->endpoint);
  const rdmap_terminate *terminate = failure->terminate;
  const bool by_mpa = failure->layer == RNIC_FAILURE_MPA && failure->reason.mpa != MPA_ERROR_CLOSED;
  const bool by_frame = failure->layer == RNIC_FAILURE_STARTUP &&
                        failure->reason.startup != MPA_STARTUP_REASON_TIMEOUT &&
                        failure->reason.startup < MPA_STARTUP_REASON_REJECTED_BY_PEER;
  const bool by_segment = terminate && terminate->has_fpdu && !failure->by_peer;

  TRACE(at, FAILED, .why = TRACE_NAME(rnic_failure_text(failure)),
        .position = by_mpa       ? at->invalid_at
                    : by_segment ? start + terminate->fpdu_start
                    : by_frame   ? 0
                                 : UINT64_MAX);
}

/* RFC 6581 §10 (note M54): a Responder that does not know the enhanced frames closes TCP, and the Initiator
 * may try again with Revision 1. It knows that TCP is closed before a Reply has come, and not why; its own
 * report counts then. Returns whether the failure at `end` is the end of a first try only. */
static bool ends_first_try(session_end *end, const rnic_failure *failure)
{
  session_connection *connection = session_connection_of(end);
  const session_end *responder = &connection->ends[SIDE_RESPONDER];

  if (!connection->may_fall_back) {
    return false;
  }
  if (end == responder) {
    return failure->layer == RNIC_FAILURE_STARTUP &&
           failure->reason.startup < MPA_STARTUP_REASON_REJECTED_BY_PEER;
  }
  connection->falls_back = rnic_endpoint_was_not_answered(end->endpoint, failure) &&
                           rnic_endpoint_sent_phase_start(responder->endpoint) < 0;
  return connection->falls_back;
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  session_end *end = user;
  session_connection *connection = session_connection_of(end);
  session *self = end->session;
  const configuration *c = self->config.configuration;

  if (self->config.trace) {
    trace_failed(end, failure);
  }
  if (connection->terminated || ends_first_try(end, failure)) {
    return; /* the other end reports the same ending, or another TCP connection follows */
  }
  if (!self->config.absence && !session_ending_is_documented(c, session_end_index(end), failure)) {
    session_fail(self,
                 g_strdup_printf("connection %u failed at its %s after %.12f s: %s", session_end_index(end),
                                 side_name(end->side), time_ps_in_seconds(now), rnic_failure_text(failure)));
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    session_ending *ending = &connection->ends[side].host->ending;
    session_ending_note(ending, session_end_index(end), end->side, failure, now);
    self->ending = self->ending ? self->ending : ending;
  }
  connection->terminated = true;
  self->terminated++;
  if (self->traffic) {
    session_traffic_terminated(self->traffic, connection, now);
  }
  self->workloads_open -= !connection->delivered;
}

/* A ULP whose peer is absent waits for nothing. */
static void on_unread_completion(G_GNUC_UNUSED void *user, rnic_endpoint *endpoint, G_GNUC_UNUSED time_ps now)
{
  rdmap_completion completion;

  while (rnic_poll(endpoint, &completion)) {
  }
}

rnic_endpoint_events session_endpoint_events(const session *self, uint32_t class, enum side side)
{
  const bool traced = self->config.trace != NULL;
  const bool *measures = self->config.configuration->classes[class].measures;
  const bool is_sink = measures[side];
  rnic_endpoint_events events = {.completion = on_unread_completion,
                                 .probe = {.placed = !is_sink ? NULL
                                                     : traced ? on_placed_traced
                                                              : on_placed,
                                           .delivered = traced ? on_delivered_traced : on_delivered,
                                           .half_closed = on_half_closed},
                                 .segment = is_sink ? on_segment : NULL,
                                 .failed = on_failed};

  if (!self->config.absence) {
    events.completion = on_completion;
    events.want_operation = !ulp_workload_posts(&self->classes[class].workload, side) ? NULL
                            : self->traffic || self->classes[class].holds             ? on_want_traffic
                                                                                      : on_want_operation;
    events.private_data = on_private_data;
    events.retransmitted = measures[side_peer(side)] ? on_retransmitted : NULL;
    events.closed = on_closed;
  }
  return events;
}
