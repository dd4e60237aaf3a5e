/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/octet_rope.h"

#include <glib.h>
#include <string.h>

#include "base/random_stream.h"

static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";

static void assert_rope(const octet_rope *rope, const char *expected)
{
  char text[256] = "";
  g_assert_cmpuint(rope->length, <, sizeof text);
  octet_rope_copy_out(rope, 0, rope->length, (uint8_t *)text);
  g_assert_cmpstr(text, ==, expected);
}

static void test_append(void)
{
  octet_rope rope = {0}; /* all zero is a valid empty rope */
  octet_rope_append(&rope, letters + 2, 3, NULL);
  octet_rope_append(&rope, letters + 9, 0, NULL);
  octet_rope_append(&rope, letters, 2, NULL);
  assert_rope(&rope, "cdeab");
  g_assert_cmpuint(rope.slice_count, ==, 2);
  g_assert_cmpint(octet_rope_at(&rope, 2), ==, 'e');
  g_assert_cmpint(octet_rope_at(&rope, 3), ==, 'a');
  octet_rope_clear(&rope);
  g_assert_cmpuint(rope.length, ==, 0);
  g_assert_cmpuint(rope.slice_count, ==, 0);
}

/* A slice behind the last one in memory is merged with it, but not across blocks: each keeps its own alive. */
static void test_merge(void)
{
  octet_block *block = octet_block_new(6);
  memcpy(octet_block_octets(block), "012345", 6);
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append(&rope, octet_block_octets(block), 2, block);
  octet_rope_append(&rope, octet_block_octets(block) + 2, 2, block);
  g_assert_cmpuint(rope.slice_count, ==, 1);
  octet_rope_append(&rope, octet_block_octets(block) + 4, 2, NULL);
  g_assert_cmpuint(rope.slice_count, ==, 2);
  assert_rope(&rope, "012345");
  octet_rope_clear(&rope);
  octet_block_unref(block);
}

/* The rope keeps the block; MALLOC_PERTURB_ and the sanitizer show a freed one. */
static void test_keeps_block_alive(void)
{
  octet_block *block = octet_block_new(4);
  memcpy(octet_block_octets(block), "wxyz", 4);
  octet_rope rope;
  octet_rope copy;
  octet_rope_init(&rope);
  octet_rope_init(&copy);
  octet_rope_append(&rope, octet_block_octets(block), 4, block);
  octet_block_unref(block);
  octet_rope_append_rope(&copy, &rope, 1, 2);
  octet_rope_clear(&rope);
  assert_rope(&copy, "xy");
  octet_rope_drop_front(&copy, 1);
  assert_rope(&copy, "y");
  octet_rope_drop_front(&copy, 1);
  g_assert_cmpuint(copy.slice_count, ==, 0);
  octet_rope_clear(&copy);
  octet_block_unref(NULL);
}

/* What is copied may change afterwards; nothing at all adds no slice. */
static void test_append_copy(void)
{
  uint8_t octets[] = {'p', 'q', 'r'};
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append_copy(&rope, octets, 0);
  g_assert_cmpuint(rope.slice_count, ==, 0);
  octet_rope_append_copy(&rope, octets, 3);
  memset(octets, '-', sizeof octets);
  octet_rope_append_copy(&rope, octets, 1);
  assert_rope(&rope, "pqr-");
  octet_rope_clear(&rope);
}

static void test_equals(void)
{
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append(&rope, letters, 3, NULL);
  octet_rope_append(&rope, letters + 10, 3, NULL);
  g_assert_true(octet_rope_equals(&rope, 0, 6, (const uint8_t *)"abcklm"));
  g_assert_true(octet_rope_equals(&rope, 2, 3, (const uint8_t *)"ckl"));
  g_assert_true(octet_rope_equals(&rope, 6, 0, (const uint8_t *)""));
  g_assert_false(octet_rope_equals(&rope, 0, 6, (const uint8_t *)"abckln"));
  g_assert_false(octet_rope_equals(&rope, 1, 3, (const uint8_t *)"cck"));
  octet_rope_clear(&rope);
}

/* Appends single octets that never merge: every second letter. */
static void append_alternating(octet_rope *rope, uint32_t from, uint32_t to)
{
  for (uint32_t number = from; number < to; number++) {
    octet_rope_append(rope, letters + number * 2 % 26, 1, NULL);
  }
}

