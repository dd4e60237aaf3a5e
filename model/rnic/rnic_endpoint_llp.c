/* What TCP tells an endpoint: of the startup phase, then of full operation. */
#include "rnic/rnic_endpoint_private.h"

/* --- Startup --- */

void rnic_endpoint_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events->private_data) {
    endpoint->events->private_data(endpoint->user, octets, length, now);
  }
}

static void post_startup_octets(rnic_endpoint *endpoint)
{
  octet_rope octets;
  bool is_frame;

  octet_rope_init(&octets);
  while (rnic_startup_phase_next(endpoint->startup, &octets, &is_frame)) {
    if (is_frame && endpoint->fault) {
      endpoint->fault->alter_startup(endpoint->fault->user, &octets);
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

  rnic_sender_start(&endpoint->sender, mpa_startup_send_markers(mpa), crc);
  rnic_receiver_start(&endpoint->receiver, mpa_startup_receive_markers(mpa), crc,
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

  if (endpoint->role == SIDE_INITIATOR) {
    rnic_ending_silently(&endpoint->ending, &failure, now);
  } else {
    rnic_ending_when_peer_does(&endpoint->ending, &failure, now);
  }
}

void rnic_endpoint_follow_startup(rnic_endpoint *endpoint, time_ps now)
{
  mpa_startup_reason reason = mpa_startup_reason_of(rnic_startup_phase_mpa(endpoint->startup));
  rnic_failure failure = {.layer = RNIC_FAILURE_STARTUP, .reason.startup = reason};

  post_startup_octets(endpoint);
  switch (rnic_startup_phase_outcome(endpoint->startup)) {
  case RNIC_STARTUP_PENDING:
    break;
  case RNIC_STARTUP_FULL_OPERATION:
    enter_full_operation(endpoint);
    rnic_startup_phase_free(endpoint->startup); /* most connections live long after it */
    endpoint->startup = NULL;
    break;
  case RNIC_STARTUP_REJECTED:
    be_rejected(endpoint, reason, now);
    break;
  case RNIC_STARTUP_FAILED:
    rnic_ending_at_once(&endpoint->ending, &failure, now); /* mpa-01 §7: code 4 (MPA-280) */
    break;
  case RNIC_STARTUP_STARVED:
    failure = (rnic_failure){.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_STREAMING_OCTETS};
    rnic_ending_at_once(&endpoint->ending, &failure, now);
    break;
  }
}

/* --- TCP tells --- */

static void on_established(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rnic_startup_phase_established(endpoint->startup, now);
  rnic_endpoint_follow_startup(endpoint, now);
}

static bool has_failed(const rnic_endpoint *endpoint)
{
  return rnic_ending_has_failed(&endpoint->ending);
}

static void on_octets(void *user, uint64_t position, const octet_rope *octets, time_ps arrival, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (has_failed(endpoint)) {
    return; /* acknowledged by TCP and dropped */
  }
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    rnic_receiver_receive(&endpoint->receiver, position, octets, arrival, now);
  } else {
    rnic_startup_phase_receive(endpoint->startup, position, octets, arrival, now);
    rnic_endpoint_follow_startup(endpoint, now);
  }
}

static bool on_inspect(void *user, uint64_t position, const octet_rope *octets, time_ps now)
{
  rnic_endpoint *endpoint = user;
  (void)now;

  return !rnic_endpoint_is_in_full_operation(endpoint) || has_failed(endpoint) ||
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
  int64_t offset = rnic_endpoint_is_in_full_operation(endpoint)
                       ? (int64_t)(position - rnic_receiver_phase_start(&endpoint->receiver))
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
  int64_t offset = rnic_sender_is_started(&endpoint->sender)
                       ? (int64_t)(position - rnic_sender_phase_start(&endpoint->sender))
                       : -1;

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

/* The peer's FIN, in order behind all its octets: its stream and its connection end gracefully in one (DDP-028 … DDP-030). */
static void on_finished(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;
  rnic_failure failure = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};

  rnic_ending_peer_finished(&endpoint->ending);
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    endpoint->is_mute = !rnic_endpoint_may_reply(endpoint);
    rnic_receiver_peer_finished(&endpoint->receiver, now);
  } else if (!has_failed(endpoint)) { /* in the middle of startup: mpa-01 §7, code 1 (MPA-276) */
    rnic_ending_silently(&endpoint->ending, &failure, now);
  }
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  rnic_endpoint *endpoint = user;
  rnic_failure failure = {.layer = RNIC_FAILURE_TCP, .reason.tcp = reason};

  if (reason != TCP_CLOSE_FINISHED) {
    rnic_ending_lost(&endpoint->ending, &failure, now); /* DDP-132 */
  }
  if (endpoint->events->closed) {
    endpoint->events->closed(endpoint->user, now);
  }
}

const tcp_events *rnic_endpoint_tcp_events(bool inspects)
{
  static const tcp_events taking = {.established = on_established,
                                    .octets = on_octets,
                                    .segment = on_segment,
                                    .retransmitted = on_retransmitted,
                                    .acknowledged = on_acknowledged,
                                    .finished = on_finished,
                                    .closed = on_closed};
  static const tcp_events inspecting = {.inspect = on_inspect,
                                        .admit = on_admit,
                                        .established = on_established,
                                        .octets = on_octets,
                                        .segment = on_segment,
                                        .retransmitted = on_retransmitted,
                                        .acknowledged = on_acknowledged,
                                        .finished = on_finished,
                                        .closed = on_closed};

  return inspects ? &inspecting : &taking;
}
