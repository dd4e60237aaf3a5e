#include "rnic/rnic_receiver.h"

#include <glib.h>

#include "rnic/rnic_receiver_private.h"

void rnic_receiver_init(rnic_receiver *receiver, const rnic_receiver_config *config)
{
  *receiver = (rnic_receiver){.config = *config, .first_fpdu_deadline = TIME_PS_NEVER};
  if (config->placement_latency_ps > 0) {
    receiver->pipe = rnic_placement_pipe_new(config->placement_latency_ps);
  }
}

void rnic_receiver_clear(rnic_receiver *receiver)
{
  mpa_deframer_free(receiver->deframer);
  rnic_placement_pipe_free(receiver->pipe);
  octet_store_free(receiver->early);
}

/* --- MPA tells --- */

/* What happened behind ULPDUs that are in the pipe is told when they have left it. */
static void tell_rdmap(rnic_receiver *receiver, time_ps now)
{
  if (receiver->pipe && rnic_placement_pipe_octets(receiver->pipe) > 0) {
    return;
  }
  if (receiver->error != MPA_ERROR_NONE) {
    uint8_t code = (uint8_t)receiver->error;
    receiver->error = MPA_ERROR_NONE;
    rdmap_stream_llp_error(receiver->config.stream, code, now);
  }
  if (receiver->has_peer_finished) {
    receiver->has_peer_finished = false;
    rdmap_stream_llp_finished(receiver->config.stream, now);
  }
}

static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  rnic_receiver *receiver = user;

  receiver->first_fpdu_deadline = TIME_PS_NEVER;
  if (receiver->pipe) {
    rnic_placement_pipe_push(receiver->pipe, ulpdu, now);
  } else {
    rdmap_stream_receive(receiver->config.stream, ulpdu, now);
  }
}

/* A guess that DDP could not place was none, or has a fault that the in-order point will find: it waits. */
static bool on_plausible(void *user, const mpa_ulpdu *ulpdu)
{
  const rnic_receiver *receiver = user;

  return rdmap_stream_would_place(receiver->config.stream, ulpdu);
}

/* mpa-01 §7: MPA itself closes nothing (MPA-289, MPA-290); RDMAP answers, and the end that it asks for follows (MPA-291). */
static void on_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  rnic_receiver *receiver = user;
  (void)offset;

  receiver->first_fpdu_deadline = TIME_PS_NEVER;
  receiver->error = error;
  tell_rdmap(receiver, now);
}

/* --- TCP tells --- */

void rnic_receiver_start(rnic_receiver *receiver, bool markers, bool crc, uint64_t phase_start)
{
  g_assert(!receiver->is_started);
  receiver->is_started = true;
  receiver->markers = markers;
  receiver->crc = crc;
  receiver->phase_start = phase_start;
}

bool rnic_receiver_is_started(const rnic_receiver *receiver)
{
  return receiver->is_started;
}

/* Made with the first octets: one end of many a connection only sends. */
static mpa_deframer *deframer_of(rnic_receiver *receiver)
{
  static const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_error, .plausible = on_plausible};

  if (!receiver->deframer) {
    receiver->deframer = mpa_deframer_new(receiver->markers, receiver->crc, &events, receiver);
    if (receiver->config.takes_long_ulpdus) {
      mpa_deframer_take_long(receiver->deframer);
    }
    if (receiver->config.first_offset > 0) {
      mpa_deframer_start_at(receiver->deframer, receiver->config.first_offset);
    }
  }
  return receiver->deframer;
}

uint64_t rnic_receiver_phase_start(const rnic_receiver *receiver)
{
  return receiver->phase_start;
}

/* The first octets of the FPDU phase: from here on one FPDU must come in time. */
static void watch_first_fpdu(rnic_receiver *receiver, time_ps now)
{
  time_ps timeout = receiver->config.first_fpdu_timeout_ps;

  if (timeout > 0 && timeout < TIME_PS_NEVER - now && receiver->first_fpdu_deadline == TIME_PS_NEVER &&
      rnic_receiver_statistics(receiver)->fpdus == 0) {
    receiver->first_fpdu_deadline = now + timeout;
  }
}

static uint64_t early_octets(const rnic_receiver *receiver)
{
  return receiver->early ? octet_store_total(receiver->early) : 0;
}