/* Long ropes move their slices to the heap, keep their order when moved, and come back to life when cleared. */
static void test_many_slices(void)
{
  octet_rope rope;
  octet_rope_init(&rope);
  append_alternating(&rope, 0, 20);
  g_assert_cmpuint(rope.slice_count, ==, 20);
  assert_rope(&rope, "acegikmoqsuwyacegikm");
  octet_rope moved;
  octet_rope_move(&moved, &rope);
  g_assert_cmpuint(rope.length, ==, 0);
  append_alternating(&rope, 0, 2);
  assert_rope(&rope, "ac");
  octet_rope_drop_front(&moved, 18);
  assert_rope(&moved, "km");
  octet_rope_clear(&moved);
  octet_rope_clear(&rope);
}

/* A rope consumed as it grows needs no more room than it holds at a time: 20 slices, so 32, or 64 while moving. */
static void test_queue_stays_small(void)
{
  octet_rope rope;
  octet_rope_init(&rope);
  append_alternating(&rope, 0, 20);
  for (uint32_t number = 20; number < 5000; number++) {
    append_alternating(&rope, number, number + 1);
    g_assert_cmpint(octet_rope_at(&rope, 0), ==, letters[(number - 20) * 2 % 26]);
    octet_rope_drop_front(&rope, 1);
  }
  g_assert_cmpuint(rope.slice_count, ==, 20);
  g_assert_cmpuint(rope.heap_dropped + rope.heap_capacity, <=, 64);
  octet_rope_clear(&rope);
}

/* A rope that is emptied keeps its memory, one that was consumed to its end, too: filled again and again it allocates once. */
static void test_empty_keeps_memory(void)
{
  octet_rope rope;
  octet_rope_init(&rope);
  append_alternating(&rope, 0, 20);
  const octet_slice *memory = octet_rope_slices(&rope);
  for (int round = 0; round < 10; round++) {
    octet_rope_empty(&rope);
    g_assert_cmpuint(rope.length, ==, 0);
    g_assert_cmpuint(rope.slice_count, ==, 0);
    append_alternating(&rope, 0, 20);
    assert_rope(&rope, "acegikmoqsuwyacegikm");
    octet_rope_drop_front(&rope, 1 + (uint32_t)round);
    octet_rope_drop_front(&rope, rope.length);
    g_assert_cmpuint(rope.slice_count, ==, 0);
    append_alternating(&rope, 0, 20);
    g_assert_true(octet_rope_slices(&rope) == memory);
    octet_rope_drop_front(&rope, 3);
  }
  octet_rope_clear(&rope);
  g_assert_null(rope.heap);
}

/* A block from a pool goes back with its last reference; one that is too long for the pool is none of its. */
static void test_block_in_pool(void)
{
  memory_pool *pool = memory_pool_new(octet_block_piece_octets(10));
  octet_block *block = octet_block_new_in(pool, 10);
  octet_block *longer = octet_block_new_in(pool, 1000);
  octet_rope rope;
  octet_rope_init(&rope);
  g_assert_cmpuint(pool->pieces_out, ==, 1);
  memset(octet_block_octets(block), 'p', 10);
  memset(octet_block_octets(longer), 'q', 1000);
  octet_rope_append(&rope, octet_block_octets(block), 10, block);
  octet_block_unref(block);
  octet_block_unref(longer);
  g_assert_cmpuint(pool->pieces_out, ==, 1);
  memory_pool_unref(pool);
  assert_rope(&rope, "pppppppppp");
  octet_rope_clear(&rope); /* the pool's last piece */
}

/* Runs with gaps: as many slices, all of which keep the block. */
static void test_append_runs(void)
{
  octet_block *block = octet_block_new(26);
  memcpy(octet_block_octets(block), letters, 26);
  octet_runs runs = {
      .octets = octet_block_octets(block), .block = block, .length = 9, .first = 2, .run = 3, .gap = 4};
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append(&rope, letters + 25, 1, NULL);
  octet_rope_append_runs(&rope, &runs); /* ab, ghi, nop, u */
  assert_rope(&rope, "zabghinopu");
  g_assert_cmpuint(rope.slice_count, ==, 5);
  runs.length = 2; /* no gap behind the last run */
  octet_rope_append_runs(&rope, &runs);
  runs.length = 5;
  octet_rope_append_runs(&rope, &runs);
  octet_block_unref(block);
  assert_rope(&rope, "zabghinopuababghi");
  g_assert_cmpuint(rope.slice_count, ==, 8);
  octet_rope_drop_front(&rope, 9);
  assert_rope(&rope, "uababghi");
  octet_rope_clear(&rope);
}

