/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/program_files.h"

#include <glib.h>
#include <string.h>

/* PREFIX, and BINDIR below it, come from the build (meson.build). */

/* The folder of the executable; NULL when the system does not say. Free with g_free(). */
static char *executable_folder(void)
{
  g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);

  return path != NULL ? g_path_get_dirname(path) : NULL;
}

/* The prefix above `folder` when that is its BINDIR; NULL. Free with g_free(). */
static char *prefix_above(const char *folder)
{
  return g_str_has_suffix(folder, "/" BINDIR) ? g_strndup(folder, strlen(folder) - strlen("/" BINDIR)) : NULL;
}

char *program_files_path(const char *variable, const char *built, const char *installed, const char *name)
{
  const char *told = g_getenv(variable);
  g_autofree char *folder = executable_folder();
  g_autofree char *moved = folder != NULL ? prefix_above(folder) : NULL;

  if (told != NULL) {
    return g_build_filename(told, name, NULL);
  }
  char *candidates[] = {
      folder != NULL ? g_build_filename(folder, built, name, NULL) : NULL,
      moved != NULL ? g_build_filename(moved, installed, name, NULL) : NULL,
      g_build_filename(PREFIX, installed, name, NULL),
  };
  char *found = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++) {
    if (found == NULL && candidates[i] != NULL && g_file_test(candidates[i], G_FILE_TEST_EXISTS)) {
      found = g_steal_pointer(&candidates[i]);
    }
  }
  if (found == NULL) {
    found = g_steal_pointer(&candidates[folder != NULL ? 0 : G_N_ELEMENTS(candidates) - 1]);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(candidates); i++) {
    g_free(candidates[i]);
  }
  return found;
}