static void forget_early(rnic_receiver *receiver)
{
  octet_store_free(receiver->early);
  receiver->early = NULL;
}

/* The octets that came early go on to MPA. */
typedef struct early_passing {
  rnic_receiver *receiver;
  time_ps now;
} early_passing;

static void let_early_go(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  const early_passing *passing = user;
  rnic_receiver *receiver = passing->receiver;

  mpa_deframer_receive(deframer_of(receiver), position - receiver->phase_start, octets, arrival,
                       passing->now);
}

void rnic_receiver_segment(rnic_receiver *receiver, uint64_t position)
{
  receiver->segment_position = position;
}

/* While octets of streaming mode are missing MPA is not enabled, and TCP keeps the order (mpa-02 §5.1.2, MPA-037). True when the octets are
 * dealt with; false: they are MPA's alone. */
static bool receive_streaming(rnic_receiver *receiver, uint64_t position, const octet_rope *octets,
                              time_ps arrival, time_ps now)
{
  uint64_t start = receiver->phase_start;
  bool streaming = tcp_transport_in_order_edge(receiver->config.tcp) < start;

  if (!streaming && position >= start && !receiver->early) {
    receiver->is_streaming_over = true;
    return false;
  }
  if (!receiver->early) {
    receiver->early = octet_store_new();
  }
  octet_store_insert(receiver->early, position, octets, arrival);
  if (!streaming) {
    octet_store *early = receiver->early;
    receiver->early = NULL;
    octet_store_visit(early, start, UINT64_MAX, let_early_go, &(early_passing){receiver, now});
    octet_store_free(early);
  }
  return true;
}

static inline void receive(rnic_receiver *receiver, uint64_t position, const octet_rope *octets,
                           time_ps arrival, time_ps now)
{
  uint64_t start = receiver->phase_start;

  if (position + octets->length > start) {
    watch_first_fpdu(receiver, now);
  }
  if (!receiver->is_streaming_over && receive_streaming(receiver, position, octets, arrival, now)) {
    return;
  }
  if (receiver->config.assumes_aligned && position == receiver->segment_position) {
    mpa_deframer_receive_segment(deframer_of(receiver), position - start, octets, arrival, now);
  } else {
    mpa_deframer_receive(deframer_of(receiver), position - start, octets, arrival, now);
  }
}

/* Octets in many slices, as of FPDUs that refer: one copy of them costs less than to check and to place them as they are. */
static G_GNUC_NO_INLINE bool receive_copied(rnic_receiver *receiver, uint64_t position,
                                            const octet_rope *octets, time_ps arrival, time_ps now)
{
  const mpa_fpdu_memory *memory = receiver->config.fpdu_memory;
  memory_pool *pool = memory ? mpa_fpdu_memory_arrived(memory, octets->length) : NULL;
  octet_rope flat;

  if (!pool) {
    return false;
  }
  octet_block *block = octet_block_new_in(pool, octets->length);
  octet_rope_copy_out(octets, 0, octets->length, octet_block_octets(block));
  octet_rope_init(&flat);
  octet_rope_append(&flat, octet_block_octets(block), octets->length, block);
  octet_block_unref(block);
  receive(receiver, position, &flat, arrival, now);
  octet_rope_clear(&flat);
  return true;
}

void rnic_receiver_receive(rnic_receiver *receiver, uint64_t position, const octet_rope *octets,
                           time_ps arrival, time_ps now)
{
  if (octets->heap == NULL || !receive_copied(receiver, position, octets, arrival, now)) {
    receive(receiver, position, octets, arrival, now);
  }
}

bool rnic_receiver_inspect(rnic_receiver *receiver, uint64_t position, const octet_rope *octets)
{
  uint64_t start = receiver->phase_start;

  return position >= start &&
         mpa_deframer_inspect(deframer_of(receiver), position - start, octets) != MPA_ERROR_NONE;
}

bool rnic_receiver_can_let_go(const rnic_receiver *receiver, uint64_t position)
{
  /* In order FPDUs are completed by the octet at the edge alone; markers and assumption find them anywhere. */
  return position <= tcp_transport_in_order_edge(receiver->config.tcp) ||
         (receiver->config.looks_ahead && (receiver->markers || receiver->config.assumes_aligned));
}

