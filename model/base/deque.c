/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/deque.h"

#include <string.h>

enum { SMALLEST_CAPACITY = 4 };

/* An insertion or removal that would move more elements than this makes a sequence of the array. */
enum { MOVED_MAX = 256 };

/* --- Very many elements --- */

/* This is what an array becomes when elements come and go in the middle of very many: each lies by itself, in
 * a balanced tree, so that none moves. All operations are O(log count), and O(1) next to the place of the one
 * before. */
typedef struct element_sequence {
  GSequence *elements;
  GSequenceIter *near; /* the place of the operation before … */
  size_t near_at;      /* … and its index */
} element_sequence;

/* Goes to element number `index`, or after the last one. */
static GSequenceIter *go_to(element_sequence *sequence, size_t index)
{
  if (index == sequence->near_at + 1) {
    sequence->near = g_sequence_iter_next(sequence->near);
  } else if (index + 1 == sequence->near_at) {
    sequence->near = g_sequence_iter_prev(sequence->near);
  } else if (index != sequence->near_at) {
    sequence->near = g_sequence_get_iter_at_pos(sequence->elements, (gint)index);
  }
  sequence->near_at = index;
  return sequence->near;
}

static uint64_t key_at(const GSequenceIter *place, size_t key_offset)
{
  const uint8_t *element = g_sequence_get((GSequenceIter *)place);

  return *(const uint64_t *)(const void *)(element + key_offset);
}

/* This is a GCompareDataFunc by which no element equals a bound: it comes after those whose keys are up to
 * it. */
static gint compare_to_bound(gconstpointer element, gconstpointer bound, gpointer key_offset)
{
  const uint8_t *key = (const uint8_t *)element + *(const size_t *)key_offset;

  return *(const uint64_t *)(const void *)key <= *(const uint64_t *)bound ? -1 : 1;
}

/* Does what deque_count_to() does. */
static G_GNUC_NO_INLINE size_t sequence_count_to(element_sequence *sequence, size_t key_offset,
                                                 uint64_t bound)
{
  GSequenceIter *near = sequence->near;
  bool ends_here = g_sequence_iter_is_end(near) || key_at(near, key_offset) > bound;
  bool starts_here =
      g_sequence_iter_is_begin(near) || key_at(g_sequence_iter_prev(near), key_offset) <= bound;

  if (!ends_here || !starts_here) {
    sequence->near = g_sequence_search(sequence->elements, &bound, compare_to_bound, &key_offset);
    sequence->near_at = (size_t)g_sequence_iter_get_position(sequence->near);
  }
  return sequence->near_at;
}

/* --- The array --- */

void deque_init(deque *queue, size_t element_octets)
{
  g_assert(element_octets > 0 && element_octets <= UINT32_MAX);
  *queue = (deque){.element_octets = (uint32_t)element_octets};
}

static uint8_t *memory_of(const deque *queue)
{
  return queue->front == NULL ? NULL : queue->front - (size_t)queue->room * queue->element_octets;
}

void deque_clear(deque *queue)
{
  if (deque_is_sequence(queue)) {
    g_sequence_free(queue->sequence->elements);
    g_free(queue->sequence);
  } else {
    g_free(memory_of(queue));
  }
  deque_init(queue, queue->element_octets);
}

/* Moves `count` elements from number `from` to number `to`, both relative to the first one. */
static void move_elements(const deque *queue, ptrdiff_t to, ptrdiff_t from, size_t count)
{
  ptrdiff_t stride = queue->element_octets;
  if (count > 0) {
    memmove(queue->front + to * stride, queue->front + from * stride, count * (size_t)stride);
  }
}

/* Puts the elements at the start of the memory when the next one is the last, as in a queue, or else in its
 * middle, and doubles it when it is at least half full. So at least a quarter of the capacity is free where
 * the next one goes and that many insertions pay for the move. */
static void make_room(deque *queue, bool towards_front)
{
  size_t octets = (size_t)queue->count * queue->element_octets;
  uint8_t *old = memory_of(queue);
  uint8_t *memory = old;
  if (queue->count >= queue->capacity / 2) {
    g_assert(queue->capacity <= UINT32_MAX / 2);
    queue->capacity = MAX(queue->capacity * 2, SMALLEST_CAPACITY);
    memory = g_malloc_n(queue->capacity, queue->element_octets);
  }
  queue->room = towards_front ? (queue->capacity - queue->count) / 2 : 0;
  uint8_t *front = memory + (size_t)queue->room * queue->element_octets;
  if (queue->count > 0) {
    memmove(front, queue->front, octets);
  }
  queue->front = front;
  if (memory != old) {
    g_free(old);
  }
}

