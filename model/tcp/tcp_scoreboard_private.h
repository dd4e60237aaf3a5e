/* SPDX-License-Identifier: GPL-2.0-only */
/* What tcp_scoreboard.c (the ring of segments, RFC 6675) and tcp_scoreboard_time.c
 * (RFC 8985) share. */
#pragma once

#include <glib.h>

#include "base/range_set.h"
#include "tcp/tcp_scoreboard.h"

enum {
  SACKED = 1,
  LOST = 2,
  RETRANSMITTED = 4, /* since it was last taken as lost: it counts in pipe again */
  SENT_TWICE = 8,    /* ever: no round-trip sample comes from it (Karn) */
  UNDER_WAY = 16,    /* in the list by time of transmission */
};

/* The links hold the low 32 bits of a number: what is in flight at a time is less. They mean nothing at the
 * ends of the list. */
typedef struct sent_segment {
  uint64_t from;
  time_ps sent_at; /* last */
  uint64_t order;  /* of that transmission among all: many leave in one picosecond */
  uint32_t length; /* 0: another segment has taken over all of its octets */
  uint32_t flags;
  uint32_t earlier;
  uint32_t later;
} sent_segment;

enum { CAPACITY_AT_FIRST = 16 };

/* The segments are numbered from 0 on as they are sent; number n lives in slot n modulo the capacity, a
 * power of 2. */
struct tcp_scoreboard {
  uint32_t threshold;
  uint32_t smss_octets;
  uint32_t capacity;
  bool by_time; /* losses are found by time, in any order (RFC 8985) */
  tcp_scoreboard_listener listener;
  void *listener_user;
  sent_segment *slots; /* those at the end, or others when they became too few */
  uint64_t first;      /* number of the first segment in flight */
  uint64_t end;        /* one beyond the number of the last */
  uint64_t pipe_octets;
  uint32_t least_charge_octets;   /* what a segment counts for in pipe at least: SMSS if segments are counted,
                                     else 0 */
  uint64_t acknowledged_segments; /* so far */
  uint64_t delivered_segments;
  uint64_t plain_from; /* segments from this number on were sent once, and nothing was heard of them but that
                          parts are SACKED */
  uint64_t sacked_segments;
  uint64_t retransmissions; /* on their way */
  range_set *sacked;        /* SACKED and not acknowledged; NULL before the first */

  /* RFC 6675 */
  uint64_t not_lost;     /* the segments before this number are SACKed or lost */
  uint64_t above_octets; /* SACKed octets at or beyond the start of segment `not_lost` */
  uint64_t next_resend;  /* segments before this number are at or below HighRxt */

  /* RFC 8985: neither SACKed nor lost, by the time of the last transmission */
  uint64_t transmissions; /* so far */
  uint64_t under_way;
  uint64_t oldest;
  uint64_t newest;
  bool any_overtaken; /* what tcp_scoreboard_last_overtaken() found last is under way: */
  uint64_t overtaken;
  GArray *lost; /* of uint64_t, a heap: numbers of lost segments to be sent again, and stale ones; NULL before
                   the first */

  sent_segment slots_at_first[CAPACITY_AT_FIRST];
};

/* An empty scoreboard; `duplicate_ack_threshold` is DupThresh (> 0), `smss_octets` SMSS of RFC 6675. With
 * `by_time` losses come from tcp_scoreboard_lose() alone, in any order, and retransmissions may be lost in
 * their turn; else from tcp_scoreboard_find_lost(). Frees what it has. */
void tcp_scoreboard_init(tcp_scoreboard *board, uint32_t duplicate_ack_threshold, uint32_t smss_octets,
                         bool by_time);
void tcp_scoreboard_clear(tcp_scoreboard *board);

static inline sent_segment *segment_at(const tcp_scoreboard *board, uint64_t number)
{
  return &board->slots[number & (board->capacity - 1)];
}

static inline uint64_t segment_end(const sent_segment *segment)
{
  return segment->from + segment->length;
}

/* What it counts for in pipe while it is under way. */
static inline uint64_t charge(const tcp_scoreboard *board, const sent_segment *segment)
{
  return MAX(segment->length, board->least_charge_octets);
}

/* Lost, and not sent again since. */
static inline bool waits_to_be_resent(const sent_segment *segment)
{
  return (segment->flags & (SACKED | LOST | RETRANSMITTED)) == LOST;
}

/* Its retransmission is on its way. */
static inline bool is_resent(uint32_t flags)
{
  return (flags & (RETRANSMITTED | SACKED)) == RETRANSMITTED;
}

/* Octets SACKed and not acknowledged, in how many runs. */
static inline uint64_t sacked_total(const tcp_scoreboard *board)
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

/* Changes the flags of segment `number`, and pipe with them. */
void tcp_scoreboard_set_flags(tcp_scoreboard *board, uint64_t number, uint32_t flags);

/* Fills in `segment` with what is known of `number`; true. */
bool tcp_scoreboard_describe(const tcp_scoreboard *board, uint64_t number, tcp_sent_segment *segment);

/* Puts `number`, just sent, at the end of the list; takes it out, if it is in there. */
void tcp_scoreboard_append_under_way(tcp_scoreboard *board, uint64_t number);
void tcp_scoreboard_remove_under_way(tcp_scoreboard *board, uint64_t number);

/* Makes list and heap anew from the flags and times. */
void tcp_scoreboard_sort_by_time(tcp_scoreboard *board);

/* The first in the heap that still waits; false when none does. */
bool tcp_scoreboard_first_lost(tcp_scoreboard *board, uint64_t *number);
