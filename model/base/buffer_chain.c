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
  buffer->shared_slices = 0;
  buffer->kept = NULL;
  return buffer;
}

size_t octet_buffer_piece_octets(size_t octets)
{
  return sizeof(octet_buffer) + octets;
}

/* Returns the slices at the start of a list's buffer; those of its own octets have no reference on it. */
static octet_slice *shared_slices(octet_buffer *buffer)
{
  return (octet_slice *)(void *)buffer->octets;
}

void octet_buffer_free(octet_buffer *buffer)
{
  if (buffer->shared_slices > 0) {
    const octet_slice *slices = shared_slices(buffer);
    octet_buffer_unref(buffer->kept);
    for (uint32_t index = 0; index < buffer->shared_slices && buffer->kept == NULL; index++) {
      if (slices[index].buffer != buffer) {
        octet_buffer_unref(slices[index].buffer);
      }
    }
  }
  if (buffer->pool != NULL) {
    memory_pool_give(buffer->pool, buffer);
  } else {
    g_free(buffer);
  }
}

static octet_slice *slices_of(buffer_chain *chain)
{
  return chain->heap != NULL ? chain->heap : chain->inline_slices;
}

octet_buffer *buffer_chain_shared_buffer(const buffer_chain *chain)
{
  g_assert(buffer_chain_is_shared(chain));
  return (octet_buffer *)(void *)((uint8_t *)chain->heap - offsetof(octet_buffer, octets));
}

buffer_chain buffer_chain_of_shared(octet_buffer *buffer, uint32_t length)
{
  return (buffer_chain){.length = length,
                        .slice_count = buffer->shared_slices,
                        .heap_capacity = buffer->shared_slices,
                        .heap_dropped = BUFFER_CHAIN_SHARED,
                        .heap = shared_slices(buffer)};
}

void buffer_chain_empty_heap(buffer_chain *chain)
{
  if (buffer_chain_is_shared(chain)) {
    octet_buffer_unref(buffer_chain_shared_buffer(chain));
    buffer_chain_init(chain);
    return;
  }
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    octet_buffer_unref(chain->heap[index].buffer);
  }
  buffer_chain_start_over(chain);
}

/* Puts the same octets into slices of the chain's own, with room for `count` more. */
static void stop_sharing(buffer_chain *chain, uint32_t count)
{
  octet_buffer *buffer = buffer_chain_shared_buffer(chain);
  uint32_t capacity = chain->slice_count + count;
  octet_slice *slices = g_new(octet_slice, capacity);
  memcpy(slices, chain->heap, chain->slice_count * sizeof *slices);
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    if (slices[index].buffer != NULL) {
      slices[index].buffer->references++;
    }
  }
  chain->heap = slices;
  chain->heap_capacity = capacity;
  chain->heap_dropped = 0;
  octet_buffer_unref(buffer);
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
  if (buffer_chain_is_shared(chain)) {
    stop_sharing(chain, MAX(used, count));
    return;
  }
  if (chain->heap != NULL && chain->heap_dropped >= MAX(used, count)) {
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
  if (chain->heap != NULL) {
    g_free(chain->heap - chain->heap_dropped);
  }
  chain->heap = grown;
  chain->heap_capacity = capacity;
  chain->heap_dropped = 0;
}

void buffer_chain_append_after(buffer_chain *chain, const uint8_t *octets, uint32_t length,
                               octet_buffer *buffer)
{
  if (length == 0) {
    return;
  }
  g_assert(length <= UINT32_MAX - chain->length);
  if (buffer_chain_is_shared(chain)) {
    stop_sharing(chain, chain->slice_count);
  }
  octet_slice *last = &slices_of(chain)[chain->slice_count - 1];
  if (last->buffer == buffer && last->octets + last->length == octets) {
    last->length += length;
    chain->length += length;
    return;
  }
  buffer_chain_reserve(chain, 1);
  buffer_chain_put(chain, octets, length, buffer);
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
  if (length == source->length && chain->length == 0 && chain->heap == NULL &&
      buffer_chain_is_shared(source)) {
    *chain = buffer_chain_of_shared(buffer_chain_shared_buffer(source), length);
    buffer_chain_shared_buffer(chain)->references++;
    return;
  }
  buffer_chain_range rest = buffer_chain_range_of(source, from, length);
  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    buffer_chain_append(chain, part.octets, part.length, part.buffer);
  }
}

