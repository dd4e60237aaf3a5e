/* SPDX-License-Identifier: GPL-2.0-only */
/* What TCP and RDMAP report to an endpoint: of the startup phase, of full operation, of its end. */
#include <glib.h>

#include "rnic/rnic_endpoint_private.h"

/* --- The end --- */

/* The first failure, once. */
static void fail(rnic_endpoint *endpoint, rnic_failure failure, time_ps now)
{
  if (endpoint->has_failed) {
    return;
  }
  endpoint->has_failed = true;
  failure.generation = endpoint->generation;
  rnic_receiver_stop(&endpoint->receiver);
  if (endpoint->admission) {
    rnic_admission_settle(endpoint->admission);
  }
  if (endpoint->events->failed) {
    endpoint->events->failed(endpoint->user, &failure, now);
  }
}

static void move_to(rnic_endpoint *endpoint, rnic_teardown next)
{
  if (endpoint->teardown != RNIC_TEARDOWN_FIN_SENT) {
    endpoint->teardown = next;
  }
}

void rnic_endpoint_end_silently(rnic_endpoint *endpoint, rnic_failure failure, time_ps now)
{
  fail(endpoint, failure, now);
  rdmap_stream_llp_lost(endpoint->stream, now); /* which brings on_terminated() */
}

void rnic_endpoint_end_at_once(rnic_endpoint *endpoint, rnic_failure failure, time_ps now)
{
  rnic_endpoint_end_silently(endpoint, failure, now);
  if (!endpoint->closes_by_fin) {
    tcp_transport_abort(endpoint->tcp, now);
  }
}

void rnic_endpoint_close(rnic_endpoint *endpoint)
{
  if (endpoint->teardown == RNIC_TEARDOWN_NOT) {
    endpoint->teardown = RNIC_TEARDOWN_DRAINS;
    rdmap_stream_close(endpoint->stream); /* no more operations (DDP-126) */
  }
}

/* --- Startup --- */

static void post_startup_octets(rnic_endpoint *endpoint)
{
  buffer_chain octets;
  bool is_frame;

  buffer_chain_init(&octets);
  while (rnic_startup_phase_next(endpoint->startup, &octets, &is_frame)) {
    if (is_frame && endpoint->fault) {
      endpoint->fault->alter_startup(endpoint->fault->user, &octets);
    }
    tcp_transport_post(endpoint->tcp, &octets, 0);
  }
  buffer_chain_clear(&octets);
}

/* mpa-01 §6.1: the DDP stream that it is bound to from here on (MPA-197) was made with the endpoint. */
static void enter_full_operation(rnic_endpoint *endpoint)
{
  const mpa_startup *mpa = rnic_startup_phase_mpa(endpoint->startup);
  bool crc = mpa_startup_crc(mpa);

  rnic_sender_start(&endpoint->sender, mpa_startup_send_markers(mpa), crc);
  rnic_receiver_start(&endpoint->receiver, mpa_startup_receive_markers(mpa), crc,
                      rnic_startup_phase_received_octets(endpoint->startup));
  rnic_startup_phase_free(endpoint->startup); /* most connections live long after it */
  endpoint->startup = NULL;
}

/* mpa-01 §6.1 rules 2 and 3: MPA is left and TCP stays open, for the ULP to close or to use (MPA-208,
 * MPA-209, MPA-217). This ULP closes it, gracefully: at the rejected end or, when that is the Responder and
 * does not know, at the Initiator that found its Reply's Private Data unacceptable. */
static void be_rejected(rnic_endpoint *endpoint, mpa_startup_reason reason, time_ps now)
{
  const rnic_failure failure = {.layer = RNIC_FAILURE_STARTUP,
                                .reason.startup = reason,
                                .by_peer = reason == MPA_STARTUP_REASON_REJECTED_BY_PEER};

  rnic_endpoint_end_silently(endpoint, failure, now);
  if (endpoint->role == SIDE_RESPONDER) {
    move_to(endpoint, RNIC_TEARDOWN_WAITS);
  }
}

void rnic_endpoint_follow_startup(rnic_endpoint *endpoint, time_ps now)
{
  static const rnic_failure starved = {.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_STREAMING_OCTETS};
  mpa_startup_reason reason = mpa_startup_reason_of(rnic_startup_phase_mpa(endpoint->startup));
  const rnic_failure failed = {.layer = RNIC_FAILURE_STARTUP, .reason.startup = reason};

  post_startup_octets(endpoint);
  switch (rnic_startup_phase_outcome(endpoint->startup)) {
  case RNIC_STARTUP_PENDING:
    break;
  case RNIC_STARTUP_FULL_OPERATION:
    enter_full_operation(endpoint);
    break;
  case RNIC_STARTUP_REJECTED:
    be_rejected(endpoint, reason, now);
    break;
  case RNIC_STARTUP_FAILED:
    rnic_endpoint_end_at_once(endpoint, failed, now); /* mpa-01 §7: code 4 (MPA-280) */
    break;
  case RNIC_STARTUP_STARVED:
    rnic_endpoint_end_at_once(endpoint, starved, now);
    break;
  }
}

/* --- TCP reports --- */

static void on_established(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_startup_phase_established(endpoint->startup, now);
  rnic_endpoint_follow_startup(endpoint, now);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->has_failed) {
    return; /* acknowledged by TCP and dropped */
  }
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    rnic_receiver_receive(&endpoint->receiver, position, octets, arrival, now);
  } else {
    rnic_startup_phase_receive(endpoint->startup, position, octets, arrival, now);
    rnic_endpoint_follow_startup(endpoint, now);
  }
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, G_GNUC_UNUSED time_ps now)
{
  rnic_endpoint *endpoint = user;

  return !rnic_endpoint_is_in_full_operation(endpoint) || endpoint->has_failed ||
         rnic_admission_inspect(endpoint->admission, position, octets);
}

