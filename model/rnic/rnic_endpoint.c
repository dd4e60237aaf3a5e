#include "rnic/rnic_endpoint.h"

#include <glib.h>

#include "base/octet_store.h"
#include "mpa/mpa_framer.h"
#include "mpa/mpa_mulpdu.h"
#include "rnic/rnic_placement_pipe.h"

struct rnic_endpoint {
  rnic_endpoint_config config;
  rnic_endpoint_events events;
  void *user;
  tcp_connection *tcp;
  mpa_startup *startup;
  mpa_framer *framer;     /* in full operation */
  mpa_deframer *deframer; /* in full operation */
  rdmap_stream *stream;
  rnic_placement_pipe *pipe;    /* with a placement latency */
  octet_store *startup_octets;  /* arrived before full operation: MPA reads them in order (MPA-037) */
  uint64_t startup_consumed;    /* stream position behind what MPA startup has read */
  uint64_t send_phase_start;    /* stream position of the FPDU phase's first octet, sent */
  uint64_t receive_phase_start; /* the same, received */
  rnic_full_size full_size;
  bool failed;
};

static void endpoint_fail(rnic_endpoint *endpoint, const rnic_failure *failure, time_ps now)
{
  if (endpoint->failed) {
    return;
  }
  endpoint->failed = true;
  if (endpoint->events.failed) {
    endpoint->events.failed(endpoint->user, failure, now);
  }
  tcp_connection_abort(endpoint->tcp, now);
}

/* --- RDMAP tells --- */

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.placed) {
    endpoint->events.placed(endpoint->user, segment, ulpdu, now);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.delivered) {
    endpoint->events.delivered(endpoint->user, segment, buffer_id, now);
  }
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.completed) {
    endpoint->events.completed(endpoint->user, id, now);
  }
}

static void on_rdmap_error(void *user, rdmap_error error, time_ps now)
{
  const rnic_failure failure = {RNIC_FAILURE_RDMAP, {.rdmap = error}};

  endpoint_fail(user, &failure, now);
}

/* --- MPA tells --- */

static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->pipe) {
    rnic_placement_pipe_push(endpoint->pipe, ulpdu, now);
  } else {
    rdmap_stream_receive(endpoint->stream, ulpdu, now);
  }
}

static void on_mpa_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  const rnic_failure failure = {RNIC_FAILURE_MPA, {.mpa = error}};
  (void)offset;

  endpoint_fail(user, &failure, now);
}

/* --- Startup (mpa-01 §6.1) --- */

static void post_startup_frame(rnic_endpoint *endpoint)
{
  octet_rope frame;

  octet_rope_init(&frame);
  if (mpa_startup_next_frame(endpoint->startup, &frame)) {
    tcp_connection_post(endpoint->tcp, &frame, 0);
    endpoint->send_phase_start = tcp_connection_posted_octets(endpoint->tcp);
  }
  octet_rope_clear(&frame);
}

static void enter_full_operation(rnic_endpoint *endpoint)
{
  const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_mpa_error};
  bool crc = mpa_startup_crc(endpoint->startup);

  endpoint->framer = mpa_framer_new(mpa_startup_send_markers(endpoint->startup), crc);
  endpoint->deframer =
      mpa_deframer_new(mpa_startup_receive_markers(endpoint->startup), crc, &events, endpoint);
  endpoint->receive_phase_start = mpa_startup_received_frame_octets(endpoint->startup);
  octet_store_remove(endpoint->startup_octets, 0, endpoint->receive_phase_start);
}

static void read_startup(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  rnic_endpoint *endpoint = user;
  (void)arrival;

  if (position == endpoint->startup_consumed &&
      mpa_startup_state_of(endpoint->startup) == MPA_STARTUP_WAITING) {
    endpoint->startup_consumed += mpa_startup_receive(endpoint->startup, octets);
  }
}

