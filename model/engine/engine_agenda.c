/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/engine_agenda.h"

#include <glib.h>
#include <stdlib.h>

enum { HEAP_CHILDREN = 4, CACHE_LINE_OCTETS = 64, FIRST_CAPACITY = 16 };

/* More entries than the first make a heap of the row; as few as the second make a row of the heap again: far enough apart that a timer
 * that comes and goes does not put them in order each time. */
enum { ROW_MAX = 12, HEAP_MIN = 6 };

/* Room in front of the heap, in entries, so that the four children of a node, from number 4 · n + 1 on, fill whole cache lines. The
 * last of it has an entry that is never due, in front of the row. */
enum { ROOM_IN_FRONT = CACHE_LINE_OCTETS / sizeof(engine_agenda_entry) - 1 };
G_STATIC_ASSERT(ROOM_IN_FRONT >= 1);

static const engine_agenda_entry never = {.when = TIME_PS_NEVER};

void engine_agenda_clear(engine_agenda *agenda)
{
  free(agenda->memory);
  *agenda = (engine_agenda){0};
}

/* --- Entries --- */

static bool tie_runs_before(const engine_agenda_entry *a, const engine_agenda_entry *b)
{
  if (a->class_and_major != b->class_and_major) {
    return a->class_and_major < b->class_and_major;
  }
  return a->minor < b->minor;
}

static bool runs_before(const engine_agenda_entry *a, const engine_agenda_entry *b)
{
  return a->when != b->when ? a->when < b->when : tie_runs_before(a, b);
}

static bool is_up_to_date(const engine_agenda_entry *entry)
{
  return entry->timer->when == entry->when && entry->timer->minor == entry->minor;
}

/* --- The row and the heap --- */

/* An entry that looks for its place. Its key goes from function to function in registers: an entry that is copied right after its fields
 * were written makes the processor wait for them. */
static inline bool key_runs_before(time_ps when, uint64_t class_and_major, uint64_t minor,
                                   const engine_agenda_entry *other)
{
  if (when != other->when) {
    return when < other->when;
  }
  return class_and_major != other->class_and_major ? class_and_major < other->class_and_major
                                                   : minor < other->minor;
}

static void move(engine_agenda *agenda, uint32_t place, const engine_agenda_entry *from)
{
  agenda->heap[place] = *from;
  from->timer->place = place;
}

/* The entry of `timer` at `when` and `minor` comes to `place`. */
static inline void put(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer, time_ps when,
                       uint64_t minor)
{
  engine_agenda_entry *entry = &agenda->heap[place];

  entry->when = when;
  entry->class_and_major = timer->class_and_major;
  entry->minor = minor;
  entry->timer = timer;
  timer->place = place;
}

/* After entries came or went. */
static inline void find_head(engine_agenda *agenda)
{
  agenda->head = agenda->is_heap ? agenda->heap : agenda->heap + agenda->count - 1;
}

/* Finds the place of the entry of `timer` at `when` and `minor` from the vacant `place` upwards, to what is due earlier, and puts it
 * there. */
static void sift_up_heap(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer, time_ps when,
                         uint64_t minor)
{
  while (place > 0) {
    uint32_t above = (place - 1) / HEAP_CHILDREN;
    if (!key_runs_before(when, timer->class_and_major, minor, &agenda->heap[above])) {
      break;
    }
    move(agenda, place, &agenda->heap[above]);
    place = above;
  }
  put(agenda, place, timer, when, minor);
}

static void sift_up_row(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer, time_ps when,
                        uint64_t minor)
{
  for (; place + 1 < agenda->count; place++) {
    const engine_agenda_entry *above = &agenda->heap[place + 1];
    if (!key_runs_before(when, timer->class_and_major, minor, above)) {
      break;
    }
    move(agenda, place, above);
  }
  put(agenda, place, timer, when, minor);
}

static G_GNUC_NO_INLINE void sift_up(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer,
                                     time_ps when, uint64_t minor)
{
  if (agenda->is_heap) {
    sift_up_heap(agenda, place, timer, when, minor);
  } else {
    sift_up_row(agenda, place, timer, when, minor);
  }
}

static const engine_agenda_entry *earlier(const engine_agenda_entry *a, const engine_agenda_entry *b)
{
  return runs_before(b, a) ? b : a;
}

/* The earliest moment of the four. */
static inline time_ps earliest_of(const engine_agenda_entry children[HEAP_CHILDREN])
{
  return MIN(MIN(children[0].when, children[1].when), MIN(children[2].when, children[3].when));
}

