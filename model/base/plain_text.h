/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes text that is not ours (titles, file names, what stores, captures and other programs hold) harmless
 * before a terminal, a table or a JSON text shows it. All that the program prints for people goes through
 * plain_text_print(); scripts/check-layers looks. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "base/time_ps.h"

/* Returns FALSE for characters that control a terminal or make a text look like another: control characters
 * (C0, DEL, C1), line and paragraph separators, Unicode's Bidi_Control, noncharacters. */
gboolean plain_text_shows(gunichar character);

/* Returns `length` octets of `text` (-1: up to its NUL) in UTF-8. A character for which plain_text_shows() is
 * FALSE is escaped, "\n", "\x1b", "\u202e", and so is an octet that is no UTF-8, "\xff"; the ASCII characters
 * in `kept` stay. Backslashes are not escaped: a text that is plain stays as it is. Free with g_free(). */
char *plain_text(const char *text, gssize length, const char *kept);

/* Does fprintf() of a text in which everything is made plain except the line end of `format`: a line end in
 * an argument, such as a file's name, would begin a line that the program did not write. A `format` of
 * several lines keeps them; its arguments must then be the program's own. */
void plain_text_print(FILE *file, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Does the same with a text of several lines that are laid out already. */
void plain_text_print_page(FILE *file, const char *page);

/* Appends `text` to `json` as a JSON string with its quotes (RFC 8259 §7). Invisible characters are written
 * as \uXXXX, and octets that are not valid UTF-8 as U+FFFD. */
void plain_text_append_json(GString *json, const char *text);

/* --- How the program looks in a terminal: whether there is one, how large, whether with colours --- */

/* This is the size of a terminal, in letters, when it is not known or too small to draw in; text for people
 * elsewhere is as wide. */
enum { TERMINAL_COLUMNS = 100, TERMINAL_ROWS = 30 };

/* ECMA-48 has them as SGR. */
typedef enum terminal_colour { TERMINAL_RED = 31, TERMINAL_GREEN, TERMINAL_YELLOW } terminal_colour;

typedef struct terminal {
  gboolean shows;   /* `file` is a terminal: someone is looking */
  gboolean colours; /* it may get ANSI colours */
  guint columns;
  guint rows; /* without the line of the prompt */
} terminal;

/* Returns what `file` is. COLUMNS of the environment, where it is a number that is not too small, is its
 * width, whatever `file` is; NO_COLOR and TERM=dumb switch colours off. */
terminal terminal_of(FILE *file);

/* Does plain_text_print_page() in this colour, where `file` may have colours. */
void terminal_print_coloured(FILE *file, terminal_colour colour, const char *page);

/* Returns `text` with its lines broken at blanks, to at most `columns` letters; a longer word has a line of
 * its own. A row, "  NAME  TEXT", goes on below its TEXT, another line that begins with blanks below its
 * first word. Free with g_free(). */
char *plain_text_wrap(const char *text, guint columns);

/* Replaces the line that the cursor is in by `text`; "" erases it. It does so in one write, which a terminal
 * shows at once. */
void terminal_redraw_line(FILE *file, const char *text);

/* Prose is sentences with numbers as people write them: "98,936", "769.7 us". */

typedef struct prose {
  GString *text;
  GStringChunk *numbers; /* those in it */
} prose;

prose prose_new(void);

/* Returns the text; free with g_free(). */
char *prose_end(prose *of);

void prose_add(prose *to, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* They write `count` in groups of three digits; `time` in microseconds with one decimal, from a second on in
 * seconds. The texts live until prose_end(). */
const char *prose_count(prose *of, guint64 count);
const char *prose_time(prose *of, time_ps time);

/* Writes "1 segment", "68 segments". */
const char *prose_plural(prose *of, guint64 count, const char *nouns);
