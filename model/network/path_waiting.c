/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_waiting.h"

#include <glib.h>
#include <string.h>

/* This is a segment of which octets wait. */
typedef struct waiting_segment {
  datagram *packet;
  int64_t position; /* of its first octet */
  int64_t to;       /* after its last octet that waits */
  uint32_t timestamp_value;
  bool has_timestamps;
  uint8_t flags; /* CWR, while no octet of it has left; PSH, if its last octet is here */
} waiting_segment;

/* This is what the segments of a piece carry together. */
typedef struct piece_marks {
  uint32_t timestamp_value;
  uint32_t connection;
  datagram_ecn ecn;
  bool has_timestamps;
  uint8_t flags;
  bool retransmission;
  bool fragmentable;
} piece_marks;

void path_waiting_init(path_waiting *waiting)
{
  *waiting = (path_waiting){.from = 0};
  deque_init(&waiting->segments, sizeof(waiting_segment));
}

static inline waiting_segment *segment_at(const path_waiting *waiting, size_t index)
{
  return deque_slot(&waiting->segments, index, sizeof(waiting_segment));
}

void path_waiting_clear(path_waiting *waiting)
{
  for (size_t i = 0; i < waiting->segments.count; i++) {
    datagram_unref(segment_at(waiting, i)->packet);
  }
  deque_clear(&waiting->segments);
}

void path_waiting_append(path_waiting *waiting, datagram *packet, const tcp_header *header, int64_t position,
                         int64_t from, int64_t to)
{
  if (path_waiting_is_empty(waiting)) {
    waiting->from = waiting->to = from;
  }
  g_assert(from == waiting->to && from < to && to - position <= packet->payload.length);
  waiting->to = to;
  waiting_segment *segment = deque_insert(&waiting->segments, waiting->segments.count);
  bool has_last = to == position + packet->payload.length;
  *segment = (waiting_segment){.packet = datagram_ref(packet),
                               .position = position,
                               .to = to,
                               .timestamp_value = header->timestamp_value,
                               .has_timestamps = header->has_timestamps,
                               .flags = header->flags & (has_last ? TCP_CWR | TCP_PSH : TCP_CWR)};
}

/* Adds what `segment`, which is not the first, carries to `all`. */
static void join_marks(piece_marks *all, const waiting_segment *segment)
{
  bool older = (int32_t)(segment->timestamp_value - all->timestamp_value) < 0;
  datagram_ecn ecn = datagram_ecn_of(segment->packet);

  if (segment->has_timestamps && (older || !all->has_timestamps)) {
    all->timestamp_value = segment->timestamp_value;
    all->has_timestamps = true;
  }
  if (all->ecn != ecn) {
    bool congested = all->ecn == DATAGRAM_ECN_CONGESTED || ecn == DATAGRAM_ECN_CONGESTED;
    all->ecn = congested ? DATAGRAM_ECN_CONGESTED : DATAGRAM_ECN_NOT_CAPABLE;
  }
  all->retransmission |= segment->packet->retransmission;
  all->fragmentable &= datagram_may_be_fragmented(segment->packet);
}

/* Moves the octets in front up to `to` to the end of `octets`, and sets `all` to what their segments carry
 * together; those that have none after it are forgotten. */
static inline void take_octets(path_waiting *waiting, int64_t to, buffer_chain *octets, piece_marks *all)
{
  const waiting_segment *first = segment_at(waiting, 0);
  int64_t from = waiting->from;
  size_t used = 0;

  *all = (piece_marks){.timestamp_value = first->timestamp_value,
                       .has_timestamps = first->has_timestamps,
                       .connection = first->packet->connection,
                       .ecn = datagram_ecn_of(first->packet),
                       .retransmission = first->packet->retransmission,
                       .fragmentable = datagram_may_be_fragmented(first->packet)};
  while (from < to) {
    waiting_segment *segment = segment_at(waiting, used);
    int64_t end = MIN(segment->to, to);

    buffer_chain_append_chain(octets, &segment->packet->payload, (uint32_t)(from - segment->position),
                              (uint32_t)(end - from));
    if (segment != first) {
      join_marks(all, segment);
    }
    all->flags |= segment->flags & (end == segment->to ? TCP_CWR | TCP_PSH : TCP_CWR);
    segment->flags &= TCP_PSH;
    if (end == segment->to) {
      datagram_unref(segment->packet);
      used++;
    }
    from = end;
  }
  waiting->from = to;
  deque_remove(&waiting->segments, 0, used);
}

