/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/buffer_chain.h"

#include <string.h>

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

static const uint8_t letters[] = "abcdefghijklmnopqrstuvwxyz";

static void assert_chain(const buffer_chain *chain, const char *expected)
{
  char text[256] = "";
  g_assert_cmpuint(chain->length, <, sizeof text);
  buffer_chain_copy_out(chain, 0, chain->length, (uint8_t *)text);
  g_assert_cmpstr(text, ==, expected);
}

TEST(test_append)
{
  buffer_chain chain = {0}; /* all zero is a valid empty chain */
  buffer_chain_append(&chain, letters + 2, 3, NULL);
  buffer_chain_append(&chain, letters + 9, 0, NULL);
  buffer_chain_append(&chain, letters, 2, NULL);
  assert_chain(&chain, "cdeab");
  g_assert_cmpuint(chain.slice_count, ==, 2);
  g_assert_cmpint(buffer_chain_at(&chain, 2), ==, 'e');
  g_assert_cmpint(buffer_chain_at(&chain, 3), ==, 'a');
  buffer_chain_clear(&chain);
  EXPECT_FIELDS(&chain, (length, 0), (slice_count, 0));
}

/* A slice after the last one in memory is merged with it, but not across buffers: each keeps its own
 * alive. */
TEST(test_merge)
{
  g_autoptr(octet_buffer) buffer = octet_buffer_new(6);
  memcpy(octet_buffer_octets(buffer), "012345", 6);
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  buffer_chain_append(&chain, octet_buffer_octets(buffer), 2, buffer);
  buffer_chain_append(&chain, octet_buffer_octets(buffer) + 2, 2, buffer);
  g_assert_cmpuint(chain.slice_count, ==, 1);
  buffer_chain_append(&chain, octet_buffer_octets(buffer) + 4, 2, NULL);
  g_assert_cmpuint(chain.slice_count, ==, 2);
  assert_chain(&chain, "012345");
}

/* What is copied may change afterwards; nothing at all adds no slice. */
TEST(test_append_copy)
{
  uint8_t octets[] = {'p', 'q', 'r'};
  g_auto(buffer_chain) chain = {0};
  buffer_chain_append_copy(&chain, octets, 0);
  g_assert_cmpuint(chain.slice_count, ==, 0);
  buffer_chain_append_copy(&chain, octets, 3);
  memset(octets, '-', sizeof octets);
  buffer_chain_append_copy(&chain, octets, 1);
  assert_chain(&chain, "pqr-");
}

TEST(test_equals)
{
  g_auto(buffer_chain) chain = {0};
  buffer_chain_append(&chain, letters, 3, NULL);
  buffer_chain_append(&chain, letters + 10, 3, NULL);
  g_assert_true(buffer_chain_equals(&chain, 0, 6, (const uint8_t *)"abcklm"));
  g_assert_true(buffer_chain_equals(&chain, 2, 3, (const uint8_t *)"ckl"));
  g_assert_true(buffer_chain_equals(&chain, 6, 0, (const uint8_t *)""));
  g_assert_false(buffer_chain_equals(&chain, 0, 6, (const uint8_t *)"abckln"));
  g_assert_false(buffer_chain_equals(&chain, 1, 3, (const uint8_t *)"cck"));
}

/* Appends single octets that never merge: every second letter. */
static void append_alternating(buffer_chain *chain, uint32_t from, uint32_t to)
{
  for (uint32_t number = from; number < to; number++) {
    buffer_chain_append(chain, letters + number * 2 % 26, 1, NULL);
  }
}

/* A chain consumed as it grows needs no more room than it holds at a time: 20 slices, so 32, or 64 while
 * moving. */
TEST(test_queue_stays_small)
{
  g_auto(buffer_chain) chain = {0};
  append_alternating(&chain, 0, 20);
  for (uint32_t number = 20; number < 5000; number++) {
    append_alternating(&chain, number, number + 1);
    g_assert_cmpint(buffer_chain_at(&chain, 0), ==, letters[(number - 20) * 2 % 26]);
    buffer_chain_drop_front(&chain, 1);
  }
  g_assert_cmpuint(chain.slice_count, ==, 20);
  g_assert_cmpuint(chain.heap_dropped + chain.heap_capacity, <=, 64);
}

/* A chain that is emptied keeps its memory, one that was consumed to its end, too: filled again and again it
 * allocates once. */
TEST(test_empty_keeps_memory)
{
  buffer_chain chain = {0};
  append_alternating(&chain, 0, 20);
  const octet_slice *memory = buffer_chain_slices(&chain);
  for (int round = 0; round < 10; round++) {
    buffer_chain_empty(&chain);
    EXPECT_FIELDS(&chain, (length, 0), (slice_count, 0));
    append_alternating(&chain, 0, 20);
    assert_chain(&chain, "acegikmoqsuwyacegikm");
    buffer_chain_drop_front(&chain, 1 + (uint32_t)round);
    buffer_chain_drop_front(&chain, chain.length);
    g_assert_cmpuint(chain.slice_count, ==, 0);
    append_alternating(&chain, 0, 20);
    g_assert_true(buffer_chain_slices(&chain) == memory);
    buffer_chain_drop_front(&chain, 3);
  }
  buffer_chain_clear(&chain);
  g_assert_cmpuint(chain.heap_capacity, ==, 0);
}

