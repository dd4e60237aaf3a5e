/* SPDX-License-Identifier: GPL-2.0-only */
/* The timers that are due, in order: by time, and within one picosecond by (class, major, minor).
 *
 * What is due soon stands in a sorted row, whose end is first. All that is due later is in slots, by the
 * highest digit of its key that differs from a base: level by level an empty row takes the first slots, or
 * one with many entries is dealt out to the slots of lower levels. So an entry moves a few times, each time
 * at once, however many there are. The key goes on after the time with class and major: what is due in one
 * picosecond is dealt out by these. With few timers, as with one connection, all are in the row.
 *
 * Entries are lazy: a timer that is moved later, or switched off, keeps its entry where it is, and only when
 * the entry comes to the head is it moved to where the timer now belongs, or removed. So deadlines that are
 * put off again and again, as TCP's are, cost a comparison each; and a timer that fires and is set again, as
 * a link's arrival is, has its entry at the head already. An entry is never later than its timer: an entry at
 * the head that is not out of date is first.
 *
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

/* This is an entry in the row: all that is compared but for the minor, without a look at the timer. */
typedef struct event_queue_entry {
  time_ps when;
  uint64_t order;
} event_queue_entry;

/* The entry of a timer, by its number, when it is in a slot: one of a list. */
typedef struct event_queue_node {
  time_ps when;
  uint32_t next; /* a number; of a number that is free: the next that is, plus 1 */
  uint32_t previous;
} event_queue_node;

/* Twelve bits are a digit. Class and major have three digits, the lowest levels; a time has six. */
enum {
  EVENT_QUEUE_DIGIT_BITS = 12,
  EVENT_QUEUE_DIGITS = 1 << EVENT_QUEUE_DIGIT_BITS,
  EVENT_QUEUE_WORDS = EVENT_QUEUE_DIGITS / 64,
  EVENT_QUEUE_ORDER_LEVELS = 3,
  EVENT_QUEUE_LEVELS = EVENT_QUEUE_ORDER_LEVELS + 6
};

/* All zero: an empty event queue. */
typedef struct event_queue {
  event_queue_entry *row;     /* the latest first, after one that is never due */
  event_queue_entry *row_end; /* after what is due first */
  event_queue_entry end;      /* all that is due before this is in the row, and nothing else */
  event_queue_timer **timers; /* by number */
  event_queue_node *nodes;    /* by number */
  uint32_t room;              /* of its memory */
  event_queue_entry *memory;
  uint32_t numbers;       /* given so far, and … */
  uint32_t capacity;      /* … for which there is room */
  uint32_t free_number;   /* … of those given the first that is free, plus 1; 0: none is */
  uint32_t levels_in_use; /* a bit each */
  event_queue_entry base; /* not after anything in a slot */
  uint64_t words_in_use[EVENT_QUEUE_LEVELS];                     /* a bit each, … */
  uint64_t slots_in_use[EVENT_QUEUE_LEVELS * EVENT_QUEUE_WORDS]; /* … and of each of those words */
  uint32_t *slots; /* of those in use, the number of the first */
} event_queue;

/* Frees the memory; the timers are their owners'. */
void event_queue_clear(event_queue *queue);

/* Makes `timer` one of the queue, switched off. The class is in the upper half of `class_and_major`. */
void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor);

/* Removes `timer` before it goes. */
void event_queue_remove(event_queue *queue, event_queue_timer *timer);

/* Moves `timer` to `when` (TIME_PS_NEVER: off), which is not before the timer taken last was due. O(1), with
 * what that costs later. */
void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when);

/* A timer that is due first, by all keys but the minor; NULL when none is due. */
event_queue_timer *event_queue_first(event_queue *queue);

/* Switches off the timer that is due first, by all keys, and returns it; event_queue_first() has just
 * returned that there is one. Aborts the process when another timer is due with the same keys. */
event_queue_timer *event_queue_take(event_queue *queue);
