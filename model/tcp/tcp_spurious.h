/* SPDX-License-Identifier: GPL-2.0-only */
/* Was a recovery or a time-out for nothing? By what the peer tells of what came twice, and by F-RTO. */
#ifndef TCP_TCP_SPURIOUS_H
#define TCP_TCP_SPURIOUS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range_set.h"

/* D-SACK (RFC 2883): whether the first of `count` SACK `blocks` of an acknowledgement of all below `acknowledged` tells of
 * octets that came twice: it lies below `acknowledged`, or within the second block (RFC 2883 §4, §5). No block is believed that names octets never sent (`next`:
 * the first position of those) or more than a segment can have: no honest one does. Blocks may be senseless. */
bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next);

/* A recovery or a time-out was for nothing when all that was sent again in it had arrived before: the peer tells by D-SACK that it
 * came twice (RFC 2883, RFC 3708), or by its timestamps that it is the original which it acknowledges (RFC 3522, RFC 4015). */
typedef struct tcp_spurious tcp_spurious;

typedef enum tcp_spurious_kind {
  TCP_SPURIOUS_NONE, /* nothing to be proven */
  TCP_SPURIOUS_RECOVERY,
  TCP_SPURIOUS_TIME_OUT,
} tcp_spurious_kind;

/* Nothing to be proven. Free with tcp_spurious_free(). */
tcp_spurious *tcp_spurious_new(void);
void tcp_spurious_free(tcp_spurious *spurious);

/* A recovery or time-out begins; what was before is forgotten. With TCP_SPURIOUS_NONE: the matter is closed. */
void tcp_spurious_begin(tcp_spurious *spurious, tcp_spurious_kind kind);

/* [from, to) was sent again in it. What is sent again twice is never proven: D-SACK does not say which
 * of them was needless. */
void tcp_spurious_resent(tcp_spurious *spurious, uint64_t from, uint64_t to);

/* [from, to) was sent again for nothing. Returns what that makes of it all: the kind that was spurious, as
 * soon as there is nothing else; NONE before. */
tcp_spurious_kind tcp_spurious_proven(tcp_spurious *spurious, uint64_t from, uint64_t to);

/* --- F-RTO --- */

/* RFC 5682: after a time-out the sender re-sends the first segment only; if that is acknowledged but not all, it sends up to
 * two new segments instead of re-sending more, and what is acknowledged next tells whether the originals had arrived. */
typedef enum tcp_forward_rto_step {
  TCP_FORWARD_RTO_OFF,
  TCP_FORWARD_RTO_RESENT,   /* step 2: the first acknowledgement after the time-out is awaited */
  TCP_FORWARD_RTO_SENT_NEW, /* step 3: the second */
} tcp_forward_rto_step;

typedef struct tcp_forward_rto {
  tcp_forward_rto_step step;
  bool resent;           /* the first segment was */
  bool sack;             /* the variant of §3, else that of §2 */
  unsigned new_segments; /* that may still leave in step 2 (b) */
} tcp_forward_rto;

/* A time-out, not one in the wake of another: step 1. */
void tcp_forward_rto_begin(tcp_forward_rto *forward, bool sack);

/* An acknowledgement after it. */
typedef struct tcp_forward_rto_ack {
  bool advances;  /* SND.UNA */
  bool recovered; /* all that was in flight at the time-out is acknowledged */
  bool beyond;    /* something sent after the time-out is SACKed */
  bool original;  /* something in flight at the time-out, never sent again, is newly acknowledged or SACKed */
  bool duplicate; /* a duplicate ACK (RFC 5681 §2) */
  bool may_send_new; /* there are unsent octets and the peer has room */
} tcp_forward_rto_ack;

typedef enum tcp_forward_rto_verdict {
  TCP_FORWARD_RTO_UNKNOWN, /* go on */
  TCP_FORWARD_RTO_REAL, /* something was lost, after new segments were sent: the window is at most 3 SMSS */
  TCP_FORWARD_RTO_SPURIOUS, /* nothing was lost */
} tcp_forward_rto_verdict;

tcp_forward_rto_verdict tcp_forward_rto_acknowledged(tcp_forward_rto *forward,
                                                     const tcp_forward_rto_ack *ack);

/* A segment was sent again. */
void tcp_forward_rto_sent_again(tcp_forward_rto *forward);

/* New segments go before retransmissions, whatever the window; one has. */
bool tcp_forward_rto_wants_new(const tcp_forward_rto *forward);
void tcp_forward_rto_sent_new(tcp_forward_rto *forward);

/* Nothing else leaves: the first segment was sent again and is not acknowledged, or the verdict is awaited. */
bool tcp_forward_rto_holds_back(const tcp_forward_rto *forward);

void tcp_forward_rto_end(tcp_forward_rto *forward);

#endif
