/* SPDX-License-Identifier: GPL-2.0-only */
/* The middleboxes `rechunk`, `random` and `shift` forward the same octets with other cuts. They differ in
 * where a piece ends.
 *
 * Each follows a connection's stream from its SYN on; what belongs to a connection whose SYN it did not see
 * passes as it is. A piece goes once all its octets are there. SYN, FIN, RST and, unless `ignores_push`, PSH
 * let all that waits go, and so does `flush_ps` without octets of the connection. Segments without payload
 * pass at once.
 *
 * What does not come in order: octets at or below the highest forwarded (a retransmission), and those that
 * fill a hole before what is waiting, pass at once, cut as its kind does it; the retransmission mark is on
 * every piece with an octet of a marked segment. Octets after a hole make what is waiting leave, and are then
 * new octets like others. Octets that are waiting already are not taken twice.
 *
 * PSH is also on the last piece that a segment with PSH makes leave, FIN on the one that ends where the FIN
 * stands (alone when none does). The other header fields: path_waiting.h. A segment that leaves with the
 * octets and flags it came with is the same packet. What is not a whole segment, or a wrong one:
 * path_middleboxes.h. */

#include "network/path_middleboxes.h"
#include "network/path_waiting.h"

/* This is the end of a piece that is not known yet. */
#define OPEN INT64_MAX

/* This is one direction of a connection. Positions are 0 at the octet after the SYN. */
typedef struct resegment_flow {
  path_box_flow flow;
  uint32_t isn;
  int64_t forwarded;    /* end of the highest octet forwarded */
  path_waiting waiting; /* the piece that waits for its end; begins at or beyond `forwarded` */
  int64_t piece_end;    /* where that is; OPEN: not known yet */
  tcp_header newest;    /* of the segments with payload, the one with the newest acknowledgement */
  deque ends;           /* of shift: int64_t, ascending: where pieces end that no segment has reached yet */
} resegment_flow;

typedef struct path_resegment path_resegment;

/* This is what a kind decides. */
typedef struct resegment_kind {
  path_element_class class;
  /* Returns where the piece of new octets that begins at `from` ends: beyond `from`, or OPEN. Asked once a
   * piece, and again while it is open. */
  int64_t (*piece_end)(path_resegment *box, resegment_flow *flow, int64_t from);
  /* Returns the same of a piece that begins with octets that pass at once, in the segment that begins at
   * `segment_from`; NULL: as piece_end. */
  int64_t (*passing_piece_end)(const path_resegment *box, int64_t from, int64_t segment_from);
  /* A segment brings new octets, from `from` on; NULL: nothing to do. */
  void (*note_new)(path_resegment *box, resegment_flow *flow, int64_t from);
} resegment_kind;

struct path_resegment {
  path_box box;
  const resegment_kind *kind;
  path_middleboxes_config config;
  random_stream *random;
  uint8_t flushing;     /* flags of a segment with payload that do */
  flow_table flows;     /* of resegment_flow */
  path_waiting passing; /* scratch: octets of a segment that pass at once */
  int64_t line; /* of rechunk's grid, asked for last: the next answer is mostly this or the line after it */
};

/* This is a segment with payload while it is in the box. */
typedef struct arriving {
  datagram *packet;
  tcp_header header;
  int64_t from;
  int64_t to;
  uint8_t flags; /* those that flush */
  time_ps now;
} arriving;

/* --- Letting octets go --- */

/* The piece that `run` is leaves. */
static void emit_piece(path_resegment *box, resegment_flow *flow, path_waiting *run, uint8_t flags,
                       time_ps now)
{
  flow->forwarded = MAX(flow->forwarded, run->to);
  path_box_emit(&box->box, path_waiting_take(run, flow->isn, &flow->newest, flags), now);
}

