/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "queue_designs.h"

static void *new_queue(void)
{
  return g_new0(event_queue, 1);
}

static void free_queue(void *queue)
{
  event_queue_clear(queue);
  g_free(queue);
}

static void set(void *queue, event_queue_timer *timer, time_ps when, uint64_t minor)
{
  event_queue_set(queue, timer, when, minor);
}

static event_queue_timer *take(void *queue, time_ps *when)
{
  event_queue_timer *first = event_queue_first(queue);

  if (first != NULL) {
    *when = first->when;
    event_queue_take(queue, first);
  }
  return first;
}

const queue_design queue_lazy_heap = {"lazy heap", new_queue, free_queue, set, take};
