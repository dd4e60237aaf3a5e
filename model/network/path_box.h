/* SPDX-License-Identifier: GPL-2.0-only */
/* What all middleboxes that split or join segments share: which packets they process, and how their packets
 * leave. */
#pragma once

#include "net/flow_table.h"
#include "network/path_element.h"

/* Each such element has this as its first member. */
typedef struct path_box {
  path_element element;
  memory_pool *datagrams; /* that the box makes; NULL: it has made none yet */
  /* It is of the next packet that may be fragmented, and outlives the box, as it is shared with all other
   * senders of packets between the same two addresses. NULL: it is … */
  uint16_t *identification;
  uint16_t own_identification; /* … here */
  unsigned act;                /* path_act: it cuts or joins */
  GQueue due; /* flows of which octets wait, the earliest first: a box waits equally long for all its flows */
} path_box;

/* Embedded as the first member of the state that a box which lets octets wait keeps of a flow: a flow_table's
 * entry, written only by the functions below. */
typedef struct path_box_flow {
  datagram_flow key;
  time_ps deadline;
  uint64_t send_order; /* of the packet that the deadline belongs to */
  GList due;           /* its node of path_box.due; without data when it is not there */
} path_box_flow;

/* True when `packet` is a segment for the box: `header` is its header. Otherwise the function handles the
 * packet: fragments and ICMP go on untouched (a box must see whole datagrams); a segment whose TCP checksum
 * is wrong or cannot be read is dropped, as by any box that terminates TCP, since what the box would send
 * instead would have a right checksum again. */
bool path_box_takes(path_box *box, datagram *packet, tcp_header *header, time_ps now);

/* Returns where the datagrams come from that the box makes: datagram_new_in(). The box's. */
memory_pool *path_box_datagrams(path_box *box);

/* Hands `packet` and its reference on. The box numbers all IPv4 packets that may be fragmented: the pieces of
 * one could not share its identification, and no two in flight may have the same (RFC 6864 §4.3 and §5.3). */
void path_box_emit(path_box *box, datagram *packet, time_ps now);

/* The flow is due at `deadline`, because of the packet of `send_order`; TIME_PS_NEVER: not at all. No
 * deadline set before may be later. Of those due together the one set first comes first. */
void path_box_set_deadline(path_box *box, path_box_flow *flow, time_ps deadline, uint64_t send_order);

/* Returns the flow that is due first, when it is by `now`; else NULL. */
path_box_flow *path_box_due(const path_box *box, time_ps now);

/* The path_element_class.deadline of a box that lets octets wait. */
time_ps path_box_deadline(const path_element *element, uint64_t *order);