/* Lets all that waits go, with `flags`. */
static void emit_waiting(path_resegment *box, resegment_flow *flow, uint8_t flags, time_ps now)
{
  if (!path_waiting_is_empty(&flow->waiting)) {
    emit_piece(box, flow, &flow->waiting, flags, now);
  }
}

static int64_t passing_piece_end(path_resegment *box, resegment_flow *flow, int64_t from,
                                 int64_t segment_from)
{
  return box->kind->passing_piece_end ? box->kind->passing_piece_end(box, from, segment_from)
                                      : box->kind->piece_end(box, flow, from);
}

/* Octets [segment->from, to) of the segment pass at once; they end a piece. The first piece would end at
 * `end`. */
static void pass_octets(path_resegment *box, resegment_flow *flow, const arriving *segment, int64_t to,
                        int64_t end)
{
  path_waiting *run = &box->passing;

  for (int64_t from = segment->from; from < to;) {
    int64_t piece_to = MIN(end, to);
    path_waiting_append(run, segment->packet, &segment->header, segment->from, from, piece_to);
    emit_piece(box, flow, run, 0, segment->now);
    from = piece_to;
    end = from < to ? passing_piece_end(box, flow, from, segment->from) : end;
  }
}

static void pass_whole(path_resegment *box, resegment_flow *flow, const arriving *segment)
{
  flow->forwarded = MAX(flow->forwarded, segment->to);
  path_box_emit(&box->box, segment->packet, segment->now);
}

static void flush(path_resegment *box, resegment_flow *flow, time_ps now)
{
  emit_waiting(box, flow, 0, now);
  path_box_set_deadline(&box->box, &flow->flow, TIME_PS_NEVER);
}

/* --- Segments with payload --- */

/* Returns where the piece at `from` ends, of a segment that comes while nothing waits. */
static int64_t end_of_piece(path_resegment *box, resegment_flow *flow, const arriving *segment, int64_t from)
{
  return from < flow->forwarded ? passing_piece_end(box, flow, from, segment->from)
                                : box->kind->piece_end(box, flow, from);
}

/* A segment comes while nothing waits. What it has beyond the last end of a piece waits, unless it is old
 * or must go. */
static void cut_segment(path_resegment *box, resegment_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  int64_t to = segment->to;
  int64_t end = end_of_piece(box, flow, segment, segment->from);

  if (end == to || (end > to && (segment->flags || to <= flow->forwarded))) {
    pass_whole(box, flow, segment);
    return;
  }
  for (int64_t from = segment->from; from < to;) {
    bool is_cut_off = end > to && !segment->flags;
    if (is_cut_off && from >= flow->forwarded) {
      path_waiting_keep(waiting, segment->packet, &segment->header, segment->from, from);
      flow->piece_end = end;
      return;
    }
    int64_t piece_to = MIN(end, is_cut_off ? MIN(to, flow->forwarded) : to);
    path_waiting_append(waiting, segment->packet, &segment->header, segment->from, from, piece_to);
    emit_piece(box, flow, waiting, piece_to == to ? segment->flags : 0, segment->now);
    from = piece_to;
    end = from < to ? end_of_piece(box, flow, segment, from) : from;
  }
  datagram_unref(segment->packet);
}

/* A FIN that does not stand after the last piece, of a stream that goes on after its FIN, goes alone: so it
 * keeps its place. `newest` has the timestamp of that piece now; the FIN has its own segment's. */
static void emit_fin(path_resegment *box, resegment_flow *flow, const arriving *segment)
{
  tcp_header header = flow->newest;

  header.sequence = tcp_sequence_of(segment->to, flow->isn);
  header.flags = (uint8_t)((header.flags & (TCP_ACK | TCP_ECE)) | TCP_FIN);
  header.has_timestamps = segment->header.has_timestamps;
  header.timestamp_value = segment->header.timestamp_value;
  datagram *packet = datagram_new_in(path_box_datagrams(&box->box), &flow->flow.key.source,
                                     &flow->flow.key.destination, &header, NULL);
  path_box_emit(&box->box, packet, segment->now);
}

