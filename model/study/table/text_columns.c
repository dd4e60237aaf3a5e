/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/text_columns.h"

#include <string.h>

#include "study/table/shown_number.h"

typedef struct text_column {
  char *heading;
  text_alignment alignment;
  /* As it is printed. */
  guint from_point; /* the most in a cell, where points stand below each other */
  guint width;
  gboolean shown;
} text_column;

struct text_columns {
  GArray *columns;  /* text_column */
  GPtrArray *cells; /* char *, row by row */
};

static void clear_column(gpointer data)
{
  g_free(((text_column *)data)->heading);
}

text_columns *text_columns_new(void)
{
  text_columns *columns = g_new(text_columns, 1);
  columns->columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  g_array_set_clear_func(columns->columns, clear_column);
  columns->cells = g_ptr_array_new_with_free_func(g_free);
  return columns;
}

void text_columns_free(text_columns *columns)
{
  if (columns != NULL) {
    g_array_unref(columns->columns);
    g_ptr_array_unref(columns->cells);
    g_free(columns);
  }
}

void text_columns_add(text_columns *columns, const char *heading, text_alignment alignment)
{
  g_assert(columns->cells->len == 0);
  text_column column = {.heading = shown_text_line(heading), .alignment = alignment};
  g_array_append_val(columns->columns, column);
}

void text_columns_add_cell(text_columns *columns, const char *text)
{
  g_assert(columns->columns->len > 0);
  g_ptr_array_add(columns->cells, shown_text_line(text));
}

static const char *cell_at(const text_columns *columns, guint row, guint column)
{
  return g_ptr_array_index(columns->cells, row * columns->columns->len + column);
}

/* The characters of a number from its point on: "12.50" has three. */
static guint from_point(const char *text)
{
  const char *point = strchr(text, '.');
  return point != NULL ? (guint)g_utf8_strlen(point, -1) : 0;
}

/* The blanks after `text` that put the points of a column's numbers below each other. */
static guint padding_after(const text_column *column, const char *text)
{
  gboolean number = g_ascii_isdigit(text[strlen(text) > 0 ? strlen(text) - 1 : 0]);
  return column->alignment == TEXT_ALIGNMENT_POINT && number ? column->from_point - from_point(text) : 0;
}

/* Finds out how wide column `index` is. */
static void measure(const text_columns *columns, guint index, guint rows)
{
  text_column *column = &g_array_index(columns->columns, text_column, index);
  column->width = (guint)g_utf8_strlen(column->heading, -1);
  for (guint row = 0; row < rows; row++) {
    column->from_point = MAX(column->from_point, from_point(cell_at(columns, row, index)));
  }
  for (guint row = 0; row < rows; row++) {
    const char *text = cell_at(columns, row, index);
    column->width = MAX(column->width, (guint)g_utf8_strlen(text, -1) + padding_after(column, text));
    column->shown = column->shown || *text != '\0';
  }
}

/* Appends row number `row` of the cells; -1: the headings. */
static void append_row(const text_columns *columns, int row, GString *text)
{
  g_autoptr(GString) line = g_string_new(NULL);
  for (guint i = 0; i < columns->columns->len; i++) {
    const text_column *column = &g_array_index(columns->columns, text_column, i);
    if (!column->shown) {
      continue;
    }
    const char *cell = row < 0 ? column->heading : cell_at(columns, (guint)row, i);
    guint padding = row < 0 ? 0 : padding_after(column, cell);
    guint rest = column->width - (guint)g_utf8_strlen(cell, -1) - padding;
    gboolean left = column->alignment == TEXT_ALIGNMENT_LEFT;
    g_string_append_printf(line, "%s%*s%s%*s", line->len > 0 ? "  " : "", left ? 0 : (int)rest, "", cell,
                           (int)(padding + (left ? rest : 0)), "");
  }
  g_strchomp(line->str);
  g_string_append_printf(text, "%s\n", line->str);
}

void text_columns_append(const text_columns *columns, GString *text)
{
  const guint count = columns->columns->len, rows = count > 0 ? columns->cells->len / count : 0;
  guint width = 0;
  for (guint i = 0; i < count; i++) {
    const text_column *column = &g_array_index(columns->columns, text_column, i);
    measure(columns, i, rows);
    width += column->shown ? column->width + (width > 0 ? 2 : 0) : 0;
  }
  append_row(columns, -1, text);
  for (guint i = 0; i < width; i++) {
    g_string_append(text, "\u2500");
  }
  g_string_append_c(text, '\n');
  for (guint row = 0; row < rows; row++) {
    append_row(columns, (int)row, text);
  }
}