/* Which of the four, whose earliest moment is `earliest`, runs first; without branches when it is the only one of that moment, as
 * nobody could foretell them. */
static const engine_agenda_entry *first_of(const engine_agenda_entry children[HEAP_CHILDREN],
                                           time_ps earliest)
{
  bool is_1 = children[1].when == earliest;
  bool is_2 = children[2].when == earliest;
  bool is_3 = children[3].when == earliest;

  if ((children[0].when == earliest) + is_1 + is_2 + is_3 > 1) {
    return earlier(earlier(children, children + 1), earlier(children + 2, children + 3));
  }
  return children + is_1 + 2 * is_2 + 3 * is_3;
}

static G_GNUC_NO_INLINE void sift_down_heap(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer,
                                            time_ps when, uint64_t minor)
{
  for (uint32_t child; (child = place * HEAP_CHILDREN + 1) < agenda->count;) {
    const engine_agenda_entry *children = &agenda->heap[child];
    time_ps earliest = earliest_of(children);
    if (when < earliest) {
      break;
    }
    const engine_agenda_entry *first = first_of(children, earliest);
    if (key_runs_before(when, timer->class_and_major, minor, first)) {
      break;
    }
    move(agenda, place, first);
    place = child + (uint32_t)(first - children);
  }
  put(agenda, place, timer, when, minor);
}

/* In front of the row stands an entry that is never due. */
static inline void sift_down_row(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer,
                                 time_ps when, uint64_t minor)
{
  const engine_agenda_entry *next = &agenda->heap[place] - 1;

  while (!key_runs_before(when, timer->class_and_major, minor, next)) {
    move(agenda, place--, next--);
  }
  put(agenda, place, timer, when, minor);
}

/* Finds the place of the entry of `timer` at `when` (not never) and `minor` from the vacant `place` downwards and puts it there. */
static inline void sift_down(engine_agenda *agenda, uint32_t place, engine_agenda_timer *timer, time_ps when,
                             uint64_t minor)
{
  if (agenda->is_heap) {
    sift_down_heap(agenda, place, timer, when, minor);
  } else {
    sift_down_row(agenda, place, timer, when, minor);
  }
}

/* Behind the entries in use, and behind room for all, stand those that are never due: so each node has four children. */
static void grow(engine_agenda *agenda)
{
  uint32_t capacity = MAX(agenda->capacity * 2, FIRST_CAPACITY);
  uint32_t slots = capacity + HEAP_CHILDREN;
  size_t lines = (slots + ROOM_IN_FRONT) * sizeof(engine_agenda_entry) / CACHE_LINE_OCTETS + 1;
  engine_agenda_entry *memory = aligned_alloc(CACHE_LINE_OCTETS, lines * CACHE_LINE_OCTETS);

  if (memory == NULL) {
    g_error("engine: no memory for %u timers", capacity);
  }
  memory[ROOM_IN_FRONT - 1] = never;
  for (uint32_t i = 0; i < slots; i++) {
    memory[ROOM_IN_FRONT + i] = i < agenda->count ? agenda->heap[i] : never;
  }
  free(agenda->memory);
  agenda->memory = memory;
  agenda->heap = memory + ROOM_IN_FRONT;
  agenda->capacity = capacity;
}

/* A row from its other end is a heap. */
static void make_heap(engine_agenda *agenda)
{
  agenda->is_heap = true;
  for (uint32_t low = 0, high = agenda->count - 1; low < high; low++, high--) {
    const engine_agenda_entry entry = agenda->heap[low];
    move(agenda, low, &agenda->heap[high]);
    move(agenda, high, &entry);
  }
}

static G_GNUC_NO_INLINE void insert(engine_agenda *agenda, engine_agenda_timer *timer)
{
  if (agenda->count == agenda->capacity) {
    grow(agenda);
  }
  if (agenda->count == ROW_MAX && !agenda->is_heap) {
    make_heap(agenda);
  }
  uint32_t place = agenda->count++;
  find_head(agenda);
  if (agenda->is_heap) {
    sift_up_heap(agenda, place, timer, timer->when, timer->minor);
  } else {
    sift_down_row(agenda, place, timer, timer->when, timer->minor);
  }
}

/* Puts the few entries of what was a heap in order. */
static void make_row(engine_agenda *agenda)
{
  agenda->is_heap = false;
  for (uint32_t place = 1; place < agenda->count; place++) {
    const engine_agenda_entry entry = agenda->heap[place];
    sift_down_row(agenda, place, entry.timer, entry.when, entry.minor);
  }
}

