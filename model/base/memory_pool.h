/* SPDX-License-Identifier: GPL-2.0-only */
/* Pieces of memory of one size, used again and again: a segment needs no allocation once there are as many
 * pieces as are ever in use at the same time.
 *
 * A pool lives until its owner has released it and all its pieces have come back, so that a packet that is
 * still on its way may outlive the host that sent it. One simulation is one thread: nothing here is atomic.
 * Under AddressSanitizer each piece is allocated and freed alone, so that a use after its return is found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is a piece that is free. */
typedef struct memory_pool_piece {
  struct memory_pool_piece *next;
} memory_pool_piece;

/* The first fields are here for the functions below alone. */
typedef struct memory_pool {
  memory_pool_piece *unused;
  size_t pieces_out;
  size_t piece_octets;
  void *slabs;
  uint32_t next_slab_pieces;
  bool owned;
} memory_pool;

/* Makes an empty pool of pieces of `piece_octets` (> 0) octets, the caller's. They are aligned as malloc()
 * would; those of a multiple of 64 octets, which a cache line has, begin one. */
memory_pool *memory_pool_new(size_t piece_octets);

/* The owner releases the pool: no piece may be taken any more, and the last one that comes back frees the
 * pool. NULL is allowed. */
void memory_pool_unref(memory_pool *pool);

/* They are what memory_pool_take() and memory_pool_give() do when they cannot just move one piece. */
void *memory_pool_take_new(memory_pool *pool);
void memory_pool_give_last(memory_pool *pool, void *piece);

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_POOL_KEEPS 0
#else
#define MEMORY_POOL_KEEPS 1
#endif

/* Returns an uninitialised piece; never NULL. Give it back with memory_pool_give(). */
static inline void *memory_pool_take(memory_pool *pool)
{
  memory_pool_piece *piece = pool->unused;
  if (!MEMORY_POOL_KEEPS || piece == NULL) {
    return memory_pool_take_new(pool);
  }
  pool->unused = piece->next;
  pool->pieces_out++;
  return piece;
}

/* Takes back a piece of this pool. */
static inline void memory_pool_give(memory_pool *pool, void *piece)
{
  if (!MEMORY_POOL_KEEPS || (!pool->owned && pool->pieces_out == 1)) {
    memory_pool_give_last(pool, piece);
    return;
  }
  memory_pool_piece *unused = (memory_pool_piece *)piece;
  unused->next = pool->unused;
  pool->unused = unused;
  pool->pieces_out--;
}
