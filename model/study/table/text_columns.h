/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of texts, as a terminal has them. */
#pragma once

#include <glib.h>

typedef struct text_column {
  const char *heading;
  gboolean is_number; /* right-aligned, decimal points below each other */
} text_column;

/* Appends the headings of the `count` `columns`, a rule and the rows of `cells` (char *, from left to right,
 * row by row), a line each, two blanks between columns and none at the end. Columns whose cells are all empty
 * are left out. A cell is shown on one line: line ends and control characters become blanks, octets that are
 * not UTF-8 the replacement character. */
void text_columns_append(const text_column *columns, guint count, const GPtrArray *cells, GString *text);
