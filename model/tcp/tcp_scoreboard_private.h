/* SPDX-License-Identifier: GPL-2.0-only */
/* What embeds a scoreboard sees the inside of one here. */
#pragma once

#include "base/range_set.h"
#include "tcp/tcp_scoreboard.h"
#include "tcp/tcp_sent_ring.h"

struct tcp_scoreboard {
  uint32_t threshold;
  uint32_t smss_octets;
  bool marks_cuts; /* tcp_sent_segment.cut */
  tcp_scoreboard_listener listener;
  void *listener_user;
  uint64_t pipe_octets; /* SetPipe() of RFC 6675 §4: octets believed to be on the path, or SMSS for each
                           segment */
  uint32_t least_charge_octets;   /* what a segment counts for in pipe at least: SMSS if segments are counted,
                                     else 0 */
  uint64_t acknowledged_segments; /* so far; a part of one does not count */
  uint64_t delivered_segments;    /* cumulatively or by SACK, likewise */
  uint64_t plain_from; /* segments from this number on were sent once, and nothing was heard of them but that
                          parts are SACKED, or the front of the first one acknowledged */
  uint64_t sacked_segments; /* whole, and not acknowledged */
  uint64_t retransmissions; /* on their way: not SACKed, acknowledged or lost in their turn */
  uint64_t lost_segments;   /* and not SACKed or acknowledged, sent again or not */
  uint64_t last_sacked;     /* the segment with the last octet of what was SACKed last */
  range_set *sacked;        /* SACKED and not acknowledged; NULL before the first */

  /* RFC 6675 */
  uint64_t not_lost;     /* the segments before this number are SACKed or lost */
  uint64_t above_octets; /* SACKed octets at or beyond the start of segment `not_lost` */
  uint64_t next_resend;  /* segments before this number are at or below HighRxt */

  tcp_sent_ring sent; /* last: most of its slots at first are never touched */
};

/* Makes an empty scoreboard; `duplicate_ack_threshold` is DupThresh (> 0), `smss_octets` SMSS of RFC 6675.
 * With `by_time` losses come from tcp_scoreboard_lose() alone, in any order, and retransmissions may be lost
 * in their turn; else from tcp_scoreboard_find_lost(). Frees what it has. */
void tcp_scoreboard_init(tcp_scoreboard *board, uint32_t duplicate_ack_threshold, uint32_t smss_octets,
                         bool by_time);

static inline sent_segment *segment_at(const tcp_scoreboard *board, uint64_t number)
{
  return tcp_sent_ring_at(&board->sent, number);
}

/* Returns what it counts for in pipe while it is under way. */
static inline uint64_t charge(const tcp_scoreboard *board, const sent_segment *segment)
{
  return MAX(segment->length, board->least_charge_octets);
}

/* Taken as lost, whether it was sent again or not. */
static inline bool is_lost(uint32_t flags)
{
  return (flags & (LOST | SACKED)) == LOST;
}

/* Its retransmission is on its way. */
static inline bool is_resent(uint32_t flags)
{
  return (flags & (RETRANSMITTED | SACKED)) == RETRANSMITTED;
}

/* Return how many octets are SACKed and not acknowledged, and in how many runs. */
static inline uint64_t tcp_scoreboard_sacked_octets(const tcp_scoreboard *board)
{
  return board->sacked ? range_set_total(board->sacked) : 0;
}

static inline size_t sacked_runs(const tcp_scoreboard *board)
{
  return board->sacked ? range_set_count(board->sacked) : 0;
}

static inline bool is_all_sacked(const tcp_scoreboard *board, uint64_t from, uint64_t to)
{
  return from == to || (board->sacked && range_set_contains(board->sacked, from, to));
}
