/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_waiting.h"

#include <glib.h>
#include <string.h>

/* This is what octets keep of the segment that brought them. */
typedef struct path_origin {
  int64_t to; /* after its last octet */
  uint32_t timestamp_value;
  uint32_t number; /* see datagram */
  uint32_t connection;
  datagram_ecn ecn : 8;
  bool has_timestamps;
  bool window_reduced; /* CWR, and no octet of it has left */
  bool push;           /* PSH, and its last octet is here */
  bool retransmission;
  bool fragmentable;
} path_origin;

void path_waiting_init(path_waiting *waiting)
{
  buffer_chain_init(&waiting->octets);
  waiting->from = 0;
  deque_init(&waiting->origins, sizeof(path_origin));
}

void path_waiting_clear(path_waiting *waiting)
{
  buffer_chain_clear(&waiting->octets);
  deque_clear(&waiting->origins);
}

void path_waiting_append(path_waiting *waiting, const datagram *packet, const tcp_header *header,
                         int64_t position, int64_t from, int64_t to)
{
  if (waiting->octets.length == 0) {
    waiting->from = from;
  }
  g_assert(from == path_waiting_end(waiting) && from < to);
  buffer_chain_append_chain(&waiting->octets, &packet->payload, (uint32_t)(from - position),
                            (uint32_t)(to - from));
  path_origin *origin = deque_insert(&waiting->origins, waiting->origins.count);
  *origin = (path_origin){.to = to,
                          .timestamp_value = header->timestamp_value,
                          .number = packet->number,
                          .connection = packet->connection,
                          .ecn = datagram_ecn_of(packet),
                          .has_timestamps = header->has_timestamps,
                          .window_reduced = header->flags & TCP_CWR,
                          .push = (header->flags & TCP_PSH) && to == position + packet->payload.length,
                          .retransmission = packet->retransmission,
                          .fragmentable = datagram_may_be_fragmented(packet)};
}

/* Adds what the segment `other` carries to `all`. */
static void join_origins(path_origin *all, const path_origin *other)
{
  bool older = (int32_t)(other->timestamp_value - all->timestamp_value) < 0;

  if (other->has_timestamps && (older || !all->has_timestamps)) {
    all->timestamp_value = other->timestamp_value;
    all->has_timestamps = true;
  }
  if (all->ecn != other->ecn) {
    bool congested = all->ecn == DATAGRAM_ECN_CONGESTED || other->ecn == DATAGRAM_ECN_CONGESTED;
    all->ecn = congested ? DATAGRAM_ECN_CONGESTED : DATAGRAM_ECN_NOT_CAPABLE;
  }
  all->window_reduced |= other->window_reduced;
  all->retransmission |= other->retransmission;
  all->fragmentable &= other->fragmentable;
}

/* Sets `all` to what the segments with octets before `to` carry together; those that have none after it are
 * forgotten. */
static void take_origins(path_waiting *waiting, int64_t to, path_origin *all)
{
  path_origin *origin = deque_slot(&waiting->origins, 0, sizeof(path_origin));
  size_t used = 0;
  bool push = false;

  memcpy(all, origin, sizeof *all);
  while (origin->to < to) {
    used++;
    push |= origin->push;
    origin = deque_slot(&waiting->origins, used, sizeof(path_origin));
    join_origins(all, origin);
  }
  origin->window_reduced = false;
  all->push = push || (origin->push && origin->to == to);
  deque_remove(&waiting->origins, 0, origin->to == to ? used + 1 : used);
}

/* What `piece` carries, of octets from `position` on; the rest of its header is `origin`'s. */
static inline void write_header(const path_piece *piece, const path_origin *origin, int64_t position,
                                tcp_header *header)
{
  header->sequence = tcp_sequence_of(position, piece->isn);
  header->flags = (uint8_t)((piece->newest->flags & (TCP_ACK | TCP_ECE)) | piece->flags);
  header->flags |= (origin->window_reduced ? TCP_CWR : 0) | (origin->push ? TCP_PSH : 0);
  header->has_timestamps = origin->has_timestamps;
  header->timestamp_value = origin->timestamp_value;
}

/* Makes a packet of octets from `position` on, still without them. */
static inline datagram *packet_of(const path_piece *piece, const path_origin *origin, int64_t position)
{
  const tcp_header *newest = piece->newest;
  const datagram_flow *flow = piece->flow;
  tcp_header header;

  /* nearly all headers of segments with payload have no options, or timestamps alone */
  if (newest->has_mss || newest->has_window_scale || newest->has_sack_permitted || newest->sack_count > 0) {
    header = *newest;
    write_header(piece, origin, position, &header);
    return datagram_new_in(piece->datagrams, &flow->source, &flow->destination, &header, NULL);
  }
  header.acknowledgement = newest->acknowledgement;
  header.source_port = newest->source_port;
  header.destination_port = newest->destination_port;
  header.window = newest->window;
  header.checksum = 0;
  header.timestamp_echo = newest->timestamp_echo;
  write_header(piece, origin, position, &header);
  return datagram_new_plain(piece->datagrams, &flow->source, &flow->destination, &header, NULL);
}

/* Writes that a packet of the octets up to `to` is made, and of which; returns its number. */
static G_GNUC_NO_INLINE uint32_t trace_made(const path_waiting *waiting, int64_t to, const path_piece *piece)
{
  const path_element *maker = &piece->maker->element;
  const enum side sender = maker->trace.side_of ? maker->trace.side_of(piece->flow) : maker->trace.direction;
  path_origin made = *(const path_origin *)deque_at(&waiting->origins, 0);
  int64_t from = waiting->from;

  made.number = trace_next_packet(maker->trace.to);
  PATH_TRACE_OF(maker, &made, sender, PACKET_MADE, .place = TRACE_NAME(maker->class->name),
                .sequence = tcp_sequence_of(from, piece->isn), .payload_octets = (uint64_t)(to - from));
  for (size_t i = 0; from < to; i++) {
    const path_origin *part = deque_at(&waiting->origins, i);
    PATH_TRACE_OF(maker, &made, sender, PACKET_PART, .of = part->number,
                  .payload_octets = (uint64_t)(MIN(part->to, to) - from));
    from = part->to;
  }
  return made.number;
}

datagram *path_waiting_take(path_waiting *waiting, int64_t to, const path_piece *piece)
{
  g_assert(waiting->from < to && to <= path_waiting_end(waiting));
  bool traced = piece->maker && piece->maker->element.trace.to;
  uint32_t number = G_UNLIKELY(traced) ? trace_made(waiting, to, piece) : 0;
  path_origin origin;
  int64_t from = waiting->from;

  take_origins(waiting, to, &origin);
  datagram *packet = packet_of(piece, &origin, from);

  buffer_chain_take_front(&packet->payload, &waiting->octets, (uint32_t)(to - from));
  datagram_ip_set_length(packet);
  waiting->from = to;
  packet->number = number;
  if (piece->maker) {
    path_element_note(&piece->maker->element, piece->maker->act, true);
  }
  packet->connection = origin.connection;
  packet->retransmission = origin.retransmission;
  datagram_set_ecn(packet, origin.ecn);
  if (origin.fragmentable) {
    datagram_allow_fragments(packet, 0); /* path_box_emit() numbers it */
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
