/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_sent_ring.h"

#include <stddef.h>
#include <string.h>

void tcp_sent_ring_init(tcp_sent_ring *ring, bool by_time)
{
  memset(ring, 0, offsetof(tcp_sent_ring, slots_at_first)); /* a slot is written before it is read */
  ring->by_time = by_time;
  ring->slots = ring->slots_at_first;
  ring->capacity = CAPACITY_AT_FIRST;
}

void tcp_sent_ring_free_slots(tcp_sent_ring *ring, sent_segment *slots)
{
  if (slots != ring->slots_at_first) {
    g_free(slots);
  }
}

void tcp_sent_ring_clear(tcp_sent_ring *ring)
{
  if (ring->lost) {
    deque_clear(ring->lost);
    g_free(ring->lost);
  }
  tcp_sent_ring_free_slots(ring, ring->slots);
}

static G_GNUC_NO_INLINE void grow(tcp_sent_ring *ring)
{
  g_assert(ring->capacity <= UINT32_MAX / 2);
  uint32_t capacity = MAX(ring->capacity * 2, CAPACITY_ON_HEAP);
  sent_segment *slots = g_new(sent_segment, capacity);
  for (uint64_t number = ring->first; number < ring->end; number++) {
    slots[number & (capacity - 1)] = *tcp_sent_ring_at(ring, number);
  }
  tcp_sent_ring_free_slots(ring, ring->slots);
  ring->slots = slots;
  ring->capacity = capacity;
}

sent_segment *tcp_sent_ring_append(tcp_sent_ring *ring)
{
  if (ring->end - ring->first == ring->capacity) {
    grow(ring);
  }
  return tcp_sent_ring_at(ring, ring->end++);
}

sent_segment *tcp_sent_ring_empty(tcp_sent_ring *ring)
{
  sent_segment *slots = ring->slots;
  ring->slots = g_new(sent_segment, ring->capacity);
  ring->end = ring->first;
  return slots;
}

/* --- By the time of the last transmission --- */

/* Returns the number that a link holds the low bits of. */
static uint64_t number_of(const tcp_sent_ring *ring, uint32_t link)
{
  return ring->first + (uint32_t)(link - (uint32_t)ring->first);
}

static void append_under_way(tcp_sent_ring *ring, sent_segment *segment, uint64_t number)
{
  segment->flags |= UNDER_WAY;
  if (ring->under_way++ == 0) {
    ring->oldest = number;
  } else {
    tcp_sent_ring_at(ring, ring->newest)->later = (uint32_t)number;
    segment->earlier = (uint32_t)ring->newest;
  }
  ring->newest = number;
}

void tcp_sent_ring_leaves(tcp_sent_ring *ring, sent_segment *segment, uint64_t number, time_ps now)
{
  segment->sent_at = now;
  segment->order = (uint32_t)ring->transmissions++;
  append_under_way(ring, segment, number);
}

void tcp_sent_ring_remove(tcp_sent_ring *ring, uint64_t number)
{
  sent_segment *segment = tcp_sent_ring_at(ring, number);
  if (!(segment->flags & UNDER_WAY)) {
    return;
  }
  segment->flags &= (uint16_t)~UNDER_WAY;
  ring->under_way--;
  if (number == ring->overtaken) {
    ring->any_overtaken = ring->any_overtaken && number != ring->oldest;
    ring->overtaken = ring->any_overtaken ? number_of(ring, segment->earlier) : 0;
  }
  if (ring->under_way == 0) {
    return;
  }
  if (number == ring->oldest) {
    ring->oldest = number_of(ring, segment->later);
  } else if (number == ring->newest) {
    ring->newest = number_of(ring, segment->earlier);
  } else {
    tcp_sent_ring_at(ring, segment->earlier)->later = segment->later;
    tcp_sent_ring_at(ring, segment->later)->earlier = segment->earlier;
  }
}

/* The list is in the order of transmissions, so the search goes on where the last one ended: each segment
 * is passed once. */
bool tcp_sent_ring_overtaken(tcp_sent_ring *ring, uint64_t order, uint64_t end, uint64_t *number)
{
  while (ring->under_way > 0 && !(ring->any_overtaken && ring->overtaken == ring->newest)) {
    uint64_t next =
        ring->any_overtaken ? number_of(ring, tcp_sent_ring_at(ring, ring->overtaken)->later) : ring->oldest;
    const sent_segment *candidate = tcp_sent_ring_at(ring, next);
    const uint64_t candidate_order = tcp_sent_ring_order(ring, candidate);
    if (candidate_order > order || (candidate_order == order && segment_end(candidate) >= end)) {
      break;
    }
    ring->any_overtaken = true;
    ring->overtaken = next;
  }
  *number = ring->overtaken;
  return ring->any_overtaken;
}

/* --- Lost, to be sent again --- */

void tcp_sent_ring_add_lost(tcp_sent_ring *ring, uint64_t number)
{
  if (!ring->lost) {
    ring->lost = g_new(deque, 1);
    deque_init(ring->lost, sizeof(uint64_t));
  }
  *(uint64_t *)deque_insert(ring->lost, deque_count_below(ring->lost, 0, number)) = number;
}

/* What was sent again, SACKed or acknowledged since it was lost is still among them: it goes when it is the
 * first. */
bool tcp_sent_ring_first_lost(tcp_sent_ring *ring, uint64_t *number)
{
  while (ring->lost && ring->lost->count > 0) {
    *number = *(const uint64_t *)deque_at(ring->lost, 0);
    if (*number >= ring->first && waits_to_be_resent(tcp_sent_ring_at(ring, *number))) {
      return true;
    }
    deque_remove(ring->lost, 0, 1);
  }
  return false;
}

/* --- Both, made anew --- */

static gint compare_orders(gconstpointer a, gconstpointer b, gpointer user)
{
  const tcp_sent_ring *ring = user;
  uint64_t one = *(const uint64_t *)a;
  uint64_t other = *(const uint64_t *)b;
  uint64_t one_order = tcp_sent_ring_order(ring, tcp_sent_ring_at(ring, one));
  uint64_t other_order = tcp_sent_ring_order(ring, tcp_sent_ring_at(ring, other));
  return one_order < other_order || (one_order == other_order && one < other) ? -1 : 1;
}

void tcp_sent_ring_sort(tcp_sent_ring *ring)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  if (ring->lost) {
    deque_empty(ring->lost);
  }
  for (uint64_t number = ring->first; number < ring->end; number++) {
    const sent_segment *segment = tcp_sent_ring_at(ring, number);
    if (ring->by_time && waits_to_be_resent(segment)) {
      tcp_sent_ring_add_lost(ring, number);
    }
    if ((segment->flags & (UNDER_WAY | SACKED)) == UNDER_WAY) {
      g_array_append_val(numbers, number);
    }
    tcp_sent_ring_at(ring, number)->flags &= (uint16_t)~UNDER_WAY;
  }
  g_array_sort_with_data(numbers, compare_orders, ring);
  ring->under_way = 0;
  ring->any_overtaken = false;
  for (guint i = 0; i < numbers->len; i++) {
    uint64_t number = g_array_index(numbers, uint64_t, i);
    append_under_way(ring, tcp_sent_ring_at(ring, number), number);
  }
  g_array_free(numbers, TRUE);
}
