/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "queue_designs.h"

static void *new_queue(void)
{
  return g_new0(engine_agenda, 1);
}

static void free_queue(void *queue)
{
  engine_agenda_clear(queue);
  g_free(queue);
}

static void set(void *queue, engine_agenda_timer *timer, time_ps when, uint64_t minor)
{
  engine_agenda_set(queue, timer, when, minor);
}

static engine_agenda_timer *take(void *queue, time_ps *when)
{
  engine_agenda_timer *first = engine_agenda_first(queue);

  if (first != NULL) {
    *when = first->when;
    engine_agenda_take(queue, first);
  }
  return first;
}

const queue_design queue_lazy_heap = {"lazy heap", new_queue, free_queue, set, take};
