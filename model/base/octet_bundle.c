/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/octet_bundle.h"

#include <glib.h>

size_t octet_bundle_piece_octets(uint32_t slices_max, size_t own_octets)
{
  return octet_block_piece_octets(slices_max * sizeof(octet_slice) + own_octets);
}

void octet_bundle_begin(octet_bundle *bundle, memory_pool *pool, uint32_t slices_max, size_t own_octets)
{
  g_assert(slices_max > 0);
  size_t slice_octets = slices_max * sizeof(octet_slice);
  octet_block *block = octet_block_new_in(pool, slice_octets + own_octets);
  uint8_t *octets = octet_block_octets(block);

  *bundle = (octet_bundle){.block = block,
                           .slices = (octet_slice *)(void *)octets,
                           .slices_max = slices_max,
                           .own = octets + slice_octets,
                           .own_behind = octets + slice_octets + own_octets};
}

static void put(octet_bundle *bundle, const uint8_t *octets, uint32_t length, octet_block *block)
{
  g_assert(length > 0 && length <= UINT32_MAX - bundle->length);
  g_assert(bundle->slice_count < bundle->slices_max);
  bundle->slices[bundle->slice_count++] = (octet_slice){.octets = octets, .length = length, .block = block};
  bundle->length += length;
}

uint8_t *octet_bundle_own(octet_bundle *bundle, uint32_t length)
{
  g_assert(length <= (size_t)(bundle->own_behind - bundle->own));
  uint8_t *own = bundle->own;
  bool continues = bundle->slice_count > 0 && bundle->slices[bundle->slice_count - 1].block == bundle->block;

  bundle->own += length;
  if (continues) {
    bundle->slices[bundle->slice_count - 1].length += length;
    bundle->length += length;
  } else {
    put(bundle, own, length, bundle->block); /* a reference on itself would keep it for ever: there is none */
  }
  return own;
}

void octet_bundle_refer(octet_bundle *bundle, const uint8_t *octets, uint32_t length, octet_block *block)
{
  put(bundle, octets, length, block);
  block->references++;
}

void octet_bundle_end(octet_bundle *bundle, octet_rope *rope)
{
  g_assert(bundle->slice_count > 0 && rope->length == 0 && rope->heap == NULL);
  bundle->block->shared_slices = bundle->slice_count;
  octet_rope_init(rope);
  rope->length = bundle->length;
  rope->slice_count = bundle->slice_count;
  rope->heap_capacity = bundle->slice_count;
  rope->heap_dropped = OCTET_ROPE_SHARED;
  rope->heap = bundle->slices;
}
