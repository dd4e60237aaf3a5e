#include "rnic/rnic_endpoint.h"

#include <glib.h>

#include "rnic/rnic_ending.h"

struct rnic_endpoint {
  rnic_endpoint_config config;
  const iwarp_generation_rules *rules;
  rnic_endpoint_events events;
  void *user;
  ddp_stream_identity identity;
  tcp_transport *tcp;
  rnic_startup_phase *startup;
  rnic_sender *sender;     /* started in full operation */
  rnic_receiver *receiver; /* the same */
  rdmap_stream *stream;
  rnic_completion_queue *completions;
  rnic_fault *fault;
  rnic_ending *ending;
  rnic_admission *admission;
  bool is_mute; /* it may not send FPDUs, and will never be allowed to */
};

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_receiver_stop(endpoint->receiver);
  rnic_admission_settle(endpoint->admission);
  if (endpoint->events.failed) {
    endpoint->events.failed(endpoint->user, failure, now);
  }
}

/* --- RDMAP tells --- */

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.placed) {
    endpoint->events.placed(endpoint->user, segment, ulpdu, now);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.delivered) {
    endpoint->events.delivered(endpoint->user, segment, now);
  }
}

static void complete(rnic_endpoint *endpoint, const rnic_completion *completion, time_ps now)
{
  if (rnic_completion_queue_push(endpoint->completions, completion) && endpoint->events.completion) {
    endpoint->events.completion(endpoint->user, endpoint, now);
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

  complete(user, &completion, now);
}

static void on_completed(void *user, uint64_t id, rdmap_operation operation, bool in_error, time_ps now)
{
  const rnic_completion completion = {.id = id, .operation = operation, .in_error = in_error};

  complete(user, &completion, now);
}

/* rdmap-00 §8.2.1: who sends or gets a Terminate may end the LLP stream at once, gracefully (RDMAP-222, RDMAP-223). The
 * Terminate of this end goes first; what still comes is acknowledged and dropped, so that no RST destroys it (notes-ddp-rdmap 38). */
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
  rnic_ending_after_terminate(endpoint->ending, &failure, now);
}

/* The peer sends no more and this stream goes on (DDP-128, MPA-271). */
static void on_half_closed(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.finished) {
    endpoint->events.finished(endpoint->user, endpoint, now);
  }
}

/* --- Startup --- */

static void on_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.private_data) {
    endpoint->events.private_data(endpoint->user, octets, length, now);
  }
}

static void post_startup_octets(rnic_endpoint *endpoint)
{
  octet_rope octets;
  bool is_frame;

  octet_rope_init(&octets);
  while (rnic_startup_phase_next(endpoint->startup, &octets, &is_frame)) {
    if (is_frame) {
      rnic_fault_alter_startup(endpoint->fault, &octets);
    }
    tcp_transport_post(endpoint->tcp, &octets, 0);
  }
  octet_rope_clear(&octets);
}

/* mpa-01 §6.1: the DDP stream that it is bound to from here on (MPA-197) was made with the endpoint. */
static void enter_full_operation(rnic_endpoint *endpoint)
{
  const mpa_startup *mpa = rnic_startup_phase_mpa(endpoint->startup);
  bool crc = mpa_startup_crc(mpa);

  rnic_sender_start(endpoint->sender, mpa_startup_send_markers(mpa), crc);
  rnic_receiver_start(endpoint->receiver, mpa_startup_receive_markers(mpa), crc,
                      rnic_startup_phase_received_octets(endpoint->startup));
}

/* mpa-01 §6.1 rules 2 and 3: MPA is left and TCP stays open, for the ULP to close or to use (MPA-208, MPA-209, MPA-217). This ULP closes it,
 * gracefully: at the rejected end or, when that is the Responder and does not know, at the Initiator that found its Reply's Private Data
 * unacceptable. */
static void be_rejected(rnic_endpoint *endpoint, mpa_startup_reason reason, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_STARTUP,
                          .reason.startup = reason,
                          .by_peer = reason == MPA_STARTUP_REASON_REJECTED_BY_PEER};

  if (endpoint->config.role == MPA_INITIATOR) {
    rnic_ending_silently(endpoint->ending, &failure, now);
  } else {
    rnic_ending_when_peer_does(endpoint->ending, &failure, now);
  }
}

