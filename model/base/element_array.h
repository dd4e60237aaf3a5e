/* An array of equal elements with room at both ends: what sorted containers and queues are made of.
 *
 * Inserting and removing move the shorter side only, so that both ends are amortised O(1) and a container can be
 * used as a queue without moving the rest. */
#ifndef BASE_ELEMENT_ARRAY_H
#define BASE_ELEMENT_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Read by everyone, written only by the functions below. */
typedef struct element_array {
  uint8_t *memory;
  size_t element_octets;
  size_t first;    /* elements of room in front */
  size_t count;    /* elements in use */
  size_t capacity; /* elements of `memory` */
} element_array;

/* Makes `array` an empty array of elements of `element_octets` (> 0) octets. */
void element_array_init(element_array *array, size_t element_octets);

/* Frees the memory; what the elements point to is the caller's. */
void element_array_clear(element_array *array);

/* Makes an uninitialised element at `index` (<= count) and returns it; the ones from `index` on move up by one.
 * Pointers to elements are invalid afterwards. */
void *element_array_insert(element_array *array, size_t index);

/* Removes the elements [index, index + count), which must exist. Pointers to elements are invalid afterwards. */
void element_array_remove(element_array *array, size_t index, size_t count);

/* The element number `index` (< count). */
static inline void *element_array_at(const element_array *array, size_t index)
{
  return array->memory + (array->first + index) * array->element_octets;
}

/* How many elements have a key up to and with `bound`. The key is the uint64_t that lies `key_offset` octets into
 * the element, and it ascends with the index. O(log count), and O(1) when the bound is before or behind all keys, as
 * most are: about the newest octets of a stream, or the oldest. */
size_t element_array_count_to(const element_array *array, size_t key_offset, uint64_t bound);

/* How many elements have a key below `bound`. */
static inline size_t element_array_count_below(const element_array *array, size_t key_offset, uint64_t bound)
{
  return bound == 0 ? 0 : element_array_count_to(array, key_offset, bound - 1);
}

#endif
