/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_table.h"

#include <string.h>

#include "study/report/html_text.h"
#include "study/table/shown_number.h"

typedef struct table_column {
  html_column_kind kind;
  char *heading;
  char *unit;
} table_column;

typedef struct table_row {
  gboolean mark;
  GPtrArray *cells; /* char * */
} table_row;

struct html_table {
  char *caption;
  GArray *columns; /* table_column */
  GArray *rows;    /* table_row */
};

static void clear_column(gpointer data)
{
  table_column *column = data;
  g_free(column->heading);
  g_free(column->unit);
}

static void clear_row(gpointer data)
{
  g_ptr_array_unref(((table_row *)data)->cells);
}

html_table *html_table_new(const char *caption)
{
  html_table *table = g_new0(html_table, 1);
  table->caption = g_strdup(caption);
  table->columns = g_array_new(FALSE, FALSE, sizeof(table_column));
  table->rows = g_array_new(FALSE, FALSE, sizeof(table_row));
  g_array_set_clear_func(table->columns, clear_column);
  g_array_set_clear_func(table->rows, clear_row);
  return table;
}

void html_table_free(html_table *table)
{
  if (table != NULL) {
    g_free(table->caption);
    g_array_unref(table->columns);
    g_array_unref(table->rows);
    g_free(table);
  }
}

void html_table_add_column(html_table *table, html_column_kind kind, const char *heading, const char *unit)
{
  g_assert(table->rows->len == 0);
  table_column column = {.kind = kind, .heading = g_strdup(heading), .unit = g_strdup(unit)};
  g_array_append_val(table->columns, column);
}

void html_table_add_row(html_table *table, gboolean mark)
{
  table_row row = {.mark = mark, .cells = g_ptr_array_new_with_free_func(g_free)};
  g_array_append_val(table->rows, row);
}

void html_table_add_cell(html_table *table, const char *text)
{
  g_assert(table->rows->len > 0);
  GPtrArray *cells = g_array_index(table->rows, table_row, table->rows->len - 1).cells;
  g_assert(cells->len < table->columns->len);
  g_ptr_array_add(cells, g_strdup(text));
}

static const table_column *column_at(const html_table *table, guint index)
{
  return &g_array_index(table->columns, table_column, index);
}

static gboolean is_half_width(const html_table *table, guint index)
{
  return index < table->columns->len && column_at(table, index)->kind == HTML_COLUMN_HALF_WIDTH;
}

static const char *class_of(html_column_kind kind)
{
  static const char *const classes[] = {[HTML_COLUMN_HEADING] = "",
                                        [HTML_COLUMN_TEXT] = "",
                                        [HTML_COLUMN_NUMBER] = " class=\"number\"",
                                        [HTML_COLUMN_HALF_WIDTH] = " class=\"half-width\"",
                                        [HTML_COLUMN_MARK] = " class=\"number flagged\"",
                                        [HTML_COLUMN_SAID] = " class=\"said\""};
  return classes[kind];
}

/* "path.forward.mtu" with its last part below the others. */
static void append_name(const char *name, GString *html)
{
  const char *dot = strrchr(name, '.');
  if (dot != NULL) {
    g_autofree char *group = g_strndup(name, (gsize)(dot + 1 - name));
    html_text_append_element(html, "span", "group-of", group);
  }
  html_text_append(html, dot != NULL ? dot + 1 : name);
}

static void append_headings(const html_table *table, GString *html)
{
  g_string_append(html, "<tr>");
  for (guint i = 0; i < table->columns->len; i++) {
    const table_column *column = column_at(table, i);
    if (column->kind == HTML_COLUMN_HALF_WIDTH) {
      continue;
    }
    gboolean wide = is_half_width(table, i + 1);
    g_string_append_printf(html, "<th scope=\"col\"%s%s>", class_of(column->kind),
                           wide ? " colspan=\"2\"" : "");
    if (column->kind == HTML_COLUMN_HEADING) {
      append_name(column->heading, html);
    } else {
      html_text_append(html, column->heading);
    }
    if (*column->unit != '\0') {
      g_string_append_c(html, ' ');
      html_text_append_element(html, "span", "unit", column->unit);
    }
    g_string_append(html, "</th>");
  }
  g_string_append(html, "</tr>\n");
}

/* The texts of a column, one a row, as they are shown. */
static GPtrArray *column_texts(const html_table *table, guint index)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < table->rows->len; i++) {
    const GPtrArray *cells = g_array_index(table->rows, table_row, i).cells;
    g_ptr_array_add(texts, g_strdup(index < cells->len ? g_ptr_array_index(cells, index) : ""));
  }
  if (column_at(table, index)->kind == HTML_COLUMN_NUMBER) {
    shown_number_align(texts);
  }
  return texts;
}

static void append_cell(html_column_kind kind, const char *text, GString *html)
{
  gboolean heading = kind == HTML_COLUMN_HEADING;
  g_string_append_printf(html, heading ? "<th scope=\"row\"%s>" : "<td%s>", class_of(kind));
  if (kind == HTML_COLUMN_HALF_WIDTH && *text != '\0') {
    g_string_append(html, "±\u00a0");
  }
  html_text_append(html, text);
  g_string_append(html, heading ? "</th>" : "</td>");
}

static void append_rows(const html_table *table, GString *html)
{
  g_autoptr(GPtrArray) columns = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
  for (guint i = 0; i < table->columns->len; i++) {
    g_ptr_array_add(columns, column_texts(table, i));
  }
  for (guint row = 0; row < table->rows->len; row++) {
    gboolean mark = g_array_index(table->rows, table_row, row).mark;
    g_string_append(html, mark ? "<tr class=\"mark\">" : "<tr>");
    for (guint i = 0; i < columns->len; i++) {
      const GPtrArray *texts = g_ptr_array_index(columns, i);
      append_cell(column_at(table, i)->kind, g_ptr_array_index(texts, row), html);
    }
    g_string_append(html, "</tr>\n");
  }
}

void html_table_append(const html_table *table, GString *html)
{
  g_string_append(html, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
  html_text_append(html, table->caption);
  g_string_append(html, "\">\n<table>\n");
  html_text_append_element(html, "caption", NULL, table->caption);
  g_string_append(html, "\n<thead>\n");
  append_headings(table, html);
  g_string_append(html, "</thead>\n<tbody>\n");
  append_rows(table, html);
  g_string_append(html, "</tbody>\n</table>\n</div>\n");
}
