/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that forwards the same octets with other cuts: what `rechunk`, `random` and `shift` share.
 * They differ in where a piece ends.
 *
 * It follows each connection's stream from its SYN on; what belongs to a connection whose SYN it did not
 * see passes as it is. A piece goes once all its octets are there. PSH, SYN, FIN and RST let all that
 * waits go, and so does `flush_ps` without octets of the connection. Segments without payload pass at
 * once.
 *
 * What does not come in order: octets at or below the highest forwarded (a retransmission), and those that
 * fill a hole before what is waiting, pass at once, cut as the kind says; the retransmission mark is on
 * every piece with an octet of a marked segment. Octets behind a hole make what is waiting leave, and are
 * then new octets like others. Octets that are waiting already are not taken twice.
 *
 * PSH is on the last piece that a segment with PSH makes leave, FIN on the one that ends where the FIN
 * stands (alone when none does). The other header fields: path_waiting.h. A segment that leaves with the
 * octets and flags it came with is the same packet. What is not a whole segment, or a wrong one:
 * path_box.h. */
#ifndef PATH_PATH_RECUT_H
#define PATH_PATH_RECUT_H

#include "network/path_box.h"
#include "network/path_waiting.h"

/* One direction of a connection. Positions are 0 at the octet after the SYN. */
typedef struct path_recut_flow {
  path_box_flow flow;
  uint32_t isn;
  int64_t forwarded;    /* end of the highest octet forwarded */
  path_waiting waiting; /* the piece that waits for its end; begins at or beyond `forwarded` */
  int64_t piece_end;    /* where that is; PATH_RECUT_OPEN: not known yet */
  tcp_header newest;    /* of the segments with payload, the one with the newest acknowledgement */
} path_recut_flow;

#define PATH_RECUT_OPEN INT64_MAX

typedef struct path_recut path_recut;

/* What a kind decides. `box` is the kind's element, which begins with a path_recut, `flow` the kind's
 * flow, which begins with a path_recut_flow. */
typedef struct path_recut_kind {
  const path_element_class *class; /* its functions are path_recut's */
  size_t flow_octets;
  GDestroyNotify free_flow; /* path_recut_free_flow() when the kind's flow owns nothing more */
  /* Where the piece of new octets that begins at `from` ends: beyond `from`, or PATH_RECUT_OPEN. Asked
   * once a piece, and again while it is open. */
  int64_t (*piece_end)(path_recut *box, path_recut_flow *flow, int64_t from);
  /* The same of a piece that begins with octets that pass at once, in the segment that begins at
   * `segment_from`. */
  int64_t (*passing_piece_end)(path_recut *box, path_recut_flow *flow, int64_t from, int64_t segment_from);
  void (*begin)(path_recut_flow *flow); /* a SYN begins a stream; NULL: nothing to do */
  /* A segment brings new octets, from `from` on; NULL: nothing to do. */
  void (*note_new)(path_recut *box, path_recut_flow *flow, int64_t from);
} path_recut_kind;

/* Embedded as the first member of each kind. */
struct path_recut {
  path_box box;
  const path_recut_kind *kind;
  time_ps flush_ps;
  flow_table flows;
  path_waiting passing; /* scratch: octets of a segment that pass at once */
};

/* Fills the path_recut in. */
void path_recut_init(path_recut *box, const path_recut_kind *kind, time_ps flush_ps);

/* The functions of the kinds' path_element_class; path_recut_free() frees the element, too. */
void path_recut_receive(path_element *element, datagram *packet, time_ps now);
void path_recut_run(path_element *element, time_ps now);
void path_recut_free(path_element *element);

/* Frees a flow and what path_recut has in it. */
void path_recut_free_flow(gpointer flow);

#endif
