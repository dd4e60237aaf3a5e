/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in gnuplot scripts. Titles and names are the user's: nothing in them may act as gnuplot code. */
#ifndef STUDY_GNUPLOT_TEXT_H
#define STUDY_GNUPLOT_TEXT_H

#include <glib.h>

/* `text` as a single-quoted gnuplot string, in which nothing is special (double quotes would run
 * `commands`) but the quote itself: it becomes the apostrophe U+2019. Control characters become blanks,
 * octets that are not UTF-8 the replacement character. Free with g_free(). */
char *gnuplot_text_quote(const char *text);

/* The same for a tic's label, which gnuplot takes for a number format: '%' is doubled. */
char *gnuplot_text_quote_tic(const char *text);

/* The same as an expression of several lines of at most `columns` characters, broken between words where
 * there are any; `*lines` receives their number. What does not fit into `lines_max` lines is cut, with an
 * ellipsis. */
char *gnuplot_text_quote_lines(const char *text, guint columns, guint lines_max, guint *lines);

/* `text` as it may stand behind "# ", on one line, in a script or its data. Free with g_free(). */
char *gnuplot_text_comment(const char *text);

/* A file name made of `text`: letters, digits, '.', '_' and '-' stay, the rest becomes '_', and a '.' or
 * '-' does not come first (gnuplot opens '| command' as a pipe). Never empty. Free with g_free(). */
char *gnuplot_text_file_stem(const char *text);

#endif
