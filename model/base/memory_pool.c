/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/memory_pool.h"

#include <glib.h>

/* Slabs grow with the pool, from few pieces, so that an idle pool is small, to about this many octets. */
enum { FIRST_SLAB_PIECES = 4, SLAB_OCTETS_MAX = 65536 };

/* It lies in front of each slab's pieces, so that those of whole cache lines share none. */
enum { CACHE_LINE_OCTETS = 64 };
typedef struct slab {
  _Alignas(CACHE_LINE_OCTETS) struct slab *next;
} slab;

memory_pool *memory_pool_new(size_t piece_octets)
{
  const size_t unit = 2 * sizeof(void *);
  g_assert(piece_octets > 0);
  memory_pool *pool = g_new0(memory_pool, 1);
  pool->piece_octets = (piece_octets + unit - 1) / unit * unit;
  pool->next_slab_pieces = FIRST_SLAB_PIECES;
  pool->owned = true;
  return pool;
}

static void free_pool(memory_pool *pool)
{
  slab *next = NULL;
  for (slab *each = pool->slabs; each != NULL; each = next) {
    next = each->next;
    g_aligned_free(each);
  }
  g_free(pool);
}

void memory_pool_unref(memory_pool *pool)
{
  g_assert(pool == NULL || pool->owned);
  if (pool != NULL && pool->pieces_out == 0) {
    free_pool(pool);
  } else if (pool != NULL) {
    pool->owned = false;
  }
}

void *memory_pool_take_new(memory_pool *pool)
{
  g_assert(pool->owned);
  if (!MEMORY_POOL_KEEPS) {
    pool->pieces_out++;
    return g_malloc(pool->piece_octets);
  }
  uint32_t pieces = pool->next_slab_pieces;
  slab *made = g_aligned_alloc(1, sizeof *made + pieces * pool->piece_octets, CACHE_LINE_OCTETS);
  made->next = pool->slabs;
  pool->slabs = made;
  uint8_t *memory = (uint8_t *)(made + 1);
  for (uint32_t index = pieces; index-- > 0;) {
    memory_pool_piece *piece = (memory_pool_piece *)(void *)(memory + index * pool->piece_octets);
    piece->next = pool->unused;
    pool->unused = piece;
  }
  if (2 * pieces * pool->piece_octets <= SLAB_OCTETS_MAX) {
    pool->next_slab_pieces = 2 * pieces;
  }
  return memory_pool_take(pool);
}

void memory_pool_give_last(memory_pool *pool, void *piece)
{
  g_assert(pool->pieces_out > 0);
  pool->pieces_out--;
  if (!MEMORY_POOL_KEEPS) {
    g_free(piece);
  }
  if (!pool->owned && pool->pieces_out == 0) {
    free_pool(pool);
  }
}
