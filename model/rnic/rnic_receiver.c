/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_receiver.h"

#include <glib.h>

/* --- The placement latency --- */

/* ULPDUs wait here for the end of the placement latency (cause `processing`, `receiver.placement_latency`).
 * It is the same for all, so they leave in the order in which they came. */
typedef struct placement_pipe {
  time_ps latency_ps;
  GQueue waiting;  /* of waiting_ulpdu */
  uint64_t octets; /* of the stream in their FPDUs, with their framing */
} placement_pipe;

typedef struct waiting_ulpdu {
  mpa_ulpdu ulpdu; /* points to `octets` and `parts` */
  buffer_chain octets;
  mpa_ulpdu_part *parts;
  time_ps due;
} waiting_ulpdu;

static void waiting_ulpdu_free(gpointer data)
{
  waiting_ulpdu *waiting = data;

  buffer_chain_clear(&waiting->octets);
  g_free(waiting->parts);
  g_free(waiting);
}

/* Keeps `ulpdu`, and references its octets. */
static G_GNUC_NO_INLINE void let_wait(placement_pipe *pipe, const mpa_ulpdu *ulpdu, time_ps now)
{
  waiting_ulpdu *waiting = g_new0(waiting_ulpdu, 1);

  buffer_chain_append_chain(&waiting->octets, ulpdu->octets, ulpdu->from,
                            (uint32_t)(ulpdu->fpdu.end - ulpdu->fpdu.start));
  waiting->parts = g_memdup2(ulpdu->parts, ulpdu->part_count * sizeof *ulpdu->parts);
  waiting->ulpdu = *ulpdu;
  waiting->ulpdu.octets = &waiting->octets;
  waiting->ulpdu.from = 0;
  waiting->ulpdu.parts = waiting->parts;
  waiting->due = now + pipe->latency_ps;
  g_queue_push_tail(&pipe->waiting, waiting);
  pipe->octets += ulpdu->fpdu.end - ulpdu->fpdu.start;
}

/* Returns the ULPDU that is due first; NULL: none waits. */
static waiting_ulpdu *first_waiting(const placement_pipe *pipe)
{
  return pipe ? g_queue_peek_head((GQueue *)&pipe->waiting) : NULL;
}

void rnic_receiver_init(rnic_receiver *receiver, const rnic_receiver_config *config,
                        time_ps placement_latency_ps)
{
  *receiver = (rnic_receiver){.config = *config, .first_fpdu_deadline = TIME_PS_NEVER};
  if (placement_latency_ps > 0) {
    receiver->pipe = g_new0(placement_pipe, 1);
    receiver->pipe->latency_ps = placement_latency_ps;
  }
}

void rnic_receiver_clear(rnic_receiver *receiver)
{
  mpa_deframer_free(receiver->deframer);
  if (receiver->pipe) {
    g_queue_clear_full(&receiver->pipe->waiting, waiting_ulpdu_free);
    g_free(receiver->pipe);
  }
  reassembly_queue_free(receiver->early);
}

/* --- Reports of MPA --- */

/* What happened after ULPDUs that are in the pipe is reported when they have left it. */
static void report_to_rdmap(rnic_receiver *receiver, time_ps now)
{
  if (first_waiting(receiver->pipe)) {
    return;
  }
  if (receiver->error != MPA_ERROR_NONE) {
    const rdmap_error error = {.layer = RDMAP_LAYER_LLP, .code = (uint8_t)receiver->error};
    receiver->error = MPA_ERROR_NONE;
    rdmap_stream_fail(receiver->config.stream, error, now);
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
    let_wait(receiver->pipe, ulpdu, now);
  } else {
    rdmap_stream_receive(receiver->config.stream, ulpdu, now);
  }
}

/* Guesses that were wrong are known by their number alone. */
static void trace_wrong_guesses(const rnic_receiver *receiver)
{
  uint64_t guesses = rnic_receiver_statistics(receiver)->wrong_guesses;

  if (guesses > receiver->config.trace->wrong_guesses) {
    TRACE(receiver->config.trace, GUESS_WRONG, .fpdus = guesses - receiver->config.trace->wrong_guesses);
    receiver->config.trace->wrong_guesses = guesses;
  }
}

static void on_located_traced(void *user, const mpa_fpdu *fpdu, mpa_location method, uint64_t arrived)
{
  const rnic_receiver *receiver = user;

  TRACE(receiver->config.trace, FPDU_LOCATED, .position = receiver->phase_start + fpdu->start,
        .octets = fpdu->end - fpdu->start, .arrived_octets = arrived,
        .located_by = TRACE_NAME(mpa_location_names[method]));
}

