/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/event_queue.h"

#include <glib.h>
#include <stdlib.h>

enum { HEAP_CHILDREN = 4, CACHE_LINE_OCTETS = 64, FIRST_CAPACITY = 16 };

/* More entries than the first make a heap of the row; as few as the second make a row of the heap again: far
 * enough apart that a timer that comes and goes does not put them in order each time. */
enum { ROW_MAX = 20, HEAP_MIN = 10 };

/* This is room in front of the heap, in entries, so that the four children of a node, from number 4 · n + 1
 * on, fill whole cache lines. The last of it has an entry that is never due, in front of the row. */
enum { ROOM_IN_FRONT = CACHE_LINE_OCTETS / sizeof(event_queue_entry) - 1 };
G_STATIC_ASSERT(ROOM_IN_FRONT >= 1);

static const event_queue_entry never = {.when = TIME_PS_NEVER};

void event_queue_clear(event_queue *queue)
{
  free(queue->memory);
  *queue = (event_queue){0};
}

/* --- Entries --- */

static bool tie_runs_before(const event_queue_entry *a, const event_queue_entry *b)
{
  if (a->class_and_major != b->class_and_major) {
    return a->class_and_major < b->class_and_major;
  }
  return a->minor < b->minor;
}

static bool runs_before(const event_queue_entry *a, const event_queue_entry *b)
{
  return a->when != b->when ? a->when < b->when : tie_runs_before(a, b);
}

static bool is_up_to_date(const event_queue_entry *entry)
{
  return entry->timer->when == entry->when && entry->timer->minor == entry->minor;
}

/* --- The row and the heap --- */

/* This is an entry that looks for its place. Its key goes from function to function in registers: an entry
 * that is copied right after its fields were written makes the processor wait for them. */
static inline bool key_runs_before(time_ps when, uint64_t class_and_major, uint64_t minor,
                                   const event_queue_entry *other)
{
  if (when != other->when) {
    return when < other->when;
  }
  return class_and_major != other->class_and_major ? class_and_major < other->class_and_major
                                                   : minor < other->minor;
}

static void move(event_queue *queue, uint32_t place, const event_queue_entry *from)
{
  queue->heap[place] = *from;
  from->timer->place = place;
}

/* The entry of `timer` at `when` and `minor` comes to `place`. */
static inline void put(event_queue *queue, uint32_t place, event_queue_timer *timer, time_ps when,
                       uint64_t minor)
{
  event_queue_entry *entry = &queue->heap[place];

  entry->when = when;
  entry->class_and_major = timer->class_and_major;
  entry->minor = minor;
  entry->timer = timer;
  timer->place = place;
}

/* Does what is to be done after entries came or went. */
static inline void find_head(event_queue *queue)
{
  queue->head = queue->is_heap ? queue->heap : queue->heap + queue->count - 1;
}

/* Finds the place of the entry of `timer` at `when` and `minor` from the vacant `place` upwards, to what is
 * due earlier, and puts it there. */
static void sift_up_heap(event_queue *queue, uint32_t place, event_queue_timer *timer, time_ps when,
                         uint64_t minor)
{
  while (place > 0) {
    uint32_t above = (place - 1) / HEAP_CHILDREN;
    if (!key_runs_before(when, timer->class_and_major, minor, &queue->heap[above])) {
      break;
    }
    move(queue, place, &queue->heap[above]);
    place = above;
  }
  put(queue, place, timer, when, minor);
}

static void sift_up_row(event_queue *queue, uint32_t place, event_queue_timer *timer, time_ps when,
                        uint64_t minor)
{
  for (; place + 1 < queue->count; place++) {
    const event_queue_entry *above = &queue->heap[place + 1];
    if (!key_runs_before(when, timer->class_and_major, minor, above)) {
      break;
    }
    move(queue, place, above);
  }
  put(queue, place, timer, when, minor);
}

static G_GNUC_NO_INLINE void sift_up(event_queue *queue, uint32_t place, event_queue_timer *timer,
                                     time_ps when, uint64_t minor)
{
  if (queue->is_heap) {
    sift_up_heap(queue, place, timer, when, minor);
  } else {
    sift_up_row(queue, place, timer, when, minor);
  }
}

static const event_queue_entry *earlier(const event_queue_entry *a, const event_queue_entry *b)
{
  return runs_before(b, a) ? b : a;
}

