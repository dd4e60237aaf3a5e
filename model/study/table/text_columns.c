/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/text_columns.h"

#include <string.h>

#include "base/plain_text.h"
#include "study/table/shown_number.h"

/* --- In a terminal --- */

static int letters_of(const char *text)
{
  return (int)g_utf8_strlen(text, -1);
}

/* How wide column `index` of the rows in `lines` is, the headings first; 0: its cells are all empty. */
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
    if (columns[i].kind == TEXT_COLUMN_NUMBER) {
      shown_number_align(lines, count + i, count, " ", " ");
    }
    widths[i] = width_of(lines, i, count);
  }
  for (guint row = 0; row < lines->len; row += count) {
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
      const char *cell = g_ptr_array_index(lines, row + i);
      const int blanks = widths[i] - letters_of(cell);
      gboolean right = columns[i].kind == TEXT_COLUMN_NUMBER;
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

/* --- CSV --- */

void csv_append_field(const char *text, GString *csv)
{
  g_autofree char *field = plain_text(text, -1, "\n");

  if (strpbrk(field, ",\"\r\n#") == NULL) {
    g_string_append(csv, field);
    return;
  }
  g_auto(GStrv) parts = g_strsplit(field, "\"", -1);
  g_autofree char *quoted = g_strjoinv("\"\"", parts);
  g_string_append_printf(csv, "\"%s\"", quoted);
}

/* Whether CSV has the column; its own values, or those of columns after it. */
static gboolean is_in_csv(const text_column *columns, guint index, guint count)
{
  gboolean is_measured = index + 1 < count && columns[index + 1].kind >= TEXT_COLUMN_INTERVAL &&
                         columns[index + 1].kind <= TEXT_COLUMN_VALUE;
  text_column_kind kind = columns[index].kind;
  return kind != TEXT_COLUMN_INTERVAL && !(kind == TEXT_COLUMN_NUMBER && is_measured);
}

void text_columns_append_csv(const text_column *columns, guint count, const GPtrArray *cells, GString *csv)
{
  const char *of = "", *separator = "";
  for (guint i = 0; i < count; i++) {
    const text_column *column = &columns[i];
    of = column->kind < TEXT_COLUMN_INTERVAL ? column->heading : of;
    if (is_in_csv(columns, i, count)) {
      gboolean of_another = column->kind == TEXT_COLUMN_VALUE;
      g_autoptr(GString) heading = g_string_new(of_another ? of : column->heading);
      if (of_another && *column->heading != '\0') {
        g_string_append_printf(heading, ", %s", column->heading);
      }
      if (column->unit != NULL && strcmp(column->unit, "1") != 0) {
        g_string_append_printf(heading, " (%s)", column->unit);
      }
      g_string_append(csv, separator);
      csv_append_field(heading->str, csv);
      separator = ",";
    }
  }
  for (guint i = 0; count > 0 && i < cells->len; i++) {
    const char *cell = g_ptr_array_index(cells, i);
    separator = i % count == 0 ? "\n" : separator;
    if (is_in_csv(columns, i % count, count)) {
      char *end; /* a spreadsheet runs a formula, or asks whether it may: what begins so and is no number */
      (void)g_ascii_strtod(cell, &end);
      gboolean is_formula = *cell != '\0' && strchr("=+-@\t\r", *cell) != NULL && *end != '\0';
      g_autofree char *guarded = g_strconcat(is_formula ? "'" : "", cell, NULL);
      g_string_append(csv, separator);
      csv_append_field(guarded, csv);
      separator = ",";
    }
  }
  g_string_append_c(csv, '\n');
}
