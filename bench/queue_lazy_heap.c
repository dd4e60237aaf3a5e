/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "queue_designs.h"

enum { HEAP_CHILDREN = 4 };

typedef struct heap_entry {
  time_ps when;
  uint64_t order; /* class, major, number */
} heap_entry;

/* After the entries in use stand three that are never due, so that each node with children has four. */
typedef struct lazy_heap {
  heap_entry *entries;
  event_queue_timer **timers; /* by number */
  uint32_t *places;           /* by number */
  uint32_t count;
  uint32_t numbers;
  GArray *free_numbers;
} lazy_heap;

static const heap_entry never = {.when = TIME_PS_NEVER, .order = UINT64_MAX};

static void *new_queue(void)
{
  lazy_heap *heap = g_new0(lazy_heap, 1);

  heap->free_numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  return heap;
}

static void free_queue(void *queue)
{
  lazy_heap *heap = queue;

  g_array_free(heap->free_numbers, TRUE);
  g_free(heap->entries);
  g_free(heap->timers);
  g_free(heap->places);
  g_free(heap);
}

static uint32_t number_in(uint64_t order)
{
  return (uint32_t)order & ((1U << EVENT_QUEUE_NUMBER_BITS) - 1);
}

static bool runs_before(heap_entry a, heap_entry b)
{
  return a.when != b.when ? a.when < b.when : a.order < b.order;
}

static void put(lazy_heap *heap, uint32_t place, heap_entry entry)
{
  heap->entries[place] = entry;
  heap->places[number_in(entry.order)] = place;
}

static void sift_up(lazy_heap *heap, uint32_t place, heap_entry entry)
{
  for (uint32_t above; place > 0; place = above) {
    above = (place - 1) / HEAP_CHILDREN;
    if (!runs_before(entry, heap->entries[above])) {
      break;
    }
    put(heap, place, heap->entries[above]);
  }
  put(heap, place, entry);
}

/* Which of the four, whose earliest moment is `earliest`, runs first; without branches, as they could not be
 * foreseen. */
static uint32_t first_of(const heap_entry children[HEAP_CHILDREN], time_ps earliest)
{
  const uint64_t orders[HEAP_CHILDREN] = {
      children[0].when == earliest ? children[0].order : UINT64_MAX,
      children[1].when == earliest ? children[1].order : UINT64_MAX,
      children[2].when == earliest ? children[2].order : UINT64_MAX,
      children[3].when == earliest ? children[3].order : UINT64_MAX,
  };
  const uint64_t least = MIN(MIN(orders[0], orders[1]), MIN(orders[2], orders[3]));

  return (orders[1] == least) + 2U * (orders[2] == least) + 3U * (orders[3] == least);
}

static void sift_down(lazy_heap *heap, uint32_t place, heap_entry entry)
{
  for (uint32_t child; (child = place * HEAP_CHILDREN + 1) < heap->count;) {
    const heap_entry *children = &heap->entries[child];
    const time_ps earliest =
        MIN(MIN(children[0].when, children[1].when), MIN(children[2].when, children[3].when));
    if (entry.when < earliest) {
      break;
    }
    const uint32_t first = first_of(children, earliest);
    if (runs_before(entry, children[first])) {
      break;
    }
    put(heap, place, children[first]);
    place = child + first;
  }
  put(heap, place, entry);
}

static void close_entry(lazy_heap *heap, event_queue_timer *timer)
{
  const uint32_t place = heap->places[number_in(timer->order)];
  const heap_entry last = heap->entries[--heap->count];

  timer->queued_at = TIME_PS_NEVER;
  heap->entries[heap->count] = never;
  if (place < heap->count) {
    if (place > 0 && runs_before(last, heap->entries[(place - 1) / HEAP_CHILDREN])) {
      sift_up(heap, place, last);
    } else {
      sift_down(heap, place, last);
    }
  }
}

static void add(void *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  lazy_heap *heap = queue;
  uint32_t number = heap->numbers;

  if (heap->free_numbers->len > 0) {
    number = g_array_index(heap->free_numbers, uint32_t, heap->free_numbers->len - 1);
    g_array_set_size(heap->free_numbers, heap->free_numbers->len - 1);
  } else {
    if ((number & (number - 1)) == 0) { /* room for twice as many */
      const uint32_t room = MAX(2 * number, 1);
      heap->timers = g_renew(event_queue_timer *, heap->timers, room);
      heap->places = g_renew(uint32_t, heap->places, room);
      heap->entries = g_renew(heap_entry, heap->entries, room + HEAP_CHILDREN);
      for (uint32_t i = heap->count; i < room + HEAP_CHILDREN; i++) {
        heap->entries[i] = never;
      }
    }
    heap->numbers++;
  }
  *timer = (event_queue_timer){.when = TIME_PS_NEVER,
                               .queued_at = TIME_PS_NEVER,
                               .order = class_and_major << EVENT_QUEUE_NUMBER_BITS | number,
                               .minor = minor};
  heap->timers[number] = timer;
}

static void remove_timer(void *queue, event_queue_timer *timer)
{
  lazy_heap *heap = queue;
  const uint32_t number = number_in(timer->order);

  if (timer->queued_at != TIME_PS_NEVER) {
    close_entry(heap, timer);
  }
  g_array_append_val(heap->free_numbers, number);
}

static void set(void *queue, event_queue_timer *timer, time_ps when)
{
  lazy_heap *heap = queue;

  timer->when = when;
  if (when < timer->queued_at) {
    const uint32_t place =
        timer->queued_at == TIME_PS_NEVER ? heap->count++ : heap->places[number_in(timer->order)];
    timer->queued_at = when;
    sift_up(heap, place, (heap_entry){.when = when, .order = timer->order});
  }
}

static event_queue_timer *first(void *queue)
{
  lazy_heap *heap = queue;

  while (heap->count > 0) {
    event_queue_timer *timer = heap->timers[number_in(heap->entries[0].order)];
    if (timer->when == heap->entries[0].when) {
      return timer;
    }
    if (timer->when == TIME_PS_NEVER) {
      close_entry(heap, timer);
    } else {
      timer->queued_at = timer->when;
      sift_down(heap, 0, (heap_entry){.when = timer->when, .order = timer->order});
    }
  }
  return NULL;
}

/* The place below `place`, or it, of the least minor among those that are tied with the first. */
static uint32_t least_minor(const lazy_heap *heap, uint32_t place, uint32_t least)
{
  const heap_entry *entries = heap->entries;
  const uint32_t child = place * HEAP_CHILDREN + 1;

  for (uint32_t i = child; i < MIN(child + HEAP_CHILDREN, heap->count); i++) {
    if (entries[i].when == entries[0].when &&
        (entries[i].order ^ entries[0].order) >> EVENT_QUEUE_NUMBER_BITS == 0) {
      const event_queue_timer *timer = heap->timers[number_in(entries[i].order)];
      const event_queue_timer *other = heap->timers[number_in(entries[least].order)];
      least = least_minor(heap, i, timer->when == entries[i].when && timer->minor < other->minor ? i : least);
    }
  }
  return least;
}

static event_queue_timer *take(void *queue)
{
  lazy_heap *heap = queue;
  const uint32_t place = least_minor(heap, 0, 0);
  event_queue_timer *taken = heap->timers[number_in(heap->entries[place].order)];

  taken->when = TIME_PS_NEVER;
  if (place > 0) {
    close_entry(heap, taken);
  }
  return taken;
}

const queue_design queue_lazy_heap = {"lazy heap",  new_queue, free_queue, add,
                                      remove_timer, set,       first,      take};
