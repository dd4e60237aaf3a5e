#include "base/element_array.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 4 };

void element_array_init(element_array *array, size_t element_octets)
{
  g_assert(element_octets > 0 && element_octets <= UINT32_MAX);
  *array = (element_array){.element_octets = (uint32_t)element_octets};
}

void element_array_clear(element_array *array)
{
  g_free(array->memory);
  element_array_init(array, array->element_octets);
}

/* Moves `count` elements from slot `from` to slot `to` of the memory. */
static void move_slots(element_array *array, size_t to, size_t from, size_t count)
{
  memmove(array->memory + to * array->element_octets, array->memory + from * array->element_octets,
          count * array->element_octets);
}

/* Puts the elements in the middle of the memory, doubling it when it is more than half full. So at least a quarter
 * of the capacity is free on each side and that many insertions pay for the move. */
static void make_room(element_array *array)
{
  if (array->count < array->capacity / 2) {
    uint32_t first = (array->capacity - array->count) / 2;
    move_slots(array, first, array->first, array->count);
    array->first = first;
    return;
  }
  g_assert(array->capacity <= UINT32_MAX / 2);
  uint32_t capacity = MAX(array->capacity * 2, SMALLEST_CAPACITY);
  uint32_t first = (capacity - array->count) / 2;
  uint8_t *memory = g_malloc_n(capacity, array->element_octets);
  if (array->count > 0) {
    memcpy(memory + first * array->element_octets, element_array_at(array, 0),
           array->count * array->element_octets);
  }
  g_free(array->memory);
  array->memory = memory;
  array->capacity = capacity;
  array->first = first;
}

void *element_array_insert_between(element_array *array, size_t index)
{
  g_assert(index <= array->count);
  bool towards_front = index < array->count - index;
  if (towards_front ? array->first == 0 : array->first + array->count == array->capacity) {
    make_room(array);
  }
  if (towards_front) {
    move_slots(array, array->first - 1, array->first, index);
    array->first--;
  } else {
    move_slots(array, array->first + index + 1, array->first + index, array->count - index);
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
  if (index <= behind) {
    move_slots(array, array->first + count, array->first, index);
    array->first += (uint32_t)count;
  } else {
    move_slots(array, array->first + index, array->first + index + count, behind);
  }
  array->count -= (uint32_t)count;
}

size_t element_array_count_between(const element_array *array, size_t key_offset, uint64_t bound)
{
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