/* A segment comes while octets wait, and does not begin after them. */
static void join_segment(path_resegment *box, resegment_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  int64_t passing_to = MIN(segment->to, waiting->from);
  int64_t new_from = waiting->to;

  if (segment->from < passing_to) {
    int64_t end = passing_piece_end(box, flow, segment->from, segment->from);
    if (passing_to == segment->to && end >= segment->to && !segment->flags) {
      pass_whole(box, flow, segment);
      return;
    }
    pass_octets(box, flow, segment, passing_to, end);
  }
  if (flow->piece_end == OPEN) {
    flow->piece_end = box->kind->piece_end(box, flow, waiting->from);
  }
  for (int64_t from = new_from; from < segment->to;) {
    int64_t piece_to = MIN(flow->piece_end, segment->to);
    if (piece_to < flow->piece_end && path_waiting_is_empty(waiting) && !segment->flags) {
      path_waiting_keep(waiting, segment->packet, &segment->header, segment->from, from);
      return;
    }
    path_waiting_append(waiting, segment->packet, &segment->header, segment->from, from, piece_to);
    if (piece_to == flow->piece_end && (piece_to < segment->to || !segment->flags)) {
      emit_piece(box, flow, waiting, 0, segment->now);
    }
    from = piece_to;
    flow->piece_end = from < segment->to ? box->kind->piece_end(box, flow, from) : flow->piece_end;
  }
  if (segment->flags) {
    bool fin_ends_piece = waiting->to == segment->to;
    emit_waiting(box, flow, segment->flags & (fin_ends_piece ? TCP_PSH | TCP_FIN : TCP_PSH), segment->now);
    if ((segment->flags & TCP_FIN) && !fin_ends_piece) {
      emit_fin(box, flow, segment);
    }
  }
  datagram_unref(segment->packet);
}

static void receive_payload(path_resegment *box, resegment_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  bool waits = !path_waiting_is_empty(waiting);
  int64_t edge = waits ? waiting->to : flow->forwarded;

  segment->from = tcp_position_of(segment->header.sequence, flow->isn, edge);
  segment->to = segment->from + segment->packet->payload.length;
  if (segment->from < 0) { /* not an octet of this stream: for the receiver to judge */
    path_box_emit(&box->box, segment->packet, segment->now);
    return;
  }
  path_waiting_note_header(&flow->newest, &segment->header);
  if (box->kind->note_new && segment->to > edge) {
    box->kind->note_new(box, flow, MAX(segment->from, edge));
  }
  if (waits && segment->from > edge) { /* a hole */
    emit_waiting(box, flow, 0, segment->now);
    waits = false;
  }
  if (waits) {
    join_segment(box, flow, segment);
  } else {
    cut_segment(box, flow, segment);
  }
  path_box_set_deadline(&box->box, &flow->flow,
                        path_waiting_is_empty(waiting) ? TIME_PS_NEVER : segment->now + box->config.flush_ps);
}

/* --- The element --- */

/* Begins the stream after a SYN, unless it is the same SYN again. */
static resegment_flow *begin_flow(path_resegment *box, resegment_flow *flow, const datagram *syn,
                                  uint32_t isn, time_ps now)
{
  datagram_flow key;

  if (flow && flow->isn == isn) {
    return flow;
  }
  if (flow) { /* the ports are used again */
    flush(box, flow, now);
  } else {
    datagram_flow_of(syn, &key);
    flow = flow_table_add(&box->flows, &key);
    path_waiting_init(&flow->waiting, &box->box);
    deque_init(&flow->ends, sizeof(int64_t));
  }
  flow->isn = isn;
  flow->forwarded = 0;
  flow->newest = (tcp_header){0};
  deque_empty(&flow->ends);
  return flow;
}

/* An undamaged ACK without payload: the box has nothing to cut, and nothing that waits leaves because of it.
 */
