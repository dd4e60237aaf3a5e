/* SPDX-License-Identifier: GPL-2.0-only */
/* The segments in flight are in a ring, in the order of their positions; in a list, by the time they were
 * last sent; and in a deque, those lost that wait to be sent again (RFC 8985 §6). What is SACKed or lost, and
 * what follows from that, the scoreboard decides. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deque.h"
#include "base/time_ps.h"

enum {
  SACKED = 1,
  LOST = 2,
  RETRANSMITTED = 4, /* since it was last taken as lost: it counts in pipe again */
  SENT_TWICE = 8,    /* ever: no round-trip sample comes from it (Karn) */
  UNDER_WAY = 16,    /* in the list by time of transmission */
  CUT = 32,          /* ever: its front was acknowledged before the rest */
};

/* The order and the links are the low 32 bits: what is in flight at a time is less. The links mean nothing at
 * the ends of the list. */
typedef struct sent_segment {
  uint64_t from;
  time_ps sent_at; /* last */
  uint32_t order;  /* of that transmission among all: many leave in one picosecond */
  uint16_t length; /* 0: another segment has taken over all of its octets */
  uint16_t flags;
  uint32_t earlier;
  uint32_t later;
} sent_segment;
G_STATIC_ASSERT(sizeof(sent_segment) == 32);

/* Most connections that have something in flight have either little or much. */
enum { CAPACITY_AT_FIRST = 4, CAPACITY_ON_HEAP = 16 };

/* The segments are numbered from 0 on as they are sent; number n lives in slot n modulo the capacity, a
 * power of 2. */
typedef struct tcp_sent_ring {
  uint32_t capacity;
  bool by_time;        /* losses are found by time, in any order (RFC 8985): `lost` is used */
  sent_segment *slots; /* those at the end, or others when they became too few */
  uint64_t first;      /* number of the first segment in flight */
  uint64_t end;        /* one beyond the number of the last */

  /* neither SACKed nor lost, by the time of the last transmission */
  uint64_t transmissions; /* so far */
  uint64_t under_way;
  uint64_t oldest;
  uint64_t newest;
  bool any_overtaken; /* what tcp_sent_ring_overtaken() found last is under way: */
  uint64_t overtaken;
  deque *lost; /* of uint64_t, ascending: numbers of lost segments to be sent again, and stale ones; NULL
                  before the first */

  sent_segment slots_at_first[CAPACITY_AT_FIRST];
} tcp_sent_ring;

/* Makes an empty ring. tcp_sent_ring_clear() frees what it has. */
void tcp_sent_ring_init(tcp_sent_ring *ring, bool by_time);
void tcp_sent_ring_clear(tcp_sent_ring *ring);

static inline sent_segment *tcp_sent_ring_at(const tcp_sent_ring *ring, uint64_t number)
{
  return &ring->slots[number & (ring->capacity - 1)];
}

static inline uint64_t segment_end(const sent_segment *segment)
{
  return segment->from + segment->length;
}

/* Returns which of all transmissions was the last of `segment`, which is in flight. */
static inline uint64_t tcp_sent_ring_order(const tcp_sent_ring *ring, const sent_segment *segment)
{
  return ring->transmissions - (uint32_t)((uint32_t)ring->transmissions - segment->order);
}

/* Lost, and not sent again since. */
static inline bool waits_to_be_resent(const sent_segment *segment)
{
  return (segment->flags & (SACKED | LOST | RETRANSMITTED)) == LOST;
}

/* Returns the slot of the segment that is last from now on; its members are undefined. */
sent_segment *tcp_sent_ring_append(tcp_sent_ring *ring);

/* Takes all segments out, for others to be appended: numbers start again at that of the first. They stay
 * as they are in the slots that it returns, until tcp_sent_ring_free_slots(). */
sent_segment *tcp_sent_ring_empty(tcp_sent_ring *ring);
void tcp_sent_ring_free_slots(tcp_sent_ring *ring, sent_segment *slots);

/* `segment`, which has `number`, leaves at `now`: it is the newest in the list, in which it must not be. */
void tcp_sent_ring_leaves(tcp_sent_ring *ring, sent_segment *segment, uint64_t number, time_ps now);

/* Takes `number` out of the list, if it is in there. */
void tcp_sent_ring_remove(tcp_sent_ring *ring, uint64_t number);

/* Makes the list and `lost` anew from the flags and times. */
void tcp_sent_ring_sort(tcp_sent_ring *ring);

/* Finds, of the segments in the list that left before the transmission `order`, or as pieces of the same one
 * end before `end`, the one that left last; returns false when there is none. `order` never goes back from
 * one call to the next. */
bool tcp_sent_ring_overtaken(tcp_sent_ring *ring, uint64_t order, uint64_t end, uint64_t *number);

/* Puts `number` into `lost`. */
void tcp_sent_ring_add_lost(tcp_sent_ring *ring, uint64_t number);

/* Finds the first in `lost` that still waits; returns false when none does. */
bool tcp_sent_ring_first_lost(tcp_sent_ring *ring, uint64_t *number);
