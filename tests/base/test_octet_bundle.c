/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/octet_bundle.h"

#include <glib.h>
#include <string.h>

#include "base/random_stream.h"

enum { OWN_OCTETS = 8, SLICES = 5 };

typedef struct fixture {
  memory_pool *sources; /* so that a test sees when a source is freed */
  memory_pool *bundles;
  octet_block *source; /* "abcdefghijklmnop" */
  octet_rope rope;     /* "12abcdef345klmnop67": five slices */
} fixture;

static void assert_rope(const octet_rope *rope, const char *expected)
{
  char text[64] = "";
  g_assert_cmpuint(rope->length, ==, strlen(expected));
  octet_rope_copy_out(rope, 0, rope->length, (uint8_t *)text);
  g_assert_cmpstr(text, ==, expected);
}

static void setup(fixture *f)
{
  octet_bundle bundle;

  f->sources = memory_pool_new(octet_block_piece_octets(16));
  f->bundles = memory_pool_new(octet_bundle_piece_octets(SLICES, OWN_OCTETS));
  f->source = octet_block_new_in(f->sources, 16);
  memcpy(octet_block_octets(f->source), "abcdefghijklmnop", 16);
  octet_bundle_begin(&bundle, f->bundles, SLICES, OWN_OCTETS);
  memcpy(octet_bundle_own(&bundle, 2), "12", 2);
  octet_bundle_refer(&bundle, octet_block_octets(f->source), 6, f->source);
  memcpy(octet_bundle_own(&bundle, 1), "3", 1);
  memcpy(octet_bundle_own(&bundle, 2), "45", 2);
  octet_bundle_refer(&bundle, octet_block_octets(f->source) + 10, 6, f->source);
  memcpy(octet_bundle_own(&bundle, 2), "67", 2);
  octet_rope_init(&f->rope);
  octet_bundle_end(&bundle, &f->rope);
}

/* After each test only the fixture has the bundle and the source: every reference was given back, and none twice. */
static void teardown(fixture *f)
{
  if (f->rope.length > 0) {
    g_assert_cmpuint(f->source->references, ==, 1 + 2); /* the bundle has two slices of it */
    g_assert_cmpuint(octet_rope_shared_block(&f->rope)->references, ==, 1);
  }
  octet_rope_clear(&f->rope);
  g_assert_cmpuint(f->bundles->pieces_out, ==, 0);
  octet_block_unref(f->source);
  g_assert_cmpuint(f->sources->pieces_out, ==, 0);
  memory_pool_unref(f->bundles);
  memory_pool_unref(f->sources);
}

static const char all_octets[] = "12abcdef345klmnop67";

/* Own octets that follow each other are one slice. */
static void test_octets(void)
{
  fixture f;
  setup(&f);
  assert_rope(&f.rope, all_octets);
  g_assert_cmpuint(f.rope.slice_count, ==, SLICES);
  g_assert_true(octet_rope_is_shared(&f.rope));
  g_assert_true(octet_rope_slices(&f.rope)[1].octets == octet_block_octets(f.source)); /* not copied */
  teardown(&f);
}

/* A rope of the whole shares the slices; of a part it has its own. Each keeps alive what it refers to. */
static void test_ropes_of_it(void)
{
  fixture f;
  octet_rope whole = {0};
  octet_rope part = {0};
  octet_rope source_only = {0};
  setup(&f);
  octet_rope_append_rope(&whole, &f.rope, 0, f.rope.length);
  octet_rope_append_rope(&part, &f.rope, 1, 8);
  octet_rope_append_rope(&source_only, &f.rope, 3, 4);
  octet_rope_clear(&f.rope);
  g_assert_true(octet_rope_is_shared(&whole));
  g_assert_false(octet_rope_is_shared(&part));
  assert_rope(&whole, all_octets);
  octet_rope_clear(&whole);
  assert_rope(&part, "2abcdef3");
  octet_rope_clear(&part);
  g_assert_cmpuint(f.bundles->pieces_out, ==, 0);
  assert_rope(&source_only, "bcde");
  octet_rope_clear(&source_only);
  teardown(&f);
}

/* A rope that shares changes only itself. */
static void test_changes(void)
{
  fixture f;
  octet_rope ropes[5] = {{0}};
  octet_rope front = {0};
  octet_rope moved = {0};
  setup(&f);
  for (guint i = 0; i < G_N_ELEMENTS(ropes); i++) {
    octet_rope_append_rope(&ropes[i], &f.rope, 0, f.rope.length);
    g_assert_true(octet_rope_is_shared(&ropes[i]));
  }
  octet_rope_append(&ropes[0], (const uint8_t *)"xyz", 3, NULL);
  assert_rope(&ropes[0], "12abcdef345klmnop67xyz");
  octet_rope_drop_front(&ropes[1], 4);
  assert_rope(&ropes[1], "cdef345klmnop67");
  octet_rope_drop_front(&ropes[2], ropes[2].length);
  assert_rope(&ropes[2], "");
  octet_rope_take_front(&front, &ropes[3], 9);
  assert_rope(&front, "12abcdef3");
  assert_rope(&ropes[3], "45klmnop67");
  octet_rope_move(&moved, &ropes[4]);
  assert_rope(&moved, all_octets);
  assert_rope(&f.rope, all_octets);
  octet_rope_append_rope(&ropes[2], &f.rope, 0, f.rope.length); /* an emptied rope is as good as a new one */
  octet_rope_append_rope(&ropes[2], &f.rope, 0, f.rope.length);
  assert_rope(&ropes[2], "12abcdef345klmnop6712abcdef345klmnop67");
  octet_rope_clear(&front);
  octet_rope_clear(&moved);
  for (guint i = 0; i < G_N_ELEMENTS(ropes); i++) {
    octet_rope_clear(&ropes[i]);
  }
  teardown(&f);
}