static void receive_startup(rnic_endpoint *endpoint, uint64_t position, const octet_rope *octets,
                            time_ps arrival, time_ps now)
{
  octet_store_insert(endpoint->startup_octets, position, octets, arrival);
  octet_store_visit(endpoint->startup_octets, endpoint->startup_consumed, UINT64_MAX, read_startup, endpoint);
  if (mpa_startup_state_of(endpoint->startup) == MPA_STARTUP_FULL_OPERATION) {
    post_startup_frame(endpoint); /* the Responder's Reply precedes its first FPDU */
    enter_full_operation(endpoint);
  }
  /* Neither side may send anything behind its frame before it has heard the other (notes-mpa 41): what came early, behind a
   * hole, is as wrong as a malformed frame. mpa-01 §7: code 4 closes at once (MPA-280); by RST (notes-mpa 44). */
  bool octets_behind_frame = endpoint->deframer && octet_store_total(endpoint->startup_octets) > 0;
  if (octets_behind_frame || mpa_startup_state_of(endpoint->startup) == MPA_STARTUP_FAILED) {
    const rnic_failure failure = {RNIC_FAILURE_MPA, {.mpa = MPA_ERROR_STARTUP}};
    endpoint_fail(endpoint, &failure, now);
  }
}

/* --- TCP tells --- */

static void on_established(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;
  (void)now;

  if (endpoint->config.role == MPA_INITIATOR) {
    post_startup_frame(endpoint);
  }
}

static void on_octets(void *user, uint64_t position, const octet_rope *octets, time_ps arrival, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->failed) {
    return;
  }
  if (!endpoint->deframer) {
    receive_startup(endpoint, position, octets, arrival, now);
  } else {
    mpa_deframer_receive(endpoint->deframer, position - endpoint->receive_phase_start, octets, arrival, now);
  }
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  rnic_endpoint *endpoint = user;
  int64_t offset = endpoint->deframer ? (int64_t)(position - endpoint->receive_phase_start) : -1;

  if (endpoint->events.segment) {
    endpoint->events.segment(endpoint->user, offset, length, new_octets, position > in_order_edge, now);
  }
}

static void on_retransmitted(void *user, uint64_t position, uint32_t length, time_ps now)
{
  rnic_endpoint *endpoint = user;
  /* Before full operation all that was sent is the startup frame. */
  int64_t offset = endpoint->framer ? (int64_t)(position - endpoint->send_phase_start) : -1;

  if (endpoint->events.retransmitted) {
    endpoint->events.retransmitted(endpoint->user, offset, length, now);
  }
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  rnic_endpoint *endpoint = user;

  rdmap_stream_acknowledged(endpoint->stream, position, now);
}

static void on_finished(void *user, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (endpoint->events.finished) {
    endpoint->events.finished(endpoint->user, endpoint, now);
  }
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  rnic_endpoint *endpoint = user;

  if (reason != TCP_CLOSE_FINISHED) {
    const rnic_failure failure = {RNIC_FAILURE_TCP, {.tcp = reason}};
    endpoint_fail(endpoint, &failure, now);
  }
  if (endpoint->events.closed) {
    endpoint->events.closed(endpoint->user, now);
  }
}

/* --- The endpoint --- */

rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user)
{
  const tcp_events tcp = {.established = on_established,
                          .octets = on_octets,
                          .segment = on_segment,
                          .retransmitted = on_retransmitted,
                          .acknowledged = on_acknowledged,
                          .finished = on_finished,
                          .closed = on_closed};
  const rdmap_stream_events rdmap = {
      .placed = on_placed, .delivered = on_delivered, .completed = on_completed, .error = on_rdmap_error};
  rnic_endpoint *endpoint = g_new0(rnic_endpoint, 1);

  endpoint->config = *config;
  endpoint->events = *events;
  endpoint->user = user;
  endpoint->tcp = tcp_connection_new(&config->tcp, &tcp, endpoint);
  endpoint->startup = mpa_startup_new(config->generation, config->role, config->markers, config->crc);
  endpoint->stream = rdmap_stream_new(&rdmap, endpoint);
  endpoint->startup_octets = octet_store_new();
  if (config->placement_latency_ps > 0) {
    endpoint->pipe = rnic_placement_pipe_new(config->placement_latency_ps);
  }
  return endpoint;
}

