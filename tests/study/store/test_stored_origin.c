/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/stored_origin.h"

static stored_origin example(void)
{
  return (stored_origin){.name = (char *)"n",
                         .title = (char *)"t",
                         .text = (char *)"x",
                         .axes = (char *)"a",
                         .sets = (char *)"s",
                         .version = (char *)"v",
                         .git = (char *)"g",
                         .libraries = (char *)"l"};
}

/* A copy outlives what it was made of, and is the same; a hash that is not known stays so. */
static void test_copy(void)
{
  stored_origin origin = example();
  stored_origin *copy = stored_origin_copy(&origin);
  g_assert_true(stored_origin_equal(copy, &origin));
  g_assert_true(copy->text != origin.text);
  g_assert_cmpstr(copy->libraries, ==, "l");
  g_assert_null(copy->hash);
  stored_origin_free(copy);
  stored_origin_free(NULL);
}

/* Each text alone makes another origin. */
static void test_every_text_counts(void)
{
  static const gsize texts[] = {
      G_STRUCT_OFFSET(stored_origin, name),     G_STRUCT_OFFSET(stored_origin, title),
      G_STRUCT_OFFSET(stored_origin, text),     G_STRUCT_OFFSET(stored_origin, hash),
      G_STRUCT_OFFSET(stored_origin, axes),     G_STRUCT_OFFSET(stored_origin, sets),
      G_STRUCT_OFFSET(stored_origin, version),  G_STRUCT_OFFSET(stored_origin, git),
      G_STRUCT_OFFSET(stored_origin, libraries)};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    stored_origin one = example(), other = example();
    G_STRUCT_MEMBER(char *, &other, texts[i]) = (char *)"other";
    g_assert_false(stored_origin_equal(&one, &other));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stored_origin/copy", test_copy);
  g_test_add_func("/stored_origin/every-text-counts", test_every_text_counts);
  return g_test_run();
}
