/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files and folders are that a command is given: bits of cli_command's `takes`. */
#pragma once

#include <glib.h>

enum {
  CLI_SCENARIO = 1 << 0,
  CLI_STORE = 1 << 1,
  CLI_RUN_FOLDER = 1 << 2,
  CLI_TRACE = 1 << 3,
  CLI_CAPTURE = 1 << 4,
  CLI_SUMMARY = 1 << 5,
};

/* What `path` is; 0 where that does not show. */
guint cli_operand_kind(const char *path);

/* FALSE and `error` when `path` is missing, is recognized as something that is not among `takes`, or is a
 * folder that is not a run's. The error names what is expected, what makes one, and which commands take what
 * it is.
 * "-", missing scenarios and what is not recognized are left to the command. */
gboolean cli_operand_check(const char *path, guint takes, GError **error);
