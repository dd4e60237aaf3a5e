/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/buffer_chain.h"

#include <string.h>

#include "base/random_stream.h"
#include "test.h"

enum { OWN_OCTETS = 8, SLICES = 5 };

typedef struct fixture {
  memory_pool *sources; /* so that a test sees when a source is freed */
  memory_pool *bundles;
  octet_buffer *source; /* "abcdefghijklmnop" */
  buffer_chain chain;   /* "12abcdef345klmnop67": five slices */
} fixture;

static void assert_chain(const buffer_chain *chain, const char *expected)
{
  char text[64] = "";
  g_assert_cmpuint(chain->length, ==, strlen(expected));
  buffer_chain_copy_out(chain, 0, chain->length, (uint8_t *)text);
  g_assert_cmpstr(text, ==, expected);
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  scatter_list list;

  f->sources = memory_pool_new(octet_buffer_piece_octets(16));
  f->bundles = memory_pool_new(scatter_list_piece_octets(SLICES, OWN_OCTETS));
  f->source = octet_buffer_new_in(f->sources, 16);
  memcpy(octet_buffer_octets(f->source), "abcdefghijklmnop", 16);
  scatter_list_begin(&list, f->bundles, SLICES, OWN_OCTETS);
  memcpy(scatter_list_own(&list, 2), "12", 2);
  scatter_list_refer(&list, octet_buffer_octets(f->source), 6, f->source);
  memcpy(scatter_list_own(&list, 1), "3", 1);
  memcpy(scatter_list_own(&list, 2), "45", 2);
  scatter_list_refer(&list, octet_buffer_octets(f->source) + 10, 6, f->source);
  memcpy(scatter_list_own(&list, 2), "67", 2);
  buffer_chain_init(&f->chain);
  scatter_list_end(&list, &f->chain);
}

/* After each test only the fixture has the list and the source: every reference was given back, and none
 * twice. */
static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  if (f->chain.length > 0) {
    g_assert_cmpuint(f->source->references, ==, 1 + 1); /* the list has one for both slices of it */
    g_assert_cmpuint(buffer_chain_shared_buffer(&f->chain)->references, ==, 1);
  }
  buffer_chain_clear(&f->chain);
  g_assert_cmpuint(f->bundles->pieces_out, ==, 0);
  octet_buffer_unref(f->source);
  g_assert_cmpuint(f->sources->pieces_out, ==, 0);
  memory_pool_unref(f->bundles);
  memory_pool_unref(f->sources);
}

static const char all_octets[] = "12abcdef345klmnop67";

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Own octets that follow each other are one slice. */
FIXTURE_TEST(test_octets)
{
  assert_chain(&f->chain, all_octets);
  g_assert_cmpuint(f->chain.slice_count, ==, SLICES);
  g_assert_true(buffer_chain_is_shared(&f->chain));
  g_assert_true(buffer_chain_slices(&f->chain)[1].octets == octet_buffer_octets(f->source)); /* not copied */
}

/* A chain of the whole shares the slices; of a part it has its own. Each keeps alive what it refers to. */
FIXTURE_TEST(test_chains_of_it)
{
  buffer_chain whole = {0};
  buffer_chain part = {0};
  buffer_chain source_only = {0};
  buffer_chain_append_chain(&whole, &f->chain, 0, f->chain.length);
  buffer_chain_append_chain(&part, &f->chain, 1, 8);
  buffer_chain_append_chain(&source_only, &f->chain, 3, 4);
  buffer_chain_clear(&f->chain);
  g_assert_true(buffer_chain_is_shared(&whole));
  g_assert_false(buffer_chain_is_shared(&part));
  assert_chain(&whole, all_octets);
  buffer_chain_clear(&whole);
  assert_chain(&part, "2abcdef3");
  buffer_chain_clear(&part);
  g_assert_cmpuint(f->bundles->pieces_out, ==, 0);
  assert_chain(&source_only, "bcde");
  buffer_chain_clear(&source_only);
}

/* A list that refers to two buffers has a reference for each slice of them. */
FIXTURE_TEST(test_two_sources)
{
  octet_buffer *other = octet_buffer_new_in(f->sources, 2);
  scatter_list list;
  buffer_chain chain;
  memcpy(octet_buffer_octets(other), "xy", 2);
  scatter_list_begin(&list, f->bundles, SLICES, OWN_OCTETS);
  scatter_list_refer(&list, octet_buffer_octets(f->source), 2, f->source);
  memcpy(scatter_list_own(&list, 1), "8", 1);
  scatter_list_refer(&list, octet_buffer_octets(other), 2, other);
  scatter_list_refer(&list, octet_buffer_octets(f->source) + 2, 2, f->source);
  buffer_chain_init(&chain);
  scatter_list_end(&list, &chain);
  g_assert_cmpuint(f->source->references, ==, 1 + 1 + 2);
  g_assert_cmpuint(other->references, ==, 1 + 1);
  octet_buffer_unref(other);
  assert_chain(&chain, "ab8xycd");
  buffer_chain_clear(&chain);
  g_assert_cmpuint(f->sources->pieces_out, ==, 1);
}