/* Octets that continue its last slice make a rope longer that shares it, not the others. */
static void test_last_slice_grows(void)
{
  fixture f;
  octet_bundle bundle;
  octet_rope one = {0};
  octet_rope other = {0};
  setup(&f);
  octet_bundle_begin(&bundle, f.bundles, 2, 1);
  memcpy(octet_bundle_own(&bundle, 1), "0", 1);
  octet_bundle_refer(&bundle, octet_block_octets(f.source), 4, f.source);
  octet_bundle_end(&bundle, &one);
  octet_rope_append_rope(&other, &one, 0, one.length);
  g_assert_true(octet_rope_is_shared(&other));
  octet_rope_append(&one, octet_block_octets(f.source) + 4, 3, f.source);
  assert_rope(&one, "0abcdefg");
  octet_rope_append_rope(&other, &f.rope, 0, 2);
  assert_rope(&other, "0abcd12");
  octet_rope_clear(&one);
  octet_rope_clear(&other);
  teardown(&f);
}

/* Each rope in turn is made longer, shorter, and of parts of others, and always has the octets that a string has to which the same is
 * done. */
static void test_random_changes(void)
{
  enum { ROPES = 6, ROUNDS = 5000, SEED = 4 };
  random_stream *random = random_stream_new(SEED, "bundle");
  octet_rope ropes[ROPES] = {{0}};
  GString *expected[ROPES];
  fixture f;
  setup(&f);
  for (guint i = 0; i < ROPES; i++) {
    expected[i] = g_string_new(NULL);
  }
  for (guint round = 0; round < ROUNDS; round++) {
    guint to = (guint)random_stream_below(random, ROPES);
    guint from = (to + 1 + (guint)random_stream_below(random, ROPES - 1)) % ROPES;
    const octet_rope *source = random_stream_chance(random, 0.5) ? &f.rope : &ropes[from];
    const char *text = source == &f.rope ? all_octets : expected[from]->str;
    uint32_t skipped =
        random_stream_chance(random, 0.7) ? 0 : (uint32_t)random_stream_below(random, source->length + 1);
    if (expected[to]->len < 100) {
      octet_rope_append_rope(&ropes[to], source, skipped, source->length - skipped);
      g_string_append(expected[to], text + skipped);
    } else {
      uint32_t dropped = (uint32_t)random_stream_below(random, expected[to]->len + 1);
      octet_rope_drop_front(&ropes[to], dropped);
      g_string_erase(expected[to], 0, dropped);
    }
    g_test_message("seed %d, round %u", SEED, round);
    g_assert_true(
        octet_rope_equals(&ropes[to], 0, (uint32_t)expected[to]->len, (const uint8_t *)expected[to]->str));
    g_assert_cmpuint(ropes[to].length, ==, expected[to]->len);
  }
  for (guint i = 0; i < ROPES; i++) {
    octet_rope_clear(&ropes[i]);
    g_string_free(expected[i], true);
  }
  random_stream_free(random);
  teardown(&f);
}

/* One that is longer than the pool's pieces is memory of its own. */
static void test_too_long_for_the_pool(void)
{
  fixture f;
  octet_bundle bundle;
  octet_rope rope = {0};
  setup(&f);
  octet_bundle_begin(&bundle, f.bundles, SLICES, 100);
  memset(octet_bundle_own(&bundle, 100), 'x', 100);
  octet_bundle_end(&bundle, &rope);
  g_assert_cmpuint(f.bundles->pieces_out, ==, 1); /* the fixture's */
  g_assert_cmpuint(rope.length, ==, 100);
  octet_rope_clear(&rope);
  teardown(&f);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/octet-bundle/octets", test_octets);
  g_test_add_func("/octet-bundle/ropes-of-it", test_ropes_of_it);
  g_test_add_func("/octet-bundle/changes", test_changes);
  g_test_add_func("/octet-bundle/last-slice-grows", test_last_slice_grows);
  g_test_add_func("/octet-bundle/random-changes", test_random_changes);
  g_test_add_func("/octet-bundle/too-long-for-the-pool", test_too_long_for_the_pool);
  return g_test_run();
}
