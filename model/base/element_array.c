#include "base/element_array.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "base/element_chunks.h"

enum { SMALLEST_CAPACITY = 4 };

void element_array_init(element_array *array, size_t element_octets)
{
  g_assert(element_octets > 0 && element_octets <= UINT32_MAX);
  *array = (element_array){.element_octets = (uint32_t)element_octets};
}

static uint8_t *memory_of(const element_array *array)
{
  return array->front == NULL ? NULL : array->front - (size_t)array->room * array->element_octets;
}

void element_array_clear(element_array *array)
{
  if (element_array_is_in_chunks(array)) {
    element_chunks_free(array->chunks);
  } else {
    g_free(memory_of(array));
  }
  element_array_init(array, array->element_octets);
}

/* Moves `count` elements from number `from` to number `to`, both relative to the first one. */
static void move_elements(const element_array *array, ptrdiff_t to, ptrdiff_t from, size_t count)
{
  ptrdiff_t stride = array->element_octets;
  if (count > 0) {
    memmove(array->front + to * stride, array->front + from * stride, count * (size_t)stride);
  }
}

/* Puts the elements in the middle of the memory, doubling it when it is more than half full. So at least a quarter
 * of the capacity is free on each side and that many insertions pay for the move. */
static void make_room(element_array *array)
{
  size_t octets = (size_t)array->count * array->element_octets;
  uint8_t *old = memory_of(array);
  uint8_t *memory = old;
  if (array->count >= array->capacity / 2) {
    g_assert(array->capacity <= UINT32_MAX / 2);
    array->capacity = MAX(array->capacity * 2, SMALLEST_CAPACITY);
    memory = g_malloc_n(array->capacity, array->element_octets);
  }
  array->room = (array->capacity - array->count) / 2;
  uint8_t *front = memory + (size_t)array->room * array->element_octets;
  if (array->count > 0) {
    memmove(front, array->front, octets);
  }
  array->front = front;
  if (memory != old) {
    g_free(old);
  }
}

void *element_array_at_chunk(const element_array *array, size_t index)
{
  return element_chunks_at(array->chunks, index);
}

/* Whether the elements are in chunks; they are from the first time on that very many would have to move, `near` on the shorter side.
 * A list of chunks that has become too long is replaced. */
static bool moves_in_chunks(element_array *array, size_t near)
{
  if (element_array_is_in_chunks(array) ? element_chunks_are_too_many(array->chunks)
                                        : near > ELEMENT_CHUNK_MAX) {
    uint32_t count = array->count;
    element_chunks *chunks = element_chunks_new(array);
    element_array_clear(array);
    array->chunks = chunks;
    array->room = ELEMENT_ARRAY_IN_CHUNKS;
    array->count = count;
  }
  return element_array_is_in_chunks(array);
}

/* The elements in chunks are `count` now. Their capacity is such that every insertion comes to element_array_insert_between(). */
static void count_in_chunks(element_array *array, uint32_t count)
{
  array->count = count;
  array->capacity = ELEMENT_ARRAY_IN_CHUNKS + count;
}

void *element_array_insert_between(element_array *array, size_t index)
{
  g_assert(index <= array->count);
  if (moves_in_chunks(array, MIN(index, array->count - index))) {
    count_in_chunks(array, array->count + 1);
    return element_chunks_insert(array->chunks, index);
  }
  bool towards_front = index < array->count - index;
  if (towards_front ? array->room == 0 : array->room + array->count == array->capacity) {
    make_room(array);
  }
  if (towards_front) {
    move_elements(array, -1, 0, index);
    array->front -= array->element_octets;
    array->room--;
  } else {
    move_elements(array, (ptrdiff_t)index + 1, (ptrdiff_t)index, array->count - index);
  }
  array->count++;
  return element_array_at(array, index);
}

void element_array_remove_between(element_array *array, size_t index, size_t count)
{
  g_assert(index <= array->count && count <= array->count - index);
  if (count == 0) {
    return;
  }
  size_t behind = array->count - index - count;
  if (moves_in_chunks(array, MIN(index, behind))) {
    if (count == array->count) {
      element_array_clear(array);
      return;
    }
    element_chunks_remove(array->chunks, index, count);
    count_in_chunks(array, array->count - (uint32_t)count);
    return;
  }
  if (index <= behind) {
    move_elements(array, (ptrdiff_t)count, 0, index);
    array->front += count * array->element_octets;
    array->room += (uint32_t)count;
  } else {
    move_elements(array, (ptrdiff_t)index, (ptrdiff_t)(index + count), behind);
  }
  array->count -= (uint32_t)count;
}

size_t element_array_count_between(const element_array *array, size_t key_offset, uint64_t bound)
{
  if (element_array_is_in_chunks(array)) {
    return element_chunks_count_to(array->chunks, key_offset, bound);
  }
  size_t stride = array->element_octets;
  const uint8_t *low = (const uint8_t *)element_array_at(array, 0) + key_offset;
  size_t count = array->count;
  size_t below = 0; /* so many keys are up to `bound`; the answer is among the `count` behind them */
  while (count > 0) {
    size_t half = count / 2;
    if (*(const uint64_t *)(const void *)(low + half * stride) <= bound) {
      low += (half + 1) * stride;
      below += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return below;
}
