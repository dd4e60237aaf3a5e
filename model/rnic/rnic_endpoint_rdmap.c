/* What RDMAP tells an endpoint. */
#include "rnic/rnic_endpoint_private.h"

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events->placed) {
    endpoint->events->placed(endpoint->user, segment, ulpdu, now);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events->delivered) {
    endpoint->events->delivered(endpoint->user, segment, now);
  }
}

static void complete(rnic_endpoint *endpoint, const rnic_completion *completion, time_ps now)
{
  rnic_completion_queue_push(rnic_endpoint_completions(endpoint), completion);
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
  rnic_ending_after_terminate(&endpoint->ending, &failure, now);
}

/* The peer sends no more and this stream goes on (DDP-128, MPA-271). */
static void on_half_closed(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events->finished) {
    endpoint->events->finished(endpoint->user, endpoint, now);
  }
}

const rdmap_stream_events *rnic_endpoint_rdmap_events(void)
{
  static const rdmap_stream_events events = {.placed = on_placed,
                                             .delivered = on_delivered,
                                             .received = on_received,
                                             .completed = on_completed,
                                             .terminated = on_terminated,
                                             .half_closed = on_half_closed};

  return &events;
}