/* Returns the earliest moment of the four. */
static inline time_ps earliest_of(const event_queue_entry children[HEAP_CHILDREN])
{
  return MIN(MIN(children[0].when, children[1].when), MIN(children[2].when, children[3].when));
}

/* Returns which of the four, whose earliest moment is `earliest`, runs first; without branches when it is the
 * only one of that moment, as they could not be foreseen. */
static const event_queue_entry *first_of(const event_queue_entry children[HEAP_CHILDREN], time_ps earliest)
{
  bool is_1 = children[1].when == earliest;
  bool is_2 = children[2].when == earliest;
  bool is_3 = children[3].when == earliest;

  if ((children[0].when == earliest) + is_1 + is_2 + is_3 > 1) {
    return earlier(earlier(children, children + 1), earlier(children + 2, children + 3));
  }
  return children + is_1 + 2 * is_2 + 3 * is_3;
}

static G_GNUC_NO_INLINE void sift_down_heap(event_queue *queue, uint32_t place, event_queue_timer *timer,
                                            time_ps when, uint64_t minor)
{
  for (uint32_t child; (child = place * HEAP_CHILDREN + 1) < queue->count;) {
    const event_queue_entry *children = &queue->heap[child];
    time_ps earliest = earliest_of(children);
    if (when < earliest) {
      break;
    }
    const event_queue_entry *first = first_of(children, earliest);
    if (key_runs_before(when, timer->class_and_major, minor, first)) {
      break;
    }
    move(queue, place, first);
    place = child + (uint32_t)(first - children);
  }
  put(queue, place, timer, when, minor);
}

/* In front of the row stands an entry that is never due. */
static inline void sift_down_row(event_queue *queue, uint32_t place, event_queue_timer *timer, time_ps when,
                                 uint64_t minor)
{
  event_queue_entry *to = &queue->heap[place];

  for (; !key_runs_before(when, timer->class_and_major, minor, to - 1); to--) {
    *to = to[-1];
    to->timer->place = place--;
  }
  put(queue, place, timer, when, minor);
}

/* Finds the place of the entry of `timer` at `when` (not never) and `minor` from the vacant `place` downwards
 * and puts it there. */
static inline void sift_down(event_queue *queue, uint32_t place, event_queue_timer *timer, time_ps when,
                             uint64_t minor)
{
  if (queue->is_heap) {
    sift_down_heap(queue, place, timer, when, minor);
  } else {
    sift_down_row(queue, place, timer, when, minor);
  }
}

/* After the entries in use, and after room for all, stand those that are never due: so each node has four
 * children. */
static void grow(event_queue *queue)
{
  uint32_t capacity = MAX(queue->capacity * 2, FIRST_CAPACITY);
  uint32_t slots = capacity + HEAP_CHILDREN;
  size_t lines = (slots + ROOM_IN_FRONT) * sizeof(event_queue_entry) / CACHE_LINE_OCTETS + 1;
  event_queue_entry *memory = aligned_alloc(CACHE_LINE_OCTETS, lines * CACHE_LINE_OCTETS);

  if (memory == NULL) {
    g_error("engine: no memory for %u timers", capacity);
  }
  memory[ROOM_IN_FRONT - 1] = never;
  for (uint32_t i = 0; i < slots; i++) {
    memory[ROOM_IN_FRONT + i] = i < queue->count ? queue->heap[i] : never;
  }
  free(queue->memory);
  queue->memory = memory;
  queue->heap = memory + ROOM_IN_FRONT;
  queue->capacity = capacity;
}

/* Makes a heap of the row: from its other end it is one. */
static void make_heap(event_queue *queue)
{
  queue->is_heap = true;
  for (uint32_t low = 0, high = queue->count - 1; low < high; low++, high--) {
    const event_queue_entry entry = queue->heap[low];
    move(queue, low, &queue->heap[high]);
    move(queue, high, &entry);
  }
}

static G_GNUC_NO_INLINE void insert(event_queue *queue, event_queue_timer *timer)
{
  if (queue->count == queue->capacity) {
    grow(queue);
  }
  if (queue->count == ROW_MAX && !queue->is_heap) {
    make_heap(queue);
  }
  uint32_t place = queue->count++;
  find_head(queue);
  if (queue->is_heap) {
    sift_up_heap(queue, place, timer, timer->when, timer->minor);
  } else {
    sift_down_row(queue, place, timer, timer->when, timer->minor);
  }
}

