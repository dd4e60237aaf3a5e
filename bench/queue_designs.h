/* SPDX-License-Identifier: GPL-2.0-only */
/* Designs of the engine's event queue, to be measured against each other with what real runs ask of it. */
#pragma once

#include "engine/event_queue.h"

/* As large as the engine's. */
typedef struct queue_timer {
  event_queue_timer order; /* first: a queue returns it */
  uint64_t rest[4];        /* of the first a design may use the half */
} queue_timer;

/* As event_queue_…(). A timer's number in `order` is given to add(). */
typedef struct queue_design {
  const char *name;
  void *(*new_queue)(void);
  void (*free_queue)(void *queue);
  void (*add)(void *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor);
  void (*remove)(void *queue, event_queue_timer *timer);
  void (*set)(void *queue, event_queue_timer *timer, time_ps when);
  event_queue_timer *(*first)(void *queue);
  event_queue_timer *(*take)(void *queue);
} queue_design;

/* The engine's: event_queue. */
extern const queue_design queue_row_and_slots;

/* A heap of four children a node with keys apart from timers and lazy entries: the engine's before. */
extern const queue_design queue_lazy_heap;

/* A radix heap of one bit a digit with lazy entries: buckets by the highest bit in which a moment differs
 * from that of the timer taken last. What is due in one picosecond is searched. */
extern const queue_design queue_radix_heap;
