/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_endpoint.h"

#include <glib.h>
#include <string.h>

#include "rnic/rnic_endpoint_private.h"
#include "tcp/tcp_connection.h"

/* --- Making --- */

rnic_endpoint_config rnic_endpoint_config_default(enum side side)
{
  return (rnic_endpoint_config){
      .tcp = tcp_config_default(),
      .generation = IWARP_IETF,
      .role = side,
      .opens = side == SIDE_INITIATOR,
      .markers = true,
      .crc = true,
      .private_data_capacity_octets = UINT16_MAX,
      .startup_timeout_ps = 10 * TIME_PS_PER_SECOND,
      .enhanced = {.rtr = {MPA_RTR_READ, MPA_RTR_WRITE, MPA_RTR_SEND}, .rtr_count = MPA_RTRS},
      .rdmap = {.ird = 16, .ord = 16, .strict_responses = true}};
}

static rdmap_stream *stream_of(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  rdmap_config rdmap = config->rdmap;

  rdmap.generation = config->generation;
  rdmap.identity = (ddp_stream_identity){.stream_id = rnic_host_stream_id_new(config->host),
                                         .protection_domain = config->protection_domain};
  rdmap.stags = config->host->stags;
  rdmap.probe = &endpoint->events->probe;
  rdmap.probe_user = endpoint->user;
  if (config->fault && config->fault->forgets_ord) {
    rdmap.ord = RNIC_ORD_FORGOTTEN;
  }
  return rdmap_stream_new(&rdmap, &rnic_endpoint_rdmap_events, endpoint);
}

/* Returns what an FPDU of MULPDU octets takes, about: of the EMSS, or of the smallest MULPDU when that is
 * more. Longer ones are rare, and made all the same. */
static const mpa_fpdu_memory *fpdu_memory_for(const rnic_endpoint_config *config)
{
  enum { IP_AND_TCP_OCTETS = 40, SMALLEST_FPDU_OCTETS = MPA_MULPDU_MIN_OCTETS + 12 };
  uint32_t mtu = MAX(config->tcp.send_mtu_octets, (uint32_t)IP_AND_TCP_OCTETS);
  uint32_t emss = config->assumed_emss_octets > 0 ? config->assumed_emss_octets : mtu - IP_AND_TCP_OCTETS;

  return rnic_host_fpdu_memory(config->host, MAX(emss, (uint32_t)SMALLEST_FPDU_OCTETS));
}

static void prepare_sender(rnic_endpoint *endpoint, const rnic_endpoint_config *config, tcp_transport *tcp,
                           rdmap_stream *stream)
{
  endpoint->sender.config =
      (rnic_sender_config){.tcp = tcp,
                           .stream = stream,
                           .fault = config->fault,
                           .starts = config->starts,
                           .generation = config->generation,
                           .assumed_emss_octets = config->assumed_emss_octets,
                           .dynamic_mulpdu = config->dynamic_mulpdu,
                           .packs_fpdus = config->tcp.segmentation != TCP_SEGMENTATION_RECORD,
                           .allows_fragments = !config->tcp.path_mtu_discovery || config->tcp_new};
  endpoint->sender.framer.memory = fpdu_memory_for(config);
  rnic_sender_limit(&endpoint->sender, config->send_buffer_octets, config->host->pace);
}

static void prepare_receiver(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  bool has_frames = iwarp_generation_rules_of(config->generation)->startup_frames;
  const rnic_receiver_config receiver = {
      .tcp = endpoint->sender.config.tcp,
      .stream = endpoint->sender.config.stream,
      .fpdu_memory = endpoint->sender.framer.memory,
      .trace = config->tcp.trace,
      .looks_ahead = config->tcp.passing == TCP_PASSING_AS_ARRIVED,
      .assumes_aligned = config->assumes_aligned,
      .takes_long_ulpdus = config->takes_long_ulpdus,
      /* rdmac has no startup frames, and no time for them. A peer of another generation sends one, which
       * looks like an FPDU that never becomes whole; no document ends that wait, so the ULP does (note M46,
       * MPA-234). */
      .first_fpdu_timeout_ps = has_frames ? 0 : config->startup_timeout_ps};

  rnic_receiver_init(&endpoint->receiver, &receiver, config->placement_latency_ps);
}

