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

static void add(void *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  event_queue_add(queue, timer, class_and_major, minor);
}

static void remove_timer(void *queue, event_queue_timer *timer)
{
  event_queue_remove(queue, timer);
}

static void set(void *queue, event_queue_timer *timer, time_ps when)
{
  event_queue_set(queue, timer, when);
}

static event_queue_timer *first(void *queue)
{
  return event_queue_first(queue);
}

static event_queue_timer *take(void *queue)
{
  return event_queue_take(queue);
}

const queue_design queue_row_and_slots = {"row and slots", new_queue, free_queue, add,
                                          remove_timer,    set,       first,      take};
