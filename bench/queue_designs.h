/* SPDX-License-Identifier: GPL-2.0-only */
/* Designs of the engine's event queue, to be measured against each other with one and the same run. */
#pragma once

#include "engine/event_queue.h"

typedef struct queue_design {
  const char *name;
  void *(*new_queue)(void);
  void (*free_queue)(void *queue);
  /* As event_queue_set(); `when` is not before the moment of the timer taken last. */
  void (*set)(void *queue, event_queue_timer *timer, time_ps when, uint64_t minor);
  /* The first timer, switched off, and in `*when` when it was due; NULL: none is. */
  event_queue_timer *(*take)(void *queue, time_ps *when);
} queue_design;

/* This is a heap of four children a node that is always in order; the entries carry their whole keys. */
extern const queue_design queue_strict_heap;

/* This is the engine's: event_queue. */
extern const queue_design queue_lazy_heap;

/* This is a radix heap: buckets by the highest bit in which a moment differs from that of the timer taken
 * last. An entry that is too early is put right when its bucket is taken apart, as in the lazy heap. */
extern const queue_design queue_radix_heap;
