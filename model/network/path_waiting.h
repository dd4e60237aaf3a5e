/* SPDX-License-Identifier: GPL-2.0-only */
/* Here are octets of a flow that wait in a box, as the packet in which they leave: a piece, which keeps the
 * header fields of the segments that brought them. A piece of several segments has:
 *
 * - The oldest of their timestamps (TSval). The receiver echoes it, and the round trip measured from it must
 *   include the time the octets waited (RFC 7323 §4.3 has the like for a delayed ACK); and a newer one would
 *   make what was sent before it, and comes later, look old to PAWS (§5.3).
 *
 * - Acknowledgement, window, SACK blocks, echoed timestamp (TSecr) and ECE of one segment: the one with the
 *   newest acknowledgement that the box has seen. They are about the other direction and belong together;
 *   what is newer replaces what is older (RFC 9293 §3.10.7.4).
 *
 * - ECN: congestion experienced (CE) when one of them has it, else the mark that all have, else not capable:
 *   as RFC 3168 §5.3 asks of joined fragments. A segment's pieces all have its mark. CWR is on the piece with
 *   its first octet.
 *
 * - PSH when one of them that has it ends in the piece (Linux: tcp_gro_receive()), or the box adds it.
 *
 * - The retransmission mark when one of them has it, and leave to be fragmented when all have it. */
#pragma once

#include "base/deque.h"
#include "net/datagram.h"
#include "network/path_middleboxes.h"

/* A piece is made as its octets come, by reference; its TCP header when it leaves. Positions are the
 * caller's; sequence numbers follow from its ISN. */
typedef struct path_waiting {
  path_box *maker;
  datagram *piece; /* NULL: nothing waits */
  int64_t from;    /* position of its first octet, and … */
  int64_t to;      /* … after the last */
  uint32_t timestamp_value;
  bool has_timestamps;
  uint8_t flags; /* CWR and PSH */
  deque parts;   /* of which segments it is, where that is traced */
} path_waiting;

/* `maker` makes the pieces and outlives `waiting`. */
void path_waiting_init(path_waiting *waiting, path_box *maker);
void path_waiting_clear(path_waiting *waiting);

static inline bool path_waiting_is_empty(const path_waiting *waiting)
{
  return !waiting->piece;
}

/* Appends octets [from, to) of the segment `packet`, whose header is `header` and whose first octet is at
 * `position`. They continue what waits; where nothing does they begin at `from`. */
void path_waiting_append(path_waiting *waiting, const datagram *packet, const tcp_header *header,
                         int64_t position, int64_t from, int64_t to);

/* Appends the octets of `packet` from `from` on where nothing waits: the packet becomes the piece. Takes its
 * reference. */
void path_waiting_keep(path_waiting *waiting, datagram *packet, const tcp_header *header, int64_t position,
                       int64_t from);

/* Returns the packet of what waits, which is something, with one reference, the caller's; nothing waits then.
 * `header` is the one with the newest acknowledgement, and becomes the packet's; `flags` are TCP_FIN as it
 * shall be and TCP_PSH beside what the segments have. */
datagram *path_waiting_take(path_waiting *waiting, uint32_t isn, tcp_header *header, uint8_t flags);

/* `newest` becomes the header `header`, which was received now, unless that acknowledges less. */
void path_waiting_note_header(tcp_header *newest, const tcp_header *header);