/* Puts the layers over a TCP connection of its own, which is not open; RDMAP's `stream` is the highest. */
static void connect_layers(rnic_endpoint *endpoint, const rnic_endpoint_config *config, rdmap_stream *stream)
{
  const rnic_admission_config admission = {.silent_drop = config->silent_drop,
                                           .memory = config->host->memory,
                                           .limits = config->limits,
                                           .receiver = &endpoint->receiver};
  bool has_limits = rnic_admission_has_limits(&admission);
  const tcp_events *from_tcp = has_limits ? &rnic_endpoint_tcp_events_inspecting : &rnic_endpoint_tcp_events;
  tcp_config tcp = config->tcp;

  tcp.datagram_pool = config->host->pools->datagrams;
  tcp.latest = &config->host->tcp_config;
  /* cppcheck-suppress returnDanglingLifetime; a transport copies its configuration */
  tcp_transport *transport = config->tcp_new ? config->tcp_new(&tcp, from_tcp, endpoint, config->tcp_new_user)
                                             : tcp_connection_new(&tcp, from_tcp, endpoint);
  endpoint->startup = rnic_startup_phase_new(config, endpoint->events->private_data, endpoint->user);
  prepare_sender(endpoint, config, transport, stream);
  prepare_receiver(endpoint, config);
  endpoint->admission = has_limits ? rnic_admission_new(&admission) : NULL;
}

rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user)
{
  rnic_endpoint *endpoint = g_new0(rnic_endpoint, 1);

  endpoint->events = events;
  endpoint->user = user;
  endpoint->host = config->host;
  endpoint->role = config->role;
  endpoint->generation = config->generation;
  endpoint->opens = config->opens;
  endpoint->closes_by_fin = config->closes_by_fin;
  endpoint->may_reply =
      config->role == SIDE_INITIATOR || !iwarp_generation_rules_of(config->generation)->responder_waits;
  connect_layers(endpoint, config, stream_of(endpoint, config));
  return endpoint;
}

/* Frees the layers between TCP and RDMAP. */
static void clear_layers(rnic_endpoint *endpoint)
{
  rnic_sender_clear(&endpoint->sender);
  rnic_admission_free(endpoint->admission);
  rnic_receiver_clear(&endpoint->receiver);
  rnic_startup_phase_free(endpoint->startup);
}

void rnic_endpoint_free(rnic_endpoint *endpoint)
{
  if (endpoint) {
    clear_layers(endpoint);
    tcp_transport_free(endpoint->sender.config.tcp);
    rdmap_stream_free(endpoint->sender.config.stream);
    waiting_completion *newest = endpoint->newest_completion;
    for (waiting_completion *each = newest ? newest->next : NULL, *next; each; each = next) {
      next = each == newest ? NULL : each->next;
      g_free(each);
    }
    g_free(endpoint);
  }
}

/* --- What arrives --- */

void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now)
{
  if (endpoint->opens) {
    endpoint->sender.config.tcp->class->open(endpoint->sender.config.tcp, now);
  } else {
    endpoint->sender.config.tcp->class->listen(endpoint->sender.config.tcp);
  }
}

bool rnic_endpoint_was_not_answered(const rnic_endpoint *endpoint, const rnic_failure *failure)
{
  const bool is_closed = (failure->layer == RNIC_FAILURE_TCP && failure->reason.tcp == TCP_CLOSE_RESET) ||
                         (failure->layer == RNIC_FAILURE_MPA && failure->reason.mpa == MPA_ERROR_CLOSED);
  const mpa_startup *mpa = endpoint->startup ? endpoint->startup->mpa : NULL;

  return is_closed && mpa && mpa->frame_sent && mpa->received == 0;
}

