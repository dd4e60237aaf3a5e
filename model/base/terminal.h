/* SPDX-License-Identifier: GPL-2.0-only */
/* How the program looks in a terminal: whether there is one, how large, whether with colours, and a line that is redrawn. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <glib.h>
#include <stdio.h>

/* The size of a terminal, in letters, when it is not known or too small to draw in; text for people elsewhere is as wide. */
enum { TERMINAL_COLUMNS = 100, TERMINAL_ROWS = 30 };

typedef struct terminal {
  gboolean shows;   /* `file` is a terminal: someone is looking */
  gboolean colours; /* it may get ANSI colours */
  guint columns;
  guint rows; /* but for the line of the prompt */
} terminal;

/* What `file` is. */
terminal terminal_of(FILE *file);

/* Replaces the line that the cursor is in by `text`; "" takes it away. In one write, which a terminal shows at once. */
void terminal_redraw_line(FILE *file, const char *text);

#endif
