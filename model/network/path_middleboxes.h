/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the list of all middleboxes: their names, the functions that make them, and the members that their
 * keys fill. */
#pragma once

#include "base/random_stream.h"
#include "base/settings.h"
#include "net/flow_table.h"
#include "network/path_element.h"

/* What all middleboxes that split or join segments share: which packets they process, and how their packets
 * leave. */

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
  GList due; /* its node of path_box.due; without data when it is not there */
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

/* The flow is due at `deadline`; TIME_PS_NEVER: not at all. No deadline set before may be later. Of those due
 * together the one set first comes first. */
void path_box_set_deadline(path_box *box, path_box_flow *flow, time_ps deadline);

/* Returns the flow that is due first, when it is by `now`; else NULL. */
path_box_flow *path_box_due(const path_box *box, time_ps now);

/* The path_element_class.deadline of a box that lets octets wait. */
time_ps path_box_deadline(const path_element *element);

/* BOX(id, word of middlebox.mode and of its random stream, the function that makes it, whether it may send
 * longer segments than come in) */
#define PATH_MIDDLEBOXES(BOX)                                                                                \
  BOX(SPLIT, "split", path_split_new, false)                                                                 \
  BOX(COALESCE, "coalesce", path_coalesce_new, true)                                                         \
  BOX(RECHUNK, "rechunk", path_rechunk_new, false)                                                           \
  BOX(SHIFT, "shift", path_shift_new, true)                                                                  \
  BOX(RANDOM, "random", path_random_cut_new, false)

/* A proxy is none of them: it is the session's (network/path_proxy.h), and both directions have the same. */
typedef enum path_middlebox {
  PATH_MIDDLEBOX_NONE,
#define NUMBER(id, word, make, enlarges) PATH_MIDDLEBOX_##id,
  PATH_MIDDLEBOXES(NUMBER)
#undef NUMBER
      PATH_MIDDLEBOX_PROXY
} path_middlebox;

/* This is where the middleboxes of a direction stand: before its queue and link, after the first of several
 * links, after the impairments. */
typedef enum path_position {
  PATH_POSITION_BEFORE,
  PATH_POSITION_BETWEEN,
  PATH_POSITION_BEHIND
} path_position;

typedef struct path_middleboxes_config {
  choice_list mode; /* of path_middlebox, in the order that a packet meets them */
  path_position position;
  uint32_t chunk_octets;
  uint32_t phase_octets;
  time_ps flush_ps; /* of rechunk, shift and random */
  uint32_t split_octets;
  uint32_t coalesce_octets;
  time_ps coalesce_ps;
  uint32_t random_minimum_octets;
  uint32_t random_maximum_octets;
  uint32_t shift_octets;
  uint64_t proxy_buffer_octets;
  bool ignores_push; /* rechunk, shift, random and coalesce wait on after a segment with PSH */
} path_middleboxes_config;

/* Makes the box of its own members of `config`; what it does stands at the function. Those that cut the
 * stream anew are in path_resegment.c. `random` is for those that draw; it stays the caller's and
 * outlives the box, whose element path_element_free() frees. */
#define DECLARATION(id, word, make, enlarges)                                                                \
  path_box *make(const path_middleboxes_config *config, random_stream *random);
PATH_MIDDLEBOXES(DECLARATION)
#undef DECLARATION

typedef struct path_middlebox_row {
  const char *word;
  path_box *(*make)(const path_middleboxes_config *config, random_stream *random); /* see above */
  bool enlarges; /* may send longer segments than come in */
} path_middlebox_row;

/* Returns the row of a path_middlebox, one of PATH_MIDDLEBOXES; NULL: it is another one. */
const path_middlebox_row *path_middlebox_row_of(unsigned kind);

/* Returns whether one of them may send longer segments than come in. */
bool path_middleboxes_may_enlarge(const path_middleboxes_config *config);
