/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/deque.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

enum { SMALLEST_CAPACITY = 4 };

/* Most elements of one short array; an deque as long as this stays in one piece. */
enum { ELEMENT_CHUNK_MAX = 256 };

/* --- Chunks --- */

/* More parts than this are too many to be summed up anew whenever one of them is split. A new list has a
 * quarter at most, of which each has fewer elements than the list. */
enum { PARTS_MAX = 512 };

/* What an array becomes when elements come and go in the middle of very many: a list of short arrays, so that
 * an insertion or removal anywhere moves few elements; of still more a list of such lists, and so on. All
 * operations are amortised O(log count), and O(1) next to the place of the one before. */
typedef struct element_chunks {
  size_t part_max; /* elements of a part */
  GArray *parts;   /* of deque, none empty unless all are; long ones become chunks themselves */
  GArray *
      sums; /* of size_t, a Fenwick tree: number i is how many elements the i & -i parts up to number i - 1 have */
  size_t near;    /* the part of the operation before … */
  size_t near_at; /* … and the index of its first element */
} element_chunks;

static deque *part_at(const element_chunks *chunks, size_t part)
{
  return &g_array_index(chunks->parts, deque, part);
}

/* Part number `part` has so many elements more; modulo 2^64. */
static void add_to_sums(element_chunks *chunks, size_t part, size_t more)
{
  size_t *sums = &g_array_index(chunks->sums, size_t, 0);

  for (size_t number = part + 1; number < chunks->sums->len; number += number & -number) {
    sums[number] += more;
  }
}

/* The parts have changed in number. */
static void sum_up(element_chunks *chunks)
{
  size_t count = chunks->parts->len;

  g_array_set_size(chunks->sums, (guint)count + 1);
  size_t *sums = &g_array_index(chunks->sums, size_t, 0);
  memset(sums, 0, (count + 1) * sizeof *sums);
  for (size_t number = 1; number <= count; number++) {
    size_t parent = number + (number & -number);
    sums[number] += part_at(chunks, number - 1)->count;
    if (parent <= count) {
      sums[parent] += sums[number];
    }
  }
  chunks->near = 0;
  chunks->near_at = 0;
}

/* The elements of `queue`, which is not empty, copied. */
static element_chunks *chunks_new(const deque *queue)
{
  element_chunks *chunks = g_new(element_chunks, 1);
  size_t octets = queue->element_octets;

  chunks->part_max = ELEMENT_CHUNK_MAX;
  while (queue->count > chunks->part_max * (PARTS_MAX / 8)) {
    chunks->part_max *= PARTS_MAX / 4;
  }
  chunks->parts = g_array_new(FALSE, FALSE, sizeof(deque));
  chunks->sums = g_array_new(FALSE, FALSE, sizeof(size_t));
  for (size_t from = 0; from < queue->count; from += chunks->part_max / 2) {
    size_t count = MIN(queue->count - from, chunks->part_max / 2);
    deque part;
    deque_init(&part, octets);
    for (size_t index = 0; index < count; index++) {
      memcpy(deque_insert(&part, index), deque_at(queue, from + index), octets);
    }
    g_array_append_val(chunks->parts, part);
  }
  sum_up(chunks);
  return chunks;
}

/* Goes to the part in which element number `index` is; the last one when there is no such element. */
static void go_to(element_chunks *chunks, size_t index)
{
  const size_t *sums = &g_array_index(chunks->sums, size_t, 0);
  size_t count = chunks->parts->len;
  size_t part = 0;

  if (index - chunks->near_at < part_at(chunks, chunks->near)->count) {
    return;
  }
  chunks->near_at = 0;
  for (size_t step = (size_t)1 << (g_bit_storage(count) - 1); step > 0; step /= 2) {
    if (part + step < count && chunks->near_at + sums[part + step] <= index) {
      part += step;
      chunks->near_at += sums[part];
    }
  }
  chunks->near = part;
}

/* The second half of part number `number`, which is full, becomes a part of its own. */
static void split(element_chunks *chunks, size_t number)
{
  const size_t half = chunks->part_max / 2;
  deque *full = part_at(chunks, number);
  deque second;

  deque_init(&second, full->element_octets);
  for (size_t index = 0; index + half < full->count; index++) {
    memcpy(deque_insert(&second, index), deque_at(full, half + index), full->element_octets);
  }
  deque_remove(full, half, full->count - half);
  g_array_insert_val(chunks->parts, (guint)number + 1, second);
  sum_up(chunks);
}

static void *chunks_insert(element_chunks *chunks, size_t index)
{
  go_to(chunks, index);
  if (part_at(chunks, chunks->near)->count >= chunks->part_max) {
    split(chunks, chunks->near);
    go_to(chunks, index);
  }
  add_to_sums(chunks, chunks->near, 1);
  return deque_insert(part_at(chunks, chunks->near), index - chunks->near_at);
}

static void chunks_remove(element_chunks *chunks, size_t index, size_t count)
{
  while (count > 0) {
    go_to(chunks, index);
    deque *part = part_at(chunks, chunks->near);
    size_t removed = MIN(count, part->count - (index - chunks->near_at));
    deque_remove(part, index - chunks->near_at, removed);
    add_to_sums(chunks, chunks->near, -removed);
    count -= removed;
    if (part->count == 0 && chunks->parts->len > 1) {
      deque_clear(part);
      g_array_remove_index(chunks->parts, (guint)chunks->near);
      sum_up(chunks);
    }
  }
}

