/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a text file of columns, a line at a time, in constant memory. Between columns are blanks, tabs or
 * commas; "#" begins a comment; a line without columns is passed over. Lines end in LF or CR LF, the last one
 * perhaps in neither. */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_COLUMNS_MAX = 4096, TEXT_COLUMNS_LINE_OCTETS = 64 << 10 };

typedef struct text_columns {
  FILE *file;
  char *path;
  uint64_t line;  /* the number of the line that was read last, from 1 */
  unsigned count; /* of its columns */
  char *columns[TEXT_COLUMNS_MAX];
  /* The rest is the reader's own: the part of the file that was read and not yet used. */
  char *buffer;
  size_t begin, end;
  gboolean is_at_end;
} text_columns;

/* Opens the regular file `path`. Free with text_columns_free(). NULL and `error`: "PATH: REASON". */
text_columns *text_columns_open(const char *path, GError **error);
void text_columns_free(text_columns *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(text_columns, text_columns_free)

/* Goes back to the beginning of the file. */
void text_columns_rewind(text_columns *self);

/* Reads the next line that has columns, which stay until the next call. FALSE at the end of the file, or with
 * `error`, "PATH:LINE: what; expected …", when a line has a NUL, or more columns or octets than there may be.
 */
gboolean text_columns_next(text_columns *self, GError **error);

/* Sets `error` to "PATH:LINE: " and this text about the line that was read last, made plain (plain_text());
 * returns FALSE. */
gboolean text_columns_error(const text_columns *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
