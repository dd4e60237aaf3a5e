/* SPDX-License-Identifier: GPL-2.0-only */
/* HTML: texts in which nothing acts as markup, and tables with aligned numbers. */
#pragma once

#include <glib.h>

#include "study/table/text_columns.h"

/* --- Texts: titles, names and messages are the user's, or a stranger's --- */

/* Appends `text` so that it reads as it is, between tags as well as inside a quoted attribute: & < > " and '
 * are escaped. Line feeds and tabs stay, CR LF becomes LF; what else plain_text() escapes is escaped as
 * there. */
void html_append_text(GString *html, const char *text);

/* Appends `format`, which is markup of the program's own, with texts in place of %s as html_append_text() has
 * them and numbers in place of %u; %% is a percent sign. */
void html_append(GString *html, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends the head of a page up to its body: title "TITLE – KIND", `style` and its policy, which forbids to
 * fetch anything, and admits `style` alone and `script` alone, each by its hash. */
void html_append_head(GString *html, const char *style, const char *script, const char *title,
                      const char *kind);

/* Appends the table of the `count` `columns` and `cells` (text_columns.h), whose numbers are padded in place,
 * after a link that saves it as "NAME.csv". The caption also names the region it scrolls in on narrow pages.
 * In the heading of a TEXT_COLUMN_HEADING ("path.forward.mtu") the text up to the last dot stands in small
 * type above the rest. A column without a text in any row is in the CSV alone. */
void html_append_table(GString *html, const char *name, const char *caption, const text_column *columns,
                       guint count, GPtrArray *cells);
