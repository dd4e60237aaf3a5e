/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the largest value in each block of traffic: blocks join when there are too many. */
#include "measure/run_results.h"

#include "test.h"

/* Fills in n blocks of 64 KiB with the maxima 1 … n, each of four Deliveries; octets beyond them too few for
 * a block. */
static void fill(block_maxima *blocks, guint n)
{
  for (guint i = 1; i <= n; i++) {
    for (guint part = 0; part < 4; part++) {
      block_maxima_count(blocks, part == 1 ? i : 0);
      if (block_maxima_deliver(blocks, 16384)) {
        block_maxima_end(blocks);
      }
    }
  }
}

static void expect(const block_maxima *blocks, guint count, guint64 octets, guint step)
{
  g_assert_cmpuint(blocks->values->len, ==, count);
  g_assert_cmpuint(blocks->block_octets, ==, octets);
  for (guint i = 0; i < count; i++) {
    g_assert_cmpuint(g_array_index(blocks->values, guint64, i), ==, (i + 1) * step);
  }
}

/* 1,024 blocks are kept. The next makes pairs of them, and is itself half of the 513th. */
TEST(test_blocks_join)
{
  block_maxima blocks = {0};
  fill(&blocks, 1024);
  expect(&blocks, 1024, 65536, 1);
  block_maxima_clear(&blocks);
  fill(&blocks, 1025);
  expect(&blocks, 512, 131072, 2);
  g_assert_cmpuint(blocks.delivered, ==, 65536);
  g_assert_cmpuint(blocks.peak, ==, 1025);
  block_maxima_clear(&blocks);
  fill(&blocks, 5 * 1024); /* past 4,096: blocks of eight */
  expect(&blocks, 640, 524288, 8);
  block_maxima_clear(&blocks);
  g_assert_null(blocks.values);
}

/* Maxima of 9 and 2 in turn: whichever half of a pair has the 9, the pair has it. */
TEST(test_a_pair_has_the_larger_maximum)
{
  for (guint first = 0; first < 2; first++) {
    block_maxima blocks = {0};
    for (guint i = 0; i <= BLOCK_MAXIMA_MAX; i++) {
      block_maxima_count(&blocks, i % 2 == first ? 9 : 2);
      g_assert_true(block_maxima_deliver(&blocks, BLOCK_OCTETS_LEAST));
      block_maxima_end(&blocks);
    }
    g_assert_cmpuint(blocks.values->len, ==, BLOCK_MAXIMA_MAX / 2);
    for (guint i = 0; i < blocks.values->len; i++) {
      g_assert_cmpuint(g_array_index(blocks.values, guint64, i), ==, 9);
    }
    block_maxima_clear(&blocks);
  }
}
