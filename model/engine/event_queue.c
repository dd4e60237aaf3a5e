/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/event_queue.h"

#include <glib.h>
#include <string.h>

/* An empty row takes slots of together at most as many entries as the first. A row of more than the second
 * keeps the third. */
enum { SLOT_MAX = 16, ROW_MAX = 20, ROW_KEPT = 10 };
G_STATIC_ASSERT(SLOT_MAX <= ROW_MAX);

enum { FIRST_ROOM = 128, FIRST_CAPACITY = 128 };

#define NO_NUMBER UINT32_MAX

static const event_queue_entry never = {.when = TIME_PS_NEVER, .order = UINT64_MAX};

void event_queue_clear(event_queue *queue)
{
  g_free(queue->memory);
  g_free(queue->timers);
  g_free(queue->nodes);
  g_free(queue->slots);
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

/* --- The slots --- */

/* The lowest digit of a time has fewer bits: in 512 ps about as many packets come on a thousand busy links as
 * the row takes at once. */
enum { FIRST_DIGIT_BITS = 9 };

/* The bits of a key that are below the digit of each level. */
static const uint8_t below_digit[EVENT_QUEUE_LEVELS] = {0, 12, 24, 0, 9, 21, 33, 45, 57};

/* The slot of an entry: of the highest digit in which it differs from the base. It stays the same while the
 * base moves within the first slot in use. */
static inline uint32_t slot_of(const event_queue *queue, time_ps when, uint64_t class_and_major)
{
  uint64_t value = (uint64_t)when;
  uint64_t differing = value ^ (uint64_t)queue->base.when;
  uint32_t bits_before = (EVENT_QUEUE_ORDER_LEVELS + 1) * EVENT_QUEUE_DIGIT_BITS - FIRST_DIGIT_BITS;

  if (differing == 0) {
    value = class_and_major;
    differing = (value ^ queue->base.order >> EVENT_QUEUE_NUMBER_BITS) | 1;
    bits_before = 0;
  }
  const uint32_t level = (bits_before + 63 - (uint32_t)__builtin_clzll(differing)) / EVENT_QUEUE_DIGIT_BITS;
  return level * EVENT_QUEUE_DIGITS + ((uint32_t)(value >> below_digit[level]) & (EVENT_QUEUE_DIGITS - 1));
}

/* The same of a timer: mostly the time is enough, and the timer need not come into the cache. */
static inline uint32_t slot_of_timer(const event_queue *queue, uint32_t number, time_ps when)
{
  return slot_of(queue, when,
                 when == queue->base.when ? event_queue_class_and_major(queue->timers[number]) : 0);
}

static inline void empty_slot(event_queue *queue, uint32_t slot)
{
  const uint32_t word = slot / 64, level = slot / EVENT_QUEUE_DIGITS;

  queue->slots_in_use[word] &= ~(UINT64_C(1) << slot % 64);
  if (queue->slots_in_use[word] == 0) {
    queue->words_in_use[level] &= ~(UINT64_C(1) << word % EVENT_QUEUE_WORDS);
    if (queue->words_in_use[level] == 0) {
      queue->levels_in_use &= ~(1U << level);
    }
  }
}

/* The first slot in use of a level that has one. */
static inline uint32_t first_slot(const event_queue *queue, uint32_t level)
{
  const uint32_t word = level * EVENT_QUEUE_WORDS + (uint32_t)__builtin_ctzll(queue->words_in_use[level]);

  return word * 64 + (uint32_t)__builtin_ctzll(queue->slots_in_use[word]);
}

static void put(event_queue *queue, uint32_t number, time_ps when)
{
  const uint32_t slot = slot_of_timer(queue, number, when);
  uint64_t *const word = &queue->slots_in_use[slot / 64];
  const bool is_in_use = *word >> slot % 64 & 1;
  const uint32_t next = is_in_use ? queue->slots[slot] : NO_NUMBER;

  queue->slots[slot] = number;
  queue->nodes[number] = (event_queue_node){.when = when, .next = next, .previous = NO_NUMBER};
  if (is_in_use) {
    queue->nodes[next].previous = number;
    return;
  }
  *word |= UINT64_C(1) << slot % 64;
  queue->words_in_use[slot / EVENT_QUEUE_DIGITS] |= UINT64_C(1) << slot / 64 % EVENT_QUEUE_WORDS;
  queue->levels_in_use |= 1U << slot / EVENT_QUEUE_DIGITS;
}

static void unlink_node(event_queue *queue, uint32_t number)
{
  const event_queue_node node = queue->nodes[number];

  if (node.next != NO_NUMBER) {
    queue->nodes[node.next].previous = node.previous;
  }
  if (node.previous != NO_NUMBER) {
    queue->nodes[node.previous].next = node.next;
  } else {
    const uint32_t slot = slot_of_timer(queue, number, node.when);
    queue->slots[slot] = node.next;
    if (node.next == NO_NUMBER) {
      empty_slot(queue, slot);
    }
  }
}

/* Puts the entries of a slot where they belong now that the base has changed. */
static void deal_out(event_queue *queue, uint32_t slot)
{
  empty_slot(queue, slot);
  for (uint32_t number = queue->slots[slot]; number != NO_NUMBER;) {
    const event_queue_node node = queue->nodes[number];
    put(queue, number, node.when);
    number = node.next;
  }
}

/* The base becomes `earlier`: what differs from the old one in lower digits goes to the slot of that. */
static G_GNUC_NO_INLINE void lower_base(event_queue *queue, event_queue_entry earlier)
{
  const event_queue_entry before = queue->base;

  queue->base = earlier;
  const uint32_t slot = slot_of(queue, before.when, before.order >> EVENT_QUEUE_NUMBER_BITS);
  for (uint32_t level = 0; level < slot / EVENT_QUEUE_DIGITS; level++) {
    while (queue->words_in_use[level] != 0) {
      deal_out(queue, first_slot(queue, level));
    }
  }
}

/* --- The row --- */

static inline uint32_t row_count(const event_queue *queue)
{
  return (uint32_t)(queue->row_end - queue->row);
}

/* Makes room for `more` entries after the row, and for the one before it that is never due. */
static G_GNUC_NO_INLINE void make_room(event_queue *queue, uint32_t more)
{
  const uint32_t count = row_count(queue);
  const event_queue_entry *before = queue->row;
  event_queue_entry *old = NULL;

  if (queue->memory == NULL || queue->room < 2 * (count + more)) {
    old = queue->memory;
    queue->room = MAX(2 * (count + more), FIRST_ROOM);
    queue->memory = g_new(event_queue_entry, queue->room);
  }
  queue->row = queue->memory + (queue->room - count - more + 1) / 2;
  if (count > 0) { /* the first time there is no memory before */
    memmove(queue->row, before, count * sizeof *before);
  }
  queue->row[-1] = never;
  queue->row_end = queue->row + count;
  g_free(old);
}

static inline bool has_room(const event_queue *queue, uint32_t more)
{
  return queue->row_end + more <= queue->memory + queue->room;
}

/* In front of the row stands an entry that is never due. */
static inline void sift_down_row(event_queue_entry *head, event_queue_entry entry)
{
  event_queue_entry *to = head;

  for (; to[-1].when < entry.when; to--) {
    *to = to[-1];
  }
  for (; !runs_before(entry, to[-1]); to--) { /* those of the same picosecond */
    *to = to[-1];
  }
  *to = entry;
}

static void close_row(event_queue *queue, uint64_t order)
{
  event_queue_entry *place = queue->row_end - 1;

  while (place->order != order) {
    place--;
  }
  for (; place < queue->row_end - 1; place++) {
    place[0] = place[1];
  }
  queue->row_end--;
}

/* The later ones of the row go to slots; those of one class and major stay together. */
static void shorten_row(event_queue *queue)
{
  event_queue_entry *kept = queue->row_end - ROW_KEPT;

  while (kept > queue->row && is_tied(kept - 1, kept)) {
    kept--;
  }
  if (kept == queue->row) {
    return;
  }
  queue->end = kept[-1];
  queue->end.order &= ~(uint64_t)number_in(UINT64_MAX);
  if (queue->levels_in_use == 0) {
    queue->base = queue->end;
  } else if (runs_before(queue->end, queue->base)) {
    lower_base(queue, queue->end);
  }
  for (const event_queue_entry *entry = queue->row; entry < kept; entry++) {
    put(queue, number_in(entry->order), entry->when);
  }
  queue->row = kept;
  queue->row[-1] = never;
}

static G_GNUC_NO_INLINE void insert_in_full_row(event_queue *queue, event_queue_entry entry)
{
  shorten_row(queue);
  if (!has_room(queue, ROW_MAX)) {
    make_room(queue, ROW_MAX);
  }
  if (runs_before(entry, queue->end)) {
    sift_down_row(queue->row_end++, entry);
  } else {
    put(queue, number_in(entry.order), entry.when);
  }
}

static inline void insert(event_queue *queue, event_queue_entry entry)
{
  if (!runs_before(entry, queue->end)) {
    put(queue, number_in(entry.order), entry.when);
  } else if (row_count(queue) >= ROW_MAX || !has_room(queue, 1)) {
    insert_in_full_row(queue, entry);
  } else {
    sift_down_row(queue->row_end++, entry);
  }
}

/* Returns where the slots of a level begin from number `place` on. */
static inline event_queue_entry start_of(const event_queue *queue, uint32_t level, uint64_t place)
{
  const uint64_t kept = ~((UINT64_C(1) << below_digit[level] << EVENT_QUEUE_DIGIT_BITS) - 1);
  const bool is_order = level < EVENT_QUEUE_ORDER_LEVELS;
  const uint64_t key = is_order ? queue->base.order >> EVENT_QUEUE_NUMBER_BITS : (uint64_t)queue->base.when;
  const uint64_t start = (key & kept) + (place << below_digit[level]);

  return is_order ? (event_queue_entry){.when = queue->base.when +
                                                (time_ps)(start >> (64 - EVENT_QUEUE_NUMBER_BITS)),
                                        .order = start << EVENT_QUEUE_NUMBER_BITS}
                  : (event_queue_entry){.when = (time_ps)MIN(start, (uint64_t)TIME_PS_NEVER)};
}

/* The entries of a slot go to the row; those that are out of date where they belong. */
static inline void pour(event_queue *queue, uint32_t slot)
{
  for (uint32_t number = queue->slots[slot]; number != NO_NUMBER;) {
    event_queue_timer *timer = queue->timers[number];
    const uint32_t next = queue->nodes[number].next;
    const event_queue_entry entry = {.when = timer->when, .order = timer->order};

    timer->queued_at = timer->when;
    if (runs_before(entry, queue->end)) {
      sift_down_row(queue->row_end++, entry);
    } else if (timer->when != TIME_PS_NEVER) {
      put(queue, number, timer->when);
    }
    number = next;
  }
}

/* Returns those of a word's slots, a bit each, that the row takes: the first ones, with at most SLOT_MAX
 * entries together; `count` is at least how many these are. 0: the first slot has more. Entries with one
 * time, class and major stay together, however many they are. */
static inline uint64_t slots_to_take(const event_queue *queue, uint32_t word, uint32_t *count)
{
  uint64_t rest = queue->slots_in_use[word];

  for (*count = 0; rest != 0; rest &= rest - 1) {
    const bool is_whole = word < EVENT_QUEUE_WORDS && rest == queue->slots_in_use[word];
    uint32_t number = queue->slots[word * 64 + (uint32_t)__builtin_ctzll(rest)];
    for (; number != NO_NUMBER && (*count < SLOT_MAX || is_whole); ++*count) {
      number = queue->nodes[number].next;
    }
    if (number != NO_NUMBER) {
      break;
    }
  }
  return queue->slots_in_use[word] ^ rest;
}

/* Fills the empty row. False when nothing is due. The last of the slots comes first, so that an entry passes
 * in the row only those of its own slot. A row that takes all of a word ends where the word does: what comes
 * next mostly goes to the row at once. */
static G_GNUC_NO_INLINE bool refill(event_queue *queue)
{
  while (queue->levels_in_use != 0 && row_count(queue) == 0) {
    const uint32_t level = (uint32_t)__builtin_ctz(queue->levels_in_use);
    const uint32_t first = first_slot(queue, level);
    const uint32_t last_of_word = first | 63;
    uint32_t count;
    uint64_t taken = slots_to_take(queue, first / 64, &count);

    queue->base = start_of(queue, level, first % EVENT_QUEUE_DIGITS);
    if (taken == 0) {
      deal_out(queue, first);
      continue;
    }
    const uint32_t last = taken == queue->slots_in_use[first / 64]
                              ? last_of_word
                              : last_of_word - (uint32_t)__builtin_clzll(taken);
    queue->end = start_of(queue, level, last % EVENT_QUEUE_DIGITS + 1);
    if (!has_room(queue, count)) {
      make_room(queue, count);
    }
    while (taken != 0) {
      const uint32_t slot = last_of_word - (uint32_t)__builtin_clzll(taken);
      empty_slot(queue, slot);
      pour(queue, slot);
      taken ^= UINT64_C(1) << slot % 64;
    }
  }
  if (queue->levels_in_use == 0) {
    queue->end = never;
  }
  return row_count(queue) > 0;
}

/* --- The event queue --- */

/* Makes room for twice as many timers. */
static void grow(event_queue *queue)
{
  const uint32_t capacity = MAX(queue->capacity * 2, FIRST_CAPACITY);

  if (capacity > 1U << EVENT_QUEUE_NUMBER_BITS) {
    g_error("engine: no memory for %u timers", capacity);
  }
  queue->timers = g_renew(event_queue_timer *, queue->timers, capacity);
  queue->nodes = g_renew(event_queue_node, queue->nodes, capacity);
  queue->capacity = capacity;
  if (queue->memory == NULL) {
    queue->slots = g_new(uint32_t, EVENT_QUEUE_LEVELS * EVENT_QUEUE_DIGITS);
    make_room(queue, ROW_MAX);
  }
}

void event_queue_add(event_queue *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  uint32_t number = queue->numbers;

  if (queue->free_number > 0) {
    number = queue->free_number - 1;
    queue->free_number = queue->nodes[number].next;
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

static void close_entry(event_queue *queue, event_queue_timer *timer)
{
  if (timer->queued_at == TIME_PS_NEVER) {
    return;
  }
  if (runs_before((event_queue_entry){.when = timer->queued_at, .order = timer->order}, queue->end)) {
    close_row(queue, timer->order);
  } else {
    unlink_node(queue, number_in(timer->order));
  }
}

void event_queue_remove(event_queue *queue, event_queue_timer *timer)
{
  const uint32_t number = number_in(timer->order);

  close_entry(queue, timer);
  queue->nodes[number].next = queue->free_number;
  queue->free_number = number + 1;
}

static G_GNUC_NO_INLINE void set_earlier(event_queue *queue, event_queue_timer *timer)
{
  close_entry(queue, timer);
  timer->queued_at = timer->when;
  insert(queue, (event_queue_entry){.when = timer->when, .order = timer->order});
}

inline void event_queue_set(event_queue *queue, event_queue_timer *timer, time_ps when)
{
  timer->when = when;
  if (when < timer->queued_at) {
    set_earlier(queue, timer);
  }
}

inline event_queue_timer *event_queue_first(event_queue *queue)
{
  while (queue->row_end > queue->row || refill(queue)) {
    const event_queue_entry *head = queue->row_end - 1;
    event_queue_timer *timer = timer_of(queue, head);
    const event_queue_entry entry = {.when = timer->when, .order = timer->order};

    if (timer->when == head->when) {
      return timer;
    }
    timer->queued_at = timer->when;
    if (timer->when == TIME_PS_NEVER || !runs_before(entry, queue->end)) {
      queue->row_end--;
      if (timer->when != TIME_PS_NEVER) {
        put(queue, number_in(timer->order), timer->when);
      }
    } else {
      sift_down_row(queue->row_end - 1, entry);
    }
  }
  return NULL;
}

static G_GNUC_NO_INLINE void compare_minor(const event_queue *queue, event_queue_entry *head,
                                           event_queue_entry *tied)
{
  const event_queue_timer *first = timer_of(queue, head);
  const event_queue_timer *other = timer_of(queue, tied);

  if (other->when != tied->when) {
    return; /* the entry is out of date */
  }
  if (other->minor == first->minor) {
    g_error("engine: two timers due at %" G_GINT64_FORMAT
            " ps share class %u, major %u, minor %" G_GUINT64_FORMAT,
            first->when, (unsigned)(event_queue_class_and_major(first) >> 32),
            (unsigned)event_queue_class_and_major(first), first->minor);
  }
  if (other->minor < first->minor) {
    const uint64_t order = tied->order;
    tied->order = head->order;
    head->order = order;
  }
}

event_queue_timer *event_queue_take(event_queue *queue)
{
  event_queue_entry *head = queue->row_end - 1;

  for (event_queue_entry *tied = head - 1; is_tied(tied, head); tied--) {
    compare_minor(queue, head, tied);
  }
  event_queue_timer *first = timer_of(queue, head);
  first->when = TIME_PS_NEVER;
  return first;
}
