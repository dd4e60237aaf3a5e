/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_recut.h"

enum { FLUSHING_FLAGS = TCP_PSH | TCP_FIN };

/* A segment with payload while it is in the box. */
typedef struct arriving {
  datagram *packet;
  tcp_header header;
  int64_t from;
  int64_t to;
  uint8_t flags; /* those that flush */
  time_ps now;
} arriving;

/* --- Letting octets go --- */

static void emit_piece(path_recut *box, path_recut_flow *flow, path_waiting *run, int64_t to, uint8_t flags,
                       time_ps now)
{
  path_piece piece = {.flow = &flow->flow.entry.key,
                      .isn = flow->isn,
                      .newest = &flow->newest,
                      .flags = flags,
                      .send_order = flow->flow.send_order,
                      .datagrams = path_box_datagrams(&box->box)};

  datagram *packet = path_waiting_take(run, to, &piece);
  flow->forwarded = MAX(flow->forwarded, to);
  path_box_emit(&box->box, packet, now);
}

/* Lets all that waits go, the last piece with `last_flags`. */
static void emit_waiting(path_recut *box, path_recut_flow *flow, uint8_t last_flags, time_ps now)
{
  int64_t to = path_waiting_end(&flow->waiting);

  while (flow->waiting.octets.length > 0) {
    int64_t end = MIN(flow->piece_end, to);
    emit_piece(box, flow, &flow->waiting, end, end == to ? last_flags : 0, now);
    if (end < to) {
      flow->piece_end = box->kind->piece_end(box, flow, end);
    }
  }
}

/* Lets the pieces go that are whole. */
static void emit_whole_pieces(path_recut *box, path_recut_flow *flow, time_ps now)
{
  int64_t to = path_waiting_end(&flow->waiting);

  while (flow->piece_end <= to) {
    int64_t end = flow->piece_end;
    emit_piece(box, flow, &flow->waiting, end, 0, now);
    if (end == to) {
      return;
    }
    flow->piece_end = box->kind->piece_end(box, flow, end);
  }
}

/* Octets [segment->from, to) of the segment pass at once; they end a piece. The first piece would end at
 * `end`. */
static void pass_octets(path_recut *box, path_recut_flow *flow, const arriving *segment, int64_t to,
                        int64_t end)
{
  path_waiting *run = &box->passing;

  path_waiting_append(run, segment->packet, &segment->header, segment->from, segment->from, to);
  while (end < to) {
    emit_piece(box, flow, run, end, 0, segment->now);
    end = box->kind->passing_piece_end(box, flow, end, segment->from);
  }
  emit_piece(box, flow, run, to, 0, segment->now);
}

static void pass_whole(path_recut *box, path_recut_flow *flow, const arriving *segment)
{
  flow->forwarded = MAX(flow->forwarded, segment->to);
  path_box_emit(&box->box, segment->packet, segment->now);
}

static void flush(path_recut *box, path_recut_flow *flow, time_ps now)
{
  emit_waiting(box, flow, 0, now);
  path_box_set_deadline(&box->box, &flow->flow, TIME_PS_NEVER, flow->flow.send_order);
}

/* --- Segments with payload --- */

/* Where the piece at `from` ends, of a segment that comes while nothing waits. */
static int64_t end_of_piece(path_recut *box, path_recut_flow *flow, const arriving *segment, int64_t from)
{
  return from < flow->forwarded ? box->kind->passing_piece_end(box, flow, from, segment->from)
                                : box->kind->piece_end(box, flow, from);
}

/* A segment comes while nothing waits. What it has beyond the last end of a piece waits, unless it is old
 * or must go. */
static void cut_segment(path_recut *box, path_recut_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  int64_t to = segment->to;
  int64_t end = end_of_piece(box, flow, segment, segment->from);

  if (end == to || (end > to && (segment->flags || to <= flow->forwarded))) {
    pass_whole(box, flow, segment);
    return;
  }
  path_waiting_append(waiting, segment->packet, &segment->header, segment->from, segment->from, to);
  while (waiting->octets.length > 0) {
    if (end > to) {
      if (segment->flags) {
        end = to;
      } else if (waiting->from < flow->forwarded) {
        end = MIN(to, flow->forwarded);
      } else {
        break;
      }
    }
    emit_piece(box, flow, waiting, end, end == to ? segment->flags : 0, segment->now);
    if (end < to) {
      end = end_of_piece(box, flow, segment, end);
    }
  }
  flow->piece_end = end;
  datagram_unref(segment->packet);
}

/* A FIN that does not stand behind the last piece, of a stream that goes on behind its FIN, goes alone: so
 * it keeps its place. */
static void emit_fin(path_recut *box, path_recut_flow *flow, const arriving *segment)
{
  tcp_header header = flow->newest;

  header.sequence = tcp_sequence_of(segment->to, flow->isn);
  header.flags = (uint8_t)((header.flags & (TCP_ACK | TCP_ECE)) | TCP_FIN);
  datagram *packet = datagram_new_in(path_box_datagrams(&box->box), &flow->flow.entry.key.source,
                                     &flow->flow.entry.key.destination, &header, NULL);
  path_box_emit(&box->box, packet, segment->now);
}

