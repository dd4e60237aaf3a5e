/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in columns for a terminal. */
#pragma once

#include <glib.h>

typedef enum text_alignment {
  TEXT_ALIGNMENT_LEFT,
  TEXT_ALIGNMENT_RIGHT,
  TEXT_ALIGNMENT_POINT /* right, decimal points below each other */
} text_alignment;

typedef struct text_column {
  const char *heading;
  text_alignment alignment;
} text_column;

/* Appends the headings of `columns` (text_column), a rule and the rows of `cells` (char *, from left to
 * right, row by row), a line each, two blanks between columns and none at the end. Columns whose cells are
 * all empty are left out. A cell is shown on one line: line ends and control characters become blanks, octets
 * that are not UTF-8 the replacement character. */
void text_columns_append(const GArray *columns, const GPtrArray *cells, GString *text);