void rnic_endpoint_free(rnic_endpoint *endpoint)
{
  if (endpoint) {
    tcp_connection_free(endpoint->tcp);
    mpa_startup_free(endpoint->startup);
    mpa_framer_free(endpoint->framer);
    mpa_deframer_free(endpoint->deframer);
    rdmap_stream_free(endpoint->stream);
    rnic_placement_pipe_free(endpoint->pipe);
    octet_store_free(endpoint->startup_octets);
    g_free(endpoint);
  }
}

void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now)
{
  if (endpoint->config.role == MPA_INITIATOR) {
    tcp_connection_open(endpoint->tcp, now);
  } else {
    tcp_connection_listen(endpoint->tcp);
  }
}

void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now)
{
  tcp_connection_receive(endpoint->tcp, packet, now);
}

static void frame_ulpdu(rnic_endpoint *endpoint, const octet_rope *ulpdu, uint32_t mulpdu)
{
  uint64_t start = mpa_framer_offset(endpoint->framer);
  unsigned flags = TCP_RECORD_FPDU;
  ddp_header header;
  octet_rope fpdu;

  octet_rope_init(&fpdu);
  mpa_framer_frame(endpoint->framer, ulpdu, &fpdu);
  if (ulpdu->length == mulpdu) {
    flags |= TCP_RECORD_FULL_SIZE;
    size_t header_octets = ddp_header_decode(&header, ulpdu);
    if (header.tagged) {
      endpoint->full_size.payload_octets += ulpdu->length - header_octets;
      endpoint->full_size.stream_octets += fpdu.length;
    }
  }
  tcp_connection_post(endpoint->tcp, &fpdu, flags);
  rdmap_stream_framed(endpoint->stream, tcp_connection_posted_octets(endpoint->tcp));
  if (endpoint->events.framed) {
    endpoint->events.framed(endpoint->user, start);
  }
}

/* ULPDUs are framed only when TCP is about to run out of octets: FPDUs cannot be taken back (MPA-043), and memory stays
 * small. Two segments' worth ahead, so that TCP can tell whether a segment empties its queue. */
static void refill(rnic_endpoint *endpoint, time_ps now)
{
  uint32_t emss = tcp_connection_emss_octets(endpoint->tcp);
  uint32_t mulpdu = rnic_endpoint_mulpdu_octets(endpoint);
  octet_rope ulpdu;

  octet_rope_init(&ulpdu);
  while (tcp_connection_unsent_octets(endpoint->tcp) < 2 * (uint64_t)emss) {
    if (rdmap_stream_next_ulpdu(endpoint->stream, mulpdu, &ulpdu)) {
      frame_ulpdu(endpoint, &ulpdu, mulpdu);
      octet_rope_clear(&ulpdu);
    } else if (!endpoint->events.want_operation ||
               !endpoint->events.want_operation(endpoint->user, endpoint, now)) {
      break;
    }
  }
}

/* mpa-01 §6.1 rule 4: the Responder sends no FPDU before it has received and validated one
 * (MPA-219). */
static bool may_send_fpdus(const rnic_endpoint *endpoint)
{
  return endpoint->framer && !endpoint->failed && tcp_connection_is_established(endpoint->tcp) &&
         (endpoint->config.role == MPA_INITIATOR ||
          mpa_deframer_statistics_of(endpoint->deframer)->fpdus > 0);
}

datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now)
{
  if (may_send_fpdus(endpoint)) {
    refill(endpoint, now);
  }
  return tcp_connection_transmit(endpoint->tcp, now);
}

time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint)
{
  time_ps tcp = tcp_connection_deadline(endpoint->tcp);

  return endpoint->pipe ? time_ps_earlier(tcp, rnic_placement_pipe_deadline(endpoint->pipe)) : tcp;
}

