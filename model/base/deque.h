/* SPDX-License-Identifier: GPL-2.0-only */
/* A deque is an array of equal elements with room at both ends, for sorted containers and queues.
 *
 * Inserting and removing move the shorter side only, so that both ends are amortised O(1) and a container can
 * be used as a queue without moving the rest. In the middle of very many elements they take O(log count).
 * Elements that were only ever added at the ends lie in one piece. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* It is read by everyone, and written only by the functions below. */
typedef struct deque {
  union {
    uint8_t *front; /* the first element, or where it would be; NULL until the first insertion */
    struct element_sequence *sequence; /* the elements, when they are not in one piece */
  };
  uint32_t element_octets;
  uint32_t room;     /* how many elements fit in front of `front`; DEQUE_IS_SEQUENCE: there is no `front` */
  uint32_t count;    /* elements in use */
  uint32_t capacity; /* elements of the memory, which starts at that room; of a sequence `room` + `count`,
                        modulo 2^32 */
} deque;

#define DEQUE_IS_SEQUENCE UINT32_MAX

/* Returns whether the elements are elsewhere than in one piece of memory. */
static inline bool deque_is_sequence(const deque *queue)
{
  return G_UNLIKELY(queue->room == DEQUE_IS_SEQUENCE);
}

/* Makes `queue` an empty array of elements of `element_octets` (> 0) octets. */
void deque_init(deque *queue, size_t element_octets);

/* Frees the memory; what the elements point to is the caller's. */
void deque_clear(deque *queue);

/* This is what deque_at() does when the elements are not in one piece. */
void *deque_at_place(const deque *queue, size_t index);

/* Returns the element number `index` (< count). */
static inline void *deque_at(const deque *queue, size_t index)
{
  return deque_is_sequence(queue) ? deque_at_place(queue, index)
                                  : queue->front + index * queue->element_octets;
}

/* Returns the same where the caller gives the length of an element, so that the compiler knows. */
static inline void *deque_slot(const deque *queue, size_t index, size_t element_octets)
{
  return deque_is_sequence(queue) ? deque_at_place(queue, index) : queue->front + index * element_octets;
}

/* It is what deque_insert() does without room after the last element, or when the new one is not the last. */
void *deque_insert_between(deque *queue, size_t index);

/* Makes an uninitialised element at `index` (<= count) and returns it; the ones from `index` on move up by
 * one. Pointers to elements are invalid afterwards. */
static inline void *deque_insert(deque *queue, size_t index)
{
  if (index != queue->count || queue->room + queue->count == queue->capacity) {
    return deque_insert_between(queue, index);
  }
  queue->count++; /* in one piece: a sequence has no room */
  return queue->front + index * queue->element_octets;
}

/* An empty array begins at the start of its memory. */
static inline void deque_settle(deque *queue)
{
  queue->front -= (size_t)queue->room * queue->element_octets;
  queue->room = 0;
}

/* Adds copies of the elements of `queue` after those of `copy`, which have the same length. */
void deque_copy(const deque *queue, deque *copy);

/* It is what deque_remove() does when the elements are not the first ones, or there is nothing to remove. */
void deque_remove_between(deque *queue, size_t index, size_t count);

/* Removes the elements [index, index + count), which must exist. Pointers to elements are invalid
 * afterwards. */
static inline void deque_remove(deque *queue, size_t index, size_t count)
{
  if (index > 0 || count - 1 >= queue->count ||
      deque_is_sequence(queue)) { /* also when there is nothing to remove */
    deque_remove_between(queue, index, count);
    return;
  }
  queue->front += count * queue->element_octets;
  queue->room += (uint32_t)count;
  queue->count -= (uint32_t)count;
  if (queue->count == 0) {
    deque_settle(queue);
  }
}

/* Removes all elements and keeps the memory, from its start on. */
static inline void deque_empty(deque *queue)
{
  if (deque_is_sequence(queue)) {
    deque_clear(queue);
    return;
  }
  queue->count = 0;
  if (queue->room > 0) {
    deque_settle(queue);
  }
}

/* Returns the key that lies `key_offset` octets into the element number `index` (< count). */
static inline uint64_t deque_key(const deque *queue, size_t key_offset, size_t index)
{
  return *(const uint64_t *)(const void *)((const uint8_t *)deque_at(queue, index) + key_offset);
}

/* This is what deque_count_to() does when some keys are up to `bound` and some are not. */
size_t deque_count_between(const deque *queue, size_t key_offset, uint64_t bound);

/* Returns how many elements have a key up to and with `bound`. The key is the uint64_t that lies `key_offset`
 * octets into the element, and it ascends with the index. O(log count), and O(1) when the bound is before or
 * after all keys, as in most calls, which ask about the newest or the oldest octets of a stream. */
static inline size_t deque_count_to(const deque *queue, size_t key_offset, uint64_t bound)
{
  uint32_t count = queue->count;
  if (count == 0) {
    return 0;
  }
  if (!deque_is_sequence(queue)) {
    const uint8_t *first = queue->front + key_offset;
    const uint8_t *last = first + (size_t)(count - 1) * queue->element_octets;
    if (*(const uint64_t *)(const void *)last <= bound) {
      return count;
    }
    if (*(const uint64_t *)(const void *)first > bound) {
      return 0;
    }
  }
  return deque_count_between(queue, key_offset, bound);
}

/* Returns how many elements have a key below `bound`. */
static inline size_t deque_count_below(const deque *queue, size_t key_offset, uint64_t bound)
{
  return bound == 0 ? 0 : deque_count_to(queue, key_offset, bound - 1);
}