/* Does what the startup phase's last step asks for. */
static void follow_startup(rnic_endpoint *endpoint, time_ps now)
{
  mpa_startup_reason reason = mpa_startup_reason_of(rnic_startup_phase_mpa(endpoint->startup));
  rnic_failure failure = {.layer = RNIC_FAILURE_STARTUP, .reason.startup = reason};

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
    rnic_ending_at_once(endpoint->ending, &failure, now); /* mpa-01 §7: code 4 (MPA-280) */
    break;
  case RNIC_STARTUP_STARVED:
    failure = (rnic_failure){.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_STREAMING_OCTETS};
    rnic_ending_at_once(endpoint->ending, &failure, now);
    break;
  }
}

/* --- TCP tells --- */

static void on_established(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_startup_phase_established(endpoint->startup, now);
  follow_startup(endpoint, now);
}

static bool is_in_full_operation(const rnic_endpoint *endpoint)
{
  return rnic_receiver_is_started(endpoint->receiver);
}

static bool has_failed(const rnic_endpoint *endpoint)
{
  return rnic_ending_has_failed(endpoint->ending);
}

/* mpa-01 §6.1 rule 4: the Responder sends no FPDU before it has received and validated one (MPA-219), not even a Terminate
 * (notes-mpa 37). */
static bool waits_for_an_fpdu(const rnic_endpoint *endpoint)
{
  return endpoint->config.role == MPA_RESPONDER && endpoint->rules->responder_waits &&
         rnic_receiver_statistics(endpoint->receiver)->fpdus == 0;
}

static void on_octets(void *user, uint64_t position, const octet_rope *octets, time_ps arrival, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (has_failed(endpoint)) {
    return; /* acknowledged by TCP and dropped */
  }
  if (is_in_full_operation(endpoint)) {
    rnic_receiver_receive(endpoint->receiver, position, octets, arrival, now);
  } else {
    rnic_startup_phase_receive(endpoint->startup, position, octets, arrival, now);
    follow_startup(endpoint, now);
  }
}

static bool on_inspect(void *user, uint64_t position, const octet_rope *octets, time_ps now)
{
  rnic_endpoint *endpoint = user;
  (void)now;

  return !is_in_full_operation(endpoint) || has_failed(endpoint) ||
         rnic_admission_inspect(endpoint->admission, position, octets);
}

static bool on_admit(void *user, uint64_t position, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;
  (void)length;
  (void)now;

  return rnic_admission_admit(endpoint->admission, position);
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  rnic_endpoint *endpoint = user;
  int64_t offset = is_in_full_operation(endpoint)
                       ? (int64_t)(position - rnic_receiver_phase_start(endpoint->receiver))
                       : -1;

  rnic_receiver_segment(endpoint->receiver, position);
  if (endpoint->events.segment) {
    endpoint->events.segment(endpoint->user, offset, length, new_octets, position > in_order_edge, now);
  }
}

static void on_retransmitted(void *user, uint64_t position, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;
  /* Before full operation all that was sent is the startup frame's or streaming mode's. */
  int64_t offset = rnic_sender_is_started(endpoint->sender)
                       ? (int64_t)(position - rnic_sender_phase_start(endpoint->sender))
                       : -1;

  if (endpoint->events.retransmitted) {
    endpoint->events.retransmitted(endpoint->user, offset, length, now);
  }
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rdmap_stream_acknowledged(endpoint->stream, position, now);
}