tcp_transport *rnic_endpoint_start_again(rnic_endpoint *endpoint, const rnic_endpoint_config *config,
                                         time_ps now)
{
  tcp_transport *before = endpoint->sender.config.tcp;
  rnic_endpoint_config again = *config;

  g_assert(endpoint->startup && endpoint->startup->may_start_again);
  again.may_start_again = false;
  again.fault = endpoint->sender.config.fault;
  again.starts = endpoint->sender.config.starts;
  clear_layers(endpoint);
  endpoint->sender = (rnic_sender){.limits = NULL};
  endpoint->has_failed = false;
  endpoint->teardown = RNIC_TEARDOWN_NOT;
  connect_layers(endpoint, &again, endpoint->receiver.config.stream);
  rnic_endpoint_start(endpoint, now);
  return before;
}

void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now)
{
  endpoint->sender.config.tcp->class->receive(endpoint->sender.config.tcp, packet, now);
  if (endpoint->admission) {
    rnic_admission_settle(endpoint->admission);
  }
}

/* --- Sending --- */

static bool may_send_fpdus(rnic_endpoint *endpoint)
{
  return endpoint->sender.is_started && endpoint->teardown != RNIC_TEARDOWN_FIN_SENT &&
         rnic_endpoint_may_reply(endpoint) && endpoint->sender.config.tcp->gauges.is_established;
}

/* Does what a misbehaving end does instead of its next ULPDU; true when it did something. */
static bool do_fault(rnic_endpoint *endpoint, time_ps now)
{
  const rnic_misbehaviour *fault = endpoint->sender.config.fault;
  rdmap_error error;

  switch (fault->next_local_action(fault->user, &error)) {
  case RNIC_LOCAL_NONE:
    return false;
  case RNIC_LOCAL_ERROR:
    rdmap_stream_fail(endpoint->sender.config.stream, error, now);
    break;
  case RNIC_LOCAL_RESET:
    endpoint->sender.config.tcp->class->abort(endpoint->sender.config.tcp, now);
    break;
  case RNIC_LOCAL_CLOSE:
    rnic_endpoint_end_silently(endpoint, rnic_closed, now);
    break;
  }
  return true;
}

static void refill(rnic_endpoint *endpoint, time_ps now)
{
  const rnic_endpoint_events *events = endpoint->events;

  while (rnic_sender_has_room(&endpoint->sender) && may_send_fpdus(endpoint)) {
    if (endpoint->sender.config.fault && do_fault(endpoint, now)) {
      continue;
    }
    if (!rnic_sender_send(&endpoint->sender, endpoint->receiver.config.trace, now) &&
        (endpoint->teardown != RNIC_TEARDOWN_NOT || !events->want_operation ||
         !events->want_operation(endpoint->user, endpoint, now))) {
      break;
    }
  }
}

/* Sends FIN if it is due. */
static G_GNUC_NO_INLINE void finish(rnic_endpoint *endpoint, time_ps now)
{
  /* The Initiator has closed without a single FPDU, and this Responder's ULP has work that can now never go
   * out. */
  if (endpoint->is_mute && !endpoint->has_failed &&
      !rdmap_stream_is_drained(endpoint->sender.config.stream)) {
    rnic_endpoint_end_silently(endpoint, rnic_closed, now);
  }
  if (endpoint->teardown == RNIC_TEARDOWN_NOT || rnic_sender_holds(&endpoint->sender)) {
    return;
  }
  bool is_due =
      endpoint->teardown == RNIC_TEARDOWN_DRAINS
          ? rnic_endpoint_is_in_full_operation(endpoint) &&
                rdmap_stream_is_drained(endpoint->sender.config.stream)
          : endpoint->teardown == RNIC_TEARDOWN_TERMINATES &&
                (!may_send_fpdus(endpoint) || rdmap_stream_is_drained(endpoint->sender.config.stream));

  if (is_due) {
    endpoint->teardown = RNIC_TEARDOWN_FIN_SENT;
    endpoint->sender.config.tcp->class->close(endpoint->sender.config.tcp);
  }
}

datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now)
{
  if (rnic_sender_holds(&endpoint->sender)) {
    rnic_sender_run(&endpoint->sender, may_send_fpdus(endpoint), now);
  }
  /* An end that only receives has no ULPDU, and no ULP that could post one. */
  if (endpoint->sender.is_started && (endpoint->events->want_operation || endpoint->sender.config.fault ||
                                      !rdmap_stream_has_nothing(endpoint->sender.config.stream))) {
    refill(endpoint, now);
  }
  if (endpoint->is_mute || endpoint->teardown != RNIC_TEARDOWN_NOT) {
    finish(endpoint, now);
  }
  tcp_transport *tcp = endpoint->sender.config.tcp;
  datagram *packet = tcp->gauges.rests ? NULL : tcp->class->transmit(tcp, now);
  if (endpoint->sender.config.allows_fragments && packet && datagram_may_be_fragmented(packet)) {
    datagram_allow_fragments(packet, endpoint->host->identification++);
  }
  return packet;
}

/* --- What it reports to the ULP --- */

void rnic_endpoint_complete(void *user, const rdmap_completion *completion, time_ps now)
{
  rnic_endpoint *endpoint = user;
  waiting_completion *newest = endpoint->newest_completion;
  waiting_completion *added = g_new(waiting_completion, 1);

  TRACE(endpoint->receiver.config.trace, COMPLETED, .work = completion->id, .receive = completion->is_receive,
        .in_error = completion->in_error, .octets = completion->octets);
  *added = (waiting_completion){.completion = *completion, .next = newest ? newest->next : added};
  if (newest) {
    newest->next = added;
  }
  endpoint->newest_completion = added;
  if (endpoint->events->completion) {
    endpoint->events->completion(endpoint->user, endpoint, now);
  }
}

/* --- The end --- */

/* Reports the first failure, once. */
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
  if (endpoint->startup && endpoint->startup->may_start_again) {
    move_to(endpoint, RNIC_TEARDOWN_TERMINATES);
  } else {
    /* which reports a Terminate: rnic_endpoint_terminate() */
    rdmap_stream_llp_lost(endpoint->sender.config.stream, now);
  }
}

/* It ends by RST, unless the configuration forbids it (mpa-01 §7, MPA-280). */
static void end_at_once(rnic_endpoint *endpoint, rnic_failure failure, time_ps now)
{
  rnic_endpoint_end_silently(endpoint, failure, now);
  if (!endpoint->closes_by_fin) {
    endpoint->sender.config.tcp->class->abort(endpoint->sender.config.tcp, now);
  }
}

void rnic_endpoint_terminate(rnic_endpoint *endpoint, rnic_failure failure, time_ps now)
{
  fail(endpoint, failure, now);
  move_to(endpoint, RNIC_TEARDOWN_TERMINATES);
}

void rnic_endpoint_close(rnic_endpoint *endpoint)
{
  if (endpoint->teardown == RNIC_TEARDOWN_NOT) {
    endpoint->teardown = RNIC_TEARDOWN_DRAINS;
    rdmap_stream_close(endpoint->sender.config.stream); /* no more operations (DDP-126) */
  }
}

/* --- Startup --- */

static void post_startup_octets(rnic_endpoint *endpoint)
{
  const rnic_misbehaviour *fault = endpoint->sender.config.fault;
  buffer_chain octets;
  bool is_frame;

  buffer_chain_init(&octets);
  while (rnic_startup_phase_next(endpoint->startup, &octets, &is_frame)) {
    if (is_frame && fault) {
      fault->alter_startup(fault->user, &octets);
    }
    endpoint->sender.config.tcp->class->post(endpoint->sender.config.tcp, &octets, 0);
  }
  buffer_chain_clear(&octets);
}

