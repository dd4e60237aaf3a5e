/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_blocks.h"

#include <glib.h>
#include <string.h>

/* Segments of most links are of the second or third size. What is longer is a super-segment of an offload, and costs an allocation. */
static const size_t sizes[] = {256, 2048, 9216};

enum { SIZES = G_N_ELEMENTS(sizes) };

struct decode_blocks {
  memory_pool *pools[SIZES];
};

decode_blocks *decode_blocks_new(void)
{
  decode_blocks *blocks = g_new(decode_blocks, 1);

  for (size_t index = 0; index < SIZES; index++) {
    blocks->pools[index] = memory_pool_new(octet_block_piece_octets(sizes[index]));
  }
  return blocks;
}

void decode_blocks_free(decode_blocks *blocks)
{
  if (blocks) {
    for (size_t index = 0; index < SIZES; index++) {
      memory_pool_unref(blocks->pools[index]);
    }
    g_free(blocks);
  }
}

octet_block *decode_blocks_copy(decode_blocks *blocks, const uint8_t *octets, uint32_t length)
{
  size_t index = 0;

  while (index < SIZES && length > sizes[index]) {
    index++;
  }
  octet_block *block = octet_block_new_in(index < SIZES ? blocks->pools[index] : NULL, length);
  if (octets) {
    memcpy(octet_block_octets(block), octets, length);
  }
  return block;
}