/* The peer's FIN, in order behind all its octets: its stream and its connection end gracefully in one (DDP-028 … DDP-030). */
static void on_finished(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;
  rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};

  rnic_ending_peer_finished(endpoint->ending);
  if (is_in_full_operation(endpoint)) {
    endpoint->is_mute = waits_for_an_fpdu(endpoint);
    rnic_receiver_peer_finished(endpoint->receiver, now);
  } else if (!has_failed(endpoint)) { /* in the middle of startup: mpa-01 §7, code 1 (MPA-276) */
    rnic_ending_silently(endpoint->ending, &failure, now);
  }
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  rnic_endpoint *endpoint = user;
  rnic_failure failure = {.layer = RNIC_FAILURE_TCP, .reason.tcp = reason};

  if (reason != TCP_CLOSE_FINISHED) {
    rnic_ending_lost(endpoint->ending, &failure, now); /* DDP-132 */
  }
  if (endpoint->events.closed) {
    endpoint->events.closed(endpoint->user, now);
  }
}

/* --- The endpoint --- */

static rdmap_stream *stream_of(rnic_endpoint *endpoint)
{
  const rdmap_stream_events events = {.placed = on_placed,
                                      .delivered = on_delivered,
                                      .received = on_received,
                                      .completed = on_completed,
                                      .terminated = on_terminated,
                                      .half_closed = on_half_closed};
  rdmap_config rdmap = rnic_endpoint_config_rdmap(&endpoint->config, endpoint->identity);

  rdmap.ord = rnic_fault_ord(endpoint->fault, rdmap.ord);
  return rdmap_stream_new(&rdmap, &events, endpoint);
}

static void make_tcp(rnic_endpoint *endpoint)
{
  const rnic_admission_config admission = rnic_endpoint_config_admission(&endpoint->config);
  bool asks = rnic_admission_has_limits(&admission);
  const tcp_events events = {.inspect = asks ? on_inspect : NULL,
                             .admit = asks ? on_admit : NULL,
                             .established = on_established,
                             .octets = on_octets,
                             .segment = on_segment,
                             .retransmitted = on_retransmitted,
                             .acknowledged = on_acknowledged,
                             .finished = on_finished,
                             .closed = on_closed};

  tcp_transport_factory make =
      endpoint->config.tcp_new ? endpoint->config.tcp_new : tcp_transport_new_connection;

  endpoint->tcp = make(&endpoint->config.tcp, &events, endpoint, endpoint->config.tcp_new_user);
}

static rnic_sender *sender_of(const rnic_endpoint *endpoint)
{
  rnic_sender_config sender = rnic_endpoint_config_sender(&endpoint->config);

  sender.tcp = endpoint->tcp;
  sender.stream = endpoint->stream;
  sender.fault = endpoint->fault;
  return rnic_sender_new(&sender);
}

static rnic_receiver *receiver_of(const rnic_endpoint *endpoint)
{
  rnic_receiver_config receiver = rnic_endpoint_config_receiver(&endpoint->config);

  receiver.tcp = endpoint->tcp;
  receiver.stream = endpoint->stream;
  return rnic_receiver_new(&receiver);
}

static rnic_admission *admission_of(const rnic_endpoint *endpoint)
{
  rnic_admission_config admission = rnic_endpoint_config_admission(&endpoint->config);

  admission.receiver = endpoint->receiver;
  return rnic_admission_new(&admission);
}

static rnic_ending *ending_of(rnic_endpoint *endpoint)
{
  const rnic_ending_config ending = {.tcp = endpoint->tcp,
                                     .stream = endpoint->stream,
                                     .generation = endpoint->config.generation,
                                     .resets = !endpoint->config.closes_by_fin,
                                     .failed = on_failed,
                                     .user = endpoint};

  return rnic_ending_new(&ending);
}

rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user)
{
  const rnic_startup_phase_config startup = rnic_endpoint_config_startup(config);
  rnic_endpoint *endpoint = g_new0(rnic_endpoint, 1);

  endpoint->config = *config;
  endpoint->rules = iwarp_generation_rules_of(config->generation);
  endpoint->events = *events;
  endpoint->user = user;
  endpoint->identity = (ddp_stream_identity){.stream_id = rnic_host_stream_id_new(config->host),
                                             .protection_domain = config->protection_domain};
  endpoint->fault = config->fault ? rnic_fault_new(config->fault) : NULL;
  endpoint->completions = rnic_completion_queue_new();
  make_tcp(endpoint);
  endpoint->startup = rnic_startup_phase_new(&startup, on_private_data, endpoint);
  endpoint->stream = stream_of(endpoint);
  endpoint->sender = sender_of(endpoint);
  endpoint->receiver = receiver_of(endpoint);
  endpoint->admission = admission_of(endpoint);
  endpoint->ending = ending_of(endpoint);
  /* The copies are the parts' own now. */
  endpoint->config.private_data = NULL;
  endpoint->config.fault = NULL;
  return endpoint;
}

