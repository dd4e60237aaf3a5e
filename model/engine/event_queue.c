/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/event_queue.h"

#include <glib.h>
#include <string.h>

enum { HEAP_CHILDREN = 4, CACHE_LINE_OCTETS = 64, FIRST_CAPACITY = 128 };

/* More entries than the first make a heap of the row; as few as the second make a row of the heap again: far
 * enough apart that a timer that comes and goes does not put them in order each time. */
enum { ROW_MAX = 20, HEAP_MIN = 10 };

/* With more entries than this in a row, those from its head on find their places from its other end. */
enum { SHORT_ROW_MAX = 10 };

/* This is room in front of the heap, in entries, so that the four children of a node, from number 4 · n + 1
 * on, fill whole cache lines. The last of it has an entry that is never due, in front of the row. */
enum { ROOM_IN_FRONT = CACHE_LINE_OCTETS / sizeof(event_queue_entry) - 1 };
G_STATIC_ASSERT(ROOM_IN_FRONT >= 1);

static const event_queue_entry never = {.when = TIME_PS_NEVER, .order = UINT64_MAX};

void event_queue_clear(event_queue *queue)
{
  g_aligned_free(queue->memory);
  g_free(queue->timers);
  g_free(queue->places);
  *queue = (event_queue){0};
}

/* --- Entries --- */

static inline bool runs_before(event_queue_entry a, event_queue_entry b)
{
  return a.when != b.when ? a.when < b.when : a.order < b.order;
}

static inline uint32_t number_in(uint64_t order)
{
  return (uint32_t)order & ((1U << EVENT_QUEUE_NUMBER_BITS) - 1);
}

static inline event_queue_timer *timer_of(const event_queue *queue, const event_queue_entry *entry)
{
  return queue->timers[number_in(entry->order)];
}

/* Returns whether two entries have the same keys, but perhaps for the minor. */
static inline bool is_tied(const event_queue_entry *a, const event_queue_entry *b)
{
  return a->when == b->when && (a->order ^ b->order) >> EVENT_QUEUE_NUMBER_BITS == 0;
}

/* --- The row and the heap --- */

/* Places are kept in a heap only: in a row an entry is soon found. */
static inline void put(event_queue *queue, uint32_t place, event_queue_entry entry)
{
  queue->heap[place] = entry;
  queue->places[number_in(entry.order)] = place;
}

static uint32_t place_of(const event_queue *queue, const event_queue_timer *timer)
{
  uint32_t place = 0;

  if (queue->is_heap) {
    return queue->places[number_in(timer->order)];
  }
  while (queue->heap[place].order != timer->order) {
    place++;
  }
  return place;
}

/* Does what is to be done after entries came or went. */
static inline void find_head(event_queue *queue)
{
  queue->head = queue->is_heap ? queue->heap : queue->heap + queue->count - 1;
}

/* Finds the place of `entry` from the vacant `place` upwards, to what is due earlier, and puts it there. */
static void sift_up_heap(event_queue *queue, uint32_t place, event_queue_entry entry)
{
  while (place > 0) {
    uint32_t above = (place - 1) / HEAP_CHILDREN;
    if (!runs_before(entry, queue->heap[above])) {
      break;
    }
    put(queue, place, queue->heap[above]);
    place = above;
  }
  put(queue, place, entry);
}

static void sift_up_row(event_queue *queue, uint32_t place, event_queue_entry entry)
{
  for (; place + 1 < queue->count && runs_before(entry, queue->heap[place + 1]); place++) {
    queue->heap[place] = queue->heap[place + 1];
  }
  queue->heap[place] = entry;
}

/* Returns which of the four, whose earliest moment is `earliest`, runs first; without branches, as they could
 * not be foreseen. */
static inline uint32_t first_of(const event_queue_entry children[HEAP_CHILDREN], time_ps earliest)
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

static G_GNUC_NO_INLINE void sift_down_heap(event_queue *queue, uint32_t place, event_queue_entry entry)
{
  for (uint32_t child; (child = place * HEAP_CHILDREN + 1) < queue->count;) {
    const event_queue_entry *children = &queue->heap[child];
    const time_ps earliest =
        MIN(MIN(children[0].when, children[1].when), MIN(children[2].when, children[3].when));
    if (entry.when < earliest) {
      break;
    }
    const uint32_t first = first_of(children, earliest);
    if (runs_before(entry, children[first])) {
      break;
    }
    put(queue, place, children[first]);
    place = child + first;
  }
  put(queue, place, entry);
}