/* A chain that shares changes only itself. */
FIXTURE_TEST(test_changes)
{
  buffer_chain chains[5] = {{0}};
  buffer_chain moved = {0};
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
    buffer_chain_append_chain(&chains[i], &f->chain, 0, f->chain.length);
    g_assert_true(buffer_chain_is_shared(&chains[i]));
  }
  buffer_chain_append(&chains[0], (const uint8_t *)"xyz", 3, NULL);
  assert_chain(&chains[0], "12abcdef345klmnop67xyz");
  buffer_chain_drop_front(&chains[1], 4);
  assert_chain(&chains[1], "cdef345klmnop67");
  buffer_chain_drop_front(&chains[2], chains[2].length);
  assert_chain(&chains[2], "");
  buffer_chain_drop_front(&chains[3], 9);
  assert_chain(&chains[3], "45klmnop67");
  buffer_chain_move(&moved, &chains[4]);
  assert_chain(&moved, all_octets);
  assert_chain(&f->chain, all_octets);
  buffer_chain_append_chain(&chains[2], &f->chain, 0,
                            f->chain.length); /* an emptied chain is as good as a new one */
  buffer_chain_append_chain(&chains[2], &f->chain, 0, f->chain.length);
  assert_chain(&chains[2], "12abcdef345klmnop6712abcdef345klmnop67");
  buffer_chain_clear(&moved);
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
    buffer_chain_clear(&chains[i]);
  }
}

/* Octets that continue its last slice make a chain longer that shares it, not the others. */
FIXTURE_TEST(test_last_slice_grows)
{
  scatter_list list;
  buffer_chain one = {0};
  buffer_chain other = {0};
  scatter_list_begin(&list, f->bundles, 2, 1);
  memcpy(scatter_list_own(&list, 1), "0", 1);
  scatter_list_refer(&list, octet_buffer_octets(f->source), 4, f->source);
  scatter_list_end(&list, &one);
  buffer_chain_append_chain(&other, &one, 0, one.length);
  g_assert_true(buffer_chain_is_shared(&other));
  buffer_chain_append(&one, octet_buffer_octets(f->source) + 4, 3, f->source);
  assert_chain(&one, "0abcdefg");
  buffer_chain_append_chain(&other, &f->chain, 0, 2);
  assert_chain(&other, "0abcd12");
  buffer_chain_clear(&one);
  buffer_chain_clear(&other);
}

/* Each chain in turn is made longer, shorter, and of parts of others, and always has the octets that a string
 * has to which the same is done. */
FIXTURE_TEST(test_random_changes)
{
  enum { ROPES = 6, ROUNDS = 5000, SEED = 4 };
  random_stream *random = random_stream_new(SEED, "list");
  buffer_chain chains[ROPES] = {{0}};
  GString *expected[ROPES];
  for (guint i = 0; i < ROPES; i++) {
    expected[i] = g_string_new(NULL);
  }
  for (guint round = 0; round < ROUNDS; round++) {
    guint to = (guint)random_stream_below(random, ROPES);
    guint from = (to + 1 + (guint)random_stream_below(random, ROPES - 1)) % ROPES;
    const buffer_chain *source = random_stream_chance(random, 0.5) ? &f->chain : &chains[from];
    const char *text = source == &f->chain ? all_octets : expected[from]->str;
    uint32_t skipped =
        random_stream_chance(random, 0.7) ? 0 : (uint32_t)random_stream_below(random, source->length + 1);
    if (expected[to]->len < 100) {
      buffer_chain_append_chain(&chains[to], source, skipped, source->length - skipped);
      g_string_append(expected[to], text + skipped);
    } else {
      uint32_t dropped = (uint32_t)random_stream_below(random, expected[to]->len + 1);
      buffer_chain_drop_front(&chains[to], dropped);
      g_string_erase(expected[to], 0, dropped);
    }
    g_test_message("seed %d, round %u", SEED, round);
    g_assert_true(
        buffer_chain_equals(&chains[to], 0, (uint32_t)expected[to]->len, (const uint8_t *)expected[to]->str));
    g_assert_cmpuint(chains[to].length, ==, expected[to]->len);
  }
  for (guint i = 0; i < ROPES; i++) {
    buffer_chain_clear(&chains[i]);
    g_string_free(expected[i], true);
  }
  g_free(random);
}

/* One that is longer than the pool's pieces is memory of its own. */
FIXTURE_TEST(test_too_long_for_the_pool)
{
  scatter_list list;
  buffer_chain chain = {0};
  scatter_list_begin(&list, f->bundles, SLICES, 100);
  memset(scatter_list_own(&list, 100), 'x', 100);
  scatter_list_end(&list, &chain);
  g_assert_cmpuint(f->bundles->pieces_out, ==, 1); /* the fixture's */
  g_assert_cmpuint(chain.length, ==, 100);
  buffer_chain_clear(&chain);
}