rnic_forecast rnic_receiver_forecast(rnic_receiver *receiver, const rnic_new_run *runs, size_t count,
                                     uint64_t segment_position)
{
  const rnic_receiver_config *config = &receiver->config;
  const rnic_forecast_known known = {.deframer = deframer_of(receiver),
                                     .early = receiver->early,
                                     .in_tcp = tcp_transport_held(config->tcp),
                                     .in_order_edge = tcp_transport_in_order_edge(config->tcp),
                                     .phase_start = receiver->phase_start,
                                     .looks_ahead = config->looks_ahead,
                                     .assumes_aligned = config->assumes_aligned,
                                     .plausible = on_plausible,
                                     .user = receiver};

  return rnic_forecast_of(&known, runs, count, segment_position);
}

void rnic_receiver_peer_finished(rnic_receiver *receiver, time_ps now)
{
  mpa_held held = {0};

  if (receiver->deframer) {
    mpa_deframer_held(receiver->deframer, &held);
  }
  receiver->first_fpdu_deadline = TIME_PS_NEVER;
  if (!receiver->is_stopped && held.incomplete + held.unlocated + held.order > 0) {
    receiver->error = MPA_ERROR_CLOSED;
  }
  receiver->has_peer_finished = true;
  tell_rdmap(receiver, now);
}

void rnic_receiver_stop(rnic_receiver *receiver)
{
  receiver->is_stopped = true;
  forget_early(receiver);
  receiver->first_fpdu_deadline = TIME_PS_NEVER;
}

/* --- Time --- */

time_ps rnic_receiver_deadline(const rnic_receiver *receiver)
{
  time_ps first_fpdu = receiver->first_fpdu_deadline;

  return receiver->pipe ? time_ps_earlier(first_fpdu, rnic_placement_pipe_deadline(receiver->pipe))
                        : first_fpdu;
}

bool rnic_receiver_run(rnic_receiver *receiver, time_ps now)
{
  const mpa_ulpdu *ulpdu;

  while (receiver->pipe && (ulpdu = rnic_placement_pipe_pop(receiver->pipe, now))) {
    rdmap_stream_receive(receiver->config.stream, ulpdu, now);
  }
  tell_rdmap(receiver, now);
  if (receiver->first_fpdu_deadline <= now) {
    receiver->first_fpdu_deadline = TIME_PS_NEVER;
    return false;
  }
  return true;
}

/* --- What it holds --- */

bool rnic_receiver_holds_nothing(const rnic_receiver *receiver)
{
  return receiver->config.looks_ahead && !receiver->early && !receiver->pipe &&
         (!receiver->deframer || mpa_deframer_holds_nothing(receiver->deframer));
}

void rnic_receiver_held(const rnic_receiver *receiver, rnic_held *held)
{
  const tcp_transport *tcp = receiver->config.tcp;
  mpa_held mpa = {0};

  held->processing = receiver->pipe ? rnic_placement_pipe_octets(receiver->pipe) : 0;
  held->in_order_edge = tcp_transport_in_order_edge(tcp) - receiver->phase_start;
  if (receiver->is_stopped) {
    return;
  }
  if (receiver->deframer) {
    mpa_deframer_held(receiver->deframer, &mpa);
  }
  if (receiver->config.looks_ahead && !receiver->early &&
      mpa.incomplete + mpa.unlocated + mpa.order + mpa.partial_fpdus == 0) {
    return; /* nothing is, nearly always */
  }
  /* TCP keeps nothing that it may pass on. */
  rnic_held_below below = {.in_tcp = receiver->config.looks_ahead ? 0 : tcp_transport_held_octets(tcp),
                           .early = early_octets(receiver)};
  if (below.in_tcp > 0 && mpa.partial_end > 0) {
    below.of_partial = tcp_transport_held_octets_below(tcp, receiver->phase_start + mpa.partial_end);
  }
  rnic_held_set_causes(held, &mpa, &below, receiver->config.looks_ahead);
}

uint32_t rnic_receiver_pieces(const rnic_receiver *receiver)
{
  return receiver->deframer ? mpa_deframer_pieces(receiver->deframer) : 0;
}

const mpa_deframer_statistics *rnic_receiver_statistics(const rnic_receiver *receiver)
{
  static const mpa_deframer_statistics nothing;

  if (!receiver->is_started) {
    return NULL;
  }
  return receiver->deframer ? mpa_deframer_statistics_of(receiver->deframer) : &nothing;
}
