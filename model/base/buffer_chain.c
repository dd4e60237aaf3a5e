/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/buffer_chain.h"

octet_buffer *octet_buffer_new(size_t octets)
{
  return octet_buffer_new_in(NULL, octets);
}

octet_buffer *octet_buffer_new_in(memory_pool *pool, size_t octets)
{
  g_assert(octets > 0);
  memory_pool *used = pool != NULL && octet_buffer_piece_octets(octets) <= pool->piece_octets ? pool : NULL;
  octet_buffer *buffer = used != NULL ? memory_pool_take(used) : g_malloc(octet_buffer_piece_octets(octets));
  buffer->pool = used;
  buffer->references = 1;
  buffer->is_deferred = false;
  return buffer;
}

size_t octet_buffer_piece_octets(size_t octets)
{
  return sizeof(octet_buffer) + octets;
}

static deferred_octets *deferred_in(octet_buffer *buffer)
{
  return (deferred_octets *)(void *)buffer->octets;
}

void octet_buffer_free(octet_buffer *buffer)
{
  if (buffer->is_deferred) {
    octet_buffer_unref(deferred_in(buffer)->source);
    g_free((uint8_t *)deferred_in(buffer)->slice.octets);
  }
  if (buffer->pool != NULL) {
    memory_pool_give(buffer->pool, buffer);
  } else {
    g_free(buffer);
  }
}

static octet_slice *slices_of(buffer_chain *chain)
{
  return chain->heap_capacity > 0 ? chain->heap : chain->inline_slices;
}

/* --- Deferred octets --- */

size_t buffer_chain_deferred_piece_octets(size_t recipe_octets)
{
  return octet_buffer_piece_octets(sizeof(deferred_octets) + recipe_octets);
}

void *buffer_chain_defer(buffer_chain *chain, uint32_t length, memory_pool *pool, octet_writer write,
                         size_t recipe_octets, octet_buffer *source)
{
  g_assert(length > 0 && chain->length == 0 && chain->heap_capacity == 0);
  octet_buffer *buffer = octet_buffer_new_in(pool, sizeof(deferred_octets) + recipe_octets);
  deferred_octets *deferred = deferred_in(buffer);
  buffer->is_deferred = true;
  deferred->slice.octets = NULL;
  deferred->slice.length = length;
  deferred->slice.buffer = buffer;
  deferred->write = write;
  deferred->source = source;
  source->references++;
  buffer_chain_init_deferred(chain, buffer);
  return deferred->recipe;
}

octet_buffer *buffer_chain_deferred_buffer(const buffer_chain *chain)
{
  g_assert(buffer_chain_is_deferred(chain));
  return chain->heap->buffer;
}

/* Member by member: a struct copied as a whole right after its members were written waits until all that was
 * written before is in the cache, the octets that were just placed too (docs/performance.md, "Many
 * connections"). */
void buffer_chain_init_deferred(buffer_chain *chain, octet_buffer *buffer)
{
  deferred_octets *deferred = deferred_in(buffer);
  chain->length = deferred->slice.length;
  chain->slice_count = 1;
  chain->heap_capacity = 1;
  chain->heap_dropped = BUFFER_CHAIN_DEFERRED;
  chain->heap = &deferred->slice;
}

void buffer_chain_write_deferred(const buffer_chain *chain)
{
  deferred_octets *deferred = deferred_in(buffer_chain_deferred_buffer(chain));
  if (deferred->slice.octets == NULL) {
    uint8_t *octets = g_malloc(deferred->slice.length);
    deferred->write(deferred->recipe, octets);
    deferred->slice.octets = octets;
  }
}

/* Makes the same octets a slice of `chain` itself, which keeps its reference. */
static void stop_deferring(buffer_chain *chain)
{
  const octet_slice slice = *buffer_chain_slices(chain);
  buffer_chain_init(chain);
  chain->inline_slices[0] = slice;
  chain->slice_count = 1;
  chain->length = slice.length;
}

/* --- Chains --- */

void buffer_chain_empty_heap(buffer_chain *chain)
{
  if (buffer_chain_is_deferred(chain)) {
    octet_buffer_unref(buffer_chain_deferred_buffer(chain));
    buffer_chain_init(chain);
    return;
  }
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    octet_buffer_unref(chain->heap[index].buffer);
  }
  buffer_chain_start_over(chain);
}

void buffer_chain_free_heap(buffer_chain *chain)
{
  g_free(chain->heap - chain->heap_dropped);
  buffer_chain_init(chain);
}

void buffer_chain_grow(buffer_chain *chain, uint32_t count)
{
  uint32_t used = chain->slice_count;
  g_assert(count <= UINT32_MAX / 4 - used);
  if (buffer_chain_is_deferred(chain)) {
    stop_deferring(chain);
    if (count <= BUFFER_CHAIN_INLINE_SLICES - used) {
      return;
    }
  }
  if (chain->heap_capacity > 0 && chain->heap_dropped >= MAX(used, count)) {
    /* At least half of the memory lies unused in front: as many drops as this moves have paid for it. */
    octet_slice *memory = chain->heap - chain->heap_dropped;
    memcpy(memory, chain->heap, used * sizeof *memory);
    chain->heap = memory;
    chain->heap_capacity += chain->heap_dropped;
    chain->heap_dropped = 0;
    return;
  }
  uint32_t capacity = MAX(2 * used, used + count);
  octet_slice *grown = g_new(octet_slice, capacity);
  memcpy(grown, slices_of(chain), used * sizeof *grown);
  if (chain->heap_capacity > 0) {
    g_free(chain->heap - chain->heap_dropped);
  }
  chain->heap = grown;
  chain->heap_capacity = capacity;
  chain->heap_dropped = 0;
}

