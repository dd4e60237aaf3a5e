/* SPDX-License-Identifier: GPL-2.0-only */
/* The timers that are due, in order: by time, and within one picosecond by (class, major, minor).
 *
 * While there are few, as with one connection, they are in a sorted row, whose end is due first; else in a
 * heap with four children a node. Both have lazy entries: a timer that is moved later, or switched off, keeps
 * its entry where it is, and only when the entry comes to the head is it moved to where the timer now
 * belongs, or removed. So deadlines that are put off again and again, as TCP's are, cost a comparison each;
 * and a timer that fires and is set again, as a link's arrival is, has its entry at the head already. An
 * entry is never later than its timer: an entry at the head that is not out of date is first.
 *
 * An entry is 16 octets, and says all that is compared but for the minor keys: four of them are a cache line.
 * Timers with one class and one major stand in any order, and the least minor is found when one is taken. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

/* What of a timer decides when it runs; only the functions below set it. */
typedef struct event_queue_timer {
  time_ps when;      /* TIME_PS_NEVER: off */
  time_ps queued_at; /* that of its entry; TIME_PS_NEVER: it has none */
  uint64_t order;    /* class, major, and the timer's number in the queue */
  uint64_t minor;
} event_queue_timer;

/* The class takes 2 bits, the major 32. */
enum { EVENT_QUEUE_NUMBER_BITS = 30 };

static inline uint64_t event_queue_class_and_major(const event_queue_timer *timer)
{
  return timer->order >> EVENT_QUEUE_NUMBER_BITS;
}

/* A comparison touches no timer: in a run of many equal connections most moments are equal. */
typedef struct event_queue_entry {
  time_ps when;
  uint64_t order;
} event_queue_entry;

/* All zero: an empty event queue. */
typedef struct event_queue {
  event_queue_entry
      *heap; /* or row; after some room, so that the four children of a node fill whole cache lines */
  event_queue_entry *head;    /* what is due first: the end of the row, or the top of the heap */
  event_queue_timer **timers; /* by number */
  uint32_t *places;           /* by number: that of its entry in a heap; the next number that is free */
  void *memory;               /* of the heap */
  uint32_t count;             /* of entries */
  uint32_t room;              /* for so many */
  uint32_t numbers;           /* given so far, and … */
  uint32_t capacity;          /* … for which there is room */
  uint32_t free_number;       /* … of those given the first that is free, plus 1; 0: none is */
  bool is_heap;               /* else a row: all of `heap`, the latest first */
} event_queue;

/* Frees the memory; the timers are their owners'. */
void event_queue_clear(event_queue *queue);

/* Makes `timer` one of the queue, switched off. The class is in the upper half of `class_and_major`. */
void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor);

/* Removes `timer` before it goes. */
void event_queue_remove(event_queue *queue, event_queue_timer *timer);

/* What event_queue_set() does when `timer` is set before its entry. */
void event_queue_set_earlier(event_queue *queue, event_queue_timer *timer);

/* Moves `timer` to `when` (TIME_PS_NEVER: off). O(1) when that is not before its entry, else O(log of the
 * entries). */
static inline void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when)
{
  timer->when = when;
  if (when < timer->queued_at) {
    event_queue_set_earlier(queue, timer);
  }
}

/* A timer that is due first, by all keys but the minor; NULL when none is due. */
event_queue_timer *event_queue_first(event_queue *queue);

/* Switches off the timer that is due first, by all keys, and returns it; event_queue_first() has just
 * returned that there is one. Aborts the process when another timer is due with the same keys. */
event_queue_timer *event_queue_take(event_queue *queue);