void *deque_at_place(const deque *queue, size_t index)
{
  return g_sequence_get(go_to(queue->sequence, index));
}

static G_GNUC_NO_INLINE void become_sequence(deque *queue)
{
  uint32_t count = queue->count;
  element_sequence *sequence = g_new0(element_sequence, 1);
  sequence->elements = g_sequence_new(g_free);
  for (size_t index = 0; index < count; index++) {
    g_sequence_append(sequence->elements, g_memdup2(deque_at(queue, index), queue->element_octets));
  }
  sequence->near = g_sequence_get_begin_iter(sequence->elements);
  deque_clear(queue);
  queue->sequence = sequence;
  queue->room = DEQUE_IS_SEQUENCE;
  queue->count = count;
}

/* Returns whether the elements are a sequence; they are from the first time on that very many would have to
 * move, `near` on the shorter side. */
static inline bool moves_in_sequence(deque *queue, size_t near)
{
  if (!deque_is_sequence(queue) && near > MOVED_MAX) {
    become_sequence(queue);
  }
  return deque_is_sequence(queue);
}

/* The elements of a sequence are `count` now. Their capacity is such that every insertion comes to
 * deque_insert_between(). */
static void count_in_sequence(deque *queue, uint32_t count)
{
  queue->count = count;
  queue->capacity = DEQUE_IS_SEQUENCE + count;
}

void *deque_insert_between(deque *queue, size_t index)
{
  g_assert(index <= queue->count);
  if (moves_in_sequence(queue, MIN(index, queue->count - index))) {
    void *element = g_malloc(queue->element_octets);
    element_sequence *sequence = queue->sequence;
    sequence->near = g_sequence_insert_before(go_to(sequence, index), element);
    count_in_sequence(queue, queue->count + 1);
    return element;
  }
  bool towards_front = index < queue->count - index;
  if (towards_front ? queue->room == 0 : queue->room + queue->count == queue->capacity) {
    make_room(queue, towards_front);
  }
  if (towards_front) {
    move_elements(queue, -1, 0, index);
    queue->front -= queue->element_octets;
    queue->room--;
  } else {
    move_elements(queue, (ptrdiff_t)index + 1, (ptrdiff_t)index, queue->count - index);
  }
  queue->count++;
  return deque_at(queue, index);
}

void deque_copy(const deque *queue, deque *copy)
{
  for (size_t index = 0; index < queue->count; index++) {
    memcpy(deque_insert_between(copy, copy->count), deque_at(queue, index), queue->element_octets);
  }
}

void deque_remove_between(deque *queue, size_t index, size_t count)
{
  g_assert(index <= queue->count && count <= queue->count - index);
  if (count == 0) {
    return;
  }
  size_t after = queue->count - index - count;
  if (moves_in_sequence(queue, MIN(index, after))) {
    if (count == queue->count) {
      deque_clear(queue);
      return;
    }
    GSequenceIter *first = go_to(queue->sequence, index);
    g_sequence_remove_range(first, go_to(queue->sequence, index + count));
    queue->sequence->near_at = index;
    count_in_sequence(queue, queue->count - (uint32_t)count);
    return;
  }
  if (index <= after) {
    move_elements(queue, (ptrdiff_t)count, 0, index);
    queue->front += count * queue->element_octets;
    queue->room += (uint32_t)count;
  } else {
    move_elements(queue, (ptrdiff_t)index, (ptrdiff_t)(index + count), after);
  }
  queue->count -= (uint32_t)count;
}

size_t deque_count_between(const deque *queue, size_t key_offset, uint64_t bound)
{
  if (deque_is_sequence(queue)) {
    return sequence_count_to(queue->sequence, key_offset, bound);
  }
  size_t stride = queue->element_octets;
  const uint8_t *low = queue->front + key_offset;
  size_t count = queue->count;
  if (*(const uint64_t *)(const void *)(low + (count - 2) * stride) <= bound) {
    return count - 1; /* the last element's key alone is larger: the newest octets are in it */
  }
  size_t below = 0; /* so many keys are up to `bound`; the answer is among the `count` after them */
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