/* A slice that does not continue the last one, or deferred octets. */
static G_GNUC_NO_INLINE void append_slice(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                                          octet_buffer *buffer)
{
  buffer_chain_reserve(chain, 1);
  buffer_chain_put(chain, octets, length, buffer);
}

void buffer_chain_append_after(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                               octet_buffer *buffer)
{
  if (length == 0) {
    return;
  }
  g_assert(length <= UINT32_MAX - chain->length);
  octet_slice *last = &slices_of(chain)[chain->slice_count - 1];
  if (last->buffer == buffer && last->octets + last->length == octets && !buffer_chain_is_deferred(chain)) {
    last->length += length;
    chain->length += length;
  } else {
    append_slice(chain, octets, length, buffer);
  }
}

void buffer_chain_append_copy(buffer_chain *chain, const uint8_t *octets, uint32_t length)
{
  if (length == 0) {
    return;
  }
  octet_buffer *copy = octet_buffer_new(length);
  memcpy(copy->octets, octets, length);
  buffer_chain_append(chain, copy->octets, length, copy);
  octet_buffer_unref(copy);
}

buffer_chain_range buffer_chain_range_after(const buffer_chain *chain, uint32_t from, uint32_t length)
{
  g_assert(from <= chain->length && length <= chain->length - from);
  buffer_chain_range range = {.slice = buffer_chain_slices(chain), .skipped = from, .length = length};
  while (range.length > 0 && range.skipped >= range.slice->length) {
    range.skipped -= range.slice->length;
    range.slice++;
  }
  return range;
}

const uint8_t *buffer_chain_flat_anywhere(const buffer_chain *chain, uint32_t from, uint32_t length)
{
  g_assert(length > 0 && from <= chain->length && length <= chain->length - from);
  const octet_slice *slice = buffer_chain_slices(chain);
  while (from >= slice->length) {
    from -= slice->length;
    slice++;
  }
  return length <= slice->length - from ? slice->octets + from : NULL;
}

void buffer_chain_append_gathered(buffer_chain *chain, const gather_list *list)
{
  for (uint32_t index = 0; index < list->slice_count; index++) {
    const octet_slice *slice = &list->slices[index];
    buffer_chain_append(chain, slice->octets, slice->length, slice->buffer);
  }
}

void buffer_chain_append_slices(buffer_chain *chain, const buffer_chain *source, uint32_t from,
                                uint32_t length)
{
  g_assert(chain != source);
  if (length == source->length && chain->length == 0 && chain->heap_capacity == 0 &&
      buffer_chain_is_deferred(source)) {
    buffer_chain_init_deferred(chain, buffer_chain_deferred_buffer(source));
    buffer_chain_deferred_buffer(chain)->references++;
    return;
  }
  g_assert(from <= source->length && length <= source->length - from);
  for (const octet_slice *slice = buffer_chain_slices(source); length > 0; slice++) {
    if (from >= slice->length) {
      from -= slice->length;
      continue;
    }
    uint32_t part = MIN(slice->length - from, length);
    buffer_chain_append(chain, slice->octets + from, part, slice->buffer);
    length -= part;
    from = 0;
  }
}

void buffer_chain_drop_front(buffer_chain *chain, uint32_t length)
{
  g_assert(length <= chain->length);
  if (buffer_chain_is_deferred(chain)) {
    stop_deferring(chain);
  }
  chain->length -= length;
  octet_slice *first = slices_of(chain);
  uint32_t dropped = 0;
  for (; length > 0 && first->length <= length; first++, dropped++) {
    length -= first->length;
    octet_buffer_unref(first->buffer);
  }
  if (dropped == chain->slice_count) {
    buffer_chain_start_over(chain);
    return;
  }
  first->octets += length;
  first->length -= length;
  if (dropped == 0) {
    return;
  }
  chain->slice_count -= dropped;
  if (chain->heap_capacity > 0) {
    /* The slices stay where they are, so that a long chain can be consumed piece by piece in linear time. */
    chain->heap = first;
    chain->heap_dropped += dropped;
    chain->heap_capacity -= dropped;
    return;
  }
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    chain->inline_slices[index] = first[index];
  }
}

void buffer_chain_copy_slices(const buffer_chain *chain, uint32_t from, uint32_t length, uint8_t *target)
{
  if (buffer_chain_is_deferred(chain) && length == chain->length && chain->heap->octets == NULL) {
    const deferred_octets *deferred = deferred_in(chain->heap->buffer);
    deferred->write(deferred->recipe, target);
    return;
  }
  buffer_chain_range rest = buffer_chain_range_of(chain, from, length);
  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    memcpy(target, part.octets, part.length);
    target += part.length;
  }
}

bool buffer_chain_equals(const buffer_chain *chain, uint32_t from, uint32_t length, const uint8_t *expected)
{
  buffer_chain_range rest = buffer_chain_range_of(chain, from, length);
  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    if (memcmp(part.octets, expected, part.length) != 0) {
      return false;
    }
    expected += part.length;
  }
  return true;
}