void buffer_chain_drop_front(buffer_chain *chain, uint32_t length)
{
  g_assert(length <= chain->length);
  if (buffer_chain_is_shared(chain)) {
    stop_sharing(chain, 0);
  }
  chain->length -= length;
  octet_slice *slices = slices_of(chain);
  uint32_t dropped = 0;
  while (length > 0 && slices[dropped].length <= length) {
    length -= slices[dropped].length;
    octet_buffer_unref(slices[dropped].buffer);
    dropped++;
  }
  if (dropped == chain->slice_count) {
    buffer_chain_start_over(chain);
    return;
  }
  chain->slice_count -= dropped;
  if (chain->heap != NULL) {
    /* The slices stay where they are, so that a long chain can be consumed piece by piece in linear time. */
    chain->heap += dropped;
    chain->heap_dropped += dropped;
    chain->heap_capacity -= dropped;
  } else {
    for (uint32_t index = 0; dropped > 0 && index < chain->slice_count; index++) {
      slices[index] = slices[dropped + index];
    }
  }
  if (length > 0) {
    octet_slice *first = slices_of(chain);
    first->octets += length;
    first->length -= length;
  }
}

void buffer_chain_copy_slices(const buffer_chain *chain, uint32_t from, uint32_t length, uint8_t *target)
{
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

/* --- Scatter lists --- */

size_t scatter_list_piece_octets(uint32_t slices_max, size_t own_octets)
{
  return octet_buffer_piece_octets(slices_max * sizeof(octet_slice) + own_octets);
}

void scatter_list_begin(scatter_list *list, memory_pool *pool, uint32_t slices_max, size_t own_octets)
{
  g_assert(slices_max > 0);
  size_t slice_octets = slices_max * sizeof(octet_slice);
  octet_buffer *buffer = octet_buffer_new_in(pool, slice_octets + own_octets);
  uint8_t *octets = octet_buffer_octets(buffer);

  *list = (scatter_list){.buffer = buffer,
                         .slices = (octet_slice *)(void *)octets,
                         .slices_max = slices_max,
                         .own = octets + slice_octets,
                         .own_end = octets + slice_octets + own_octets};
}

static void put(scatter_list *list, const uint8_t *octets, uint32_t length, octet_buffer *buffer)
{
  g_assert(length > 0 && length <= UINT32_MAX - list->length);
  g_assert(list->slice_count < list->slices_max);
  list->slices[list->slice_count++] = (octet_slice){.octets = octets, .length = length, .buffer = buffer};
  list->length += length;
}

uint8_t *scatter_list_own(scatter_list *list, uint32_t length)
{
  g_assert(length <= (size_t)(list->own_end - list->own));
  uint8_t *own = list->own;
  bool continues = list->slice_count > 0 && list->slices[list->slice_count - 1].buffer == list->buffer;

  list->own += length;
  if (continues) {
    list->slices[list->slice_count - 1].length += length;
    list->length += length;
  } else {
    put(list, own, length, list->buffer); /* a reference on itself would keep it for ever: there is none */
  }
  return own;
}

void scatter_list_refer(scatter_list *list, const uint8_t *octets, uint32_t length, octet_buffer *buffer)
{
  put(list, octets, length, buffer);
  buffer->references++;
}

/* One reference instead of those of all slices, if they refer to octets of one buffer: an FPDU's slices, some
 * cache lines, are not read again when it goes. */
static void keep_one(scatter_list *list)
{
  octet_buffer *kept = NULL;
  uint32_t count = 0;

  for (uint32_t index = 0; index < list->slice_count; index++) {
    octet_buffer *buffer = list->slices[index].buffer;
    if (buffer != list->buffer) {
      if (kept != NULL && kept != buffer) {
        return;
      }
      kept = buffer;
      count++;
    }
  }
  if (kept != NULL) {
    kept->references -= count - 1;
    list->buffer->kept = kept;
  }
}

void scatter_list_end(scatter_list *list, buffer_chain *chain)
{
  g_assert(list->slice_count > 0 && chain->length == 0 && chain->heap == NULL);
  list->buffer->shared_slices = list->slice_count;
  keep_one(list);
  buffer_chain_init(chain);
  chain->length = list->length;
  chain->slice_count = list->slice_count;
  chain->heap_capacity = list->slice_count;
  chain->heap_dropped = BUFFER_CHAIN_SHARED;
  chain->heap = list->slices;
}
