/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_timer_queue.h"

#include <stdbool.h>

void path_timer_queue_init(path_timer_queue *queue)
{
  queue->heap = g_ptr_array_new();
}

void path_timer_queue_clear(path_timer_queue *queue)
{
  g_ptr_array_unref(queue->heap);
}

static path_timer *timer_at(const path_timer_queue *queue, guint index)
{
  return queue->heap->pdata[index];
}

static void put(path_timer_queue *queue, guint index, path_timer *timer)
{
  queue->heap->pdata[index] = timer;
  timer->index = index;
}

static bool is_before(const path_timer *a, const path_timer *b)
{
  return a->deadline != b->deadline ? a->deadline < b->deadline : a->number < b->number;
}

static void move_up(path_timer_queue *queue, path_timer *timer)
{
  guint index = timer->index;

  while (index > 0 && is_before(timer, timer_at(queue, (index - 1) / 2))) {
    put(queue, index, timer_at(queue, (index - 1) / 2));
    index = (index - 1) / 2;
  }
  put(queue, index, timer);
}

static void move_down(path_timer_queue *queue, path_timer *timer)
{
  guint index = timer->index;

  for (;;) {
    guint child = 2 * index + 1;
    if (child + 1 < queue->heap->len && is_before(timer_at(queue, child + 1), timer_at(queue, child))) {
      child++;
    }
    if (child >= queue->heap->len || !is_before(timer_at(queue, child), timer)) {
      break;
    }
    put(queue, index, timer_at(queue, child));
    index = child;
  }
  put(queue, index, timer);
}

void path_timer_queue_add(path_timer_queue *queue, path_timer *timer, void *user)
{
  *timer = (path_timer){
      .deadline = TIME_PS_NEVER, .number = queue->heap->len, .index = queue->heap->len, .user = user};
  g_ptr_array_add(queue->heap, timer);
}

void path_timer_queue_set(path_timer_queue *queue, path_timer *timer, time_ps deadline)
{
  bool earlier = deadline < timer->deadline;

  timer->deadline = deadline;
  if (earlier) {
    move_up(queue, timer);
  } else {
    move_down(queue, timer);
  }
}

path_timer *path_timer_queue_first(const path_timer_queue *queue)
{
  return queue->heap->len > 0 ? timer_at(queue, 0) : NULL;
}