/* Puts the few entries of what was a heap in order. */
static void make_row(event_queue *queue)
{
  queue->is_heap = false;
  for (uint32_t place = 1; place < queue->count; place++) {
    const event_queue_entry entry = queue->heap[place];
    sift_down_row(queue, place, entry.timer, entry.when, entry.minor);
  }
}

/* The entry at `place` goes, and what is due earlier moves up to it. */
static void close_row(event_queue *queue, uint32_t place)
{
  for (queue->count--; place < queue->count; place++) {
    move(queue, place, &queue->heap[place + 1]);
  }
  queue->heap[place] = never;
}

/* The entry at `place` goes, and the last one finds a new place. */
static void close_heap(event_queue *queue, uint32_t place)
{
  event_queue_entry last = queue->heap[--queue->count];
  queue->heap[queue->count] = never;
  if (place < queue->count) {
    if (place > 0 && runs_before(&last, &queue->heap[(place - 1) / HEAP_CHILDREN])) {
      sift_up_heap(queue, place, last.timer, last.when, last.minor);
    } else {
      sift_down_heap(queue, place, last.timer, last.when, last.minor);
    }
  }
  if (queue->count <= HEAP_MIN) {
    make_row(queue);
  }
}

/* --- The event queue --- */

void event_queue_remove(event_queue *queue, event_queue_timer *timer)
{
  uint32_t place = timer->place;

  if (place == EVENT_QUEUE_NOWHERE) {
    return;
  }
  timer->place = EVENT_QUEUE_NOWHERE;
  if (queue->is_heap) {
    close_heap(queue, place);
  } else {
    close_row(queue, place);
  }
  find_head(queue);
}

void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when, uint64_t minor)
{
  uint32_t place = timer->place;

  timer->when = when;
  timer->minor = minor;
  if (place == EVENT_QUEUE_NOWHERE) {
    if (when != TIME_PS_NEVER) {
      insert(queue, timer);
    }
    return;
  }
  const event_queue_entry *entry = &queue->heap[place];
  if (when < entry->when || (when == entry->when && minor < entry->minor)) {
    sift_up(queue, place, timer, when, minor);
  }
}

inline event_queue_timer *event_queue_first(event_queue *queue)
{
  while (queue->count > 0) {
    event_queue_timer *timer = queue->head->timer;
    if (is_up_to_date(queue->head)) {
      return timer;
    }
    if (timer->when == TIME_PS_NEVER) {
      event_queue_remove(queue, timer);
    } else {
      sift_down(queue, timer->place, timer, timer->when, timer->minor);
    }
  }
  return NULL;
}

/* Returns whether below `place`, whose timer is due, there is another that is due with the same keys. Those
 * that are out of date stand on the way to it at most. */
static bool has_twin_below(const event_queue *queue, uint32_t place)
{
  const event_queue_entry *parent = &queue->heap[place];
  uint32_t child = place * HEAP_CHILDREN + 1;

  for (uint32_t end = MIN(child + HEAP_CHILDREN, queue->count); child < end; child++) {
    const event_queue_entry *entry = &queue->heap[child];
    if (entry->when == parent->when && !tie_runs_before(parent, entry) &&
        (is_up_to_date(entry) || has_twin_below(queue, child))) {
      return true;
    }
  }
  return false;
}

static bool row_has_twin(const event_queue *queue)
{
  const event_queue_entry *head = queue->head;

  for (const event_queue_entry *next = head - 1; next->when == head->when; next--) {
    if (!tie_runs_before(head, next) && is_up_to_date(next)) {
      return true;
    }
  }
  return false;
}

static bool head_has_twin(const event_queue *queue)
{
  const event_queue_entry *heap = queue->heap;
  time_ps when = queue->head->when;

  if (!queue->is_heap) {
    return queue->head[-1].when == when && row_has_twin(queue);
  }
  bool is_tied = heap[1].when == when || heap[2].when == when || heap[3].when == when || heap[4].when == when;
  return is_tied && has_twin_below(queue, 0);
}

void event_queue_take(event_queue *queue, event_queue_timer *first)
{
  if (head_has_twin(queue)) {
    g_error("engine: two timers due at %" G_GINT64_FORMAT
            " ps share class %u, major %u, minor %" G_GUINT64_FORMAT,
            first->when, (unsigned)(first->class_and_major >> 32), (unsigned)(uint32_t)first->class_and_major,
            first->minor);
  }
  first->when = TIME_PS_NEVER;
}
