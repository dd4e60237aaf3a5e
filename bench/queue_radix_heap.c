/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "queue_designs.h"

/* Bucket 0 has the moment of the timer taken last, bucket n those that differ from it in bit n - 1 and in
 * none above. */
enum { BUCKETS = 64, INDEX_BITS = 26 };

typedef struct radix_entry {
  time_ps when;
  event_queue_timer *timer;
} radix_entry;

typedef struct radix_bucket {
  radix_entry *entries;
  uint32_t count;
  uint32_t capacity;
} radix_bucket;

typedef struct radix_heap {
  time_ps last;
  uint64_t in_use; /* bit n: bucket n is not empty */
  radix_bucket buckets[BUCKETS];
} radix_heap;

static void *new_queue(void)
{
  return g_new0(radix_heap, 1);
}

static void free_queue(void *queue)
{
  radix_heap *heap = queue;

  for (int i = 0; i < BUCKETS; i++) {
    g_free(heap->buckets[i].entries);
  }
  g_free(heap);
}

static uint32_t bucket_of(const radix_heap *heap, time_ps when)
{
  return when == heap->last ? 0 : 64 - (uint32_t)__builtin_clzll((uint64_t)(when ^ heap->last));
}

static void add(radix_heap *heap, event_queue_timer *timer)
{
  uint32_t number = bucket_of(heap, timer->when);
  radix_bucket *bucket = &heap->buckets[number];

  if (bucket->count == bucket->capacity) {
    bucket->capacity = MAX(bucket->capacity * 2, 8);
    bucket->entries = g_renew(radix_entry, bucket->entries, bucket->capacity);
  }
  timer->place = number << INDEX_BITS | bucket->count;
  bucket->entries[bucket->count++] = (radix_entry){timer->when, timer};
  heap->in_use |= UINT64_C(1) << number;
}

static void remove_at(radix_heap *heap, uint32_t place)
{
  uint32_t number = place >> INDEX_BITS;
  uint32_t index = place & ((1U << INDEX_BITS) - 1);
  radix_bucket *bucket = &heap->buckets[number];

  bucket->entries[index].timer->place = EVENT_QUEUE_NOWHERE;
  bucket->entries[index] = bucket->entries[--bucket->count];
  if (index < bucket->count) {
    bucket->entries[index].timer->place = place;
  }
  if (bucket->count == 0) {
    heap->in_use &= ~(UINT64_C(1) << number);
  }
}

static void set(void *queue, event_queue_timer *timer, time_ps when, uint64_t minor)
{
  radix_heap *heap = queue;
  uint32_t place = timer->place;

  timer->when = when;
  timer->minor = minor;
  if (place != EVENT_QUEUE_NOWHERE) {
    radix_bucket *bucket = &heap->buckets[place >> INDEX_BITS];
    if (when >= bucket->entries[place & ((1U << INDEX_BITS) - 1)].when) {
      return;
    }
    remove_at(heap, place);
  }
  add(heap, timer);
}

/* Puts the entries of a bucket right that are too early; the rest of them are timers that are due as they
 * stand there. Returns the earliest moment of these. */
static time_ps put_right(radix_heap *heap, radix_bucket *bucket)
{
  time_ps earliest = TIME_PS_NEVER;

  for (uint32_t i = bucket->count; i-- > 0;) {
    event_queue_timer *timer = bucket->entries[i].timer;
    if (timer->when != bucket->entries[i].when) {
      remove_at(heap, timer->place);
      if (timer->when != TIME_PS_NEVER) {
        add(heap, timer);
      }
    }
  }
  for (uint32_t i = 0; i < bucket->count; i++) { /* with those that came into the same bucket again */
    earliest = MIN(earliest, bucket->entries[i].when);
  }
  return earliest;
}

/* Takes the lowest bucket apart, until the first moment's timers are in bucket 0. */
static bool fill_bucket_0(radix_heap *heap)
{
  while (heap->in_use != 0) {
    radix_bucket *bucket = &heap->buckets[__builtin_ctzll(heap->in_use)];
    time_ps earliest = put_right(heap, bucket);
    if (bucket == &heap->buckets[0] && bucket->count > 0) {
      return true;
    }
    if (bucket->count > 0) {
      heap->last = earliest;
      for (uint32_t i = bucket->count; i-- > 0;) {
        event_queue_timer *timer = bucket->entries[i].timer;
        remove_at(heap, timer->place);
        add(heap, timer);
      }
    }
  }
  return false;
}

static event_queue_timer *take(void *queue, time_ps *when)
{
  radix_heap *heap = queue;

  if (!fill_bucket_0(heap)) {
    return NULL;
  }
  const radix_bucket *bucket = &heap->buckets[0];
  event_queue_timer *first = bucket->entries[0].timer;
  for (uint32_t i = 1; i < bucket->count; i++) {
    event_queue_timer *timer = bucket->entries[i].timer;
    if (timer->class_and_major < first->class_and_major ||
        (timer->class_and_major == first->class_and_major && timer->minor < first->minor)) {
      first = timer;
    }
  }
  remove_at(heap, first->place);
  *when = first->when;
  first->when = TIME_PS_NEVER;
  return first;
}

const queue_design queue_radix_heap = {"radix heap", new_queue, free_queue, set, take};