void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now)
{
  const mpa_ulpdu *ulpdu;

  while (endpoint->pipe && !endpoint->failed && (ulpdu = rnic_placement_pipe_pop(endpoint->pipe, now))) {
    rdmap_stream_receive(endpoint->stream, ulpdu, now);
  }
  if (tcp_connection_deadline(endpoint->tcp) <= now) {
    tcp_connection_run(endpoint->tcp, now);
  }
}

void rnic_endpoint_close(rnic_endpoint *endpoint)
{
  tcp_connection_close(endpoint->tcp);
}

rdmap_stream *rnic_endpoint_stream(rnic_endpoint *endpoint)
{
  return endpoint->stream;
}

bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset)
{
  return tcp_connection_in_order_edge(endpoint->tcp) < endpoint->receive_phase_start + phase_offset;
}

static void held_before_full_operation(const rnic_endpoint *endpoint, rnic_held *held)
{
  uint64_t total = octet_store_total(endpoint->startup_octets);
  uint64_t edge = octet_store_run_end(endpoint->startup_octets, 0);

  /* A startup frame in pieces is what `incomplete` means; what lies behind a hole waits for its order. */
  held->incomplete = MIN(edge, total);
  held->order = total - held->incomplete + tcp_connection_held_octets(endpoint->tcp);
}

void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_held *held)
{
  *held = (rnic_held){0};
  held->holes = (uint32_t)tcp_connection_out_of_order_runs(endpoint->tcp);
  held->undelivered = (uint32_t)rdmap_stream_undelivered(endpoint->stream);
  held->processing = endpoint->pipe ? rnic_placement_pipe_octets(endpoint->pipe) : 0;
  if (!endpoint->deframer) {
    held_before_full_operation(endpoint, held);
    return;
  }
  mpa_held mpa;
  mpa_deframer_held(endpoint->deframer, &mpa);
  held->in_order_edge = tcp_connection_in_order_edge(endpoint->tcp) - endpoint->receive_phase_start;
  /* TCP's own queue (in-order receiver) holds what is out of order; the tail of the FPDU at the in-order edge, when it is
   * there, lies "within the extent of a located FPDU" and counts as incomplete (definitions.md). */
  uint64_t in_tcp = tcp_connection_held_octets(endpoint->tcp);
  uint64_t of_partial =
      in_tcp > 0 && mpa.partial_end > 0
          ? tcp_connection_held_octets_below(endpoint->tcp, endpoint->receive_phase_start + mpa.partial_end)
          : 0;
  /* A lone octet of ULPDU_Length at the in-order edge is not located. Of a receiver that does not look ahead that is
   * `order`, whatever the markers. */
  bool looks_ahead = endpoint->config.tcp.passing == TCP_PASSING_AS_ARRIVED;
  held->incomplete = mpa.incomplete + of_partial;
  held->unlocated = looks_ahead ? mpa.unlocated : 0;
  held->order = mpa.order + in_tcp - of_partial + (looks_ahead ? 0 : mpa.unlocated);
  held->partial_fpdus = mpa.partial_fpdus;
}

const tcp_statistics *rnic_endpoint_tcp_statistics(const rnic_endpoint *endpoint)
{
  return tcp_connection_statistics(endpoint->tcp);
}

const mpa_deframer_statistics *rnic_endpoint_mpa_statistics(const rnic_endpoint *endpoint)
{
  return endpoint->deframer ? mpa_deframer_statistics_of(endpoint->deframer) : NULL;
}

const rnic_full_size *rnic_endpoint_full_size(const rnic_endpoint *endpoint)
{
  return &endpoint->full_size;
}

uint32_t rnic_endpoint_emss_octets(const rnic_endpoint *endpoint)
{
  return tcp_connection_emss_octets(endpoint->tcp);
}

uint32_t rnic_endpoint_mulpdu_octets(const rnic_endpoint *endpoint)
{
  return endpoint->framer ? mpa_mulpdu_octets(tcp_connection_emss_octets(endpoint->tcp),
                                              mpa_startup_send_markers(endpoint->startup))
                          : 0;
}
