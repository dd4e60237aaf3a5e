/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables in HTML: rows of texts under headings, numbers aligned. */
#ifndef STUDY_HTML_TABLE_H
#define STUDY_HTML_TABLE_H

#include <glib.h>

typedef struct html_table html_table;

typedef enum html_column_kind {
  HTML_COLUMN_HEADING, /* says what a row is about: a header of the row */
  HTML_COLUMN_TEXT,
  HTML_COLUMN_NUMBER,     /* right-aligned, points below each other */
  HTML_COLUMN_HALF_WIDTH, /* of the number before: "± 35", left-aligned beside it; under that one's heading */
  HTML_COLUMN_MARK,       /* a number that stands out in marked rows */
  HTML_COLUMN_SAID        /* a text of several lines, as they are */
} html_column_kind;

/* A table with this caption, which also names the region it scrolls in on narrow pages. Free with html_table_free(). */
html_table *html_table_new(const char *caption);
void html_table_free(html_table *table);

/* Adds a column before there are rows. `heading`, and `unit` below it ("": none), are texts; of a HTML_COLUMN_HEADING what comes up to
 * the last dot ("path.forward.mtu") stands small above the rest. */
void html_table_add_column(html_table *table, html_column_kind kind, const char *heading, const char *unit);

/* Starts a row; html_table_add_cell() fills it from the left, cell by cell; those left out are empty. A row of `mark` stands out. */
void html_table_add_row(html_table *table, gboolean mark);
void html_table_add_cell(html_table *table, const char *text);

/* Appends the table. */
void html_table_append(const html_table *table, GString *html);

#endif
