/* SPDX-License-Identifier: GPL-2.0-only */
/* The timers that are due, in order: by time, and within one picosecond by (class, major, minor).
 *
 * While there are few, as with one connection, they are in a sorted row, whose end is due first; else in a
 * heap with four children a node. Both have lazy entries: a timer that is moved later, or switched off, keeps
 * its entry where it is, and only when the entry comes to the head is it moved to where the timer now
 * belongs, or removed. So deadlines that are put off again and again, as TCP's are, cost a comparison each;
 * and a timer that fires and is set again, as a link's arrival is, has its entry at the head already. An
 * entry is never later than its timer: an entry at the head that is not out of date is first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

/* The place of a timer without an entry. */
#define EVENT_QUEUE_NOWHERE UINT32_MAX

/* What of a timer decides when it runs. Its owner sets all of it at first, with `when` never and `place`
 * nowhere; then only the functions below do. */
typedef struct event_queue_timer {
  time_ps when;             /* TIME_PS_NEVER: off */
  uint64_t class_and_major; /* the class in the upper half */
  uint64_t minor;
  uint32_t place; /* of its entry */
} event_queue_timer;

/* The whole key, so that a comparison touches no timer: in a run of many equal connections most moments are
 * equal. */
typedef struct event_queue_entry {
  time_ps when;
  uint64_t class_and_major;
  uint64_t minor;
  event_queue_timer *timer;
} event_queue_entry;

/* All zero: an empty event queue. */
typedef struct event_queue {
  event_queue_entry
      *heap; /* or row; after some room, so that the four children of a node fill whole cache lines */
  event_queue_entry *head; /* what is due first: the end of the row, or the top of the heap */
  void *memory;            /* of the heap */
  uint32_t count;
  uint32_t capacity;
  bool is_heap; /* else a row: all of `heap`, the latest first */
} event_queue;

/* Frees the memory; the timers are their owners'. */
void event_queue_clear(event_queue *queue);

/* Moves `timer`, which may have no entry yet, to `when` (TIME_PS_NEVER: off) and `minor`. O(1) when that is
 * later than its entry, else O(log of the entries). */
void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when, uint64_t minor);

/* Removes the entry of `timer`, if it has one, before the timer goes. */
void event_queue_remove(event_queue *queue, event_queue_timer *timer);

/* The timer that is due first; NULL when none is due. */
event_queue_timer *event_queue_first(event_queue *queue);

/* Switches `first` off, which event_queue_first() has just returned. Aborts the process when another timer is
 * due with the same keys. */
void event_queue_take(event_queue *queue, event_queue_timer *first);