/* The key of the last element of `part`. */
static uint64_t last_key(const deque *part, size_t key_offset)
{
  while (deque_is_in_chunks(part)) {
    part = part_at(part->chunks, part->chunks->parts->len - 1);
  }
  return deque_key(part, key_offset, part->count - 1);
}

/* Is the first key above `bound` in part number `part`? The last part also stands for no such key. */
static bool holds_bound(const element_chunks *chunks, size_t part, size_t key_offset, uint64_t bound)
{
  return (part + 1 == chunks->parts->len || last_key(part_at(chunks, part), key_offset) > bound) &&
         (part == 0 || last_key(part_at(chunks, part - 1), key_offset) <= bound);
}

/* Goes to the part in which the first key above `bound` is; the last one when there is no such key. */
static void go_to_bound(element_chunks *chunks, size_t key_offset, uint64_t bound)
{
  const size_t *sums = &g_array_index(chunks->sums, size_t, 0);
  size_t low = 0;
  size_t high = chunks->parts->len - 1; /* the part is neither after number `high` nor before number `low` */

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (last_key(part_at(chunks, middle), key_offset) <= bound) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  chunks->near = low;
  chunks->near_at = 0;
  for (size_t number = low; number > 0; number -= number & -number) {
    chunks->near_at += sums[number];
  }
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
  element_chunks *chunks = deque_is_in_chunks(queue) ? queue->chunks : NULL;
  for (size_t part = 0; chunks != NULL && part < chunks->parts->len; part++) {
    deque_clear(part_at(chunks, part));
  }
  if (chunks != NULL) {
    g_array_unref(chunks->parts);
    g_array_unref(chunks->sums);
  }
  g_free(chunks != NULL ? (void *)chunks : memory_of(queue));
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

/* Puts the elements in the middle of the memory, doubling it when it is more than half full. So at least a
 * quarter of the capacity is free on each side and that many insertions pay for the move. */
static void make_room(deque *queue)
{
  size_t octets = (size_t)queue->count * queue->element_octets;
  uint8_t *old = memory_of(queue);
  uint8_t *memory = old;
  if (queue->count >= queue->capacity / 2) {
    g_assert(queue->capacity <= UINT32_MAX / 2);
    queue->capacity = MAX(queue->capacity * 2, SMALLEST_CAPACITY);
    memory = g_malloc_n(queue->capacity, queue->element_octets);
  }
  queue->room = (queue->capacity - queue->count) / 2;
  uint8_t *front = memory + (size_t)queue->room * queue->element_octets;
  if (queue->count > 0) {
    memmove(front, queue->front, octets);
  }
  queue->front = front;
  if (memory != old) {
    g_free(old);
  }
}

void *deque_at_chunk(const deque *queue, size_t index)
{
  element_chunks *chunks = queue->chunks;
  go_to(chunks, index);
  return deque_at(part_at(chunks, chunks->near), index - chunks->near_at);
}

/* Whether the elements are in chunks; they are from the first time on that very many would have to move,
 * `near` on the shorter side. A list of chunks that has become too long is replaced. */
static bool moves_in_chunks(deque *queue, size_t near)
{
  if (deque_is_in_chunks(queue) ? queue->chunks->parts->len > PARTS_MAX : near > ELEMENT_CHUNK_MAX) {
    uint32_t count = queue->count;
    element_chunks *chunks = chunks_new(queue);
    deque_clear(queue);
    queue->chunks = chunks;
    queue->room = DEQUE_IN_CHUNKS;
    queue->count = count;
  }
  return deque_is_in_chunks(queue);
}

/* The elements in chunks are `count` now. Their capacity is such that every insertion comes to
 * deque_insert_between(). */
static void count_in_chunks(deque *queue, uint32_t count)
{
  queue->count = count;
  queue->capacity = DEQUE_IN_CHUNKS + count;
}

void *deque_insert_between(deque *queue, size_t index)
{
  g_assert(index <= queue->count);
  if (moves_in_chunks(queue, MIN(index, queue->count - index))) {
    count_in_chunks(queue, queue->count + 1);
    return chunks_insert(queue->chunks, index);
  }
  bool towards_front = index < queue->count - index;
  if (towards_front ? queue->room == 0 : queue->room + queue->count == queue->capacity) {
    make_room(queue);
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

void deque_remove_between(deque *queue, size_t index, size_t count)
{
  g_assert(index <= queue->count && count <= queue->count - index);
  if (count == 0) {
    return;
  }
  size_t behind = queue->count - index - count;
  if (moves_in_chunks(queue, MIN(index, behind))) {
    if (count == queue->count) {
      deque_clear(queue);
      return;
    }
    chunks_remove(queue->chunks, index, count);
    count_in_chunks(queue, queue->count - (uint32_t)count);
    return;
  }
  if (index <= behind) {
    move_elements(queue, (ptrdiff_t)count, 0, index);
    queue->front += count * queue->element_octets;
    queue->room += (uint32_t)count;
  } else {
    move_elements(queue, (ptrdiff_t)index, (ptrdiff_t)(index + count), behind);
  }
  queue->count -= (uint32_t)count;
}

size_t deque_count_between(const deque *queue, size_t key_offset, uint64_t bound)
{
  if (deque_is_in_chunks(queue)) {
    element_chunks *chunks = queue->chunks;
    if (!holds_bound(chunks, chunks->near, key_offset, bound)) {
      go_to_bound(chunks, key_offset, bound);
    }
    return chunks->near_at + deque_count_to(part_at(chunks, chunks->near), key_offset, bound);
  }
  size_t stride = queue->element_octets;
  const uint8_t *low = (const uint8_t *)deque_at(queue, 0) + key_offset;
  size_t count = queue->count;
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
