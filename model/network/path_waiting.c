/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_waiting.h"

#include <glib.h>
#include <string.h>

/* This is what a segment has given to a piece, for a trace. */
typedef struct piece_part {
  uint32_t of; /* the segment's number */
  uint32_t octets;
} piece_part;

void path_waiting_init(path_waiting *waiting, path_box *maker)
{
  *waiting = (path_waiting){.maker = maker};
  deque_init(&waiting->parts, sizeof(piece_part));
}

void path_waiting_clear(path_waiting *waiting)
{
  datagram_unref(waiting->piece);
  deque_clear(&waiting->parts);
}

/* `piece` begins at `from`, with octets of a segment whose header is `header`. */
static inline void begin(path_waiting *waiting, datagram *piece, const tcp_header *header, int64_t from)
{
  waiting->piece = piece;
  waiting->from = from;
  waiting->has_timestamps = header->has_timestamps;
  waiting->timestamp_value = header->timestamp_value;
  waiting->flags = 0;
}

/* Returns a packet without octets as one of the segment `packet`: with the same IP header. */
static inline datagram *new_piece(path_box *maker, const datagram *packet)
{
  datagram *piece = datagram_allocate(path_box_datagrams(maker), DATAGRAM_TCP);

  piece->connection = packet->connection;
  piece->retransmission = packet->retransmission;
  piece->ip_octets = packet->ip_octets;
  memcpy(piece->header, packet->header, IPV6_HEADER_OCTETS);
  return piece;
}

/* The piece gets octets of a further segment. */
static inline void join_marks(path_waiting *waiting, const datagram *packet, const tcp_header *header)
{
  datagram *piece = waiting->piece;
  bool older = (int32_t)(header->timestamp_value - waiting->timestamp_value) < 0;
  datagram_ecn ecn = datagram_ecn_of(packet);
  datagram_ecn of_piece = datagram_ecn_of(piece);

  if (header->has_timestamps && (older || !waiting->has_timestamps)) {
    waiting->timestamp_value = header->timestamp_value;
    waiting->has_timestamps = true;
  }
  if (datagram_may_be_fragmented(piece)) { /* if this one may, too */
    memcpy(piece->header, packet->header, IPV6_HEADER_OCTETS);
  }
  if (of_piece != ecn) {
    bool congested = of_piece == DATAGRAM_ECN_CONGESTED || ecn == DATAGRAM_ECN_CONGESTED;
    datagram_set_ecn(piece, congested ? DATAGRAM_ECN_CONGESTED : DATAGRAM_ECN_NOT_CAPABLE);
  }
  piece->retransmission |= packet->retransmission;
}

/* The piece ends at `to` now, with octets of the segment from `from` on. */
static inline void end_at(path_waiting *waiting, const datagram *packet, const tcp_header *header,
                          bool has_first, bool has_last, int64_t from, int64_t to)
{
  waiting->to = to;
  waiting->flags |= header->flags & ((has_first ? TCP_CWR : 0) | (has_last ? TCP_PSH : 0));
  if (G_UNLIKELY(waiting->maker->element.trace.to)) {
    piece_part *part = deque_insert(&waiting->parts, waiting->parts.count);
    *part = (piece_part){.of = packet->number, .octets = (uint32_t)(to - from)};
  }
}

void path_waiting_append(path_waiting *waiting, const datagram *packet, const tcp_header *header,
                         int64_t position, int64_t from, int64_t to)
{
  if (path_waiting_is_empty(waiting)) {
    begin(waiting, new_piece(waiting->maker, packet), header, from);
  } else {
    g_assert(from == waiting->to);
    join_marks(waiting, packet, header);
  }
  buffer_chain_append_chain(&waiting->piece->payload, &packet->payload, (uint32_t)(from - position),
                            (uint32_t)(to - from));
  end_at(waiting, packet, header, from == position, to == position + packet->payload.length, from, to);
}

void path_waiting_keep(path_waiting *waiting, datagram *packet, const tcp_header *header, int64_t position,
                       int64_t from)
{
  datagram *piece = path_element_own(packet);

  g_assert(path_waiting_is_empty(waiting));
  begin(waiting, piece, header, from);
  end_at(waiting, piece, header, from == position, true, from, position + piece->payload.length);
  buffer_chain_drop_front(&piece->payload, (uint32_t)(from - position));
  piece->carries_checksum = false;
  piece->number = 0;
  piece->flow_order = 0;
}

/* Writes that the piece is made, and of which segments; gives it its number. */
static G_GNUC_NO_INLINE void trace_made(path_waiting *waiting, uint32_t sequence)
{
  const path_element *maker = &waiting->maker->element;
  datagram *piece = waiting->piece;

  piece->number = trace_next_packet(maker->trace.to);
  PATH_TRACE(maker, piece, PACKET_MADE, .place = TRACE_NAME(maker->class->name), .sequence = sequence,
             .payload_octets = piece->payload.length);
  for (size_t i = 0; i < waiting->parts.count; i++) {
    const piece_part *part = deque_at(&waiting->parts, i);
    PATH_TRACE(maker, piece, PACKET_PART, .of = part->of, .payload_octets = part->octets);
  }
  deque_empty(&waiting->parts);
}

datagram *path_waiting_take(path_waiting *waiting, uint32_t isn, tcp_header *header, uint8_t flags)
{
  datagram *piece = waiting->piece;

  header->sequence = tcp_sequence_of(waiting->from, isn);
  header->checksum = 0;
  header->flags = (uint8_t)((header->flags & (TCP_ACK | TCP_ECE)) | flags | waiting->flags);
  header->has_timestamps = waiting->has_timestamps;
  header->timestamp_value = waiting->timestamp_value;
  piece->header_octets =
      (uint8_t)(piece->ip_octets + tcp_header_encode(header, piece->header + piece->ip_octets));
  datagram_ip_set_length(piece);
  if (G_UNLIKELY(waiting->maker->element.trace.to)) {
    trace_made(waiting, header->sequence);
  }
  path_element_note(&waiting->maker->element, waiting->maker->act, true);
  waiting->piece = NULL;
  return piece;
}

void path_waiting_note_header(tcp_header *newest, const tcp_header *header)
{
  bool older = (int32_t)(header->acknowledgement - newest->acknowledgement) < 0;

  if (!(newest->flags & TCP_ACK) || ((header->flags & TCP_ACK) && !older)) {
    *newest = *header;
  }
}
