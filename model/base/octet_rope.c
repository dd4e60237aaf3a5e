/* SPDX-License-Identifier: GPL-2.0-only */
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
  block->shared_slices = 0;
  return block;
}

size_t octet_block_piece_octets(size_t octets)
{
  return sizeof(octet_block) + octets;
}

/* The slices at the start of a bundle's block; those of its own octets have no reference on it. */
static octet_slice *shared_slices(octet_block *block)
{
  return (octet_slice *)(void *)block->octets;
}

static void drop_shared_slices(octet_block *block)
{
  const octet_slice *slices = shared_slices(block);
  for (uint32_t index = 0; index < block->shared_slices; index++) {
    if (slices[index].block != block) {
      octet_block_unref(slices[index].block);
    }
  }
}

void octet_block_free(octet_block *block)
{
  if (block->shared_slices > 0) {
    drop_shared_slices(block);
  }
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

octet_block *octet_rope_shared_block(const octet_rope *rope)
{
  g_assert(octet_rope_is_shared(rope));
  return (octet_block *)(void *)((uint8_t *)rope->heap - offsetof(octet_block, octets));
}

octet_rope octet_rope_of_shared(octet_block *block, uint32_t length)
{
  return (octet_rope){.length = length,
                      .slice_count = block->shared_slices,
                      .heap_capacity = block->shared_slices,
                      .heap_dropped = OCTET_ROPE_SHARED,
                      .heap = shared_slices(block)};
}

void octet_rope_empty_heap(octet_rope *rope)
{
  if (octet_rope_is_shared(rope)) {
    octet_block_unref(octet_rope_shared_block(rope));
    octet_rope_init(rope);
    return;
  }
  for (uint32_t index = 0; index < rope->slice_count; index++) {
    octet_block_unref(rope->heap[index].block);
  }
  octet_rope_start_over(rope);
}

/* The same octets in slices of the rope's own, with room for `count` more. */
static void stop_sharing(octet_rope *rope, uint32_t count)
{
  octet_block *block = octet_rope_shared_block(rope);
  uint32_t capacity = rope->slice_count + count;
  octet_slice *slices = g_new(octet_slice, capacity);
  memcpy(slices, rope->heap, rope->slice_count * sizeof *slices);
  for (uint32_t index = 0; index < rope->slice_count; index++) {
    if (slices[index].block != NULL) {
      slices[index].block->references++;
    }
  }
  rope->heap = slices;
  rope->heap_capacity = capacity;
  rope->heap_dropped = 0;
  octet_block_unref(block);
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
  if (octet_rope_is_shared(rope)) {
    stop_sharing(rope, MAX(used, count));
    return;
  }
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
  if (octet_rope_is_shared(rope)) {
    stop_sharing(rope, rope->slice_count);
  }
  octet_slice *last = &slices_of(rope)[rope->slice_count - 1];
  if (last->block == block && last->octets + last->length == octets) {
    last->length += length;
    rope->length += length;
    return;
  }
  octet_rope_reserve(rope, 1);
  octet_rope_put(rope, octets, length, block);
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

const uint8_t *octet_rope_flat_anywhere(const octet_rope *rope, uint32_t from, uint32_t length)
{
  g_assert(length > 0 && from <= rope->length && length <= rope->length - from);
  const octet_slice *slice = octet_rope_slices(rope);
  while (from >= slice->length) {
    from -= slice->length;
    slice++;
  }
  return length <= slice->length - from ? slice->octets + from : NULL;
}

void octet_rope_append_slices(octet_rope *rope, const octet_rope *source, uint32_t from, uint32_t length)
{
  g_assert(rope != source);
  if (length == source->length && rope->length == 0 && rope->heap == NULL && octet_rope_is_shared(source)) {
    *rope = octet_rope_of_shared(octet_rope_shared_block(source), length);
    octet_rope_shared_block(rope)->references++;
    return;
  }
  octet_rope_range rest = octet_rope_range_of(source, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    octet_rope_append(rope, part.octets, part.length, part.block);
  }
}

/* `count` slices (mostly as few as a rope has inline) field by field as octet_rope_move() says; `to` does not lie behind `from`. */
static inline void move_slices(octet_slice *to, const octet_slice *from, uint32_t count)
{
  for (uint32_t index = 0; index < count; index++) {
    to[index].octets = from[index].octets;
    to[index].length = from[index].length;
    to[index].block = from[index].block;
  }
}

/* The first `dropped` slices are gone, to somebody else or to nobody, and the first `length` octets of the one behind them. */
static inline void forget_front(octet_rope *rope, uint32_t dropped, uint32_t length)
{
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
    octet_slice *slices = slices_of(rope);
    move_slices(slices, slices + dropped, rope->slice_count);
  }
  if (length > 0) {
    octet_slice *first = slices_of(rope);
    first->octets += length;
    first->length -= length;
  }
}

void octet_rope_drop_front(octet_rope *rope, uint32_t length)
{
  g_assert(length <= rope->length);
  if (octet_rope_is_shared(rope)) {
    stop_sharing(rope, 0);
  }
  rope->length -= length;
  octet_slice *slices = slices_of(rope);
  uint32_t dropped = 0;
  while (length > 0 && slices[dropped].length <= length) {
    length -= slices[dropped].length;
    octet_block_unref(slices[dropped].block);
    dropped++;
  }
  forget_front(rope, dropped, length);
}

void octet_rope_take_front(octet_rope *rope, octet_rope *source, uint32_t length)
{
  g_assert(rope != source && rope->slice_count == 0 && length <= source->length);
  if (octet_rope_is_shared(source)) {
    stop_sharing(source, 0);
  }
  const octet_slice *from = octet_rope_slices(source);
  uint32_t rest = length;
  uint32_t whole = 0;
  while (rest > 0 && from[whole].length <= rest) {
    rest -= from[whole++].length;
  }
  octet_rope_reserve(rope, whole + (rest > 0));
  move_slices(slices_of(rope), from, whole);
  rope->slice_count = whole;
  rope->length = length - rest;
  if (rest > 0) {
    octet_rope_put(rope, from[whole].octets, rest, from[whole].block);
  }
  source->length -= length;
  forget_front(source, whole, rest);
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
