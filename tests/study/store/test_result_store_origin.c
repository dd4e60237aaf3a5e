/* SPDX-License-Identifier: GPL-2.0-only */
/* What may go into one store with what is there. */
#include <string.h>

#include "store_commit.h"
#include "study_fixture.h"
#include "test.h"

static void commit_from(const store_fixture *f, const provenance *from, guint seed)
{
  g_autoptr(GError) error = NULL;
  stored_run run = fixture_seed_run(f->scenario, seed, seed);
  store_commit(f->store, from, &run, &error);
  g_assert_no_error(error);
  fixture_run_clear(&run);
}

static void set_up(store_fixture *f, gconstpointer unused)
{
  (void)unused;
  store_fixture_set_up(f, "run.seed");
  f->origin.text = (char *)"title = \"t\";\nmpa: { crc = true; };\nrun: { seed = 1; };\n";
  f->origin.git = (char *)"abc1234";
}

static void tear_down(store_fixture *f, gconstpointer unused)
{
  (void)unused;
  store_fixture_tear_down(f);
}

static void expect_fine(const store_fixture *f, const provenance *from)
{
  g_autoptr(GError) error = NULL;
  gboolean good = result_store_check_provenance(f->store, from, &error);
  g_assert_no_error(error);
  g_assert_true(good);
}

static void expect_different(const store_fixture *f, const provenance *from, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(result_store_check_provenance(f->store, from, &error));
  g_test_message("%s", error->message);
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT);
  g_assert_nonnull(strstr(error->message, "a.sqlite: holds "));
  g_assert_nonnull(strstr(error->message, words));
  g_assert_nonnull(strstr(error->message, "--mix"));
  g_assert_nonnull(strstr(error->message, "--store FILE"));
}

#define FIXTURE_TEST(name) TEST_WITH(store_fixture, NULL, set_up, tear_down, name)

FIXTURE_TEST(test_empty_store)
{
  expect_fine(f, &f->origin);
}

/* A file of another name, other options and other libraries are no other scenario and program. */
FIXTURE_TEST(test_same)
{
  commit_from(f, &f->origin, 1);
  expect_fine(f, &f->origin);
  provenance other = f->origin;
  other.name = (char *)"b";
  other.sets = (char *)"run.engine=native";
  other.libraries = (char *)"GLib 2.80.0";
  expect_fine(f, &other);
}

FIXTURE_TEST(test_other_text)
{
  commit_from(f, &f->origin, 1);
  commit_from(f, &f->origin, 2);
  provenance other = f->origin;
  other.text = (char *)"title = \"t\";\nmpa: { crc = false; };\nrun: { seed = 1; };\n";
  expect_different(f, &other,
                   "holds 2 runs of another text of the scenario 'a' (- stored, + now):\n"
                   "  - 2: mpa: { crc = true; };\n"
                   "  + 2: mpa: { crc = false; };\n");
}

FIXTURE_TEST(test_other_version)
{
  commit_from(f, &f->origin, 1);
  provenance other = f->origin;
  other.version = (char *)"0.2.0";
  expect_different(f, &other,
                   "holds 1 run of another iwarpsim (- stored, + now):\n"
                   "  - version 0.1.0, git abc1234\n"
                   "  + version 0.2.0, git abc1234\n");
}

/* "unknown" on either side is as good as any. */
FIXTURE_TEST(test_other_commit)
{
  commit_from(f, &f->origin, 1);
  provenance other = f->origin;
  other.git = (char *)"abc1234-dirty";
  expect_different(f, &other, "  - version 0.1.0, git abc1234\n  + version 0.1.0, git abc1234-dirty\n");
  other.git = (char *)"unknown";
  expect_fine(f, &other);
  commit_from(f, &other, 1);
  other.git = (char *)"def5678";
  expect_fine(f, &other);
}

/* One of two origins in the store differs. */
FIXTURE_TEST(test_mixed_store)
{
  provenance other = f->origin;
  other.version = (char *)"0.2.0";
  commit_from(f, &f->origin, 1);
  commit_from(f, &other, 2);
  expect_different(f, &f->origin, "- version 0.2.0");
  expect_different(f, &other, "- version 0.1.0");
  commit_from(f, &other, 1); /* the last run of the other one */
  expect_fine(f, &other);
}