/* In front of the row stands an entry that is never due. */
static inline void sift_down_row(event_queue *queue, uint32_t place, event_queue_entry entry)
{
  event_queue_entry *to = &queue->heap[place];

  for (; !runs_before(entry, to[-1]); to--) {
    *to = to[-1];
  }
  *to = entry;
}

/* Where the heap begins, and the row when it has not moved. */
static inline event_queue_entry *base_of(const event_queue *queue)
{
  return (event_queue_entry *)queue->memory + ROOM_IN_FRONT;
}

/* The same from the head of a long row: what fires and is set again is mostly due after all others but those
 * that are due much later. They move, and with them the row, towards the front of the memory. */
static inline void sift_down_long_row(event_queue *queue, event_queue_entry entry)
{
  if (queue->heap == base_of(queue)) {
    queue->heap += queue->room - ROW_MAX;
    memmove(queue->heap, base_of(queue), queue->count * sizeof(event_queue_entry));
  }
  event_queue_entry *to = --queue->heap;
  for (; runs_before(entry, to[1]); to++) {
    *to = to[1];
  }
  *to = entry;
  queue->heap[-1] = never;
  find_head(queue);
}

/* Makes room for twice as many timers. */
static void grow(event_queue *queue)
{
  const uint32_t capacity = MAX(queue->capacity * 2, FIRST_CAPACITY);

  if (capacity > 1U << EVENT_QUEUE_NUMBER_BITS) {
    g_error("engine: no memory for %u timers", capacity);
  }
  queue->timers = g_renew(event_queue_timer *, queue->timers, capacity);
  queue->places = g_renew(uint32_t, queue->places, capacity);
  queue->capacity = capacity;
}

/* Makes room for twice as many entries. After those in use, and after room for all, stand entries that are
 * never due: so each node has four children. */
static G_GNUC_NO_INLINE void grow_heap(event_queue *queue)
{
  const uint32_t room = MAX(queue->room * 2, FIRST_CAPACITY);
  const uint32_t slots = room + HEAP_CHILDREN;
  event_queue_entry *memory =
      g_aligned_alloc(ROOM_IN_FRONT + slots, sizeof(event_queue_entry), CACHE_LINE_OCTETS);

  memory[ROOM_IN_FRONT - 1] = never;
  for (uint32_t i = 0; i < slots; i++) {
    memory[ROOM_IN_FRONT + i] = i < queue->count ? queue->heap[i] : never;
  }
  g_aligned_free(queue->memory);
  queue->memory = memory;
  queue->heap = memory + ROOM_IN_FRONT;
  queue->room = room;
  find_head(queue);
}

/* Makes a heap of the row: from its other end it is one. */
static void make_heap(event_queue *queue)
{
  event_queue_entry row[ROW_MAX];

  memcpy(row, queue->heap, sizeof row);
  queue->is_heap = true;
  queue->heap = base_of(queue);
  for (uint32_t place = 0; place < queue->room; place++) {
    queue->heap[place] = never;
  }
  for (uint32_t place = 0; place < ROW_MAX; place++) {
    put(queue, place, row[ROW_MAX - 1 - place]);
  }
}

static void insert(event_queue *queue, event_queue_entry entry)
{
  if (queue->count == queue->room) {
    grow_heap(queue);
  }
  if (queue->count == ROW_MAX && !queue->is_heap) {
    make_heap(queue);
  }
  uint32_t place = queue->count++;
  find_head(queue);
  if (queue->is_heap) {
    sift_up_heap(queue, place, entry);
  } else {
    sift_down_row(queue, place, entry);
  }
}

/* The entry at `place` goes, and what is due earlier moves up to it. */
static void close_row(event_queue *queue, uint32_t place)
{
  for (queue->count--; place < queue->count; place++) {
    queue->heap[place] = queue->heap[place + 1];
  }
  queue->heap[place] = never;
}

/* The entry at `place` goes, and the last one finds a new place. Few entries become a row. */
static void close_heap(event_queue *queue, uint32_t place)
{
  const event_queue_entry last = queue->heap[--queue->count];

  queue->heap[queue->count] = never;
  if (place < queue->count) {
    if (place > 0 && runs_before(last, queue->heap[(place - 1) / HEAP_CHILDREN])) {
      sift_up_heap(queue, place, last);
    } else {
      sift_down_heap(queue, place, last);
    }
  }
  if (queue->count <= HEAP_MIN) {
    queue->is_heap = false;
    for (uint32_t next = 1; next < queue->count; next++) {
      sift_down_row(queue, next, queue->heap[next]);
    }
  }
}

