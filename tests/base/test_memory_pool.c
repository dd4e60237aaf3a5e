/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/memory_pool.h"

#include <string.h>

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

/* A piece that came back is the next to go out: nothing is allocated for it. */
TEST(test_reuse)
{
  g_autoptr(memory_pool) pool = memory_pool_new(100);
  void *first = memory_pool_take(pool);
  void *second = memory_pool_take(pool);
  g_assert_true(first != second);
  g_assert_cmpuint(pool->pieces_out, ==, 2);
  memory_pool_give(pool, first);
  memory_pool_give(pool, second); /* the last to come back, so the first to go out */
  g_assert_cmpuint(pool->pieces_out, ==, 0);
  if (MEMORY_POOL_KEEPS) {
    const void *slabs = pool->slabs;
    for (int round = 0; round < 1000; round++) {
      void *again[2] = {memory_pool_take(pool), memory_pool_take(pool)};
      g_assert_true(again[0] == second && again[1] == first);
      memory_pool_give(pool, again[1]);
      memory_pool_give(pool, again[0]);
    }
    g_assert_true(pool->slabs == slabs);
  }
  memory_pool_unref(NULL);
}

enum { PIECES = 3000, PIECE_OCTETS = 37, SEED = 5120 };

/* Thousands of pieces out at a time, in any order back and out again: each is aligned as malloc() aligns, and
 * none has an octet of another. */
TEST(test_growth_and_alignment)
{
  g_autoptr(memory_pool) pool = memory_pool_new(PIECE_OCTETS);
  g_autoptr(random_stream) random = random_stream_new(SEED, "memory_pool");
  uint8_t *pieces[PIECES] = {NULL};
  g_assert_cmpuint(pool->piece_octets, >=, PIECE_OCTETS);
  for (int round = 0; round < 10 * PIECES; round++) {
    size_t index = random_stream_below(random, PIECES);
    if (pieces[index] == NULL) {
      pieces[index] = memory_pool_take(pool);
      g_assert_cmpuint((uintptr_t)pieces[index] % _Alignof(max_align_t), ==, 0);
      memset(pieces[index], (int)(index % 251), PIECE_OCTETS);
      continue;
    }
    for (size_t octet = 0; octet < PIECE_OCTETS; octet++) {
      g_assert_cmpuint(pieces[index][octet], ==, index % 251);
    }
    memory_pool_give(pool, pieces[index]);
    pieces[index] = NULL;
  }
  size_t out = 0;
  for (size_t index = 0; index < PIECES; index++) {
    if (pieces[index] != NULL) {
      out++;
      memory_pool_give(pool, pieces[index]);
    }
  }
  g_assert_cmpuint(out, >, PIECES / 3);
  g_assert_cmpuint(pool->pieces_out, ==, 0);
}

/* The owner is freed while pieces are in use: they stay valid, and the last one returned frees the pool
 * (LeakSanitizer would report what is left). */
TEST(test_owner_goes_first)
{
  memory_pool *pool = memory_pool_new(64);
  uint8_t *pieces[10];
  for (int index = 0; index < 10; index++) {
    pieces[index] = memory_pool_take(pool);
  }
  memory_pool_unref(pool);
  for (int index = 0; index < 10; index++) {
    memset(pieces[index], index, 64);
  }
  for (int index = 0; index < 10; index++) {
    g_assert_cmpuint(pieces[index][63], ==, index);
    g_assert_cmpuint(pool->pieces_out, ==, 10 - index);
    memory_pool_give(pool, pieces[index]);
  }
}

/* Taking a piece from a pool without an owner is an error: the pool is about to be freed. */
TEST(test_no_owner)
{
  if (g_test_subprocess()) {
    memory_pool *pool = memory_pool_new(64);
    void *piece = memory_pool_take(pool);
    memory_pool_unref(pool);
    for (int index = 0; index < 100; index++) {
      memory_pool_take(pool);
    }
    memory_pool_give(pool, piece);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*pool->owned*");
}