/* The entry at `place` goes, and what is due earlier moves up to it. */
static void close_row(engine_agenda *agenda, uint32_t place)
{
  for (agenda->count--; place < agenda->count; place++) {
    move(agenda, place, &agenda->heap[place + 1]);
  }
  agenda->heap[place] = never;
}

/* The entry at `place` goes, and the last one finds a new place. */
static void close_heap(engine_agenda *agenda, uint32_t place)
{
  engine_agenda_entry last = agenda->heap[--agenda->count];
  agenda->heap[agenda->count] = never;
  if (place < agenda->count) {
    if (place > 0 && runs_before(&last, &agenda->heap[(place - 1) / HEAP_CHILDREN])) {
      sift_up_heap(agenda, place, last.timer, last.when, last.minor);
    } else {
      sift_down_heap(agenda, place, last.timer, last.when, last.minor);
    }
  }
  if (agenda->count <= HEAP_MIN) {
    make_row(agenda);
  }
}

/* --- The agenda --- */

void engine_agenda_remove(engine_agenda *agenda, engine_agenda_timer *timer)
{
  uint32_t place = timer->place;

  if (place == ENGINE_AGENDA_NOWHERE) {
    return;
  }
  timer->place = ENGINE_AGENDA_NOWHERE;
  if (agenda->is_heap) {
    close_heap(agenda, place);
  } else {
    close_row(agenda, place);
  }
  find_head(agenda);
}

void engine_agenda_set(engine_agenda *agenda, engine_agenda_timer *timer, time_ps when, uint64_t minor)
{
  uint32_t place = timer->place;

  timer->when = when;
  timer->minor = minor;
  if (place == ENGINE_AGENDA_NOWHERE) {
    if (when != TIME_PS_NEVER) {
      insert(agenda, timer);
    }
    return;
  }
  const engine_agenda_entry *entry = &agenda->heap[place];
  if (when < entry->when || (when == entry->when && minor < entry->minor)) {
    sift_up(agenda, place, timer, when, minor);
  }
}

engine_agenda_timer *engine_agenda_first(engine_agenda *agenda)
{
  while (agenda->count > 0) {
    engine_agenda_timer *timer = agenda->head->timer;
    if (is_up_to_date(agenda->head)) {
      return timer;
    }
    if (timer->when == TIME_PS_NEVER) {
      engine_agenda_remove(agenda, timer);
    } else {
      sift_down(agenda, timer->place, timer, timer->when, timer->minor);
    }
  }
  return NULL;
}

/* Whether below `place`, whose timer is due, there is another that is due with the same keys. Those that are out of date stand on
 * the way to it at most. */
static bool has_twin_below(const engine_agenda *agenda, uint32_t place)
{
  const engine_agenda_entry *parent = &agenda->heap[place];
  uint32_t child = place * HEAP_CHILDREN + 1;

  for (uint32_t behind = MIN(child + HEAP_CHILDREN, agenda->count); child < behind; child++) {
    const engine_agenda_entry *entry = &agenda->heap[child];
    if (entry->when == parent->when && !tie_runs_before(parent, entry) &&
        (is_up_to_date(entry) || has_twin_below(agenda, child))) {
      return true;
    }
  }
  return false;
}

static bool row_has_twin(const engine_agenda *agenda)
{
  const engine_agenda_entry *head = agenda->head;

  for (const engine_agenda_entry *next = head - 1; next->when == head->when; next--) {
    if (!tie_runs_before(head, next) && is_up_to_date(next)) {
      return true;
    }
  }
  return false;
}

static bool head_has_twin(const engine_agenda *agenda)
{
  const engine_agenda_entry *heap = agenda->heap;
  time_ps when = agenda->head->when;

  if (!agenda->is_heap) {
    return agenda->head[-1].when == when && row_has_twin(agenda);
  }
  bool is_tied = heap[1].when == when || heap[2].when == when || heap[3].when == when || heap[4].when == when;
  return is_tied && has_twin_below(agenda, 0);
}

void engine_agenda_take(engine_agenda *agenda, engine_agenda_timer *first)
{
  if (head_has_twin(agenda)) {
    g_error("engine: two timers due at %" G_GINT64_FORMAT
            " ps share class %u, major %u, minor %" G_GUINT64_FORMAT,
            first->when, (unsigned)(first->class_and_major >> 32), (unsigned)(uint32_t)first->class_and_major,
            first->minor);
  }
  first->when = TIME_PS_NEVER;
}
