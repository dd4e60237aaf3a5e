/* SPDX-License-Identifier: GPL-2.0-only */
/* This checks whether the files and folders that a command is given are what it takes. */
#pragma once

#include <glib.h>

#include "base/file_kind.h"

/* FALSE and `error` when `path` is missing, is recognized (base/file_kind.h) as something that is not among
 * `takes`, or is a folder that is not a run's. The error names what is expected, what makes one, and which
 * commands take what it is.
 * "-", missing scenarios and what is not recognized are left to the command. */
gboolean cli_operand_check(const char *path, guint takes, GError **error);
