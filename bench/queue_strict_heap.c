/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "queue_designs.h"

enum { HEAP_CHILDREN = 4 };

typedef struct strict_entry {
  time_ps when;
  uint64_t class_and_major;
  uint64_t minor;
  event_queue_timer *timer;
} strict_entry;

typedef struct strict_heap {
  strict_entry *entries;
  uint32_t count;
  uint32_t capacity;
} strict_heap;

static void *new_queue(void)
{
  return g_new0(strict_heap, 1);
}

static void free_queue(void *queue)
{
  g_free(((strict_heap *)queue)->entries);
  g_free(queue);
}

static bool runs_before(const strict_entry *a, const strict_entry *b)
{
  if (a->when != b->when) {
    return a->when < b->when;
  }
  if (a->class_and_major != b->class_and_major) {
    return a->class_and_major < b->class_and_major;
  }
  return a->minor < b->minor;
}

static void put(strict_heap *heap, uint32_t place, strict_entry entry)
{
  heap->entries[place] = entry;
  entry.timer->place = place;
}

static void sift_up(strict_heap *heap, uint32_t place, strict_entry entry)
{
  for (uint32_t parent; place > 0; place = parent) {
    parent = (place - 1) / HEAP_CHILDREN;
    if (!runs_before(&entry, &heap->entries[parent])) {
      break;
    }
    put(heap, place, heap->entries[parent]);
  }
  put(heap, place, entry);
}

static void sift_down(strict_heap *heap, uint32_t place, strict_entry entry)
{
  for (;;) {
    uint32_t child = place * HEAP_CHILDREN + 1;
    uint32_t behind = MIN(child + HEAP_CHILDREN, heap->count);
    if (child >= behind) {
      break;
    }
    uint32_t first = child;
    for (child++; child < behind; child++) {
      if (runs_before(&heap->entries[child], &heap->entries[first])) {
        first = child;
      }
    }
    if (!runs_before(&heap->entries[first], &entry)) {
      break;
    }
    put(heap, place, heap->entries[first]);
    place = first;
  }
  put(heap, place, entry);
}

static void settle(strict_heap *heap, uint32_t place, strict_entry entry)
{
  if (place > 0 && runs_before(&entry, &heap->entries[(place - 1) / HEAP_CHILDREN])) {
    sift_up(heap, place, entry);
  } else {
    sift_down(heap, place, entry);
  }
}

static void remove_at(strict_heap *heap, uint32_t place)
{
  heap->entries[place].timer->place = EVENT_QUEUE_NOWHERE;
  strict_entry last = heap->entries[--heap->count];
  if (place < heap->count) {
    settle(heap, place, last);
  }
}

static void set(void *queue, event_queue_timer *timer, time_ps when, uint64_t minor)
{
  strict_heap *heap = queue;
  strict_entry entry = {when, timer->class_and_major, minor, timer};

  timer->when = when;
  timer->minor = minor;
  if (when == TIME_PS_NEVER) {
    if (timer->place != EVENT_QUEUE_NOWHERE) {
      remove_at(heap, timer->place);
    }
    return;
  }
  if (timer->place != EVENT_QUEUE_NOWHERE) {
    settle(heap, timer->place, entry);
    return;
  }
  if (heap->count == heap->capacity) {
    heap->capacity = MAX(heap->capacity * 2, 16);
    heap->entries = g_renew(strict_entry, heap->entries, heap->capacity);
  }
  sift_up(heap, heap->count++, entry);
}

static event_queue_timer *take(void *queue, time_ps *when)
{
  strict_heap *heap = queue;

  if (heap->count == 0) {
    return NULL;
  }
  event_queue_timer *first = heap->entries[0].timer;
  remove_at(heap, 0);
  *when = first->when;
  first->when = TIME_PS_NEVER;
  return first;
}

const queue_design queue_strict_heap = {"strict heap", new_queue, free_queue, set, take};