/* What is taken from the front moves with its references; only a slice that is cut in two is referenced by both. */
static void test_take_front(void)
{
  octet_block *block = octet_block_new(26);
  memcpy(octet_block_octets(block), letters, 26);
  const octet_runs runs = {
      .octets = octet_block_octets(block), .block = block, .length = 9, .first = 2, .run = 3, .gap = 4};
  octet_rope source;
  octet_rope taken;
  octet_rope_init(&source);
  octet_rope_init(&taken);
  octet_rope_append_runs(&source, &runs); /* ab, ghi, nop, u */
  octet_rope_take_front(&taken, &source, 0);
  g_assert_cmpuint(taken.slice_count, ==, 0);
  octet_rope_take_front(&taken, &source, 5);
  assert_rope(&taken, "abghi");
  assert_rope(&source, "nopu");
  g_assert_cmpuint(block->references, ==, 1 + 4);
  octet_rope_empty(&taken);
  octet_rope_take_front(&taken, &source, 1);
  assert_rope(&taken, "n");
  assert_rope(&source, "opu");
  g_assert_cmpuint(block->references, ==, 1 + 3);
  octet_rope_empty(&taken);
  octet_rope_take_front(&taken, &source, 3);
  assert_rope(&taken, "opu");
  g_assert_cmpuint(source.length + source.slice_count, ==, 0);
  octet_rope_clear(&taken);
  octet_rope_append_runs(&source, &(octet_runs){.octets = octet_block_octets(block),
                                                .block = block,
                                                .length = 13,
                                                .first = 2,
                                                .run = 3,
                                                .gap = 1}); /* ab, def, hij, lmn, pq */
  octet_rope_take_front(&taken, &source, 12);
  assert_rope(&taken, "abdefhijlmnp");
  assert_rope(&source, "q");
  g_assert_nonnull(taken.heap); /* five slices do not lie in the rope itself */
  octet_rope_clear(&taken);
  octet_rope_clear(&source);
  g_assert_cmpuint(block->references, ==, 1);
  octet_block_unref(block);
}

/* All runs go at once, and with them their references: the block's owner has the only one left. */
static void test_clear_runs(void)
{
  octet_block *block = octet_block_new(26);
  const octet_runs few = {
      .octets = octet_block_octets(block), .block = block, .length = 9, .first = 2, .run = 3, .gap = 4};
  octet_runs many = few;
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append_runs(&rope, &few);
  g_assert_cmpuint(block->references, ==, 1 + 4);
  octet_rope_clear_runs(&rope);
  g_assert_cmpuint(block->references, ==, 1);
  g_assert_cmpuint(rope.length + rope.slice_count, ==, 0);
  many.run = many.first = many.gap = 1; /* more than lie in the rope itself */
  octet_rope_append_runs(&rope, &many);
  g_assert_cmpuint(block->references, ==, 1 + 9);
  octet_rope_clear_runs(&rope);
  g_assert_cmpuint(block->references, ==, 1);
  g_assert_null(rope.heap);
  many.block = NULL; /* memory that outlives every rope */
  octet_rope_append_runs(&rope, &many);
  octet_rope_clear_runs(&rope);
  g_assert_cmpuint(rope.slice_count, ==, 0);
  octet_block_unref(block);
}

/* What lies in the first slice is read there. */
static void test_flat(void)
{
  octet_rope rope;
  octet_rope_init(&rope);
  g_assert_null(octet_rope_flat(&rope, 0, 1));
  octet_rope_append(&rope, letters, 5, NULL);
  octet_rope_append(&rope, letters + 10, 5, NULL);
  g_assert_true(octet_rope_flat(&rope, 0, 5) == letters);
  g_assert_true(octet_rope_flat(&rope, 2, 3) == letters + 2);
  g_assert_null(octet_rope_flat(&rope, 2, 4));
  g_assert_null(octet_rope_flat(&rope, 6, 1));
  octet_rope_clear(&rope);
}

enum { SEED = 4402, OPERATIONS = 20000 };