static void on_ulpdu_traced(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  const rnic_receiver *receiver = user;

  trace_wrong_guesses(receiver);
  TRACE(receiver->config.trace, FPDU_VALID, .position = receiver->phase_start + ulpdu->fpdu.start,
        .octets = ulpdu->fpdu.end - ulpdu->fpdu.start, .held_octets = ulpdu->held_octets,
        .markers = mpa_fpdu_marker_count(&ulpdu->fpdu),
        .located_by = TRACE_NAME(mpa_location_names[ulpdu->located_by]));
  on_ulpdu(user, ulpdu, now);
}

/* A guess that DDP could not place was none, or has a fault that the in-order point will find: it waits. */
static bool on_plausible(void *user, const mpa_ulpdu *ulpdu)
{
  const rnic_receiver *receiver = user;

  return rdmap_stream_would_place(receiver->config.stream, ulpdu);
}

/* mpa-01 §7: MPA itself closes nothing (MPA-289, MPA-290); RDMAP answers, and the end that it asks for
 * follows (MPA-291). */
static void on_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  rnic_receiver *receiver = user;

  if (receiver->config.trace) {
    trace_wrong_guesses(receiver);
    receiver->config.trace->invalid_at = receiver->phase_start + offset;
    TRACE(receiver->config.trace, FPDU_INVALID, .position = receiver->phase_start + offset, .error = error);
  }
  receiver->first_fpdu_deadline = TIME_PS_NEVER;
  receiver->error = error;
  report_to_rdmap(receiver, now);
}

/* --- Reports of TCP --- */

void rnic_receiver_start(rnic_receiver *receiver, bool markers, bool crc, uint64_t phase_start)
{
  g_assert(!receiver->is_started);
  receiver->is_started = true;
  receiver->markers = markers;
  receiver->crc = crc;
  receiver->phase_start = phase_start;
}

static G_GNUC_NO_INLINE void make_deframer(rnic_receiver *receiver)
{
  static const mpa_deframer_events untraced = {
      .ulpdu = on_ulpdu, .error = on_error, .plausible = on_plausible};
  static const mpa_deframer_events traced = {
      .ulpdu = on_ulpdu_traced, .error = on_error, .plausible = on_plausible, .located = on_located_traced};

  receiver->deframer = mpa_deframer_new(receiver->markers, receiver->crc,
                                        receiver->config.trace ? &traced : &untraced, receiver);
  if (receiver->config.takes_long_ulpdus) {
    mpa_deframer_take_long(receiver->deframer);
  }
  uint64_t first_offset = rdmap_stream_first_offset(receiver->config.stream);
  if (first_offset > 0) {
    mpa_deframer_start_at(receiver->deframer, first_offset);
  }
}

/* It is made with the first octets: one end of many a connection only sends. */
static inline mpa_deframer *deframer_of(rnic_receiver *receiver)
{
  if (!receiver->deframer) {
    make_deframer(receiver);
  }
  return receiver->deframer;
}

/* The octets that came early go on to MPA. */
typedef struct early_passing {
  rnic_receiver *receiver;
  time_ps now;
} early_passing;

static void let_early_go(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  const early_passing *passing = user;
  rnic_receiver *receiver = passing->receiver;

  mpa_deframer_receive(deframer_of(receiver), position - receiver->phase_start, octets, arrival,
                       passing->now);
}

/* While octets of streaming mode are missing MPA is not enabled, and TCP keeps the order (mpa-02 §5.1.2,
 * MPA-037). True when the octets are dealt with; false: they are MPA's alone. */
static bool receive_streaming(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets,
                              time_ps arrival, time_ps now)
{
  uint64_t start = receiver->phase_start;
  bool streaming = receiver->config.tcp->gauges.in_order_edge < start;

  if (!streaming && position >= start && !receiver->early) {
    receiver->is_streaming_over = true;
    return false;
  }
  if (!receiver->early) {
    receiver->early = reassembly_queue_new();
  }
  reassembly_queue_insert(receiver->early, position, octets, arrival);
  if (!streaming) {
    reassembly_queue *early = receiver->early;
    receiver->early = NULL;
    reassembly_queue_visit(early, start, UINT64_MAX, let_early_go, &(early_passing){receiver, now});
    reassembly_queue_free(early);
  }
  return true;
}