static void close_entry(event_queue *queue, event_queue_timer *timer, uint32_t place)
{
  timer->queued_at = TIME_PS_NEVER;
  if (queue->is_heap) {
    close_heap(queue, place);
  } else {
    close_row(queue, place);
  }
  find_head(queue);
}

/* --- The event queue --- */

void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  uint32_t number = queue->numbers;

  if (queue->free_number > 0) {
    number = queue->free_number - 1;
    queue->free_number = queue->places[number];
  } else {
    if (number == queue->capacity) {
      grow(queue);
    }
    queue->numbers++;
  }
  *timer = (event_queue_timer){.when = TIME_PS_NEVER,
                               .queued_at = TIME_PS_NEVER,
                               .order = class_and_major << EVENT_QUEUE_NUMBER_BITS | number,
                               .minor = minor};
  queue->timers[number] = timer;
}

void event_queue_remove(event_queue *queue, event_queue_timer *timer)
{
  const uint32_t number = number_in(timer->order);

  if (timer->queued_at != TIME_PS_NEVER) {
    close_entry(queue, timer, place_of(queue, timer));
  }
  queue->places[number] = queue->free_number;
  queue->free_number = number + 1;
}

G_GNUC_NO_INLINE void event_queue_set_earlier(event_queue *queue, event_queue_timer *timer)
{
  const event_queue_entry entry = {.when = timer->when, .order = timer->order};
  const bool has_entry = timer->queued_at != TIME_PS_NEVER;

  timer->queued_at = timer->when;
  if (!has_entry) {
    insert(queue, entry);
  } else if (queue->is_heap) {
    sift_up_heap(queue, place_of(queue, timer), entry);
  } else {
    sift_up_row(queue, place_of(queue, timer), entry);
  }
}

inline event_queue_timer *event_queue_first(event_queue *queue)
{
  while (queue->count > 0) {
    event_queue_timer *timer = timer_of(queue, queue->head);
    if (timer->when == queue->head->when) {
      return timer;
    }
    if (timer->when == TIME_PS_NEVER) {
      close_entry(queue, timer, queue->is_heap ? 0 : queue->count - 1);
      continue;
    }
    const event_queue_entry entry = {.when = timer->when, .order = timer->order};
    timer->queued_at = timer->when;
    if (queue->is_heap) {
      sift_down_heap(queue, 0, entry);
    } else if (queue->count > SHORT_ROW_MAX) {
      sift_down_long_row(queue, entry);
    } else {
      sift_down_row(queue, queue->count - 1, entry);
    }
  }
  return NULL;
}

static G_GNUC_NO_INLINE void compare_minor(event_queue *queue, event_queue_entry *entry)
{
  const event_queue_timer *first = timer_of(queue, queue->head);
  const event_queue_timer *other = timer_of(queue, entry);

  if (other->when != entry->when) {
    return; /* the entry is out of date */
  }
  if (other->minor == first->minor) {
    g_error("engine: two timers due at %" G_GINT64_FORMAT
            " ps share class %u, major %u, minor %" G_GUINT64_FORMAT,
            first->when, (unsigned)(event_queue_class_and_major(first) >> 32),
            (unsigned)event_queue_class_and_major(first), first->minor);
  }
  if (other->minor < first->minor) {
    const uint64_t order = entry->order;
    entry->order = queue->head->order;
    queue->head->order = order;
    if (queue->is_heap) {
      put(queue, (uint32_t)(entry - queue->heap), *entry);
      put(queue, 0, *queue->head);
    }
  }
}

/* Looks below `place`, whose entry is tied with the head's, for others that are: nothing but those stands on
 * the way to them. */
static void find_least_minor(event_queue *queue, uint32_t place)
{
  const uint32_t child = place * HEAP_CHILDREN + 1;

  for (uint32_t i = child; i < MIN(child + HEAP_CHILDREN, queue->count); i++) {
    if (is_tied(&queue->heap[i], queue->head)) {
      find_least_minor(queue, i);
      compare_minor(queue, &queue->heap[i]);
    }
  }
}

event_queue_timer *event_queue_take(event_queue *queue)
{
  const event_queue_entry *heap = queue->heap;
  event_queue_entry *head = queue->head;

  if (!queue->is_heap) {
    for (event_queue_entry *next = head - 1; is_tied(next, head); next--) {
      compare_minor(queue, next);
    }
  } else if (is_tied(&heap[1], head) || is_tied(&heap[2], head) || is_tied(&heap[3], head) ||
             is_tied(&heap[4], head)) {
    find_least_minor(queue, 0);
  }
  event_queue_timer *first = timer_of(queue, head);
  first->when = TIME_PS_NEVER;
  return first;
}
