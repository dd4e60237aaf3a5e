/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `split` is a next hop whose segments are smaller. */

#include <glib.h>

#include "network/path_middleboxes.h"
#include "network/path_waiting.h"

typedef struct path_split {
  path_box box;
  uint32_t octets;
  path_waiting piece; /* scratch */
} path_split;

/* Positions are counted from the segment's first octet. */
static void cut(path_split *split, datagram *packet, const tcp_header *header, time_ps now)
{
  int64_t length = packet->payload.length;
  tcp_header of_piece = *header;

  for (int64_t from = 0; from < length; from += split->octets) {
    int64_t to = MIN(from + split->octets, length);
    uint8_t flags = to == length ? header->flags & (TCP_PSH | TCP_FIN) : 0;
    path_waiting_append(&split->piece, packet, header, 0, from, to);
    path_box_emit(&split->box, path_waiting_take(&split->piece, header->sequence - 1, &of_piece, flags), now);
  }
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_split *split = (path_split *)element;
  tcp_header header;

  if (!path_box_takes(&split->box, packet, &header, now)) {
    return;
  }
  if (packet->payload.length <= split->octets || (header.flags & (TCP_SYN | TCP_RST))) {
    path_box_emit(&split->box, packet, now);
    return;
  }
  cut(split, packet, &header, now);
  datagram_unref(packet);
}

static void free_split(path_element *element)
{
  path_split *split = (path_split *)element;

  path_waiting_clear(&split->piece);
  memory_pool_unref(split->box.datagrams);
  g_free(split);
}

static const path_element_class split_class = {.name = "split", .receive = receive, .free = free_split};

/* Cuts each segment with more than `split_octets` (> 0) octets of payload into pieces of that many, the last
 * one shorter. Nothing waits, and nothing is remembered: boundaries between segments stay where they are. A
 * segment with SYN or RST passes as it is.
 *
 * All pieces have the segment's header fields, its ECN mark and its retransmission mark (path_waiting.h); PSH
 * and FIN are on the last, CWR is on the first. What is not a whole segment, or a wrong one:
 * path_middleboxes.h.
 *
 * A retransmission is cut like any other segment: in the pieces of the first time, if its boundaries are
 * those of the first time, else in others. */
path_box *path_split_new(const path_middleboxes_config *config, G_GNUC_UNUSED random_stream *random)
{
  g_assert(config->split_octets > 0);
  path_split *split = g_new0(path_split, 1);

  split->box.element.class = &split_class;
  split->octets = config->split_octets;
  path_waiting_init(&split->piece, &split->box);
  return &split->box;
}
