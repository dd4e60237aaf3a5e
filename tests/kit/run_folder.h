/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a new empty folder, for what a run or a test writes. */
#pragma once

#include <glib/gstdio.h>

#include "no_error.h"

typedef char run_folder;

/* Remove it, and what is in it, with run_folder_remove(), which frees the name. */
static inline run_folder *run_folder_new(void)
{
  return NO_ERROR(g_dir_make_tmp, "iwarpsim-test-XXXXXX");
}

static inline void run_folder_remove_tree(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir))) {
    g_autofree char *entry = g_build_filename(path, name, NULL);
    run_folder_remove_tree(entry);
  }
  g_clear_pointer(&dir, g_dir_close);
  g_assert_cmpint(g_remove(path), ==, 0);
}

static inline void run_folder_remove(run_folder *folder)
{
  run_folder_remove_tree(folder);
  g_free(folder);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(run_folder, run_folder_remove)
