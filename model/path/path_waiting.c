#include "path/path_waiting.h"

#include <glib.h>

/* What octets keep of the segment that brought them. */
typedef struct path_origin {
  int64_t to; /* behind its last octet */
  uint32_t timestamp_value;
  datagram_ecn ecn;
  bool has_timestamps;
  bool window_reduced; /* CWR, and no octet of it has left */
  bool retransmission;
  bool fragmentable;
} path_origin;

void path_waiting_init(path_waiting *waiting)
{
  octet_rope_init(&waiting->octets);
  waiting->from = 0;
  element_array_init(&waiting->origins, sizeof(path_origin));
}

void path_waiting_clear(path_waiting *waiting)
{
  octet_rope_clear(&waiting->octets);
  element_array_clear(&waiting->origins);
}

void path_waiting_append(path_waiting *waiting, const datagram *packet, const tcp_header *header,
                         int64_t position, int64_t from, int64_t to)
{
  if (waiting->octets.length == 0) {
    waiting->from = from;
  }
  g_assert(from == path_waiting_end(waiting) && from < to);
  octet_rope_append_rope(&waiting->octets, &packet->payload, (uint32_t)(from - position),
                         (uint32_t)(to - from));
  path_origin *origin = element_array_insert(&waiting->origins, waiting->origins.count);
  *origin = (path_origin){.to = to,
                          .timestamp_value = header->timestamp_value,
                          .ecn = datagram_ecn_of(packet),
                          .has_timestamps = header->has_timestamps,
                          .window_reduced = header->flags & TCP_CWR,
                          .retransmission = packet->retransmission,
                          .fragmentable = datagram_may_be_fragmented(packet)};
}

static datagram_ecn joined_ecn(datagram_ecn one, datagram_ecn other)
{
  if (one == DATAGRAM_ECN_CONGESTED || other == DATAGRAM_ECN_CONGESTED) {
    return DATAGRAM_ECN_CONGESTED;
  }
  return one == other ? one : DATAGRAM_ECN_NOT_CAPABLE;
}

/* Adds what the segment `other` says to `all`. */
static void join_origins(path_origin *all, const path_origin *other)
{
  bool older = (int32_t)(other->timestamp_value - all->timestamp_value) < 0;

  if (other->has_timestamps && (older || !all->has_timestamps)) {
    all->timestamp_value = other->timestamp_value;
    all->has_timestamps = true;
  }
  all->ecn = joined_ecn(all->ecn, other->ecn);
  all->window_reduced |= other->window_reduced;
  all->retransmission |= other->retransmission;
  all->fragmentable &= other->fragmentable;
}

/* What the segments with octets in front of `to` say together; those that have none behind it are
 * forgotten. */
static path_origin take_origins(path_waiting *waiting, int64_t to)
{
  path_origin *origin = element_array_at(&waiting->origins, 0);
  path_origin all = *origin;
  size_t used = 0;

  while (origin->to < to) {
    used++;
    origin = element_array_at(&waiting->origins, used);
    join_origins(&all, origin);
  }
  origin->window_reduced = false;
  element_array_remove(&waiting->origins, 0, origin->to == to ? used + 1 : used);
  return all;
}

datagram *path_waiting_take(path_waiting *waiting, int64_t to, const path_piece *piece)
{
  g_assert(waiting->from < to && to <= path_waiting_end(waiting));
  path_origin origin = take_origins(waiting, to);
  uint32_t length = (uint32_t)(to - waiting->from);
  tcp_header header = *piece->newest;
  octet_rope octets;

  header.sequence = tcp_sequence_of(waiting->from, piece->isn);
  header.flags = (uint8_t)((header.flags & (TCP_ACK | TCP_ECE)) | piece->flags);
  header.flags |= origin.window_reduced ? TCP_CWR : 0;
  header.has_timestamps = origin.has_timestamps;
  header.timestamp_value = origin.timestamp_value;
  octet_rope_init(&octets);
  octet_rope_take_front(&octets, &waiting->octets, length);
  waiting->from = to;
  datagram *packet =
      datagram_new_in(piece->datagrams, &piece->flow->source, &piece->flow->destination, &header, &octets);
  packet->retransmission = origin.retransmission;
  packet->send_order = piece->send_order;
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
