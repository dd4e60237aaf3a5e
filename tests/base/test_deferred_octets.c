/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/buffer_chain.h"

#include <string.h>

#include "base/random_stream.h"
#include "test.h"

/* The octets are `text`, which counts how often they were written. */
typedef struct text_recipe {
  const char *text;
  guint *written;
} text_recipe;

typedef struct fixture {
  memory_pool *sources; /* so that a test sees when a source is freed */
  memory_pool *recipes;
  octet_buffer *source;
  buffer_chain chain; /* "12abcdef345klmnop67", deferred */
  guint written;
} fixture;

static void write_text(const void *user, uint8_t *target)
{
  const text_recipe *recipe = user;

  ++*recipe->written;
  memcpy(target, recipe->text, strlen(recipe->text));
}

static void assert_chain(const buffer_chain *chain, const char *expected)
{
  char text[64] = "";
  g_assert_cmpuint(chain->length, ==, strlen(expected));
  buffer_chain_copy_out(chain, 0, chain->length, (uint8_t *)text);
  g_assert_cmpstr(text, ==, expected);
}

static const char all_octets[] = "12abcdef345klmnop67";

static void defer(fixture *f, buffer_chain *chain, const char *text)
{
  text_recipe *recipe =
      buffer_chain_defer(chain, (uint32_t)strlen(text), f->recipes, write_text, sizeof *recipe, f->source);

  *recipe = (text_recipe){.text = text, .written = &f->written};
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->sources = memory_pool_new(octet_buffer_piece_octets(16));
  f->recipes = memory_pool_new(buffer_chain_deferred_piece_octets(sizeof(text_recipe)));
  f->source = octet_buffer_new_in(f->sources, 16);
  buffer_chain_init(&f->chain);
  defer(f, &f->chain, all_octets);
}

/* After each test only the fixture has the octets and the source: every reference was given back, and none
 * twice. */
static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  if (f->chain.length > 0) {
    g_assert_cmpuint(f->source->references, ==, 1 + 1);
    g_assert_cmpuint(buffer_chain_deferred_buffer(&f->chain)->references, ==, 1);
  }
  buffer_chain_clear(&f->chain);
  g_assert_cmpuint(f->recipes->pieces_out, ==, 0);
  octet_buffer_unref(f->source);
  g_assert_cmpuint(f->sources->pieces_out, ==, 0);
  memory_pool_unref(f->recipes);
  memory_pool_unref(f->sources);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* A copy of all leaves them deferred, and is written anew each time; whoever reads a part, or looks at the
 * slice, has them written once and for all. */
FIXTURE_TEST(test_octets)
{
  assert_chain(&f->chain, all_octets);
  assert_chain(&f->chain, all_octets);
  g_assert_cmpuint(f->written, ==, 2);
  g_assert_null(f->chain.heap->octets);
  g_assert_cmpint(buffer_chain_at(&f->chain, 2), ==, 'a');
  g_assert_cmpmem(buffer_chain_slices(&f->chain)->octets, f->chain.length, all_octets, strlen(all_octets));
  assert_chain(&f->chain, all_octets);
  g_assert_cmpuint(f->written, ==, 3);
  g_assert_cmpuint(f->chain.slice_count, ==, 1);
  g_assert_true(buffer_chain_is_deferred(&f->chain));
}

/* A chain of the whole has the recipe, too, and is not written; one of a part has the octets. Each keeps
 * alive what it refers to. */
FIXTURE_TEST(test_chains_of_it)
{
  buffer_chain whole = {0};
  buffer_chain part = {0};
  buffer_chain_append_chain(&whole, &f->chain, 0, f->chain.length);
  g_assert_true(buffer_chain_is_deferred(&whole));
  g_assert_cmpuint(f->written, ==, 0);
  buffer_chain_append_chain(&part, &f->chain, 1, 8);
  buffer_chain_clear(&f->chain);
  g_assert_false(buffer_chain_is_deferred(&part));
  assert_chain(&whole, all_octets);
  buffer_chain_clear(&whole);
  g_assert_cmpuint(f->written, ==, 1);
  assert_chain(&part, "2abcdef3");
  buffer_chain_clear(&part);
  g_assert_cmpuint(f->source->references, ==, 1);
}

/* A deferred chain changes only itself. */
FIXTURE_TEST(test_changes)
{
  buffer_chain chains[5] = {{0}};
  buffer_chain moved = {0};
  for (guint i = 0; i < G_N_ELEMENTS(chains); i++) {
    buffer_chain_append_chain(&chains[i], &f->chain, 0, f->chain.length);
    g_assert_true(buffer_chain_is_deferred(&chains[i]));
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

/* Each chain in turn is made longer, shorter, and of parts of others, and always has the octets that a string
 * has to which the same is done. */
FIXTURE_TEST(test_random_changes)
{
  enum { ROPES = 6, ROUNDS = 5000, SEED = 4 };
  random_stream *random = random_stream_new(SEED, "deferred");
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

/* With a recipe that is longer than the pool's pieces it is memory of its own. */
FIXTURE_TEST(test_too_long_for_the_pool)
{
  enum { RECIPE_OCTETS = 100 };
  buffer_chain chain = {0};
  text_recipe *recipe = buffer_chain_defer(&chain, 1, f->recipes, write_text, RECIPE_OCTETS, f->source);
  *recipe = (text_recipe){.text = "x", .written = &f->written};
  g_assert_cmpuint(f->recipes->pieces_out, ==, 1); /* the fixture's */
  assert_chain(&chain, "x");
  buffer_chain_clear(&chain);
}