/* A segment comes while octets wait, and does not begin behind them. */
static void join_segment(path_recut *box, path_recut_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  int64_t passing_to = MIN(segment->to, waiting->from);
  int64_t new_from = path_waiting_end(waiting);

  if (segment->from < passing_to) {
    int64_t end = box->kind->passing_piece_end(box, flow, segment->from, segment->from);
    if (passing_to == segment->to && end >= segment->to && !segment->flags) {
      pass_whole(box, flow, segment);
      return;
    }
    pass_octets(box, flow, segment, passing_to, end);
  }
  if (new_from < segment->to) {
    path_waiting_append(waiting, segment->packet, &segment->header, segment->from, new_from, segment->to);
  }
  if (flow->piece_end == PATH_RECUT_OPEN) {
    flow->piece_end = box->kind->piece_end(box, flow, waiting->from);
  }
  if (segment->flags) {
    bool fin_ends_piece = path_waiting_end(waiting) == segment->to;
    emit_waiting(box, flow, segment->flags & (fin_ends_piece ? FLUSHING_FLAGS : TCP_PSH), segment->now);
    if ((segment->flags & TCP_FIN) && !fin_ends_piece) {
      emit_fin(box, flow, segment);
    }
  } else {
    emit_whole_pieces(box, flow, segment->now);
  }
  datagram_unref(segment->packet);
}

static void receive_payload(path_recut *box, path_recut_flow *flow, arriving *segment)
{
  path_waiting *waiting = &flow->waiting;
  bool waits = waiting->octets.length > 0;
  int64_t edge = waits ? path_waiting_end(waiting) : flow->forwarded;

  segment->from = tcp_position_of(segment->header.sequence, flow->isn, edge);
  segment->to = segment->from + segment->packet->payload.length;
  if (segment->from < 0) { /* not an octet of this stream: for the receiver to judge */
    path_box_emit(&box->box, segment->packet, segment->now);
    return;
  }
  path_waiting_note_header(&flow->newest, &segment->header);
  flow->flow.send_order = segment->packet->send_order;
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
                        waiting->octets.length > 0 ? segment->now + box->flush_ps : TIME_PS_NEVER,
                        flow->flow.send_order);
}

/* --- The element --- */

/* Begins the stream behind a SYN, unless it is the same SYN again. */
static path_recut_flow *begin_flow(path_recut *box, path_recut_flow *flow, const datagram *syn, uint32_t isn,
                                   time_ps now)
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
    path_waiting_init(&flow->waiting);
  }
  flow->isn = isn;
  flow->forwarded = 0;
  flow->newest = (tcp_header){0};
  if (box->kind->begin) {
    box->kind->begin(flow);
  }
  return flow;
}

/* An ACK without options and payload has nothing to cut and makes nothing leave. */
static inline bool is_bare_acknowledgement(const datagram *packet)
{
  return packet->payload.length == 0 && packet->kind == DATAGRAM_TCP && !packet->carries_checksum &&
         datagram_has_bare_tcp_header(packet) &&
         !(datagram_tcp_flags(packet) & (TCP_SYN | TCP_FIN | TCP_RST | TCP_PSH));
}

void path_recut_receive(path_element *element, datagram *packet, time_ps now)
{
  path_recut *box = (path_recut *)element;
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
  if (octets == 0 && !(flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_PSH))) {
    path_box_emit(&box->box, packet, now);
    return;
  }
  path_recut_flow *flow = flow_table_find_of(&box->flows, packet);
  if (flags & TCP_SYN) {
    flow = begin_flow(box, flow, packet, segment.header.sequence, now);
    flow->forwarded = MAX(flow->forwarded, (int64_t)octets);
  }
  if (flow && octets > 0 && !(flags & (TCP_SYN | TCP_RST))) {
    segment.packet = packet;
    segment.now = now;
    segment.flags = flags & FLUSHING_FLAGS;
    receive_payload(box, flow, &segment);
    return;
  }
  if (flow) {
    flush(box, flow, now);
  }
  path_box_emit(&box->box, packet, now);
}

void path_recut_run(path_element *element, time_ps now)
{
  path_recut *box = (path_recut *)element;
  path_box_flow *first;

  while ((first = path_box_due(&box->box, now))) {
    flush(box, (path_recut_flow *)first, now);
  }
}

void path_recut_free_flow(gpointer flow)
{
  path_waiting_clear(&((path_recut_flow *)flow)->waiting);
  g_free(flow);
}

void path_recut_free(path_element *element)
{
  path_recut *box = (path_recut *)element;

  flow_table_clear(&box->flows);
  path_waiting_clear(&box->passing);
  path_box_clear(&box->box);
  g_free(box);
}

void path_recut_init(path_recut *box, const path_recut_kind *kind, time_ps flush_ps)
{
  g_assert(flush_ps >= 0);
  box->box.element.class = kind->class;
  box->kind = kind;
  box->flush_ps = flush_ps;
  flow_table_init(&box->flows, kind->flow_octets, kind->free_flow);
  path_waiting_init(&box->passing);
}
