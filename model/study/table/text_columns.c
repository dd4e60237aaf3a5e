/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/text_columns.h"

#include <string.h>

#include "study/table/shown_number.h"

/* A column as it is printed. */
typedef struct laid_column {
  text_alignment alignment;
  guint from_point; /* the most in a cell, where points stand below each other */
  guint width;
  gboolean shown;
} laid_column;

/* The characters of a number from its point on: "12.50" has three. */
static guint from_point(const char *text)
{
  const char *point = strchr(text, '.');
  return point != NULL ? (guint)g_utf8_strlen(point, -1) : 0;
}

/* The blanks after `text` that put the points of a column's numbers below each other. */
static guint padding_after(const laid_column *column, const char *text)
{
  gboolean number = g_ascii_isdigit(text[strlen(text) > 0 ? strlen(text) - 1 : 0]);
  return column->alignment == TEXT_ALIGNMENT_POINT && number ? column->from_point - from_point(text) : 0;
}

/* Lays out the column whose heading is `texts[0]` and whose cells follow every `step`. */
static laid_column lay_out(text_alignment alignment, char *const *texts, guint step, guint rows)
{
  laid_column column = {.alignment = alignment, .width = (guint)g_utf8_strlen(texts[0], -1)};
  for (guint row = 1; row <= rows; row++) {
    column.from_point = MAX(column.from_point, from_point(texts[row * step]));
  }
  for (guint row = 1; row <= rows; row++) {
    const char *text = texts[row * step];
    column.width = MAX(column.width, (guint)g_utf8_strlen(text, -1) + padding_after(&column, text));
    column.shown = column.shown || *text != '\0';
  }
  return column;
}

static void append_row(const laid_column *columns, char *const *row, guint count, GString *text)
{
  g_autoptr(GString) line = g_string_new(NULL);
  for (guint i = 0; i < count; i++) {
    if (columns[i].shown) {
      guint padding = padding_after(&columns[i], row[i]);
      guint rest = columns[i].width - (guint)g_utf8_strlen(row[i], -1) - padding;
      gboolean left = columns[i].alignment == TEXT_ALIGNMENT_LEFT;
      g_string_append_printf(line, "%s%*s%s%*s", line->len > 0 ? "  " : "", left ? 0 : (int)rest, "", row[i],
                             (int)(padding + (left ? rest : 0)), "");
    }
  }
  g_strchomp(line->str);
  g_string_append_printf(text, "%s\n", line->str);
}

void text_columns_append(const GArray *columns, const GPtrArray *cells, GString *text)
{
  const guint count = columns->len, rows = cells->len / count;
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free); /* the headings are the first */
  for (guint i = 0; i < count; i++) {
    g_ptr_array_add(lines, shown_text_line(g_array_index(columns, text_column, i).heading));
  }
  for (guint i = 0; i < cells->len; i++) {
    g_ptr_array_add(lines, shown_text_line(g_ptr_array_index(cells, i)));
  }
  char *const *texts = (char *const *)lines->pdata;
  g_autofree laid_column *laid = g_new(laid_column, count);
  guint width = 0;
  for (guint i = 0; i < count; i++) {
    laid[i] = lay_out(g_array_index(columns, text_column, i).alignment, &texts[i], count, rows);
    width += laid[i].shown ? laid[i].width + (width > 0 ? 2 : 0) : 0;
  }
  append_row(laid, texts, count, text);
  for (guint i = 0; i < width; i++) {
    g_string_append(text, "\u2500");
  }
  g_string_append_c(text, '\n');
  for (guint row = 1; row <= rows; row++) {
    append_row(laid, &texts[row * count], count, text);
  }
}