static inline bool is_bare_acknowledgement(const datagram *packet)
{
  return packet->payload.length == 0 && packet->kind == DATAGRAM_TCP && !packet->carries_checksum &&
         !(datagram_tcp_flags(packet) & (TCP_SYN | TCP_FIN | TCP_RST | TCP_PSH));
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_resegment *box = (path_resegment *)element;
  arriving segment;

  if (is_bare_acknowledgement(packet)) {
    path_box_emit(&box->box, packet, now);
    return;
  }
  if (!path_box_takes(&box->box, packet, &segment.header, now)) {
    return;
  }
  uint32_t octets = packet->payload.length;
  uint8_t flags = segment.header.flags;
  if (octets == 0 && !(flags & (TCP_SYN | TCP_RST | box->flushing))) {
    path_box_emit(&box->box, packet, now);
    return;
  }
  resegment_flow *flow = flow_table_find_of(&box->flows, packet);
  if (flags & TCP_SYN) {
    flow = begin_flow(box, flow, packet, segment.header.sequence, now);
    flow->forwarded = MAX(flow->forwarded, (int64_t)octets);
  }
  if (flow && octets > 0 && !(flags & (TCP_SYN | TCP_RST))) {
    segment.packet = packet;
    segment.now = now;
    segment.flags = flags & box->flushing;
    receive_payload(box, flow, &segment);
    return;
  }
  if (flow) {
    flush(box, flow, now);
  }
  path_box_emit(&box->box, packet, now);
}

static void run(path_element *element, time_ps now)
{
  path_resegment *box = (path_resegment *)element;
  path_box_flow *first;

  while ((first = path_box_due(&box->box, now))) {
    flush(box, (resegment_flow *)first, now);
  }
}

static void free_flow(gpointer entry)
{
  resegment_flow *flow = entry;

  path_waiting_clear(&flow->waiting);
  deque_clear(&flow->ends);
  g_free(flow);
}

static void free_box(path_element *element)
{
  path_resegment *box = (path_resegment *)element;

  flow_table_clear(&box->flows);
  path_waiting_clear(&box->passing);
  memory_pool_unref(box->box.datagrams);
  g_free(box);
}

#define RESEGMENT_CLASS(word)                                                                                \
  {                                                                                                          \
    .name = (word), .receive = receive, .deadline = path_box_deadline, .run = run, .free = free_box          \
  }

static path_resegment *new_box(const resegment_kind *kind, const path_middleboxes_config *config,
                               random_stream *random)
{
  path_resegment *box = g_new0(path_resegment, 1);

  g_assert(config->flush_ps >= 0);
  box->box.element.class = &kind->class;
  box->kind = kind;
  box->config = *config;
  box->random = random;
  box->flushing = config->ignores_push ? TCP_FIN : TCP_FIN | TCP_PSH;
  flow_table_init(&box->flows, sizeof(resegment_flow), free_flow);
  path_waiting_init(&box->passing, &box->box);
  return box;
}

/* --- Rechunk: on a fixed grid --- */

/* Returns the first line of the grid beyond `from`. */
static int64_t rechunk_piece_end(path_resegment *box, G_GNUC_UNUSED resegment_flow *flow, int64_t from)
{
  int64_t chunk = box->config.chunk_octets;
  int64_t phase = box->config.phase_octets;

  if (from < phase) {
    return phase;
  }
  if (from >= box->line && from - box->line < chunk) {
    box->line += chunk;
  } else if (from >= box->line || box->line - from > chunk) {
    box->line = phase + ((from - phase) / chunk + 1) * chunk;
  }
  return box->line;
}

static const resegment_kind rechunk_kind = {.class = RESEGMENT_CLASS("rechunk"),
                                            .piece_end = rechunk_piece_end};

