/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in columns for a terminal. */
#pragma once

#include <glib.h>

typedef struct text_columns text_columns;

/* Free with text_columns_free() (NULL-safe). */
text_columns *text_columns_new(void);
void text_columns_free(text_columns *columns);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(text_columns, text_columns_free)

typedef enum text_alignment {
  TEXT_ALIGNMENT_LEFT,
  TEXT_ALIGNMENT_RIGHT,
  TEXT_ALIGNMENT_POINT /* right, decimal points below each other */
} text_alignment;

/* Adds a column; all before the first cell. */
void text_columns_add(text_columns *columns, const char *heading, text_alignment alignment);

/* Adds the next cell: from left to right, row by row. `text` is shown on one line: line ends and control
 * characters become blanks, octets that are not UTF-8 the replacement character. */
void text_columns_add_cell(text_columns *columns, const char *text);

/* Appends the headings, a rule and the rows, a line each, two blanks between columns and none at the end.
 * Columns whose cells are all empty are left out. */
void text_columns_append(const text_columns *columns, GString *text);