void rnic_endpoint_free(rnic_endpoint *endpoint)
{
  if (endpoint) {
    rnic_ending_free(endpoint->ending);
    rnic_sender_free(endpoint->sender);
    rnic_admission_free(endpoint->admission);
    rnic_receiver_free(endpoint->receiver);
    tcp_transport_free(endpoint->tcp);
    rnic_startup_phase_free(endpoint->startup);
    rdmap_stream_free(endpoint->stream);
    rnic_completion_queue_free(endpoint->completions);
    rnic_fault_free(endpoint->fault);
    g_free(endpoint);
  }
}

void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now)
{
  if (endpoint->config.opens) {
    tcp_transport_open(endpoint->tcp, now);
  } else {
    tcp_transport_listen(endpoint->tcp);
  }
}

void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now)
{
  tcp_transport_receive(endpoint->tcp, packet, now);
  rnic_admission_settle(endpoint->admission);
}

/* --- Sending --- */

static bool may_send_fpdus(const rnic_endpoint *endpoint)
{
  return rnic_sender_is_started(endpoint->sender) && !rnic_ending_fin_is_sent(endpoint->ending) &&
         tcp_transport_is_established(endpoint->tcp) && !waits_for_an_fpdu(endpoint);
}

/* What a misbehaving end does instead of its next ULPDU; true when it did something. */
static bool do_fault(rnic_endpoint *endpoint, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};
  rdmap_error error;

  switch (rnic_fault_next_deed(endpoint->fault, &error)) {
  case RNIC_FAULT_DEED_NONE:
    return false;
  case RNIC_FAULT_DEED_ERROR:
    rdmap_stream_fail(endpoint->stream, error, now);
    break;
  case RNIC_FAULT_DEED_RESET:
    tcp_transport_abort(endpoint->tcp, now);
    break;
  case RNIC_FAULT_DEED_CLOSE:
    rnic_ending_silently(endpoint->ending, &failure, now);
    break;
  }
  return true;
}

static bool want_operation(rnic_endpoint *endpoint, time_ps now)
{
  return !rnic_ending_has_begun(endpoint->ending) && endpoint->events.want_operation &&
         endpoint->events.want_operation(endpoint->user, endpoint, now);
}

static void refill(rnic_endpoint *endpoint, time_ps now)
{
  uint64_t fpdu_start;

  while (may_send_fpdus(endpoint) && rnic_sender_has_room(endpoint->sender)) {
    if (endpoint->fault && do_fault(endpoint, now)) {
      continue;
    }
    if (rnic_sender_send(endpoint->sender, &fpdu_start, now)) {
      if (endpoint->events.framed) {
        endpoint->events.framed(endpoint->user, fpdu_start);
      }
    } else if (!want_operation(endpoint, now)) {
      break;
    }
  }
}

/* The Initiator has closed without a single FPDU, and this Responder's ULP has work that can now never go out. */
static void fail_if_mute(rnic_endpoint *endpoint, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};

  if (endpoint->is_mute && !has_failed(endpoint) && !rdmap_stream_is_drained(endpoint->stream)) {
    rnic_ending_silently(endpoint->ending, &failure, now);
  }
}

datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now)
{
  refill(endpoint, now);
  fail_if_mute(endpoint, now);
  rnic_ending_run(endpoint->ending, may_send_fpdus(endpoint), is_in_full_operation(endpoint));
  return tcp_transport_transmit(endpoint->tcp, now);
}

void rnic_endpoint_close(rnic_endpoint *endpoint)
{
  rnic_ending_close(endpoint->ending);
}

