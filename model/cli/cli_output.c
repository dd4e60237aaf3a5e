/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that a command writes, where the user wants them. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "cli/cli.h"

static gboolean write_to(const char *path, const char *text, gsize length, GError **error)
{
  FILE *file = g_fopen(path, "we");
  int reason = file != NULL && fwrite(text, 1, length, file) == length && fflush(file) == 0 ? 0 : errno;
  if (file != NULL && fclose(file) != 0 && reason == 0) {
    reason = errno;
  }
  if (reason != 0) {
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: cannot be written (%s)", path,
                g_strerror(reason));
  }
  return reason == 0;
}

static gboolean replace(const char *path, const char *text, gsize length, GError **error)
{
  g_autofree char *folder = g_path_get_dirname(path);
  g_autofree char *name = g_path_get_basename(path);
  const char *const names[] = {name, NULL};
  GError *problem = NULL;
  new_files *files = new_files_begin(folder, &problem);
  if (files == NULL) {
    g_propagate_prefixed_error(error, problem, "%s: ", path);
    return FALSE;
  }
  g_autofree char *made = g_build_filename(new_files_folder(files), name, NULL);
  gboolean good = write_to(made, text, length, &problem) && new_files_take_places(files, names, &problem);
  if (!good) {
    new_files_name_places(files, problem);
    g_propagate_error(error, problem);
  }
  new_files_end(files);
  return good;
}

/* What a slip of the hand would destroy: stores, by the first octets of their files, and scenarios, by their
 * names. */
static gboolean is_precious(const char *path)
{
  static const char store[] = "SQLite format 3";
  char octets[sizeof store] = {0};
  FILE *file = g_fopen(path, "re");
  gsize count = file != NULL ? fread(octets, 1, sizeof octets, file) : 0;
  if (file != NULL) {
    fclose(file);
  }
  return (count == sizeof octets && memcmp(octets, store, sizeof octets) == 0) ||
         (file != NULL && g_str_has_suffix(path, ".cfg"));
}

gboolean cli_output_write(const char *path, const char *text, gsize length, GError **error)
{
  if (path == NULL) {
    fwrite(text, 1, length, stdout); /* main() reports when it got lost */
    return TRUE;
  }
  gboolean is_regular = g_file_test(path, G_FILE_TEST_IS_REGULAR);
  if (is_regular && is_precious(path)) {
    g_set_error(
        error, G_FILE_ERROR, G_FILE_ERROR_EXIST,
        "%s: a result store or a scenario stands there, which is not written over; expected another file",
        path);
    return FALSE;
  }
  /* A link stays: /dev/stdout is one, to a regular file when the output is redirected. */
  gboolean replaces =
      !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && (is_regular || !g_file_test(path, G_FILE_TEST_EXISTS));
  return replaces ? replace(path, text, length, error) : write_to(path, text, length, error);
}
