/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command writes is there whole or not at all, and no device is replaced by a file. */
#include "cli/cli.h"
#include "test.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fixture {
  char *folder;
  char *path;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = g_dir_make_tmp("test-cli-output-XXXXXX", NULL);
  f->path = g_build_filename(f->folder, "out", NULL);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  g_unlink(f->path);
  g_assert_cmpint(g_rmdir(f->folder), ==, 0); /* no temporary file stays */
  g_free(f->path);
  g_free(f->folder);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

FIXTURE_TEST(test_file)
{
  g_autofree char *text = NULL;
  g_assert_true(cli_output_write(f->path, "longer", 6, NULL));
  g_assert_true(cli_output_write(f->path, "new", 3, NULL));
  g_assert_true(g_file_get_contents(f->path, &text, NULL, NULL));
  g_assert_cmpstr(text, ==, "new");
}

/* A rename over a named pipe would leave a file in its place, and its reader waiting; so with /dev/null as
 * root. */
FIXTURE_TEST(test_pipe_stays_one)
{
  GStatBuf status;
  char octets[4] = {0};
  g_assert_cmpint(mkfifo(f->path, 0600), ==, 0);
  int reader = g_open(f->path, O_RDONLY | O_NONBLOCK, 0);
  g_assert_true(cli_output_write(f->path, "abc", 3, NULL));
  g_assert_cmpint(read(reader, octets, sizeof octets), ==, 3);
  g_assert_cmpstr(octets, ==, "abc");
  g_assert_true(g_close(reader, NULL));
  g_assert_cmpint(g_stat(f->path, &status), ==, 0);
  g_assert_true(S_ISFIFO(status.st_mode));
}

static void expect_failure(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(cli_output_write(path, "abc", 3, &error));
  g_assert_nonnull(error);
  g_assert_true(g_str_has_prefix(error->message, path));
}

/* `table a.sqlite --csv a.sqlite` must not end a week of sweeps. */
FIXTURE_TEST(test_stores_and_scenarios_stay)
{
  g_autofree char *text = NULL;
  gsize length;
  g_assert_true(g_file_set_contents(f->path, "SQLite format 3\0and more", 24, NULL));
  expect_failure(f->path);
  g_assert_true(g_file_get_contents(f->path, &text, &length, NULL));
  g_assert_cmpuint(length, ==, 24);
  g_autofree char *config = g_build_filename(f->folder, "a.cfg", NULL);
  g_assert_true(cli_output_write(config, "new", 3, NULL)); /* nothing stands there yet */
  expect_failure(config);
  g_assert_cmpint(g_unlink(config), ==, 0);
}

FIXTURE_TEST(test_failures)
{
  g_autofree char *nowhere = g_build_filename(f->folder, "no", "out", NULL);
  expect_failure(nowhere);
  expect_failure(f->folder);
  expect_failure("/dev/full");
}
