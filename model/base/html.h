/* SPDX-License-Identifier: GPL-2.0-only */
/* This is about HTML: texts in which nothing acts as markup, pages that fetch nothing, and tables. */
#pragma once

#include <glib.h>

/* --- Texts: titles, names and messages are the user's, or a stranger's --- */

/* Appends `text` so that it reads as it is, between tags as well as inside a quoted attribute: & < > " and '
 * are escaped. Line feeds and tabs stay, CR LF becomes LF; what else plain_text() escapes is escaped as
 * there. */
void html_append_text(GString *html, const char *text);

/* Appends `format`, which is markup of the program's own, with texts in place of %s as html_append_text() has
 * them and numbers in place of %u; %% is a percent sign. */
void html_append(GString *html, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the page "TITLE – KIND" of `body`, which is markup. Its policy forbids to fetch anything, and
 * admits `style` alone and `script` alone, each by its hash. Free with g_free(). */
char *html_page(const char *style, const char *script, const char *title, const char *kind, const char *body);

/* Appends a table of the headings in `head` and of `rows`, after `tools` in a line of their own: all of these
 * are markup. The caption also names the region that the table scrolls in on narrow pages. */
void html_append_table(GString *html, const char *caption, const char *tools, const char *head,
                       const char *rows);
