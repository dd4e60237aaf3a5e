/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML: texts in which nothing acts as markup, and tables with aligned numbers. */
#pragma once

#include <glib.h>

/* --- Texts: titles, names and messages are the user's, or a stranger's --- */

/* Appends `text` so that it reads as it is, between tags as well as inside a quoted attribute: & < > " and '
 * are escaped. What has no look of its own (control characters but for line feed and tab, direction
 * overrides, noncharacters) and octets that are not UTF-8 become U+FFFD; CR LF becomes LF. */
void html_append_text(GString *html, const char *text);

/* Appends `format`, which is markup of the program's own, with texts in place of %s as html_append_text() has
 * them and numbers in place of %u; %% is a percent sign. */
void html_append(GString *html, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* --- Tables --- */

typedef struct html_table html_table;

typedef enum html_column_kind {
  HTML_COLUMN_HEADING, /* what a row is about: its header */
  HTML_COLUMN_TEXT,
  HTML_COLUMN_NUMBER,     /* right-aligned, points below each other */
  HTML_COLUMN_HALF_WIDTH, /* of the number before: "± 35", left-aligned beside it; under that one's heading */
  HTML_COLUMN_MARK,       /* a number that stands out in marked rows */
  HTML_COLUMN_VERBATIM    /* a text of several lines, as they are */
} html_column_kind;

/* A table with this caption, which also names the region it scrolls in on narrow pages. html_table_finish()
 * frees it. */
html_table *html_table_new(const char *caption);

/* Adds a column before there are rows. `heading`, and `unit` below it ("": none), are texts; of a
 * HTML_COLUMN_HEADING what comes up to the last dot ("path.forward.mtu") stands small above the rest. */
void html_table_add_column(html_table *table, html_column_kind kind, const char *heading, const char *unit);

/* Starts a row, which stands out when `mark`; cells fill it from the left, and those left out are empty. */
void html_table_add_row(html_table *table, gboolean mark);
void html_table_add_cell(html_table *table, const char *text);
void html_table_add_cells(html_table *table, const char *const *texts); /* ended by NULL */
void html_table_add_count(html_table *table, gsize count);

/* Appends the table and frees it. */
void html_table_finish(html_table *table, GString *html);