/* Writes the headers of a `packet` of octets from `position` on, which it has. */
static inline void write_headers(datagram *packet, const path_piece *piece, const piece_marks *marks,
                                 int64_t position)
{
  tcp_header header = *piece->newest;

  header.sequence = tcp_sequence_of(position, piece->isn);
  header.checksum = 0;
  header.flags = (uint8_t)((header.flags & (TCP_ACK | TCP_ECE)) | piece->flags | marks->flags);
  header.has_timestamps = marks->has_timestamps;
  header.timestamp_value = marks->timestamp_value;
  datagram_ip_begin(packet, &piece->flow->source, &piece->flow->destination, IP_PROTOCOL_TCP);
  packet->header_octets += (uint8_t)tcp_header_encode(&header, packet->header + packet->ip_octets);
  datagram_ip_set_length(packet);
  if (marks->ecn != DATAGRAM_ECN_NOT_CAPABLE) {
    datagram_set_ecn(packet, marks->ecn);
  }
  if (marks->fragmentable) {
    datagram_allow_fragments(packet, 0); /* path_box_emit() numbers it */
  }
}

/* Writes that a packet of the octets up to `to` is made, and of which; returns its number. */
static G_GNUC_NO_INLINE uint32_t trace_made(const path_waiting *waiting, int64_t to, const path_piece *piece)
{
  const path_element *maker = &piece->maker->element;
  const enum side sender = maker->trace.side_of ? maker->trace.side_of(piece->flow) : maker->trace.direction;
  const datagram made = {.number = trace_next_packet(maker->trace.to),
                         .connection = segment_at(waiting, 0)->packet->connection};
  int64_t from = waiting->from;

  PATH_TRACE_OF(maker, &made, sender, PACKET_MADE, .place = TRACE_NAME(maker->class->name),
                .sequence = tcp_sequence_of(from, piece->isn), .payload_octets = (uint64_t)(to - from));
  for (size_t i = 0; from < to; i++) {
    const waiting_segment *part = segment_at(waiting, i);
    PATH_TRACE_OF(maker, &made, sender, PACKET_PART, .of = part->packet->number,
                  .payload_octets = (uint64_t)(MIN(part->to, to) - from));
    from = part->to;
  }
  return made.number;
}

datagram *path_waiting_take(path_waiting *waiting, int64_t to, const path_piece *piece)
{
  g_assert(waiting->from < to && to <= waiting->to);
  bool traced = piece->maker && piece->maker->element.trace.to;
  uint32_t number = G_UNLIKELY(traced) ? trace_made(waiting, to, piece) : 0;
  datagram *packet = datagram_allocate(piece->datagrams, DATAGRAM_TCP);
  int64_t from = waiting->from;
  piece_marks marks;

  take_octets(waiting, to, &packet->payload, &marks);
  write_headers(packet, piece, &marks, from);
  packet->number = number;
  packet->connection = marks.connection;
  packet->retransmission = marks.retransmission;
  if (piece->maker) {
    path_element_note(&piece->maker->element, piece->maker->act, true);
  }
  return packet;
}

void path_waiting_note_header(tcp_header *newest, const tcp_header *header)
{
  bool older = (int32_t)(header->acknowledgement - newest->acknowledgement) < 0;

  if (!(newest->flags & TCP_ACK) || ((header->flags & TCP_ACK) && !older)) {
    *newest = *header;
  }
}
