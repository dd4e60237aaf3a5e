#include "rnic/rnic_endpoint.h"

#include <glib.h>

#include "rnic/rnic_endpoint_private.h"

static bool has_failed(const rnic_endpoint *endpoint)
{
  return rnic_ending_has_failed(&endpoint->ending);
}

/* --- Making --- */

/* An rnic_ending's. */
static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_receiver_stop(&endpoint->receiver);
  if (endpoint->admission) {
    rnic_admission_settle(endpoint->admission);
  }
  if (endpoint->events->failed) {
    endpoint->events->failed(endpoint->user, failure, now);
  }
}

static rdmap_stream *stream_of(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  rdmap_config rdmap = rnic_endpoint_config_rdmap(config, endpoint->identity);

  if (endpoint->fault && endpoint->fault->forgets_ord) {
    rdmap.ord = UINT32_MAX;
  }
  return rdmap_stream_new(&rdmap, rnic_endpoint_rdmap_events(), endpoint);
}

static tcp_transport *tcp_of(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  const rnic_admission_config admission = rnic_endpoint_config_admission(config);
  tcp_transport_factory make = config->tcp_new ? config->tcp_new : tcp_transport_new_connection;
  tcp_config tcp = config->tcp;

  tcp.datagram_pool = rnic_host_datagrams(config->host);
  /* cppcheck-suppress returnDanglingLifetime; a transport copies its configuration */
  return make(&tcp, rnic_endpoint_tcp_events(rnic_admission_has_limits(&admission)), endpoint,
              config->tcp_new_user);
}

static void prepare_sender(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  rnic_sender_config sender = rnic_endpoint_config_sender(config);

  sender.tcp = endpoint->tcp;
  sender.stream = endpoint->stream;
  sender.fault = endpoint->fault;
  rnic_sender_init(&endpoint->sender, &sender);
  rnic_sender_limit(&endpoint->sender, config->send_buffer_octets, rnic_host_pace(config->host));
}

static void prepare_receiver(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  rnic_receiver_config receiver = rnic_endpoint_config_receiver(config);

  receiver.tcp = endpoint->tcp;
  receiver.stream = endpoint->stream;
  rnic_receiver_init(&endpoint->receiver, &receiver);
}

static rnic_admission *admission_of(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  rnic_admission_config admission = rnic_endpoint_config_admission(config);

  admission.receiver = &endpoint->receiver;
  return rnic_admission_has_limits(&admission) ? rnic_admission_new(&admission) : NULL;
}

static void prepare_ending(rnic_endpoint *endpoint, const rnic_endpoint_config *config)
{
  const rnic_ending_config ending = {.tcp = endpoint->tcp,
                                     .stream = endpoint->stream,
                                     .generation = config->generation,
                                     .resets = !config->closes_by_fin,
                                     .failed = on_failed,
                                     .user = endpoint};

  rnic_ending_init(&endpoint->ending, &ending);
}

rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user)
{
  const rnic_startup_phase_config startup = rnic_endpoint_config_startup(config);
  rnic_endpoint *endpoint = g_new0(rnic_endpoint, 1);

  endpoint->events = events;
  endpoint->user = user;
  endpoint->host = config->host;
  endpoint->role = config->role;
  endpoint->opens = config->opens;
  endpoint->may_reply =
      config->role == SIDE_INITIATOR || !iwarp_generation_rules_of(config->generation)->responder_waits;
  endpoint->identity = (ddp_stream_identity){.stream_id = rnic_host_stream_id_new(config->host),
                                             .protection_domain = config->protection_domain};
  endpoint->fault = config->fault;
  endpoint->tcp = tcp_of(endpoint, config);
  endpoint->startup = rnic_startup_phase_new(&startup, rnic_endpoint_private_data, endpoint);
  endpoint->stream = stream_of(endpoint, config);
  prepare_sender(endpoint, config);
  prepare_receiver(endpoint, config);
  endpoint->admission = admission_of(endpoint, config);
  prepare_ending(endpoint, config);
  return endpoint;
}

