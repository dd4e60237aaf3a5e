/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that take their places together, or not at all. */
#include "base/files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_close.h"
#include "test.h"

typedef struct fixture {
  char *places;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->places = g_dir_make_tmp("test-new-files-XXXXXX", NULL);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  g_autofree char *line = g_strdup_printf("rm -r '%s'", f->places);
  g_assert_cmpint(system(line), ==, 0);
  g_free(f->places);
}

static void put(const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  FILE *file = fopen(path, "w");
  g_assert_nonnull(file);
  fputs(text, file);
  fclose(file);
}

/* `text` NULL: there is no such file. */
static void expect(const fixture *f, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(f->places, name, NULL);
  g_autofree char *found = NULL;
  g_file_get_contents(path, &found, NULL, NULL);
  g_assert_cmpstr(found, ==, text);
}

static guint count_entries(const char *folder)
{
  g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
  guint count = 0;
  while (g_dir_read_name(directory) != NULL) {
    count++;
  }
  return count;
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Of three names one is new, one replaces an older file, and one was not made, so that its older file goes.
 * Others are not touched. */
FIXTURE_TEST(test_places)
{
  static const char *const names[] = {"new", "gone", "last", NULL};
  put(f->places, "gone", "old");
  put(f->places, "last", "old");
  put(f->places, "other", "other");
  new_files *files = new_files_begin(f->places, NULL);
  put(new_files_folder(files), "new", "1");
  put(new_files_folder(files), "last", "2");
  expect(f, "last", "old");
  g_assert_true(new_files_take_places(files, names, NULL));
  new_files_end(files);
  expect(f, "new", "1");
  expect(f, "gone", NULL);
  expect(f, "last", "2");
  g_assert_cmpuint(count_entries(f->places), ==, 3);
}

/* A name of 253 octets is one that files may have; "old-" before it makes 257, and 255 are allowed: its older
 * file cannot be set aside. */
FIXTURE_TEST(test_failure)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *long_name = g_strnfill(253, 'x');
  const char *const names[] = {"first", long_name, "last", NULL};
  put(f->places, long_name, "old");
  put(f->places, "last", "old");
  new_files *files = new_files_begin(f->places, NULL);
  put(new_files_folder(files), "first", "1");
  put(new_files_folder(files), long_name, "2");
  put(new_files_folder(files), "last", "3");
  g_assert_false(new_files_take_places(files, names, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NAMETOOLONG);
  g_assert_true(g_str_has_prefix(error->message, f->places));
  new_files_end(files);
  expect(f, "first", NULL);
  expect(f, long_name, "old");
  expect(f, "last", "old");
  g_assert_cmpuint(count_entries(f->places), ==, 2);
}

FIXTURE_TEST(test_names_places)
{
  new_files *files = new_files_begin(f->places, NULL);
  g_autoptr(GError) error =
      g_error_new(G_FILE_ERROR, G_FILE_ERROR_IO, "%s/a.csv: Input/output error", new_files_folder(files));
  g_autofree char *expected = g_strdup_printf("%s/a.csv: Input/output error", f->places);
  new_files_name_places(files, error);
  g_assert_cmpstr(error->message, ==, expected);
  new_files_end(files);
}

/* What a killed process left is removed, but not older files, which it had set aside. */
FIXTURE_TEST(test_left_over)
{
  g_autofree char *left = g_build_filename(f->places, ".iwarpsim-new-AAAAAA", NULL);
  g_autofree char *kept = g_build_filename(f->places, ".iwarpsim-new-BBBBBB", NULL);
  g_assert_cmpint(g_mkdir(left, 0700) | g_mkdir(kept, 0700), ==, 0);
  put(left, "half", "1");
  put(kept, "half", "1");
  put(kept, "old-whole", "2");
  new_files *files = new_files_begin(f->places, NULL);
  g_assert_false(g_file_test(left, G_FILE_TEST_EXISTS));
  g_assert_cmpuint(count_entries(kept), ==, 2);
  new_files_end(files);
  g_assert_cmpuint(count_entries(f->places), ==, 1);
}

/* What is in use, or is about to be, is not taken for left over by another process. */
FIXTURE_TEST(test_two_processes)
{
  const pid_t other = fork();
  for (guint i = 0; i < 2000; i++) {
    new_files *files = new_files_begin(f->places, NULL);
    g_assert_true(g_file_test(new_files_folder(files), G_FILE_TEST_IS_DIR));
    new_files_end(files);
  }
  if (other == 0) {
    _exit(0);
  }
  int status;
  g_assert_cmpint(waitpid(other, &status, 0), ==, other);
  g_assert_cmpint(status, ==, 0);
}

FIXTURE_TEST(test_no_folder)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *none = g_build_filename(f->places, "none", NULL);
  g_assert_null(new_files_begin(none, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true(g_str_has_prefix(error->message, none));
}

FIXTURE_TEST(test_failing_close)
{
  g_autofree char *path = g_build_filename(f->places, "a", NULL);
  g_autofree char *expected = g_strdup_printf("%s: cannot be written (Input/output error)", path);
  g_autoptr(GError) error = NULL;

  put(f->places, "a", "old");
  close_fails = TRUE;
  g_assert_false(new_files_write(path, "new", 3, &error));
  g_assert_false(close_fails);
  g_assert_cmpstr(error->message, ==, expected);
  expect(f, "a", "old");
  g_assert_true(new_files_write(path, "new", 3, NULL));
  expect(f, "a", "new");
}