static bool on_admit(void *user, uint64_t position, G_GNUC_UNUSED uint32_t length, G_GNUC_UNUSED time_ps now)
{
  rnic_endpoint *endpoint = user;

  return rnic_admission_admit(endpoint->admission, position);
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  rnic_endpoint *endpoint = user;
  int64_t offset = rnic_endpoint_is_in_full_operation(endpoint)
                       ? (int64_t)(position - endpoint->receiver.phase_start)
                       : -1;

  rnic_receiver_segment(&endpoint->receiver, position);
  if (endpoint->events->segment) {
    endpoint->events->segment(endpoint->user, offset, length, new_octets, position > in_order_edge, now);
  }
}

static void on_retransmitted(void *user, uint64_t position, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;
  /* Before full operation all that was sent is the startup frame's or streaming mode's. */
  int64_t offset = endpoint->sender.is_started ? (int64_t)(position - endpoint->sender.phase_start) : -1;

  if (endpoint->events->retransmitted) {
    endpoint->events->retransmitted(endpoint->user, offset, length, now);
  }
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_sender_acknowledged(&endpoint->sender, position);
  rdmap_stream_acknowledged(endpoint->stream, position, now);
}

/* The peer's FIN, in order after all its octets: its stream and its connection end gracefully in one (DDP-028
 * … DDP-030). */
static void on_finished(void *user, time_ps now)
{
  static const rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};
  rnic_endpoint *endpoint = user;

  if (endpoint->teardown == RNIC_TEARDOWN_WAITS) {
    endpoint->teardown = RNIC_TEARDOWN_TERMINATES;
  }
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    endpoint->is_mute = !rnic_endpoint_may_reply(endpoint);
    rnic_receiver_peer_finished(&endpoint->receiver, now);
  } else if (!endpoint->has_failed) { /* in the middle of startup: mpa-01 §7, code 1 (MPA-276) */
    rnic_endpoint_end_silently(endpoint, failure, now);
  }
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  rnic_endpoint *endpoint = user;
  const rnic_failure failure = {.layer = RNIC_FAILURE_TCP, .reason.tcp = reason};

  if (reason != TCP_CLOSE_FINISHED) { /* DDP-132: nothing more can be done */
    rnic_endpoint_end_silently(endpoint, failure, now);
    endpoint->teardown = RNIC_TEARDOWN_FIN_SENT;
  }
  if (endpoint->events->closed) {
    endpoint->events->closed(endpoint->user, now);
  }
}

const tcp_events rnic_endpoint_tcp_events = {.established = on_established,
                                             .octets = on_octets,
                                             .segment = on_segment,
                                             .retransmitted = on_retransmitted,
                                             .acknowledged = on_acknowledged,
                                             .finished = on_finished,
                                             .closed = on_closed};
const tcp_events rnic_endpoint_tcp_events_inspecting = {.inspect = on_inspect,
                                                        .admit = on_admit,
                                                        .established = on_established,
                                                        .octets = on_octets,
                                                        .segment = on_segment,
                                                        .retransmitted = on_retransmitted,
                                                        .acknowledged = on_acknowledged,
                                                        .finished = on_finished,
                                                        .closed = on_closed};

/* --- RDMAP reports --- */

void rnic_endpoint_complete(rnic_endpoint *endpoint, const rnic_completion *completion, time_ps now)
{
  waiting_completion *added = g_new(waiting_completion, 1);

  *added = (waiting_completion){.completion = *completion};
  *(endpoint->oldest_completion ? &endpoint->newest_completion->next : &endpoint->oldest_completion) = added;
  endpoint->newest_completion = added;
  if (endpoint->events->completion) {
    endpoint->events->completion(endpoint->user, endpoint, now);
  }
}

static void on_received(void *user, const rdmap_received *received, time_ps now)
{
  const rnic_completion completion = {.id = received->buffer_id,
                                      .is_receive = true,
                                      .octets = received->length,
                                      .solicited = received->solicited,
                                      .invalidated = received->invalidated,
                                      .invalidated_stag = received->invalidated_stag};

  rnic_endpoint_complete(user, &completion, now);
}

static void on_completed(void *user, uint64_t id, rdmap_operation operation, bool in_error, time_ps now)
{
  const rnic_completion completion = {.id = id, .operation = operation, .in_error = in_error};

  rnic_endpoint_complete(user, &completion, now);
}

/* rdmap-00 §8.2.1: who sends or gets a Terminate may end the LLP stream at once, gracefully (RDMAP-222,
 * RDMAP-223). The Terminate of this end goes first; what still comes is acknowledged and dropped, so that no
 * RST destroys it (note D38). */
static void on_terminated(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  rnic_endpoint *endpoint = user;
  rnic_failure failure = {.layer = RNIC_FAILURE_RDMAP,
                          .reason.rdmap = terminate->error,
                          .by_peer = by_peer,
                          .terminate = terminate};

  if (terminate->error.layer == RDMAP_LAYER_LLP && !by_peer) {
    failure = (rnic_failure){.layer = RNIC_FAILURE_MPA, .reason.mpa = (mpa_error)terminate->error.code};
  }
  fail(endpoint, failure, now);
  move_to(endpoint, RNIC_TEARDOWN_TERMINATES);
}

const rdmap_stream_events rnic_endpoint_rdmap_events = {
    .received = on_received, .completed = on_completed, .terminated = on_terminated};
