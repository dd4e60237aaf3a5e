/* SPDX-License-Identifier: GPL-2.0-only */
/* Many deadlines, each set and moved at will, and which comes first: a binary heap. For a box with a TCP
 * connection per flow; boxes that wait equally long for all their flows have path_box's queue. */
#ifndef PATH_PATH_TIMER_QUEUE_H
#define PATH_PATH_TIMER_QUEUE_H

#include <glib.h>

#include "base/time_ps.h"

/* One deadline; written only by the functions below. */
typedef struct path_timer {
  time_ps deadline;
  uint64_t number; /* of timers due together the lowest comes first */
  guint index;     /* its place in the heap */
  void *user;
} path_timer;

typedef struct path_timer_queue {
  GPtrArray *heap; /* of path_timer, the owners' */
} path_timer_queue;

void path_timer_queue_init(path_timer_queue *queue);
void path_timer_queue_clear(path_timer_queue *queue);

/* Adds `timer`, which is never due yet; numbers are given in order. It must stay where it is while the
 * queue lives. */
void path_timer_queue_add(path_timer_queue *queue, path_timer *timer, void *user);

/* Moves the deadline; TIME_PS_NEVER: never due. */
void path_timer_queue_set(path_timer_queue *queue, path_timer *timer, time_ps deadline);

/* The timer with the earliest deadline; NULL when the queue is empty. */
path_timer *path_timer_queue_first(const path_timer_queue *queue);

#endif