static void assert_same(const octet_rope *rope, const GByteArray *model, unsigned operation)
{
  uint32_t sum = 0;
  for (uint32_t index = 0; index < rope->slice_count; index++) {
    g_assert_cmpuint(octet_rope_slices(rope)[index].length, >, 0);
    sum += octet_rope_slices(rope)[index].length;
  }
  if (sum != rope->length || rope->length != model->len ||
      !octet_rope_equals(rope, 0, model->len, model->data)) {
    g_error("seed %d: differs from the model after operation %u", SEED, operation);
  }
}

static void append_random_block(octet_rope *rope, GByteArray *model, random_stream *random)
{
  uint32_t length = 1 + (uint32_t)random_stream_below(random, 20);
  octet_block *block = octet_block_new(length);
  for (uint32_t index = 0; index < length; index++) {
    octet_block_octets(block)[index] = (uint8_t)random_stream_next(random);
  }
  uint32_t from = (uint32_t)random_stream_below(random, length);
  octet_rope_append(rope, octet_block_octets(block) + from, length - from, block);
  g_byte_array_append(model, octet_block_octets(block) + from, length - from);
  octet_block_unref(block);
}

/* Two ropes that take from each other, against arrays of octets. */
static void test_random_against_model(void)
{
  random_stream *random = random_stream_new(SEED, "octet_rope");
  octet_rope ropes[2] = {{0}, {0}};
  GByteArray *models[2] = {g_byte_array_new(), g_byte_array_new()};
  for (unsigned operation = 0; operation < OPERATIONS; operation++) {
    unsigned target = (unsigned)random_stream_below(random, 2);
    octet_rope *rope = &ropes[target];
    GByteArray *model = models[target];
    uint32_t from = (uint32_t)random_stream_below(random, (uint64_t)ropes[!target].length + 1);
    uint32_t length = (uint32_t)random_stream_below(random, (uint64_t)ropes[!target].length - from + 1);
    switch (random_stream_below(random, 9)) {
    case 0:
    case 1:
    case 2:
      append_random_block(rope, model, random);
      break;
    case 3:
      octet_rope_append_rope(rope, &ropes[!target], from, length);
      g_byte_array_append(model, models[!target]->data + from, length);
      break;
    case 4:
    case 5:
    case 6:
      length = (uint32_t)random_stream_below(random, MIN(rope->length, 60) + 1);
      octet_rope_drop_front(rope, length);
      g_byte_array_remove_range(model, 0, length);
      break;
    case 7:
      octet_rope_empty(rope);
      length = MIN(length, 100);
      octet_rope_take_front(rope, &ropes[!target], length);
      g_byte_array_set_size(model, 0);
      g_byte_array_append(model, models[!target]->data, length);
      g_byte_array_remove_range(models[!target], 0, length);
      break;
    default:
      if (rope->length > 400) {
        octet_rope_clear(rope);
        octet_rope_move(rope, &ropes[!target]);
        models[target] = models[!target];
        models[!target] = model;
        g_byte_array_set_size(model, 0);
      }
      break;
    }
    assert_same(&ropes[0], models[0], operation);
    assert_same(&ropes[1], models[1], operation);
  }
  for (unsigned index = 0; index < 2; index++) {
    octet_rope_clear(&ropes[index]);
    g_byte_array_free(models[index], TRUE);
  }
  random_stream_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/octet_rope/append", test_append);
  g_test_add_func("/octet_rope/merge", test_merge);
  g_test_add_func("/octet_rope/keeps-block-alive", test_keeps_block_alive);
  g_test_add_func("/octet_rope/append-copy", test_append_copy);
  g_test_add_func("/octet_rope/equals", test_equals);
  g_test_add_func("/octet_rope/many-slices", test_many_slices);
  g_test_add_func("/octet_rope/queue-stays-small", test_queue_stays_small);
  g_test_add_func("/octet_rope/empty-keeps-memory", test_empty_keeps_memory);
  g_test_add_func("/octet_rope/block-in-pool", test_block_in_pool);
  g_test_add_func("/octet_rope/append-runs", test_append_runs);
  g_test_add_func("/octet_rope/take-front", test_take_front);
  g_test_add_func("/octet_rope/clear-runs", test_clear_runs);
  g_test_add_func("/octet_rope/flat", test_flat);
  g_test_add_func("/octet_rope/random-against-model", test_random_against_model);
  return g_test_run();
}