/* A buffer from a pool goes back with its last reference; one that is too long for the pool is none of
 * its. */
TEST(test_buffer_in_pool)
{
  memory_pool *pool = memory_pool_new(octet_buffer_piece_octets(10));
  octet_buffer *buffer = octet_buffer_new_in(pool, 10);
  octet_buffer *longer = octet_buffer_new_in(pool, 1000);
  buffer_chain chain = {0};
  g_assert_cmpuint(pool->pieces_out, ==, 1);
  memset(octet_buffer_octets(buffer), 'p', 10);
  memset(octet_buffer_octets(longer), 'q', 1000);
  buffer_chain_append(&chain, octet_buffer_octets(buffer), 10, buffer);
  octet_buffer_unref(buffer);
  octet_buffer_unref(longer);
  g_assert_cmpuint(pool->pieces_out, ==, 1);
  memory_pool_unref(pool);
  assert_chain(&chain, "pppppppppp");
  buffer_chain_clear(&chain); /* the pool's last piece */
}

/* What lies in the first slice is read there. */
TEST(test_flat)
{
  g_auto(buffer_chain) chain = {0};
  g_assert_null(buffer_chain_flat(&chain, 0, 1));
  buffer_chain_append(&chain, letters, 5, NULL);
  buffer_chain_append(&chain, letters + 10, 5, NULL);
  g_assert_true(buffer_chain_flat(&chain, 0, 5) == letters);
  g_assert_true(buffer_chain_flat(&chain, 2, 3) == letters + 2);
  g_assert_null(buffer_chain_flat(&chain, 2, 4));
  g_assert_null(buffer_chain_flat(&chain, 6, 1));
}

enum { SEED = 4402, OPERATIONS = 20000 };

static void assert_same(const buffer_chain *chain, const GByteArray *model, unsigned operation)
{
  uint32_t sum = 0;
  for (uint32_t index = 0; index < chain->slice_count; index++) {
    g_assert_cmpuint(buffer_chain_slices(chain)[index].length, >, 0);
    sum += buffer_chain_slices(chain)[index].length;
  }
  if (sum != chain->length || chain->length != model->len ||
      !buffer_chain_equals(chain, 0, model->len, model->data)) {
    g_error("seed %d: differs from the model after operation %u", SEED, operation);
  }
}

static void append_random_buffer(buffer_chain *chain, GByteArray *model, random_stream *random)
{
  uint32_t length = 1 + (uint32_t)random_stream_below(random, 20);
  g_autoptr(octet_buffer) buffer = octet_buffer_new(length);
  for (uint32_t index = 0; index < length; index++) {
    octet_buffer_octets(buffer)[index] = (uint8_t)random_stream_next(random);
  }
  uint32_t from = (uint32_t)random_stream_below(random, length);
  buffer_chain_append(chain, octet_buffer_octets(buffer) + from, length - from, buffer);
  g_byte_array_append(model, octet_buffer_octets(buffer) + from, length - from);
}

/* Two chains append from each other, against arrays of octets. */
TEST(test_random_against_model)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "buffer_chain");
  buffer_chain chains[2] = {{0}, {0}};
  GByteArray *models[2] = {g_byte_array_new(), g_byte_array_new()};
  for (unsigned operation = 0; operation < OPERATIONS; operation++) {
    unsigned target = (unsigned)random_stream_below(random, 2);
    buffer_chain *chain = &chains[target];
    GByteArray *model = models[target];
    uint32_t from = (uint32_t)random_stream_below(random, (uint64_t)chains[!target].length + 1);
    uint32_t length = (uint32_t)random_stream_below(random, (uint64_t)chains[!target].length - from + 1);
    switch (random_stream_below(random, 9)) {
    case 0:
    case 1:
    case 2:
      append_random_buffer(chain, model, random);
      break;
    case 3:
      buffer_chain_append_chain(chain, &chains[!target], from, length);
      g_byte_array_append(model, models[!target]->data + from, length);
      break;
    case 4:
    case 5:
    case 6:
      length = (uint32_t)random_stream_below(random, MIN(chain->length, 60) + 1);
      buffer_chain_drop_front(chain, length);
      g_byte_array_remove_range(model, 0, length);
      break;
    case 7:
      buffer_chain_empty(chain);
      g_byte_array_set_size(model, 0);
      break;
    default:
      if (chain->length > 400) {
        buffer_chain_clear(chain);
        buffer_chain_move(chain, &chains[!target]);
        models[target] = models[!target];
        models[!target] = model;
        g_byte_array_set_size(model, 0);
      }
      break;
    }
    assert_same(&chains[0], models[0], operation);
    assert_same(&chains[1], models[1], operation);
  }
  for (unsigned index = 0; index < 2; index++) {
    buffer_chain_clear(&chains[index]);
    g_byte_array_free(models[index], TRUE);
  }
}
