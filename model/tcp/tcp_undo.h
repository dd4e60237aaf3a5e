/* SPDX-License-Identifier: GPL-2.0-only */
/* It is found out here whether a recovery or a time-out was spurious: from what the peer reports as received
 * twice, and by F-RTO. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/range_set.h"

/* Returns whether the first of `count` SACK `blocks` of an acknowledgement of all below `acknowledged`
 * reports octets that came twice: it lies below `acknowledged`, or within the second block (RFC 2883 §4, §5).
 * No block is believed that names octets never sent (`next`: the first position of those) or more than a
 * segment can have, since no correct block does. Blocks may be malformed. */
bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next);

/* A recovery or a time-out was spurious when all that was sent again in it had arrived before: the peer
 * reports by D-SACK that it came twice (RFC 2883, RFC 3708), or by its timestamps that it is the original
 * which it acknowledges (RFC 3522, RFC 4015). */
typedef struct tcp_undo tcp_undo;

typedef enum tcp_undo_kind {
  TCP_UNDO_NONE, /* nothing to be proven */
  TCP_UNDO_RECOVERY,
  TCP_UNDO_TIME_OUT,
} tcp_undo_kind;

/* Nothing to be proven. With `counts` D-SACKs are counted, as in Linux: one for each segment sent again is
 * proof, whatever they name. Free with tcp_undo_free(). */
tcp_undo *tcp_undo_new(bool counts);
void tcp_undo_free(tcp_undo *undo);

/* A recovery or time-out begins, with all below `acknowledged` acknowledged; what was before is forgotten,
 * but that `earlier` retransmissions are still on their way. With TCP_UNDO_NONE nothing is left to be undone.
 */
void tcp_undo_begin(tcp_undo *undo, tcp_undo_kind kind, uint64_t acknowledged, uint64_t earlier);

/* [from, to), a segment, was sent again in it. What is sent again twice is never proven: D-SACK does not show
 * which of them was needless. Where D-SACKs are counted, it takes two. */
void tcp_undo_resent(tcp_undo *undo, uint64_t from, uint64_t to);

/* [from, to) was sent again needlessly. Returns the kind of event that was spurious, as soon as everything
 * sent again is proven needless; NONE before. */
tcp_undo_kind tcp_undo_proven(tcp_undo *undo, uint64_t from, uint64_t to);

/* Does the same by a D-SACK of [from, to), as long as `segments`. The first may be of the earlier
 * retransmissions, so they prove nothing, unless there were no others (Linux: tcp_init_undo()). */
tcp_undo_kind tcp_undo_reported(tcp_undo *undo, uint64_t from, uint64_t to, uint64_t segments);

/* --- F-RTO --- */

/* RFC 5682: after a time-out the sender re-sends the first segment only; if that is acknowledged but not
 * all, it sends up to two new segments instead of re-sending more, and what is acknowledged next shows
 * whether the originals had arrived. */
typedef enum tcp_frto_step {
  TCP_FRTO_OFF,
  TCP_FRTO_RESENT,   /* step 2: the first acknowledgement after the time-out is awaited */
  TCP_FRTO_SENT_NEW, /* step 3: the second */
} tcp_frto_step;

typedef struct tcp_frto {
  tcp_frto_step step;
  bool resent;           /* a segment was, since the time-out */
  bool sack;             /* the variant of §3, else that of §2 */
  bool early;            /* the first acknowledgement may be the verdict, too (Linux: tcp_process_loss()) */
  unsigned new_segments; /* that may still leave in step 2 (b), before retransmissions, whatever the window */
} tcp_frto;

/* This is an acknowledgement after it. */
typedef struct tcp_frto_ack {
  bool advances;  /* SND.UNA */
  bool recovered; /* all that was in flight at the time-out is acknowledged */
  bool beyond;    /* something sent after the time-out is SACKed */
  bool original;  /* something in flight at the time-out, never sent again, is newly acknowledged or SACKed */
  bool duplicate; /* a duplicate ACK (RFC 5681 §2) */
  bool may_send_new; /* there are unsent octets and the peer has room */
} tcp_frto_ack;

typedef enum tcp_frto_verdict {
  TCP_FRTO_UNKNOWN,  /* go on */
  TCP_FRTO_REAL,     /* something was lost, after new segments were sent: the window is at most 3 SMSS */
  TCP_FRTO_SPURIOUS, /* nothing was lost */
} tcp_frto_verdict;

tcp_frto_verdict tcp_frto_acknowledged(tcp_frto *frto, const tcp_frto_ack *ack);

/* Nothing else leaves: the first segment was sent again and is not acknowledged, or the verdict is
 * awaited. */
bool tcp_frto_holds_back(const tcp_frto *frto);

void tcp_frto_end(tcp_frto *frto);
