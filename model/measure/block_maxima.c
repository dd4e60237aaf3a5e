/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/block_maxima.h"

void block_maxima_clear(block_maxima *blocks)
{
  g_clear_pointer(&blocks->values, g_array_unref);
  *blocks = (block_maxima){.values = NULL};
}

/* Joins each two neighbours; a last one without a neighbour is part of the open block again. */
static void join_pairs(block_maxima *blocks)
{
  guint64 *values = (guint64 *)(void *)blocks->values->data;
  guint pairs = blocks->values->len / 2;
  for (guint i = 0; i < pairs; i++) {
    values[i] = MAX(values[2 * i], values[2 * i + 1]);
  }
  if (blocks->values->len % 2 != 0) {
    block_maxima_count(blocks, values[2 * pairs]);
    blocks->delivered += blocks->block_octets;
  }
  g_array_set_size(blocks->values, pairs);
  blocks->block_octets *= 2;
}

void block_maxima_end(block_maxima *blocks)
{
  if (!blocks->values) {
    blocks->values = g_array_new(FALSE, FALSE, sizeof(guint64));
    blocks->block_octets = BLOCK_OCTETS_LEAST;
  }
  while (blocks->delivered >= blocks->block_octets) {
    g_array_append_val(blocks->values, blocks->peak);
    blocks->delivered -= blocks->block_octets;
    blocks->peak = 0;
    if (blocks->values->len > BLOCK_MAXIMA_MAX) {
      join_pairs(blocks);
    }
  }
}
