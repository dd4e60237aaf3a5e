/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/text_columns.h"

#include "study/table/shown_number.h"

static int letters_of(const char *text)
{
  return (int)g_utf8_strlen(text, -1);
}

/* Returns how wide column `index` of the rows in `lines` is, the headings first; 0: its cells are all
 * empty. */
static int width_of(const GPtrArray *lines, guint index, guint count)
{
  int width = letters_of(g_ptr_array_index(lines, index));
  gboolean shown = FALSE;
  for (guint at = index + count; at < lines->len; at += count) {
    const char *cell = g_ptr_array_index(lines, at);
    width = MAX(width, letters_of(cell));
    shown = shown || *cell != '\0';
  }
  return shown ? width : 0;
}

void text_columns_append(const text_column *columns, guint count, const GPtrArray *cells, GString *text)
{
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free); /* the headings are the first */
  g_autofree int *widths = g_new(int, count);
  for (guint i = 0; i < count; i++) {
    g_ptr_array_add(lines, shown_text_line(columns[i].heading));
  }
  for (guint i = 0; i < cells->len; i++) {
    g_ptr_array_add(lines, shown_text_line(g_ptr_array_index(cells, i)));
  }
  for (guint i = 0; i < count; i++) {
    if (columns[i].is_number) {
      shown_number_align(lines, count + i, count);
    }
    widths[i] = width_of(lines, i, count);
  }
  for (guint row = 0; row < lines->len; row += count) {
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
      const char *cell = g_ptr_array_index(lines, row + i);
      const int blanks = widths[i] - letters_of(cell);
      gboolean right = columns[i].is_number;
      if (widths[i] > 0) {
        g_string_append_printf(line, "%s%*s%s%*s", line->len > 0 ? "  " : "", right ? blanks : 0, "", cell,
                               right ? 0 : blanks, "");
      }
    }
    int width = letters_of(line->str);
    g_string_append_printf(text, "%s\n", g_strchomp(line->str));
    if (row == 0) { /* a rule below the headings */
      for (int i = 0; i < width; i++) {
        g_string_append(text, "\u2500");
      }
      g_string_append_c(text, '\n');
    }
  }
}
