/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/scatter_list.h"

#include <glib.h>

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
                         .own_behind = octets + slice_octets + own_octets};
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
  g_assert(length <= (size_t)(list->own_behind - list->own));
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

void scatter_list_end(scatter_list *list, buffer_chain *chain)
{
  g_assert(list->slice_count > 0 && chain->length == 0 && chain->heap == NULL);
  list->buffer->shared_slices = list->slice_count;
  buffer_chain_init(chain);
  chain->length = list->length;
  chain->slice_count = list->slice_count;
  chain->heap_capacity = list->slice_count;
  chain->heap_dropped = BUFFER_CHAIN_SHARED;
  chain->heap = list->slices;
}
