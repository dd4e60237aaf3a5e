/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of other simulators are lines of columns. This reads them line by line, in constant memory, and
 * reports what is wrong as "file:line: what is wrong; what was expected". */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

/* The line that was read last. Read by everyone, written only by the functions below. */
typedef struct import_text {
  const char *path;   /* of the file, as the user wrote it */
  uint64_t number;    /* of the line, from 1 */
  GPtrArray *columns; /* char *: its words, which live until the next line is read */
  FILE *file;
  GString *line;
} import_text;

/* Opens the file `path`, whose text is the caller's and outlives it; a pipe will do. NULL and `error` when it
 * cannot be read. Free with import_text_close(). */
import_text *import_text_open(const char *path, GError **error);
void import_text_close(import_text *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(import_text, import_text_close)

/* Reads the next line that has words and is no comment ("#" before all). Blanks, tabs and a carriage return
 * at its end are between words. FALSE at the end of the file; FALSE and `error` when a line has a NUL or is
 * longer than 1 MiB, or the file cannot be read. */
gboolean import_text_next(import_text *self, GError **error);

/* Returns word `column` of the line, from 0; there are so many. */
static inline const char *import_text_column(const import_text *self, guint column)
{
  return g_ptr_array_index(self->columns, column);
}

/* Sets `error` to this about the line that was read last, after "FILE:LINE: ". Returns FALSE. */
gboolean import_text_error(const import_text *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Does the same about line `number`, which was read before. */
gboolean import_text_error_in(const import_text *self, uint64_t number, GError **error, const char *format,
                              ...) G_GNUC_PRINTF(4, 5);

/* Reads `word` as a whole number from `least` to `most`. FALSE and `error` when it is none; `noun` is what it
 * is to be, "a number of hosts". */
gboolean import_text_number(const import_text *self, const char *word, const char *noun, uint64_t least,
                            uint64_t most, uint64_t *number, GError **error);

/* Reads `word` as a decimal number, "12", "2.5" or "1e-3", times 10^`digits`, rounded to a whole number;
 * without floating point. FALSE and `error` when it is none, is negative, or is above `most`. */
gboolean import_text_decimal(const import_text *self, const char *word, const char *noun, int digits,
                             uint64_t most, uint64_t *number, GError **error);
