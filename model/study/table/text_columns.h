/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of texts: columns and cells, as a terminal and as CSV have them; study/report/html.h has them on a
 * page. */
#pragma once

#include <glib.h>

typedef enum text_column_kind {
  TEXT_COLUMN_TEXT,
  TEXT_COLUMN_HEADING,  /* what a row is about: its header on a page */
  TEXT_COLUMN_NUMBER,   /* right-aligned, decimal points below each other */
  TEXT_COLUMN_INTERVAL, /* of the number before: on a page below it, in its cell */
  TEXT_COLUMN_VALUE, /* the number before, or an end of its interval, as measured: CSV has it in place of what
                        a page shows */
  TEXT_COLUMN_MARK,  /* how many of something worth a second look: on a page a row that has any stands out */
  TEXT_COLUMN_VERBATIM /* a text of several lines, which a page keeps */
} text_column_kind;

typedef struct text_column {
  const char *heading;
  text_column_kind kind;
  const char *unit; /* below the heading, on a page, and after it in CSV; NULL: none */
} text_column;

/* Appends the headings of the `count` `columns`, a rule and the rows of `cells` (char *, from left to right,
 * row by row), a line each, two blanks between columns and none at the end. Columns whose cells are all empty
 * are left out. A cell is shown on one line: line ends and control characters become blanks, octets that are
 * not UTF-8 the replacement character. */
void text_columns_append(const text_column *columns, guint count, const GPtrArray *cells, GString *text);

/* Appends the same as CSV (RFC 4180): a line of headings, "peak occupancy, mean (octets)", and a line a row.
 * A text that a spreadsheet would take for a formula (it starts with = + - @ and is no number) gets an
 * apostrophe in front. */
void text_columns_append_csv(const text_column *columns, guint count, const GPtrArray *cells, GString *csv);

/* Appends a field of CSV: one with a comma, a quote, a line end or the sign of a comment is quoted, quotes in
 * it doubled (RFC 4180 §2). */
void csv_append_field(const char *text, GString *csv);
