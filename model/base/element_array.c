#include "base/element_array.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 8 };

void element_array_init(element_array *array, size_t element_octets)
{
  g_assert(element_octets > 0);
  *array = (element_array){.element_octets = element_octets};
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
    size_t first = (array->capacity - array->count) / 2;
    move_slots(array, first, array->first, array->count);
    array->first = first;
    return;
  }
  size_t capacity = MAX(array->capacity * 2, (size_t)SMALLEST_CAPACITY);
  size_t first = (capacity - array->count) / 2;
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

void *element_array_insert(element_array *array, size_t index)
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

void element_array_remove(element_array *array, size_t index, size_t count)
{
  g_assert(index <= array->count && count <= array->count - index);
  if (count == 0) {
    return;
  }
  size_t behind = array->count - index - count;
  if (index <= behind) {
    move_slots(array, array->first + count, array->first, index);
    array->first += count;
  } else {
    move_slots(array, array->first + index, array->first + index + count, behind);
  }
  array->count -= count;
}

static uint64_t key_at(const element_array *array, size_t key_offset, size_t index)
{
  return *(const uint64_t *)((const uint8_t *)element_array_at(array, index) + key_offset);
}

size_t element_array_count_to(const element_array *array, size_t key_offset, uint64_t bound)
{
  size_t low = 0;
  size_t high = array->count;
  if (high == 0 || key_at(array, key_offset, high - 1) <= bound) {
    return high;
  }
  if (key_at(array, key_offset, 0) > bound) {
    return 0;
  }
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (key_at(array, key_offset, middle) > bound) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