static inline void receive(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets,
                           time_ps arrival, time_ps now)
{
  uint64_t start = receiver->phase_start;
  time_ps timeout = receiver->config.first_fpdu_timeout_ps;

  /* The first octets of the FPDU phase are here: from here on one FPDU must come in time. */
  if (timeout > 0 && position + octets->length > start && receiver->first_fpdu_deadline == TIME_PS_NEVER &&
      rnic_receiver_statistics(receiver)->fpdus == 0) {
    receiver->first_fpdu_deadline = time_ps_after(now, timeout);
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

/* The octets are deferred, or in many slices: one copy of them, which the next segment's will replace in the
 * cache, costs less than to check and to place them as they are. */
static G_GNUC_NO_INLINE bool receive_copied(rnic_receiver *receiver, uint64_t position,
                                            const buffer_chain *octets, time_ps arrival, time_ps now)
{
  const mpa_fpdu_memory *memory = receiver->config.fpdu_memory;
  memory_pool *pool = memory ? mpa_fpdu_memory_arrived(memory, octets->length) : NULL;
  buffer_chain flat;

  if (!pool) {
    return false;
  }
  octet_buffer *buffer = octet_buffer_new_in(pool, octets->length);
  buffer_chain_copy_out(octets, 0, octets->length, octet_buffer_octets(buffer));
  buffer_chain_init(&flat);
  buffer_chain_append(&flat, octet_buffer_octets(buffer), octets->length, buffer);
  octet_buffer_unref(buffer);
  receive(receiver, position, &flat, arrival, now);
  buffer_chain_clear(&flat);
  return true;
}

void rnic_receiver_receive(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets,
                           time_ps arrival, time_ps now)
{
  if (octets->heap_capacity == 0 || !receive_copied(receiver, position, octets, arrival, now)) {
    receive(receiver, position, octets, arrival, now);
  }
}

bool rnic_receiver_inspect(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets)
{
  uint64_t start = receiver->phase_start;

  return position >= start &&
         mpa_deframer_inspect(deframer_of(receiver), position - start, octets) != MPA_ERROR_NONE;
}

bool rnic_receiver_can_let_go(const rnic_receiver *receiver, uint64_t position)
{
  /* In order FPDUs are completed by the octet at the edge alone; markers and assumption find them
   * anywhere. */
  return position <= receiver->config.tcp->gauges.in_order_edge ||
         (receiver->config.looks_ahead && (receiver->markers || receiver->config.assumes_aligned));
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
  report_to_rdmap(receiver, now);
}

void rnic_receiver_stop(rnic_receiver *receiver)
{
  receiver->is_stopped = true;
  reassembly_queue_free(receiver->early);
  receiver->early = NULL;
  receiver->first_fpdu_deadline = TIME_PS_NEVER;
}

/* --- Time --- */

time_ps rnic_receiver_deadline(const rnic_receiver *receiver)
{
  const waiting_ulpdu *next = first_waiting(receiver->pipe);

  return next ? time_ps_earlier(receiver->first_fpdu_deadline, next->due) : receiver->first_fpdu_deadline;
}

bool rnic_receiver_run(rnic_receiver *receiver, time_ps now)
{
  for (waiting_ulpdu *next; (next = first_waiting(receiver->pipe)) && next->due <= now;) {
    g_queue_pop_head(&receiver->pipe->waiting);
    receiver->pipe->octets -= next->ulpdu.fpdu.end - next->ulpdu.fpdu.start;
    rdmap_stream_receive(receiver->config.stream, &next->ulpdu, now);
    waiting_ulpdu_free(next);
  }
  report_to_rdmap(receiver, now);
  if (receiver->first_fpdu_deadline <= now) {
    receiver->first_fpdu_deadline = TIME_PS_NEVER;
    return false;
  }
  return true;
}

const mpa_deframer_statistics *rnic_receiver_statistics(const rnic_receiver *receiver)
{
  static const mpa_deframer_statistics nothing;

  if (!receiver->is_started) {
    return NULL;
  }
  return receiver->deframer ? mpa_deframer_statistics_of(receiver->deframer) : &nothing;
}

/* --- What it holds --- */

/* The octets that are held outside of MPA. */
typedef struct held_below {
  uint64_t in_tcp;     /* after a hole, of an in-order receiver */
  uint64_t of_partial; /* of those: in the FPDU at MPA's in-order edge, below mpa_held.partial_end */
  uint64_t early;      /* after missing octets of streaming mode */
} held_below;

/* Sets the causes but `processing`, and `partial_fpdus`, of `held`; the rest is left alone. */
static void set_causes(const rnic_receiver *receiver, rnic_occupancy *held, const mpa_held *mpa,
                       const held_below *below)
{
  bool looks_ahead = receiver->config.looks_ahead;

  /* The tail of the FPDU at the in-order edge, when TCP holds it, lies within a located FPDU and counts as
   * incomplete (docs/decisions.md, "Held octets and location"). */
  held->incomplete = mpa->incomplete + below->of_partial;
  /* A lone octet of ULPDU_Length at the in-order edge is not located. Of a receiver that does not look ahead
   * that is `order`, whatever the markers. */
  held->unlocated = looks_ahead ? mpa->unlocated : 0;
  held->order =
      mpa->order + below->early + below->in_tcp - below->of_partial + (looks_ahead ? 0 : mpa->unlocated);
  held->partial_fpdus = mpa->partial_fpdus;
}

bool rnic_receiver_holds_nothing(const rnic_receiver *receiver)
{
  return !receiver->early && !receiver->pipe &&
         (!receiver->deframer || mpa_deframer_holds_nothing(receiver->deframer));
}

void rnic_receiver_held(const rnic_receiver *receiver, rnic_occupancy *held)
{
  const tcp_transport *tcp = receiver->config.tcp;
  mpa_held mpa = {0};

  held->processing = receiver->pipe ? receiver->pipe->octets : 0;
  held->in_order_edge = tcp->gauges.in_order_edge - receiver->phase_start;
  if (receiver->is_stopped) {
    return;
  }
  if (receiver->deframer) {
    mpa_deframer_held(receiver->deframer, &mpa);
  }
  /* TCP keeps nothing that it may pass on. */
  held_below below = {.in_tcp =
                          receiver->config.looks_ahead ? 0 : tcp->class->held_octets_below(tcp, UINT64_MAX),
                      .early = receiver->early ? reassembly_queue_total(receiver->early) : 0};
  if (below.in_tcp > 0 && mpa.partial_end > 0) {
    below.of_partial = tcp->class->held_octets_below(tcp, receiver->phase_start + mpa.partial_end);
  }
  set_causes(receiver, held, &mpa, &below);
}

/* --- What it would hold --- */

/* It is one dry run under way. */
typedef struct trial {
  rnic_receiver *receiver;
  const rnic_new_run *runs;
  size_t count;
  uint64_t segment_position;
  const reassembly_queue *in_tcp; /* after a hole, of an in-order receiver */
  uint64_t edge_before;           /* TCP's in-order edge */
  uint64_t edge;                  /* the same after the segment */
  mpa_deframer *deframer;         /* a copy */
} trial;

static void ignore_ulpdu(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const mpa_ulpdu *ulpdu,
                         G_GNUC_UNUSED time_ps now)
{
}

static void ignore_error(G_GNUC_UNUSED void *user, G_GNUC_UNUSED mpa_error error,
                         G_GNUC_UNUSED uint64_t offset, G_GNUC_UNUSED time_ps now)
{
}

static uint64_t end_of(const rnic_new_run *run)
{
  return run->position + run->octets.length;
}

/* Returns the run that has `position`; NULL when none has. */
static const rnic_new_run *run_with(const trial *made, uint64_t position)
{
  for (size_t i = 0; i < made->count; i++) {
    if (position >= made->runs[i].position && position < end_of(&made->runs[i])) {
      return &made->runs[i];
    }
  }
  return NULL;
}

/* Returns where the in-order edge will be. A receiver that looks ahead needs it only to know whether
 * streaming mode is over. */
static uint64_t find_edge(const trial *made)
{
  /* This waits for the octet at the edge. */
  const reassembly_queue *held = made->receiver->config.looks_ahead ? made->receiver->early : made->in_tcp;
  uint64_t edge = made->edge_before;
  uint64_t before;

  do {
    const rnic_new_run *run = run_with(made, edge);
    before = edge;
    edge = run ? end_of(run) : held ? reassembly_queue_run_end(held, edge) : edge;
  } while (edge > before);
  return edge;
}

/* TCP passes octets; those of streaming mode do not belong to MPA. */
static void pass(trial *made, uint64_t position, const buffer_chain *octets, bool is_segment)
{
  uint64_t start = made->receiver->phase_start;
  uint32_t skipped = (uint32_t)MIN(start - MIN(start, position), octets->length);
  buffer_chain rest;

  if (skipped == octets->length) {
    return;
  }
  buffer_chain_init_part(&rest, octets, skipped, octets->length - skipped);
  if (is_segment && skipped == 0) {
    mpa_deframer_receive_segment(made->deframer, position - start, &rest, 0, 0);
  } else {
    mpa_deframer_receive(made->deframer, position + skipped - start, &rest, 0, 0);
  }
  buffer_chain_clear(&rest);
}

static void pass_held(void *user, uint64_t position, const buffer_chain *octets,
                      G_GNUC_UNUSED time_ps arrival)
{
  pass(user, position, octets, false);
}

/* Passes, of an in-order receiver, what the segment brings and what waited for it. */
static void pass_in_order(trial *made)
{
  uint64_t position = made->edge_before;

  while (position < made->edge) {
    const rnic_new_run *run = run_with(made, position);
    uint64_t end = run ? end_of(run) : reassembly_queue_run_end(made->in_tcp, position);

    if (run) {
      pass(made, position, &run->octets, false);
    } else {
      reassembly_queue_visit(made->in_tcp, position, end, pass_held, made);
    }
    position = end;
  }
}

static uint64_t octets_of_runs(const trial *made, uint64_t from, uint64_t to)
{
  uint64_t octets = 0;

  for (size_t i = 0; i < made->count; i++) {
    uint64_t run_from = CLAMP(made->runs[i].position, from, MAX(from, to));
    octets += CLAMP(end_of(&made->runs[i]), run_from, MAX(run_from, to)) - run_from;
  }
  return octets;
}

/* Finds what MPA will hold, and how. */
static mpa_held try_out(trial *made, uint32_t *pieces)
{
  static const mpa_deframer_events events = {
      .ulpdu = ignore_ulpdu, .error = ignore_error, .plausible = on_plausible};
  rnic_receiver *receiver = made->receiver;
  mpa_held held;

  made->deframer = mpa_deframer_copy(receiver->deframer, &events, receiver);
  if (receiver->early) {
    reassembly_queue_visit(receiver->early, receiver->phase_start, UINT64_MAX, pass_held, made);
  }
  if (!receiver->config.looks_ahead) {
    pass_in_order(made);
  }
  for (size_t i = 0; receiver->config.looks_ahead && i < made->count; i++) {
    const rnic_new_run *run = &made->runs[i];
    pass(made, run->position, &run->octets,
         receiver->config.assumes_aligned && run->position == made->segment_position);
  }
  mpa_deframer_held(made->deframer, &held);
  *pieces = mpa_deframer_pieces(made->deframer);
  mpa_deframer_free(made->deframer);
  return held;
}

rnic_dry_run rnic_receiver_dry_run(rnic_receiver *receiver, const rnic_new_run *runs, size_t count,
                                   uint64_t segment_position)
{
  bool looks_ahead = receiver->config.looks_ahead;
  trial made = {.receiver = receiver,
                .runs = runs,
                .count = count,
                .segment_position = segment_position,
                .in_tcp = receiver->config.tcp->class->held(receiver->config.tcp),
                .edge_before = receiver->config.tcp->gauges.in_order_edge};
  rnic_dry_run dry_run = {.pieces = 0};
  held_below below = {.early = receiver->early ? reassembly_queue_total(receiver->early) : 0};
  const mpa_deframer *deframer = deframer_of(receiver);
  mpa_held mpa;

  made.edge = find_edge(&made);
  uint64_t brought = octets_of_runs(&made, 0, UINT64_MAX);
  uint64_t in_order = made.edge - made.edge_before;
  uint64_t passed = looks_ahead ? brought : in_order;
  if (passed > 0 && made.edge >= receiver->phase_start) {
    mpa = try_out(&made, &dry_run.pieces);
    below.early = 0;
  } else {
    mpa_deframer_held(deframer, &mpa);
    dry_run.pieces = mpa_deframer_pieces(deframer);
    below.early += passed;
  }
  if (!looks_ahead) {
    uint64_t partial_end = receiver->phase_start + mpa.partial_end;

    below.in_tcp = reassembly_queue_total(made.in_tcp) + brought - in_order;
    if (mpa.partial_end > 0 && partial_end > made.edge) {
      below.of_partial = reassembly_queue_covered(made.in_tcp, made.edge, partial_end) +
                         octets_of_runs(&made, made.edge, partial_end);
    }
  }
  set_causes(receiver, &dry_run.held, &mpa, &below);
  return dry_run;
}