void rnic_endpoint_free(rnic_endpoint *endpoint)
{
  if (endpoint) {
    rnic_sender_clear(&endpoint->sender);
    rnic_admission_free(endpoint->admission);
    rnic_receiver_clear(&endpoint->receiver);
    tcp_transport_free(endpoint->tcp);
    rnic_startup_phase_free(endpoint->startup);
    rdmap_stream_free(endpoint->stream);
    rnic_completion_queue_free(endpoint->completions);
    g_free(endpoint);
  }
}

/* --- What arrives --- */

void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now)
{
  if (endpoint->opens) {
    tcp_transport_open(endpoint->tcp, now);
  } else {
    tcp_transport_listen(endpoint->tcp);
  }
}

void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now)
{
  tcp_transport_receive(endpoint->tcp, packet, now);
  if (endpoint->admission) {
    rnic_admission_settle(endpoint->admission);
  }
}

/* --- Sending --- */

static bool may_send_fpdus(rnic_endpoint *endpoint)
{
  return rnic_sender_is_started(&endpoint->sender) && !rnic_ending_fin_is_sent(&endpoint->ending) &&
         rnic_endpoint_may_reply(endpoint) && tcp_transport_is_established(endpoint->tcp);
}

/* What a misbehaving end does instead of its next ULPDU; true when it did something. */
static bool do_fault(rnic_endpoint *endpoint, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};
  rdmap_error error;

  switch (endpoint->fault->next_deed(endpoint->fault->user, &error)) {
  case RNIC_DEED_NONE:
    return false;
  case RNIC_DEED_ERROR:
    rdmap_stream_fail(endpoint->stream, error, now);
    break;
  case RNIC_DEED_RESET:
    tcp_transport_abort(endpoint->tcp, now);
    break;
  case RNIC_DEED_CLOSE:
    rnic_ending_silently(&endpoint->ending, &failure, now);
    break;
  }
  return true;
}

static bool want_operation(rnic_endpoint *endpoint, time_ps now)
{
  return !rnic_ending_has_begun(&endpoint->ending) && endpoint->events->want_operation &&
         endpoint->events->want_operation(endpoint->user, endpoint, now);
}

/* No ULPDU waits, and nobody is there to be asked for one: so it is with an end that only receives. */
static inline bool has_nothing_to_frame(const rnic_endpoint *endpoint)
{
  return !endpoint->events->want_operation && !endpoint->fault && rdmap_stream_has_nothing(endpoint->stream);
}