/* RDMAP works with what both ends have agreed on, and its first message is what that asks for. */
static void follow_agreement(rnic_endpoint *endpoint, const mpa_agreement *agreement, time_ps now)
{
  static const rdmap_opcode opcodes[MPA_RTRS] = {
      [MPA_RTR_SEND] = RDMAP_SEND, [MPA_RTR_WRITE] = RDMAP_WRITE, [MPA_RTR_READ] = RDMAP_READ_REQUEST};
  const rnic_misbehaviour *fault = endpoint->sender.config.fault;
  rdmap_stream *stream = endpoint->sender.config.stream;

  if (agreement->is_enhanced) {
    rdmap_stream_set_limits(stream, agreement->ird,
                            fault && fault->forgets_ord ? RNIC_ORD_FORGOTTEN : agreement->ord);
  }
  if (agreement->error != MPA_ERROR_NONE) { /* RFC 6581 §8: a Terminate in place of the RTR */
    rdmap_stream_fail(stream, (rdmap_error){RDMAP_LAYER_LLP, 0, (uint8_t)agreement->error}, now);
  } else if (agreement->peer_to_peer && endpoint->role == SIDE_INITIATOR) {
    mpa_rtr rtr = agreement->rtr;
    for (mpa_rtr other = MPA_RTR_WRITE; fault && fault->rtr == RNIC_RTR_NOT_AGREED && other < MPA_RTRS;
         other++) {
      rtr = agreement->rtrs & 1U << other ? rtr : other;
    }
    if (!fault || fault->rtr != RNIC_RTR_NONE) {
      rdmap_stream_send_rtr(stream, opcodes[rtr]);
    }
  } else if (agreement->rtrs & 1U << MPA_RTR_SEND) {
    rdmap_stream_expect_rtr_send(stream);
  }
}

typedef struct now_of {
  rnic_endpoint *endpoint;
  time_ps now;
} now_of;

static void receive_early(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  const now_of *at = user;

  if (!at->endpoint->has_failed) {
    rnic_receiver_receive(&at->endpoint->receiver, position, octets, arrival, at->now);
  }
}

/* mpa-01 §6.1: the DDP stream that it is bound to from here on (MPA-197) was made with the endpoint. */
static void enter_full_operation(rnic_endpoint *endpoint, time_ps now)
{
  const mpa_startup *mpa = endpoint->startup->mpa;
  bool crc = mpa_startup_crc(mpa);

  rnic_sender_start(&endpoint->sender, mpa_startup_send_markers(mpa), crc);
  rnic_receiver_start(&endpoint->receiver, mpa_startup_receive_markers(mpa), crc,
                      rnic_startup_phase_received_octets(endpoint->startup));
  TRACE(endpoint->receiver.config.trace, FULL_OPERATION, .sends_from = endpoint->sender.phase_start,
        .receives_from = endpoint->receiver.phase_start, .markers = endpoint->receiver.markers);
  follow_agreement(endpoint, &mpa->agreement, now);
  if (endpoint->startup->octets) {
    reassembly_queue_visit(endpoint->startup->octets, endpoint->startup->consumed, UINT64_MAX, receive_early,
                           &(now_of){endpoint, now});
  }
  rnic_startup_phase_free(endpoint->startup); /* most connections live long after it */
  endpoint->startup = NULL;
}

void rnic_endpoint_follow_startup(rnic_endpoint *endpoint, time_ps now)
{
  static const rnic_failure starved = {.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_STREAMING_OCTETS};
  const mpa_startup *mpa = endpoint->startup->mpa;
  const mpa_startup_reason reason = mpa->reason;
  const rnic_failure failed = {.layer = RNIC_FAILURE_STARTUP,
                               .reason.startup = reason,
                               .by_peer = reason == MPA_STARTUP_REASON_REJECTED_BY_PEER};

  post_startup_octets(endpoint);
  if (endpoint->startup->is_starved) {
    end_at_once(endpoint, starved, now);
  } else if (rnic_startup_phase_is_over(endpoint->startup)) {
    enter_full_operation(endpoint, now);
  } else if (mpa->state == MPA_STARTUP_REJECTED) {
    /* mpa-01 §6.1 rules 2 and 3: MPA is left and TCP stays open, for the ULP to close or to use (MPA-208,
     * MPA-209, MPA-217). This ULP closes it, gracefully: at the rejected end or, when that is the Responder
     * and does not know, at the Initiator that found its Reply's Private Data unacceptable. */
    rnic_endpoint_end_silently(endpoint, failed, now);
    if (endpoint->role == SIDE_RESPONDER) {
      move_to(endpoint, RNIC_TEARDOWN_WAITS);
    }
  } else if (mpa->state == MPA_STARTUP_FAILED) {
    end_at_once(endpoint, failed, now); /* mpa-01 §7: code 4 (MPA-280) */
  }
}