void rnic_endpoint_set_send_mtu(rnic_endpoint *endpoint, uint32_t mtu_octets)
{
  tcp_transport_set_send_mtu(endpoint->tcp, mtu_octets);
}

/* --- Time --- */

/* Of the startup phase, while it matters. */
static time_ps startup_deadline(const rnic_endpoint *endpoint)
{
  return has_failed(endpoint) || is_in_full_operation(endpoint)
             ? TIME_PS_NEVER
             : rnic_startup_phase_deadline(endpoint->startup);
}

time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint)
{
  time_ps due =
      time_ps_earlier(tcp_transport_deadline(endpoint->tcp), rnic_receiver_deadline(endpoint->receiver));

  return time_ps_earlier(due, startup_deadline(endpoint));
}

void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_FPDU};

  if (!rnic_receiver_run(endpoint->receiver, now)) {
    rnic_ending_at_once(endpoint->ending, &failure, now);
  }
  if (startup_deadline(endpoint) <= now) {
    rnic_startup_phase_run(endpoint->startup, now);
    follow_startup(endpoint, now);
  }
  if (tcp_transport_deadline(endpoint->tcp) <= now) {
    tcp_transport_run(endpoint->tcp, now);
  }
}

/* --- What it is and what it holds --- */
rdmap_stream *rnic_endpoint_stream(rnic_endpoint *endpoint)
{
  return endpoint->stream;
}

rnic_host *rnic_endpoint_host(const rnic_endpoint *endpoint)
{
  return endpoint->config.host;
}

ddp_stream_identity rnic_endpoint_identity(const rnic_endpoint *endpoint)
{
  return endpoint->identity;
}

rnic_completion_queue *rnic_endpoint_completions(rnic_endpoint *endpoint)
{
  return endpoint->completions;
}

bool rnic_endpoint_is_erroneous(const rnic_endpoint *endpoint)
{
  return has_failed(endpoint);
}

const rnic_refusals *rnic_endpoint_refusals(const rnic_endpoint *endpoint)
{
  return rnic_admission_refusals(endpoint->admission);
}

bool rnic_endpoint_fault_is_done(const rnic_endpoint *endpoint)
{
  return rnic_fault_is_done(endpoint->fault);
}

bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset)
{
  return tcp_transport_in_order_edge(endpoint->tcp) <
         rnic_receiver_phase_start(endpoint->receiver) + phase_offset;
}

int64_t rnic_endpoint_sent_phase_start(const rnic_endpoint *endpoint)
{
  return rnic_sender_is_started(endpoint->sender) ? (int64_t)rnic_sender_phase_start(endpoint->sender) : -1;
}

void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_held *held)
{
  *held = (rnic_held){0};
  held->holes = (uint32_t)tcp_transport_out_of_order_runs(endpoint->tcp);
  held->undelivered = (uint32_t)rdmap_stream_undelivered(endpoint->stream);
  if (is_in_full_operation(endpoint)) {
    rnic_receiver_held(endpoint->receiver, held);
  } else if (!has_failed(endpoint)) {
    rnic_startup_phase_held(endpoint->startup, &held->incomplete, &held->order);
    held->order += tcp_transport_held_octets(endpoint->tcp);
  }
}

const tcp_statistics *rnic_endpoint_tcp_statistics(const rnic_endpoint *endpoint)
{
  return tcp_transport_statistics(endpoint->tcp);
}

const mpa_deframer_statistics *rnic_endpoint_mpa_statistics(const rnic_endpoint *endpoint)
{
  return rnic_receiver_statistics(endpoint->receiver);
}

const rnic_full_size *rnic_endpoint_full_size(const rnic_endpoint *endpoint)
{
  return rnic_sender_full_size(endpoint->sender);
}

uint32_t rnic_endpoint_emss_octets(const rnic_endpoint *endpoint)
{
  return tcp_transport_emss_octets(endpoint->tcp);
}

uint32_t rnic_endpoint_mulpdu_octets(const rnic_endpoint *endpoint)
{
  return rnic_sender_mulpdu_octets(endpoint->sender);
}