static void refill(rnic_endpoint *endpoint, time_ps now)
{
  uint64_t fpdu_start;

  while (rnic_sender_has_room(&endpoint->sender) && may_send_fpdus(endpoint)) {
    if (endpoint->fault && do_fault(endpoint, now)) {
      continue;
    }
    if (rnic_sender_send(&endpoint->sender, &fpdu_start, now)) {
      if (endpoint->events->framed) {
        endpoint->events->framed(endpoint->user, fpdu_start);
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

  if (!has_failed(endpoint) && !rdmap_stream_is_drained(endpoint->stream)) {
    rnic_ending_silently(&endpoint->ending, &failure, now);
  }
}

datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now)
{
  if (rnic_sender_deadline(&endpoint->sender) <= now) {
    rnic_sender_run(&endpoint->sender, may_send_fpdus(endpoint), now);
  }
  if (rnic_sender_is_started(&endpoint->sender) && !has_nothing_to_frame(endpoint)) {
    refill(endpoint, now);
  }
  if (endpoint->is_mute) {
    fail_if_mute(endpoint, now);
  }
  if (rnic_ending_has_begun(&endpoint->ending) && !rnic_sender_holds(&endpoint->sender)) {
    rnic_ending_run(&endpoint->ending, may_send_fpdus(endpoint),
                    rnic_endpoint_is_in_full_operation(endpoint));
  }
  datagram *packet = tcp_transport_transmit(endpoint->tcp, now);
  if (packet && datagram_may_be_fragmented(packet)) {
    datagram_allow_fragments(packet, (*rnic_host_identification(endpoint->host))++);
  }
  return packet;
}

void rnic_endpoint_close(rnic_endpoint *endpoint)
{
  rnic_ending_close(&endpoint->ending);
}

void rnic_endpoint_set_send_mtu(rnic_endpoint *endpoint, uint32_t mtu_octets)
{
  tcp_transport_set_send_mtu(endpoint->tcp, mtu_octets);
}

/* --- Time --- */

/* Of the startup phase, while it matters. */
static time_ps startup_deadline(const rnic_endpoint *endpoint)
{
  return !endpoint->startup || has_failed(endpoint) ? TIME_PS_NEVER
                                                    : rnic_startup_phase_deadline(endpoint->startup);
}

/* Of what few endpoints have, or not for long. */
static G_GNUC_NO_INLINE time_ps rare_deadline(const rnic_endpoint *endpoint)
{
  return time_ps_earlier(rnic_sender_deadline(&endpoint->sender), startup_deadline(endpoint));
}

time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint)
{
  time_ps due =
      time_ps_earlier(tcp_transport_deadline(endpoint->tcp), rnic_receiver_deadline(&endpoint->receiver));

  return endpoint->sender.limits || endpoint->startup ? time_ps_earlier(due, rare_deadline(endpoint)) : due;
}

void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now)
{
  rnic_failure failure = {.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_FPDU};

  if (!rnic_receiver_run(&endpoint->receiver, now)) {
    rnic_ending_at_once(&endpoint->ending, &failure, now);
  }
  if (startup_deadline(endpoint) <= now) {
    rnic_startup_phase_run(endpoint->startup, now);
    rnic_endpoint_follow_startup(endpoint, now);
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
  return endpoint->host;
}

ddp_stream_identity rnic_endpoint_identity(const rnic_endpoint *endpoint)
{
  return endpoint->identity;
}

rnic_completion_queue *rnic_endpoint_completions(rnic_endpoint *endpoint)
{
  if (!endpoint->completions) {
    endpoint->completions = rnic_completion_queue_new();
  }
  return endpoint->completions;
}

bool rnic_endpoint_take_completion(rnic_endpoint *endpoint, rnic_completion *completion)
{
  bool taken = endpoint->completions && rnic_completion_queue_pop(endpoint->completions, completion);

  if (taken && rnic_completion_queue_is_empty(endpoint->completions)) {
    rnic_completion_queue_free(endpoint->completions);
    endpoint->completions = NULL;
  }
  return taken;
}

bool rnic_endpoint_is_erroneous(const rnic_endpoint *endpoint)
{
  return has_failed(endpoint);
}

const rnic_refusals *rnic_endpoint_refusals(const rnic_endpoint *endpoint)
{
  static const rnic_refusals none;

  return endpoint->admission ? rnic_admission_refusals(endpoint->admission) : &none;
}

bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset)
{
  return tcp_transport_in_order_edge(endpoint->tcp) <
         rnic_receiver_phase_start(&endpoint->receiver) + phase_offset;
}

int64_t rnic_endpoint_sent_phase_start(const rnic_endpoint *endpoint)
{
  return rnic_sender_is_started(&endpoint->sender) ? (int64_t)rnic_sender_phase_start(&endpoint->sender) : -1;
}

bool rnic_endpoint_holds_nothing(const rnic_endpoint *endpoint)
{
  return rnic_endpoint_is_in_full_operation(endpoint) && rnic_receiver_holds_nothing(&endpoint->receiver) &&
         rdmap_stream_undelivered(endpoint->stream) == 0 &&
         tcp_transport_out_of_order_runs(endpoint->tcp) == 0;
}

void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_held *held)
{
  *held = (rnic_held){0};
  held->holes = (uint32_t)tcp_transport_out_of_order_runs(endpoint->tcp);
  held->undelivered = (uint32_t)rdmap_stream_undelivered(endpoint->stream);
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    rnic_receiver_held(&endpoint->receiver, held);
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
  return rnic_receiver_statistics(&endpoint->receiver);
}

const rnic_full_size *rnic_endpoint_full_size(const rnic_endpoint *endpoint)
{
  return rnic_sender_full_size(&endpoint->sender);
}

uint32_t rnic_endpoint_emss_octets(const rnic_endpoint *endpoint)
{
  return tcp_transport_emss_octets(endpoint->tcp);
}

uint32_t rnic_endpoint_mulpdu_octets(const rnic_endpoint *endpoint)
{
  return rnic_sender_mulpdu_octets(&endpoint->sender);
}
