#include "base/octet_rope.h"

#include <glib.h>
#include <string.h>

octet_block *octet_block_new(size_t octets)
{
  return octet_block_new_in(NULL, octets);
}

octet_block *octet_block_new_in(memory_pool *pool, size_t octets)
{
  g_assert(octets > 0);
  memory_pool *used = pool != NULL && octet_block_piece_octets(octets) <= pool->piece_octets ? pool : NULL;
  octet_block *block = used != NULL ? memory_pool_take(used) : g_malloc(octet_block_piece_octets(octets));
  block->pool = used;
  block->references = 1;
  return block;
}

size_t octet_block_piece_octets(size_t octets)
{
  return sizeof(octet_block) + octets;
}

void octet_block_free(octet_block *block)
{
  if (block->pool != NULL) {
    memory_pool_give(block->pool, block);
  } else {
    g_free(block);
  }
}

static octet_slice *slices_of(octet_rope *rope)
{
  return rope->heap != NULL ? rope->heap : rope->inline_slices;
}

void octet_rope_free_heap(octet_rope *rope)
{
  g_free(rope->heap - rope->heap_dropped);
  octet_rope_init(rope);
}

void octet_rope_grow(octet_rope *rope, uint32_t count)
{
  uint32_t used = rope->slice_count;
  g_assert(count <= UINT32_MAX / 4 - used);
  if (rope->heap != NULL && rope->heap_dropped >= MAX(used, count)) {
    /* At least half of the memory lies unused in front: as many drops as this moves have paid for it. */
    octet_slice *memory = rope->heap - rope->heap_dropped;
    memcpy(memory, rope->heap, used * sizeof *memory);
    rope->heap = memory;
    rope->heap_capacity += rope->heap_dropped;
    rope->heap_dropped = 0;
    return;
  }
  uint32_t capacity = MAX(2 * used, used + count);
  octet_slice *grown = g_new(octet_slice, capacity);
  memcpy(grown, slices_of(rope), used * sizeof *grown);
  if (rope->heap != NULL) {
    g_free(rope->heap - rope->heap_dropped);
  }
  rope->heap = grown;
  rope->heap_capacity = capacity;
  rope->heap_dropped = 0;
}

void octet_rope_append_behind(octet_rope *rope, const uint8_t *octets, uint32_t length, octet_block *block)
{
  if (length == 0) {
    return;
  }
  g_assert(length <= UINT32_MAX - rope->length);
  octet_slice *last = &slices_of(rope)[rope->slice_count - 1];
  if (last->block == block && last->octets + last->length == octets) {
    last->length += length;
    rope->length += length;
    return;
  }
  octet_rope_reserve(rope, 1);
  octet_rope_put(rope, octets, length, block);
}

void octet_rope_append_runs(octet_rope *rope, const octet_runs *runs)
{
  const uint8_t *octets = runs->octets;
  uint32_t rest = runs->length;
  uint32_t run = runs->first;
  g_assert(rest <= UINT32_MAX - rope->length);
  octet_rope_reserve(rope, 2 + rest / runs->run);
  octet_slice *slice = slices_of(rope) + rope->slice_count;
  const octet_slice *first = slice;
  while (rest > run) {
    *slice++ = (octet_slice){.octets = octets, .length = run, .block = runs->block};
    octets += run + runs->gap;
    rest -= run;
    run = runs->run;
  }
  *slice++ = (octet_slice){.octets = octets, .length = rest, .block = runs->block};
  uint32_t added = (uint32_t)(slice - first);
  if (runs->block != NULL) {
    runs->block->references += added;
  }
  rope->slice_count += added;
  rope->length += runs->length;
}

void octet_rope_append_copy(octet_rope *rope, const uint8_t *octets, uint32_t length)
{
  if (length == 0) {
    return;
  }
  octet_block *copy = octet_block_new(length);
  memcpy(copy->octets, octets, length);
  octet_rope_append(rope, copy->octets, length, copy);
  octet_block_unref(copy);
}

octet_rope_range octet_rope_range_behind(const octet_rope *rope, uint32_t from, uint32_t length)
{
  g_assert(from <= rope->length && length <= rope->length - from);
  octet_rope_range range = {.slice = octet_rope_slices(rope), .skipped = from, .length = length};
  while (range.length > 0 && range.skipped >= range.slice->length) {
    range.skipped -= range.slice->length;
    range.slice++;
  }
  return range;
}

void octet_rope_append_slices(octet_rope *rope, const octet_rope *source, uint32_t from, uint32_t length)
{
  g_assert(rope != source);
  octet_rope_range rest = octet_rope_range_of(source, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    octet_rope_append(rope, part.octets, part.length, part.block);
  }
}

void octet_rope_drop_front(octet_rope *rope, uint32_t length)
{
  g_assert(length <= rope->length);
  rope->length -= length;
  octet_slice *slices = slices_of(rope);
  uint32_t dropped = 0;
  while (length > 0 && slices[dropped].length <= length) {
    length -= slices[dropped].length;
    octet_block_unref(slices[dropped].block);
    dropped++;
  }
  if (dropped == rope->slice_count) {
    octet_rope_start_over(rope);
    return;
  }
  rope->slice_count -= dropped;
  if (rope->heap != NULL) {
    /* The slices stay where they are, so that a long rope can be consumed piece by piece in linear time. */
    rope->heap += dropped;
    rope->heap_dropped += dropped;
    rope->heap_capacity -= dropped;
  } else if (dropped > 0) {
    memmove(slices, slices + dropped, rope->slice_count * sizeof *slices);
  }
  if (length > 0) {
    octet_slice *first = slices_of(rope);
    first->octets += length;
    first->length -= length;
  }
}

void octet_rope_copy_slices(const octet_rope *rope, uint32_t from, uint32_t length, uint8_t *target)
{
  octet_rope_range rest = octet_rope_range_of(rope, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    memcpy(target, part.octets, part.length);
    target += part.length;
  }
}

bool octet_rope_equals(const octet_rope *rope, uint32_t from, uint32_t length, const uint8_t *expected)
{
  octet_rope_range rest = octet_rope_range_of(rope, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    if (memcmp(part.octets, expected, part.length) != 0) {
      return false;
    }
    expected += part.length;
  }
  return true;
}