/* --- Time --- */

/* Returns the deadline of the startup phase, while it matters. */
static time_ps startup_deadline(const rnic_endpoint *endpoint)
{
  return !endpoint->startup || endpoint->has_failed ? TIME_PS_NEVER
                                                    : rnic_startup_phase_deadline(endpoint->startup);
}

/* Returns the deadline of those parts that few endpoints have, or not for long. */
static G_GNUC_NO_INLINE time_ps rare_deadline(const rnic_endpoint *endpoint)
{
  return time_ps_earlier(rnic_sender_deadline(&endpoint->sender), startup_deadline(endpoint));
}

time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint)
{
  const tcp_transport *tcp = endpoint->sender.config.tcp;
  time_ps due = time_ps_earlier(tcp->gauges.rests ? tcp->gauges.ack_deadline : tcp->class->deadline(tcp),
                                rnic_receiver_deadline(&endpoint->receiver));

  return endpoint->sender.limits || endpoint->startup ? time_ps_earlier(due, rare_deadline(endpoint)) : due;
}

void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now)
{
  static const rnic_failure starved = {.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_FPDU};

  if (!rnic_receiver_run(&endpoint->receiver, now)) {
    end_at_once(endpoint, starved, now);
  }
  if (startup_deadline(endpoint) <= now) {
    rnic_startup_phase_run(endpoint->startup, now);
    rnic_endpoint_follow_startup(endpoint, now);
  }
  if (endpoint->sender.config.tcp->class->deadline(endpoint->sender.config.tcp) <= now) {
    endpoint->sender.config.tcp->class->run(endpoint->sender.config.tcp, now);
  }
}

/* --- What it is and what it holds --- */

rnic_host *rnic_endpoint_host(const rnic_endpoint *endpoint)
{
  return endpoint->host;
}

bool rnic_endpoint_is_erroneous(const rnic_endpoint *endpoint)
{
  return endpoint->has_failed;
}

bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset)
{
  return endpoint->sender.config.tcp->gauges.in_order_edge < endpoint->receiver.phase_start + phase_offset;
}

int64_t rnic_endpoint_sent_phase_start(const rnic_endpoint *endpoint)
{
  return endpoint->sender.is_started ? (int64_t)endpoint->sender.phase_start : -1;
}

uint64_t rnic_endpoint_received_phase_start(const rnic_endpoint *endpoint)
{
  return endpoint->receiver.phase_start;
}

bool rnic_endpoint_holds_nothing(const rnic_endpoint *endpoint)
{
  return rnic_endpoint_is_in_full_operation(endpoint) && rnic_receiver_holds_nothing(&endpoint->receiver) &&
         rdmap_stream_undelivered(endpoint->sender.config.stream) == 0 &&
         endpoint->sender.config.tcp->class->beyond(endpoint->sender.config.tcp).ranges == 0;
}

void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_occupancy *held)
{
  const tcp_beyond beyond = endpoint->sender.config.tcp->class->beyond(endpoint->sender.config.tcp);

  *held = (rnic_occupancy){.holes = beyond.ranges, .segments = beyond.segments};
  held->undelivered = (uint32_t)rdmap_stream_undelivered(endpoint->sender.config.stream);
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    rnic_receiver_held(&endpoint->receiver, held);
  } else if (!endpoint->has_failed) {
    rnic_startup_phase_held(endpoint->startup, &held->incomplete, &held->order);
    held->order +=
        endpoint->sender.config.tcp->class->held_octets_below(endpoint->sender.config.tcp, UINT64_MAX);
  }
}

rnic_endpoint_counts rnic_endpoint_counts_of(const rnic_endpoint *endpoint)
{
  static const rnic_refusals none;

  return (rnic_endpoint_counts){
      .tcp = &endpoint->sender.config.tcp->gauges,
      .mpa = rnic_receiver_statistics(&endpoint->receiver),
      .refusals = endpoint->admission ? &endpoint->admission->refusals : &none,
      .full_size = &endpoint->sender.full_size,
      .mulpdu_octets = rnic_sender_mulpdu_octets(&endpoint->sender),
  };
}
