/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that a command writes where the user says. */
#ifndef CLI_CLI_OUTPUT_H
#define CLI_CLI_OUTPUT_H

#include <glib.h>

/* Writes `length` octets of `text` to `path`, NULL: to standard output. A file is written whole or not at all; what is no regular file
 * (/dev/stdout, a pipe) is written to and not replaced. FALSE and `error` (G_FILE_ERROR) when that fails, or when a result store or a
 * scenario (*.cfg) stands there, which an option in the wrong place would destroy. */
gboolean cli_output_write(const char *path, const char *text, gsize length, GError **error);

#endif