/* Pieces end at phase + k * chunk, positions counted from the octet after the SYN. chunk_octets > 0; a phase
 * of a chunk or more is taken modulo chunk. Cuts depend on time by the flush only; the rest of a piece that
 * was flushed is a piece up to the same line.
 *
 * A retransmission passes at once, cut on the same grid: its pieces are those of the first time, but for the
 * first and the last, which end where it does.
 *
 * A piece is as long as the chunk, up to: the caller sees to it that the links after the box can carry it. */
path_box *path_rechunk_new(const path_middleboxes_config *config, random_stream *random)
{
  g_assert(config->chunk_octets > 0);
  path_resegment *box = new_box(&rechunk_kind, config, random);

  box->config.phase_octets %= config->chunk_octets;
  box->line = box->config.phase_octets;
  return &box->box;
}

/* --- Random: at random places --- */

static int64_t random_piece_end(path_resegment *box, G_GNUC_UNUSED resegment_flow *flow, int64_t from)
{
  int64_t least = box->config.random_minimum_octets;
  int64_t most = box->config.random_maximum_octets;

  return from + least + (int64_t)random_stream_below(box->random, (uint64_t)(most - least + 1));
}

static const resegment_kind random_kind = {.class = RESEGMENT_CLASS("random"), .piece_end = random_piece_end};

/* The length of each piece is drawn uniformly from random_minimum_octets to random_maximum_octets (0 < the
 * least <= the most), when it begins. A flush makes the last one shorter; after it a new piece begins.
 *
 * A retransmission passes at once and is cut anew: its pieces are drawn from its own first octet on, whatever
 * the cuts of the first time were, and the last one ends where it does.
 *
 * The caller sees to it that the links after the box can carry the most octets. */
path_box *path_random_cut_new(const path_middleboxes_config *config, random_stream *random)
{
  g_assert(config->random_minimum_octets > 0 &&
           config->random_minimum_octets <= config->random_maximum_octets);
  return &new_box(&random_kind, config, random)->box;
}

/* --- Shift: every boundary moves by the same number of octets --- */

static void shift_note_new(path_resegment *box, resegment_flow *flow, int64_t from)
{
  *(int64_t *)deque_insert(&flow->ends, flow->ends.count) = from + box->config.shift_octets;
}

static int64_t shift_piece_end(G_GNUC_UNUSED path_resegment *box, resegment_flow *flow, int64_t from)
{
  deque *ends = &flow->ends;

  while (ends->count > 0 && *(int64_t *)deque_at(ends, 0) <= from) {
    deque_remove(ends, 0, 1);
  }
  return ends->count > 0 ? *(int64_t *)deque_at(ends, 0) : OPEN;
}

static int64_t shift_passing_piece_end(const path_resegment *box, int64_t from, int64_t segment_from)
{
  int64_t end = segment_from + box->config.shift_octets;

  return end > from ? end : OPEN;
}

static const resegment_kind shift_kind = {.class = RESEGMENT_CLASS("shift"),
                                          .piece_end = shift_piece_end,
                                          .passing_piece_end = shift_passing_piece_end,
                                          .note_new = shift_note_new};

/* A piece ends `shift_octets` (> 0) after each place where a segment began, the first of the stream included:
 * so pieces are as long as the segments, but for the first, which is the shift. The rest of a segment waits
 * for the next one to bring its last octets; a flush ends a piece where the segment ends, and the next piece
 * is short again. Segments shorter than the shift are moved like others: several may wait.
 *
 * No piece is longer than the longer of the two segments it is of, when segments are at least as long as the
 * shift; the caller sees to it that the links after the box can carry them.
 *
 * A retransmission passes at once. Its own first boundary is moved, its end is not, as nothing follows to
 * fill up with: the box does not remember the boundaries of the first time. */
path_box *path_shift_new(const path_middleboxes_config *config, random_stream *random)
{
  g_assert(config->shift_octets > 0);
  return &new_box(&shift_kind, config, random)->box;
}
