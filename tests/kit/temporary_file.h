/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a file with a text, for readers of files. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>

/* Returns the path of a new file that has `length` octets of `text`; -1: all. temporary_file_free() removes
 * it. */
static inline char *temporary_file_new(const char *text, gssize length)
{
  char *path = NULL;
  const int file = g_file_open_tmp("temporary-XXXXXX.txt", &path, NULL);

  g_assert_cmpint(file, >=, 0);
  g_close(file, NULL);
  g_assert_true(g_file_set_contents(path, text, length, NULL));
  return path;
}

static inline void temporary_file_free(char *path)
{
  g_unlink(path);
  g_free(path);
}
