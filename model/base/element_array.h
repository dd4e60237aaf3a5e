/* SPDX-License-Identifier: GPL-2.0-only */
/* An array of equal elements with room at both ends: what sorted containers and queues are made of.
 *
 * Inserting and removing move the shorter side only, so that both ends are amortised O(1) and a container can be
 * used as a queue without moving the rest. In the middle of very many elements they take O(log count). Elements that were
 * only ever added at the ends lie in one piece. */
#ifndef BASE_ELEMENT_ARRAY_H
#define BASE_ELEMENT_ARRAY_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read by everyone, written only by the functions below. */
typedef struct element_array {
  union {
    uint8_t *front; /* the first element, or where it would be; NULL until the first insertion */
    struct element_chunks *chunks; /* the elements, when they are not in one piece */
  };
  uint32_t element_octets;
  uint32_t room;  /* for so many elements in front of `front`; ELEMENT_ARRAY_IN_CHUNKS: there is no `front` */
  uint32_t count; /* elements in use */
  uint32_t
      capacity; /* elements of the memory, which starts at that room; in chunks `room` + `count`, modulo 2^32 */
} element_array;

#define ELEMENT_ARRAY_IN_CHUNKS UINT32_MAX

/* Are the elements elsewhere than in one piece of memory? */
static inline bool element_array_is_in_chunks(const element_array *array)
{
  return G_UNLIKELY(array->room == ELEMENT_ARRAY_IN_CHUNKS);
}

/* Makes `array` an empty array of elements of `element_octets` (> 0) octets. */
void element_array_init(element_array *array, size_t element_octets);

/* Frees the memory; what the elements point to is the caller's. */
void element_array_clear(element_array *array);

/* What element_array_at() does when the elements are not in one piece. */
void *element_array_at_chunk(const element_array *array, size_t index);

/* The element number `index` (< count). */
static inline void *element_array_at(const element_array *array, size_t index)
{
  return element_array_is_in_chunks(array) ? element_array_at_chunk(array, index)
                                           : array->front + index * array->element_octets;
}

/* The same where the caller says how long an element is, so that the compiler knows. */
static inline void *element_array_slot(const element_array *array, size_t index, size_t element_octets)
{
  return element_array_is_in_chunks(array) ? element_array_at_chunk(array, index)
                                           : array->front + index * element_octets;
}

/* What element_array_insert() does when there is no room behind the last element, or the new one is not the last. */
void *element_array_insert_between(element_array *array, size_t index);

/* Makes an uninitialised element at `index` (<= count) and returns it; the ones from `index` on move up by one.
 * Pointers to elements are invalid afterwards. */
static inline void *element_array_insert(element_array *array, size_t index)
{
  if (index != array->count || array->room + array->count == array->capacity) {
    return element_array_insert_between(array, index);
  }
  array->count++; /* in one piece: chunks have no room */
  return array->front + index * array->element_octets;
}

/* Room for `room` elements in front of those of an empty array. */
static inline void element_array_settle(element_array *array, uint32_t room)
{
  array->front -= (size_t)array->room * array->element_octets;
  array->front += (size_t)room * array->element_octets;
  array->room = room;
}

/* What element_array_remove() does when the elements are not the first ones, or none. */
void element_array_remove_between(element_array *array, size_t index, size_t count);

/* Removes the elements [index, index + count), which must exist. Pointers to elements are invalid afterwards. */
static inline void element_array_remove(element_array *array, size_t index, size_t count)
{
  if (index > 0 || count - 1 >= array->count ||
      element_array_is_in_chunks(array)) { /* also when there is nothing to remove */
    element_array_remove_between(array, index, count);
    return;
  }
  array->front += count * array->element_octets;
  array->room += (uint32_t)count;
  array->count -= (uint32_t)count;
  if (array->count == 0) {
    element_array_settle(array, array->capacity / 2);
  }
}

/* Removes all elements and keeps the memory, from its start on. */
static inline void element_array_empty(element_array *array)
{
  if (element_array_is_in_chunks(array)) {
    element_array_clear(array);
    return;
  }
  array->count = 0;
  if (array->room > 0) {
    element_array_settle(array, 0);
  }
}

/* The key that lies `key_offset` octets into the element number `index` (< count). */
static inline uint64_t element_array_key(const element_array *array, size_t key_offset, size_t index)
{
  return *(const uint64_t *)(const void *)((const uint8_t *)element_array_at(array, index) + key_offset);
}

/* What element_array_count_to() does when some keys are up to `bound` and some are not. */
size_t element_array_count_between(const element_array *array, size_t key_offset, uint64_t bound);

/* How many elements have a key up to and with `bound`. The key is the uint64_t that lies `key_offset` octets into
 * the element, and it ascends with the index. O(log count), and O(1) when the bound is before or behind all keys, as
 * most are: about the newest octets of a stream, or the oldest. */
static inline size_t element_array_count_to(const element_array *array, size_t key_offset, uint64_t bound)
{
  uint32_t count = array->count;
  if (count == 0) {
    return 0;
  }
  if (!element_array_is_in_chunks(array)) {
    const uint8_t *first = array->front + key_offset;
    if (*(const uint64_t *)(const void *)(first + (size_t)(count - 1) * array->element_octets) <= bound) {
      return count;
    }
    if (*(const uint64_t *)(const void *)first > bound) {
      return 0;
    }
  }
  return element_array_count_between(array, key_offset, bound);
}

/* How many elements have a key below `bound`. */
static inline size_t element_array_count_below(const element_array *array, size_t key_offset, uint64_t bound)
{
  return bound == 0 ? 0 : element_array_count_to(array, key_offset, bound - 1);
}

#endif
