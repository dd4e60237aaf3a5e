/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that take their places together, or not at all, and of which kinds what stands there is. */
#include "base/new_files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files.h"
#include "failing_close.h"
#include "run_folder.h"
#include "test.h"

static void put(const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  FILE *file = fopen(path, "w");
  g_assert_nonnull(file);
  fputs(text, file);
  fclose(file);
}

/* `text` is NULL: there is no such file. */
static void expect(const char *places, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(places, name, NULL);
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

#define FOLDER_TEST(name) TEST_OF(run_folder, places, run_folder_new(), name)

/* Of three names one is new, one replaces an older file, and one was not made, so that its older file goes.
 * Others are not touched. */
FOLDER_TEST(test_places)
{
  static const char *const names[] = {"new", "gone", "last", NULL};
  put(places, "gone", "old");
  put(places, "last", "old");
  put(places, "other", "other");
  new_files *files = new_files_begin(places, NULL);
  put(new_files_folder(files), "new", "1");
  put(new_files_folder(files), "last", "2");
  expect(places, "last", "old");
  g_assert_true(new_files_take_places(files, names, NULL));
  new_files_end(files);
  expect(places, "new", "1");
  expect(places, "gone", NULL);
  expect(places, "last", "2");
  g_assert_cmpuint(count_entries(places), ==, 3);
}

/* A folder stands where the second file goes: it stays, and so does nothing that would tell of whole results,
 * the last file. */
FOLDER_TEST(test_failure)
{
  g_autoptr(GError) error = NULL;
  static const char *const names[] = {"first", "second", "last", NULL};
  g_autofree char *folder = g_build_filename(places, "second", NULL);
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  put(places, "last", "old");
  new_files *files = new_files_begin(places, NULL);
  for (gsize i = 0; names[i] != NULL; i++) {
    put(new_files_folder(files), names[i], "new");
  }
  g_assert_false(new_files_take_places(files, names, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_ISDIR);
  g_assert_true(g_str_has_prefix(error->message, places));
  new_files_end(files);
  expect(places, "last", NULL);
  g_assert_cmpuint(count_entries(places), ==, 2);
}

FOLDER_TEST(test_names_places)
{
  new_files *files = new_files_begin(places, NULL);
  g_autoptr(GError) error =
      g_error_new(G_FILE_ERROR, G_FILE_ERROR_IO, "%s/a.csv: Input/output error", new_files_folder(files));
  g_autofree char *expected = g_strdup_printf("%s/a.csv: Input/output error", places);
  new_files_name_places(files, error);
  g_assert_cmpstr(error->message, ==, expected);
  new_files_end(files);
}

/* What a killed process left is removed, with all that is in it. */
FOLDER_TEST(test_left_over)
{
  g_autofree char *left = g_build_filename(places, ".iwarpsim-new-AAAAAA", NULL);
  g_assert_cmpint(g_mkdir(left, 0700), ==, 0);
  put(left, "half", "1");
  put(places, "other", "old");
  new_files_end(new_files_begin(places, NULL));
  expect(places, "other", "old");
  g_assert_cmpuint(count_entries(places), ==, 1);
}

/* What is in use, or is about to be, is not taken for left over by another process. */
FOLDER_TEST(test_two_processes)
{
  const pid_t other = fork();
  for (guint i = 0; i < 2000; i++) {
    new_files *files = new_files_begin(places, NULL);
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

FOLDER_TEST(test_no_folder)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *none = g_build_filename(places, "none", NULL);
  g_assert_null(new_files_begin(none, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_true(g_str_has_prefix(error->message, none));
}

FOLDER_TEST(test_failing_close)
{
  g_autofree char *path = g_build_filename(places, "a", NULL);
  g_autofree char *expected = g_strdup_printf("%s: cannot be written (Input/output error)", path);
  g_autoptr(GError) error = NULL;

  put(places, "a", "old");
  output *file = output_begin(path, 0, NULL);
  close_fails = TRUE;
  g_assert_false(output_end(file, TRUE, &error));
  g_assert_false(close_fails);
  g_assert_cmpstr(error->message, ==, expected);
  expect(places, "a", "old");
  g_assert_true(output_write(path, "new", 3, NULL));
  expect(places, "a", "new");
  g_assert_cmpuint(count_entries(places), ==, 1);
}

/* Until a file is whole, and when it does not become so, what stood there stays. */
FOLDER_TEST(test_output)
{
  g_autofree char *path = g_build_filename(places, "a", NULL);

  put(places, "a", "old");
  for (gboolean whole = FALSE; whole <= TRUE; whole++) {
    output *file = output_begin(path, 0, NULL);
    fputs("new", output_file(file));
    fflush(output_file(file));
    expect(places, "a", "old");
    g_assert_true(output_end(file, whole, NULL));
    expect(places, "a", whole ? "new" : "old");
    g_assert_cmpuint(count_entries(places), ==, 1);
  }
  g_assert_null(output_file(NULL));
  g_assert_true(output_end(NULL, TRUE, NULL));
}

/* A link to a file stays one, whether that is there or not; the file is replaced when it is whole. */
FOLDER_TEST(test_link)
{
  g_autofree char *link = g_build_filename(places, "link", NULL);

  g_assert_cmpint(symlink("aim", link), ==, 0);
  for (int i = 0; i < 2; i++) {
    g_assert_true(output_write(link, "new", 3, NULL));
    g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
    expect(places, "aim", "new");
  }
  output *half = output_begin(link, 0, NULL);
  fputs("other", output_file(half));
  g_assert_true(output_end(half, FALSE, NULL));
  expect(places, "aim", "new");
}

/* The kinds of file, by what is in them, or by the ending of their names. */
#define PCAP "\xd4\xc3\xb2\xa1\2\0\4\0"
static const struct {
  const char *name, *octets;
  gsize length;
  guint kind;
} files[] = {
    {"none", "text", 4, 0},
    {"empty", "", 0, 0},
    {"page", "<!doctype html>\n", 16, 0},
    {"plot", "# made by\ntitle = \"a\"\nset x {1}\n", 33, 0},
    {"table", "# scenario: a\ntitle,run.seed\n", 29, 0},
    {"store", "SQLite format 3\0", 16, FILE_STORE},
    {"trace", "iWtrace\n\3", 9, FILE_TRACE},
    {"pcap", PCAP, 8, FILE_CAPTURE},
    {"pcap.swapped", "\xa1\xb2\xc3\xd4\0\2\0\4", 8, FILE_CAPTURE},
    {"pcap.ns", "\x4d\x3c\xb2\xa1\2\0\4\0", 8, FILE_CAPTURE},
    {"pcap.ns.swapped", "\xa1\xb2\x3c\x4d\0\2\0\4", 8, FILE_CAPTURE},
    {"no.pcap", "\x4d\x3c\xb2\xa2\2\0\4\0", 8, 0},
    {"pcapng", "\n\r\r\n\x1c\0\0\0", 8, FILE_CAPTURE},
    {"series", "# scenario a, seed 1\ntime_s,connection,cause,octets\n", 52, FILE_SERIES},
    {"page.json", "{\n  \"scenario\": {\n", 19, FILE_SUMMARY},
    {"summary.json", "{}", 2, FILE_SUMMARY},
    {"a.cfg", "anything", 8, FILE_SCENARIO},
    {"title", "title = \"a\";", 12, FILE_SCENARIO},
    {"group", "# Question: a\n\n/* b\n * c */ // d\nrun : { seed = 1; };", 51, FILE_SCENARIO},
    {"list", "  sweep = (", 11, FILE_SCENARIO},
    {"include", "@include \"b\"", 12, FILE_SCENARIO},
};

/* None of them is replaced but by one of its kind; what is no kind is. */
FOLDER_TEST(test_kinds)
{
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_build_filename(places, files[i].name, NULL);
    g_autoptr(GError) error = NULL;
    g_test_message("%s", files[i].name);
    g_assert_true(g_file_set_contents(path, files[i].octets, (gssize)files[i].length, NULL));
    g_assert_cmpuint(file_kind_of(path), ==, files[i].kind);
    if (files[i].kind != 0) {
      g_autofree char *there = g_strdup_printf("%s: %s stands there", path, file_kind_noun(files[i].kind));
      g_assert_null(output_begin(path, 0, &error));
      g_assert_true(g_str_has_prefix(error->message, there));
    }
    output *same = output_begin(path, files[i].kind, NULL);
    fwrite(files[i].octets, 1, files[i].length, output_file(same));
    g_assert_true(output_end(same, TRUE, NULL));
  }
  g_assert_cmpuint(file_kind_of(places), ==, FILE_RUN_FOLDER);
}

FOLDER_TEST(test_compressed)
{
  static const struct {
    const char *octets;
    unsigned length;
    guint kind;
  } contents[] = {{PCAP, 8, FILE_CAPTURE}, {"iWtrace\n\3", 9, 0}, {"text", 4, 0}};
  g_autofree char *path = g_build_filename(places, "a.gz", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(contents); i++) {
    gzFile file = gzopen(path, "wb");
    g_assert_cmpint(gzwrite(file, contents[i].octets, contents[i].length), ==, (int)contents[i].length);
    g_assert_cmpint(gzclose(file), ==, Z_OK);
    g_assert_cmpuint(file_kind_of(path), ==, contents[i].kind);
  }
  put(places, "a.gz", "\x1f\x8b no more");
  g_assert_cmpuint(file_kind_of(path), ==, 0);
}

/* These are several files, one of which would replace what it must not, or what is of its own kind. */
FOLDER_TEST(test_places_of_kinds)
{
  static const char *const names[] = {"a", "b", NULL};
  g_autoptr(GError) error = NULL;

  put(places, "a", "iWtrace\nold");
  put(places, "b", "iWtrace\nold");
  new_files *both = new_files_begin(places, NULL);
  put(new_files_folder(both), "a", "iWtrace\nnew");
  put(new_files_folder(both), "b", "0 1\n");
  g_assert_false(new_files_take_places(both, names, &error));
  g_assert_nonnull(strstr(error->message, "b: a trace stands there"));
  expect(places, "a", "iWtrace\nold");
  put(new_files_folder(both), "b", "iWtrace\nnew");
  g_assert_true(new_files_take_places(both, names, NULL));
  new_files_end(both);
  expect(places, "b", "iWtrace\nnew");
}
