/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP and RDMAP report to an endpoint, and this is what it makes of that. */

#include <glib.h>

#include "rnic/rnic_endpoint.h"
#include "rnic/rnic_endpoint_private.h"

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

static bool on_admit(void *user, uint64_t position, tcp_beyond then, G_GNUC_UNUSED time_ps now)
{
  rnic_endpoint *endpoint = user;

  return rnic_admission_admit(endpoint->admission, position, then);
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  rnic_endpoint *endpoint = user;
  int64_t offset = rnic_endpoint_is_in_full_operation(endpoint)
                       ? (int64_t)(position - endpoint->receiver.phase_start)
                       : -1;

  endpoint->receiver.segment_position = position;
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

  if (endpoint->sender.limits) {
    endpoint->sender.limits->acknowledged = position;
  }
  rdmap_stream_acknowledged(endpoint->sender.config.stream, position, now);
}

/* The peer's FIN has come, in order after all its octets: its stream and its connection end gracefully in one
 * (DDP-028 … DDP-030). */
static void on_finished(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->teardown == RNIC_TEARDOWN_WAITS) {
    endpoint->teardown = RNIC_TEARDOWN_TERMINATES;
  }
  if (rnic_endpoint_is_in_full_operation(endpoint)) {
    endpoint->is_mute = !rnic_endpoint_may_reply(endpoint);
    rnic_receiver_peer_finished(&endpoint->receiver, now);
  } else if (!endpoint->has_failed) { /* in the middle of startup: mpa-01 §7, code 1 (MPA-276) */
    rnic_endpoint_end_silently(endpoint, rnic_closed, now);
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

#define FROM_TCP                                                                                             \
  .established = on_established, .octets = on_octets, .segment = on_segment,                                 \
  .retransmitted = on_retransmitted, .acknowledged = on_acknowledged, .finished = on_finished,               \
  .closed = on_closed
const tcp_events rnic_endpoint_tcp_events = {FROM_TCP};
const tcp_events rnic_endpoint_tcp_events_inspecting = {FROM_TCP, .inspect = on_inspect, .admit = on_admit};

/* --- RDMAP reports --- */

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
  rnic_endpoint_terminate(endpoint, failure, now);
}

const rdmap_stream_events rnic_endpoint_rdmap_events = {.completed = rnic_endpoint_complete,
                                                        .terminated = on_terminated};

/* --- Why a connection failed --- */

bool rnic_failure_is_termination(const rnic_failure *failure)
{
  return failure->layer != RNIC_FAILURE_TCP;
}

char *rnic_failure_code(const rnic_failure *failure)
{
  int mpa_code = MPA_ERROR_CLOSED; /* of a TCP connection that is lost (mpa-01 §7, MPA-276) */

  switch (failure->layer) {
  case RNIC_FAILURE_STARTUP:
    if (failure->reason.startup == MPA_STARTUP_REASON_REJECTED_BY_PEER ||
        failure->reason.startup == MPA_STARTUP_REASON_REJECTED_BY_ULP ||
        failure->reason.startup == MPA_STARTUP_REASON_REJECTED_FOR_IRD) {
      return g_strdup("rejected");
    }
    mpa_code = MPA_ERROR_STARTUP;
    break;
  case RNIC_FAILURE_MPA:
    mpa_code = failure->reason.mpa;
    break;
  case RNIC_FAILURE_RDMAP: {
    const rdmap_error *error = &failure->reason.rdmap;
    return g_strdup_printf("Terminate %u/%u/%02X", error->layer, error->type, error->code);
  }
  case RNIC_FAILURE_TCP:
    break;
  case RNIC_FAILURE_ULP:
    return g_strdup("timeout");
  }
  return g_strdup_printf("MPA error %d", mpa_code);
}

const char *rnic_failure_text(const rnic_failure *failure)
{
  static const char *const tcp_texts[] = {
      [TCP_CLOSE_FINISHED] = "TCP: closed",
      [TCP_CLOSE_RESET] = "TCP: the peer reset the connection",
      [TCP_CLOSE_ABORTED] = "TCP: the connection was aborted",
      [TCP_CLOSE_GAVE_UP] = "TCP: gave up after tcp.retries timeouts in a row",
  };

  switch (failure->layer) {
  case RNIC_FAILURE_STARTUP:
    return mpa_startup_reason_text(failure->reason.startup);
  case RNIC_FAILURE_MPA:
    return mpa_error_text(failure->reason.mpa);
  case RNIC_FAILURE_RDMAP:
    return rdmap_error_text(failure->reason.rdmap, failure->generation);
  case RNIC_FAILURE_TCP:
    break;
  case RNIC_FAILURE_ULP:
    return failure->reason.ulp == RNIC_ULP_NO_STREAMING_OCTETS
               ? "ULP: the peer's octets of streaming mode did not come in time"
               : "ULP: octets came, but no valid FPDU in time";
  }
  return tcp_texts[failure->reason.tcp];
}
