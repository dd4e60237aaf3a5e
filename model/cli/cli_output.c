/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that a command writes, where the user wants them. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/cli.h"

static gboolean write_to(const char *path, const char *text, gsize length, GError **error)
{
  FILE *file = g_fopen(path, "we");
  int reason = file != NULL && fwrite(text, 1, length, file) == length && fflush(file) == 0 ? 0 : errno;
  if (file != NULL && fclose(file) != 0 && reason == 0) {
    reason = errno;
  }
  return reason == 0 || error_set(error, "%s: cannot be written (%s)", path, g_strerror(reason));
}

gboolean cli_output_write(const char *path, const char *text, gsize length, GError **error)
{
  if (path == NULL) {
    fwrite(text, 1, length, stdout); /* main() reports when it got lost */
    return TRUE;
  }
  gboolean is_regular = g_file_test(path, G_FILE_TEST_IS_REGULAR);
  /* What a slip of the hand would destroy. */
  if (is_regular && (cli_operand_kind(path) & (CLI_STORE | CLI_SCENARIO)) != 0) {
    return error_set(
        error,
        "%s: a result store or a scenario stands there, which is not written over; expected another file",
        path);
  }
  /* A link stays: /dev/stdout is one, to a regular file when the output is redirected. */
  gboolean replaces =
      !g_file_test(path, G_FILE_TEST_IS_SYMLINK) && (is_regular || !g_file_test(path, G_FILE_TEST_EXISTS));
  return replaces ? new_files_write(path, text, length, error) : write_to(path, text, length, error);
}
