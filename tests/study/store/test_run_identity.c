/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes two runs the same run. */
#include "study/store/result_store.h"

#include <string.h>

#include "study_fixture.h"
#include "test.h"

static char *identity_of(const char *text, const char *const *sets)
{
  char *folder = fixture_folder_new();
  scenario *s = fixture_scenario(folder, "a.cfg", text, sets);
  char *texts[SCENARIO_KEY_COUNT];
  run_identity_texts(s, texts);
  char *identity = run_identity_of(texts);
  run_identity_clear(texts);
  scenario_free(s);
  fixture_folder_remove(folder);
  return identity;
}

static void expect_same(const char *a, const char *const *a_sets, const char *b, const char *const *b_sets,
                        gboolean same)
{
  g_autofree char *of_a = identity_of(a, a_sets), *of_b = identity_of(b, b_sets);
  g_assert_cmpuint(strlen(of_a), ==, 64);
  g_assert_true(g_str_equal(of_a, of_b) == same);
}

/* Equal values are the same run, however they are written and wherever they stand. */
TEST(test_same)
{
  static const char *const sets[] = {"run.seed=7", NULL};
  expect_same("title = \"t\"; run: { seed = 7; };", NULL, "run: { seed = 7; }; title = \"t\"; # the same",
              NULL, TRUE);
  expect_same("run: { seed = 7; };", NULL, "run: { seed = 8; };", sets, TRUE);
  expect_same("workload: { message_size = \"64KiB\"; };", NULL, "workload: { message_size = 65536; };", NULL,
              TRUE);
  expect_same("mpa: { crc = true; };", NULL, "title = \"\";", NULL, TRUE); /* the default, said or not */
}

/* Any key makes another run, the seed and the title too. */
TEST(test_other)
{
  expect_same("run: { seed = 7; };", NULL, "run: { seed = 8; };", NULL, FALSE);
  expect_same("title = \"t\";", NULL, "title = \"u\";", NULL, FALSE);
  expect_same("mpa: { crc = true; };", NULL, "mpa: { crc = false; };", NULL, FALSE);
}

/* SHA-256 over names and texts, each with a NUL behind it, as printf 'title\0x\0run.seed\0001\0' | sha256sum says. A text cannot pass
 * for the key that follows it. */
TEST(test_octets)
{
  char *texts[SCENARIO_KEY_COUNT] = {NULL};
  texts[SCENARIO_TITLE] = (char *)"x";
  texts[SCENARIO_RUN_SEED] = (char *)"1";
  g_autofree char *both = run_identity_of(texts);
  g_assert_cmpstr(both, ==, "65b70faf71ea432993b0a955d38682c7091a241e3cfbab86cc02159250257716");
  texts[SCENARIO_TITLE] = (char *)"xrun.seed1";
  texts[SCENARIO_RUN_SEED] = NULL;
  g_autofree char *one = run_identity_of(texts);
  g_assert_cmpstr(one, !=, both);
}
