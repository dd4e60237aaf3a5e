/* SPDX-License-Identifier: GPL-2.0-only */
#include "fuzz_files.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

static void remove_folder(void)
{
  GDir *names = g_dir_open(folder, 0, NULL);
  const char *name;

  while (names && (name = g_dir_read_name(names)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  g_clear_pointer(&names, g_dir_close);
  g_rmdir(folder);
}

const char *fuzz_files_folder(void)
{
  if (folder[0] == '\0') {
    g_autofree char *made = g_dir_make_tmp("iwarpsim-fuzz-XXXXXX", NULL);
    g_assert_nonnull(made);
    g_assert_cmpuint(g_strlcpy(folder, made, sizeof folder), <, sizeof folder);
    atexit(remove_folder);
  }
  return folder;
}

/* This is not g_file_set_contents(), which writes aside and waits for the disk. */
char *fuzz_files_write(const char *name, const void *octets, size_t length)
{
  char *path = g_build_filename(fuzz_files_folder(), name, NULL);
  FILE *file = g_fopen(path, "wbe");

  g_assert_nonnull(file);
  g_assert_cmpuint(length > 0 ? fwrite(octets, 1, length, file) : 0, ==, length);
  g_assert_cmpint(fclose(file), ==, 0);
  return path;
}

void fuzz_files_check_error(GError *error)
{
  g_assert_nonnull(error);
  g_assert_true(g_utf8_validate(error->message, -1, NULL));
  g_assert_true(error->message[0] != '\0' && strchr(error->message, '\n') == NULL);
  g_error_free(error);
}
