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

static uint32_t *place_of(event_queue_timer *timer)
{
  return (uint32_t *)((queue_timer *)timer)->rest;
}

static uint32_t bucket_of(const radix_heap *heap, time_ps when)
{
  return when == heap->last ? 0 : 64 - (uint32_t)__builtin_clzll((uint64_t)(when ^ heap->last));
}

static void put(radix_heap *heap, event_queue_timer *timer)
{
  uint32_t number = bucket_of(heap, timer->when);
  radix_bucket *bucket = &heap->buckets[number];

  if (bucket->count == bucket->capacity) {
    bucket->capacity = MAX(bucket->capacity * 2, 8);
    bucket->entries = g_renew(radix_entry, bucket->entries, bucket->capacity);
  }
  *place_of(timer) = number << INDEX_BITS | bucket->count;
  timer->queued_at = timer->when;
  bucket->entries[bucket->count++] = (radix_entry){timer->when, timer};
  heap->in_use |= UINT64_C(1) << number;
}

static void remove_at(radix_heap *heap, uint32_t place)
{
  uint32_t number = place >> INDEX_BITS;
  uint32_t index = place & ((1U << INDEX_BITS) - 1);
  radix_bucket *bucket = &heap->buckets[number];

  *place_of(bucket->entries[index].timer) = UINT32_MAX;
  bucket->entries[index] = bucket->entries[--bucket->count];
  if (index < bucket->count) {
    *place_of(bucket->entries[index].timer) = place;
  }
  if (bucket->count == 0) {
    heap->in_use &= ~(UINT64_C(1) << number);
  }
}

static void add(G_GNUC_UNUSED void *queue, event_queue_timer *timer, uint64_t class_and_major, uint64_t minor)
{
  *timer = (event_queue_timer){
      .when = TIME_PS_NEVER, .order = class_and_major << EVENT_QUEUE_NUMBER_BITS, .minor = minor};
  *place_of(timer) = UINT32_MAX;
}

static void remove_timer(void *queue, event_queue_timer *timer)
{
  if (*place_of(timer) != UINT32_MAX) {
    remove_at(queue, *place_of(timer));
  }
}

static void set(void *queue, event_queue_timer *timer, time_ps when)
{
  radix_heap *heap = queue;
  const uint32_t place = *place_of(timer);

  timer->when = when;
  if (place != UINT32_MAX && when >= timer->queued_at) {
    return;
  }
  if (place != UINT32_MAX) {
    remove_at(heap, place);
  }
  if (when != TIME_PS_NEVER) {
    put(heap, timer);
  }
}

/* Puts the entries of a bucket right that are too early; the rest of them are timers that are due as they
 * stand there. Returns the earliest moment of these. */
static time_ps put_right(radix_heap *heap, radix_bucket *bucket)
{
  time_ps earliest = TIME_PS_NEVER;

  for (uint32_t i = bucket->count; i-- > 0;) {
    event_queue_timer *timer = bucket->entries[i].timer;
    if (timer->when != bucket->entries[i].when) {
      remove_at(heap, *place_of(timer));
      if (timer->when != TIME_PS_NEVER) {
        put(heap, timer);
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
        remove_at(heap, *place_of(timer));
        put(heap, timer);
      }
    }
  }
  return false;
}

/* It cannot be asked ahead of a timer that is set before what is first. */
static event_queue_timer *first(G_GNUC_UNUSED void *queue)
{
  return NULL;
}

static event_queue_timer *take(void *queue)
{
  radix_heap *heap = queue;

  if (!fill_bucket_0(heap)) {
    return NULL;
  }
  const radix_bucket *bucket = &heap->buckets[0];
  event_queue_timer *taken = bucket->entries[0].timer;
  for (uint32_t i = 1; i < bucket->count; i++) {
    event_queue_timer *timer = bucket->entries[i].timer;
    if (timer->order < taken->order || (timer->order == taken->order && timer->minor < taken->minor)) {
      taken = timer;
    }
  }
  remove_at(heap, *place_of(taken));
  taken->when = TIME_PS_NEVER;
  return taken;
}

const queue_design queue_radix_heap = {"radix heap", new_queue, free_queue, add,
                                       remove_timer, set,       first,      take};
