/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* Less is no room for a plot. */
enum { COLUMNS_MIN = 40, ROWS_MIN = 15 };

terminal terminal_of(FILE *file)
{
  struct winsize size;
  terminal t = {.shows = isatty(fileno(file)), .columns = TERMINAL_COLUMNS, .rows = TERMINAL_ROWS};
  t.colours = t.shows;
  if (t.shows && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col >= COLUMNS_MIN &&
      size.ws_row >= ROWS_MIN) {
    t.columns = size.ws_col;
    t.rows = size.ws_row - 1U;
  }
  return t;
}

void terminal_redraw_line(FILE *file, const char *text)
{
  g_autofree char *line = g_strconcat("\r\033[K", text, NULL);
  fputs(line, file);
  fflush(file);
}
