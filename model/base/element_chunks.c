#include "base/element_chunks.h"

#include <glib.h>
#include <string.h>

/* More parts than this are too many to be summed up anew whenever one of them is split. A new list has a quarter at most, of which each has fewer
 * elements than the list. */
enum { PARTS_MAX = 512 };

struct element_chunks {
  size_t part_max; /* elements of a part */
  GArray *parts;   /* of element_array, none empty unless all are; long ones become chunks themselves */
  GArray *
      sums; /* of size_t, a Fenwick tree: number i is how many elements the i & -i parts up to number i - 1 have */
  size_t near;    /* the part of the operation before … */
  size_t near_at; /* … and the index of its first element */
};

static element_array *part_at(const element_chunks *chunks, size_t part)
{
  return &g_array_index(chunks->parts, element_array, part);
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

element_chunks *element_chunks_new(const element_array *array)
{
  element_chunks *chunks = g_new(element_chunks, 1);
  size_t octets = array->element_octets;

  chunks->part_max = ELEMENT_CHUNK_MAX;
  while (array->count > chunks->part_max * (PARTS_MAX / 8)) {
    chunks->part_max *= PARTS_MAX / 4;
  }
  chunks->parts = g_array_new(FALSE, FALSE, sizeof(element_array));
  chunks->sums = g_array_new(FALSE, FALSE, sizeof(size_t));
  for (size_t from = 0; from < array->count; from += chunks->part_max / 2) {
    size_t count = MIN(array->count - from, chunks->part_max / 2);
    element_array part;
    element_array_init(&part, octets);
    for (size_t index = 0; index < count; index++) {
      memcpy(element_array_insert(&part, index), element_array_at(array, from + index), octets);
    }
    g_array_append_val(chunks->parts, part);
  }
  sum_up(chunks);
  return chunks;
}

void element_chunks_free(element_chunks *chunks)
{
  if (chunks) {
    for (size_t part = 0; part < chunks->parts->len; part++) {
      element_array_clear(part_at(chunks, part));
    }
    g_array_unref(chunks->parts);
    g_array_unref(chunks->sums);
    g_free(chunks);
  }
}

bool element_chunks_are_too_many(const element_chunks *chunks)
{
  return chunks->parts->len > PARTS_MAX;
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

void *element_chunks_at(element_chunks *chunks, size_t index)
{
  go_to(chunks, index);
  return element_array_at(part_at(chunks, chunks->near), index - chunks->near_at);
}

/* The second half of part number `number`, which is full, becomes a part of its own. */
static void split(element_chunks *chunks, size_t number)
{
  const size_t half = chunks->part_max / 2;
  element_array *full = part_at(chunks, number);
  element_array second;

  element_array_init(&second, full->element_octets);
  for (size_t index = 0; index + half < full->count; index++) {
    memcpy(element_array_insert(&second, index), element_array_at(full, half + index), full->element_octets);
  }
  element_array_remove(full, half, full->count - half);
  g_array_insert_val(chunks->parts, (guint)number + 1, second);
  sum_up(chunks);
}

void *element_chunks_insert(element_chunks *chunks, size_t index)
{
  go_to(chunks, index);
  if (part_at(chunks, chunks->near)->count >= chunks->part_max) {
    split(chunks, chunks->near);
    go_to(chunks, index);
  }
  add_to_sums(chunks, chunks->near, 1);
  return element_array_insert(part_at(chunks, chunks->near), index - chunks->near_at);
}

void element_chunks_remove(element_chunks *chunks, size_t index, size_t count)
{
  while (count > 0) {
    go_to(chunks, index);
    element_array *part = part_at(chunks, chunks->near);
    size_t removed = MIN(count, part->count - (index - chunks->near_at));
    element_array_remove(part, index - chunks->near_at, removed);
    add_to_sums(chunks, chunks->near, -removed);
    count -= removed;
    if (part->count == 0 && chunks->parts->len > 1) {
      element_array_clear(part);
      g_array_remove_index(chunks->parts, (guint)chunks->near);
      sum_up(chunks);
    }
  }
}

/* The key of the last element of `part`. */
static uint64_t last_key(const element_array *part, size_t key_offset)
{
  while (element_array_is_in_chunks(part)) {
    part = part_at(part->chunks, part->chunks->parts->len - 1);
  }
  return element_array_key(part, key_offset, part->count - 1);
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

size_t element_chunks_count_to(element_chunks *chunks, size_t key_offset, uint64_t bound)
{
  if (!holds_bound(chunks, chunks->near, key_offset, bound)) {
    go_to_bound(chunks, key_offset, bound);
  }
  return chunks->near_at + element_array_count_to(part_at(chunks, chunks->near), key_offset, bound);
}
