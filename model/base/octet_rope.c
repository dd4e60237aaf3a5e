#include "base/octet_rope.h"

#include <glib.h>
#include <string.h>

struct octet_block {
  uint64_t references;
  uint8_t octets[];
};

octet_block *octet_block_new(size_t octets)
{
  g_assert(octets > 0);
  octet_block *block = g_malloc(sizeof *block + octets);
  block->references = 1;
  return block;
}

void octet_block_unref(octet_block *block)
{
  if (block == NULL) {
    return;
  }
  g_assert(block->references > 0);
  if (--block->references == 0) {
    g_free(block);
  }
}

uint8_t *octet_block_octets(octet_block *block)
{
  return block->octets;
}

static octet_slice *slices_of(octet_rope *rope)
{
  return rope->heap != NULL ? rope->heap : rope->inline_slices;
}

/* Only the counters: the inline slices behind `slice_count` are never read, and clearing them costs more than the
 * rest of a short rope's life. */
void octet_rope_init(octet_rope *rope)
{
  rope->length = 0;
  rope->slice_count = 0;
  rope->heap_capacity = 0;
  rope->heap_dropped = 0;
  rope->heap = NULL;
}

static void free_heap(octet_rope *rope)
{
  if (rope->heap != NULL) {
    g_free(rope->heap - rope->heap_dropped);
  }
}

void octet_rope_clear(octet_rope *rope)
{
  octet_slice *slices = slices_of(rope);
  for (uint32_t index = 0; index < rope->slice_count; index++) {
    octet_block_unref(slices[index].block);
  }
  free_heap(rope);
  octet_rope_init(rope);
}

/* Makes room for one more slice behind those in use. */
static void reserve_slice(octet_rope *rope)
{
  uint32_t capacity = rope->heap != NULL ? rope->heap_capacity : OCTET_ROPE_INLINE_SLICES;
  if (rope->slice_count < capacity) {
    return;
  }
  if (rope->heap != NULL && rope->heap_dropped >= rope->slice_count) {
    /* At least half of the memory lies unused in front: as many drops as this moves have paid for it. */
    octet_slice *memory = rope->heap - rope->heap_dropped;
    memcpy(memory, rope->heap, rope->slice_count * sizeof *memory);
    rope->heap = memory;
    rope->heap_capacity += rope->heap_dropped;
    rope->heap_dropped = 0;
    return;
  }
  octet_slice *grown = g_new(octet_slice, (size_t)capacity * 2);
  memcpy(grown, slices_of(rope), rope->slice_count * sizeof *grown);
  free_heap(rope);
  rope->heap = grown;
  rope->heap_capacity = capacity * 2;
  rope->heap_dropped = 0;
}

void octet_rope_append(octet_rope *rope, const uint8_t *octets, uint32_t length, octet_block *block)
{
  if (length == 0) {
    return;
  }
  g_assert(length <= UINT32_MAX - rope->length);
  if (rope->slice_count > 0) {
    octet_slice *last = &slices_of(rope)[rope->slice_count - 1];
    if (last->block == block && last->octets + last->length == octets) {
      last->length += length;
      rope->length += length;
      return;
    }
  }
  reserve_slice(rope);
  if (block != NULL) {
    block->references++;
  }
  slices_of(rope)[rope->slice_count++] = (octet_slice){.octets = octets, .length = length, .block = block};
  rope->length += length;
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

octet_rope_range octet_rope_range_of(const octet_rope *rope, uint32_t from, uint32_t length)
{
  g_assert(from <= rope->length && length <= rope->length - from);
  octet_rope_range range = {.slice = octet_rope_slices(rope), .skipped = from, .length = length};
  while (range.length > 0 && range.skipped >= range.slice->length) {
    range.skipped -= range.slice->length;
    range.slice++;
  }
  return range;
}

void octet_rope_append_rope(octet_rope *rope, const octet_rope *source, uint32_t from, uint32_t length)
{
  g_assert(rope != source);
  octet_rope_range rest = octet_rope_range_of(source, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    octet_rope_append(rope, part.octets, part.length, part.block);
  }
}

void octet_rope_move(octet_rope *rope, octet_rope *source)
{
  rope->length = source->length;
  rope->slice_count = source->slice_count;
  rope->heap_capacity = source->heap_capacity;
  rope->heap_dropped = source->heap_dropped;
  rope->heap = source->heap;
  if (source->heap == NULL) {
    memcpy(rope->inline_slices, source->inline_slices, source->slice_count * sizeof *source->inline_slices);
  }
  octet_rope_init(source);
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

void octet_rope_copy_out(const octet_rope *rope, uint32_t from, uint32_t length, uint8_t *target)
{
  octet_rope_range rest = octet_rope_range_of(rope, from, length);
  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    memcpy(target, part.octets, part.length);
    target += part.length;
  }
}

uint8_t octet_rope_at(const octet_rope *rope, uint32_t index)
{
  octet_rope_range one = octet_rope_range_of(rope, index, 1);
  return *octet_rope_range_next(&one).octets;
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
