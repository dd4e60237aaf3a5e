/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html.h"

#include <string.h>

#include "base/plain_text.h"
#include "study/table/shown_number.h"

/* --- Texts --- */

#define REPLACEMENT 0xFFFD

static void append_character(GString *html, gunichar character)
{
  switch (character) {
  case '&':
    g_string_append(html, "&amp;");
    break;
  case '<':
    g_string_append(html, "&lt;");
    break;
  case '>':
    g_string_append(html, "&gt;");
    break;
  case '"':
    g_string_append(html, "&quot;");
    break;
  case '\'':
    g_string_append(html, "&#39;");
    break;
  default:
    if (character != '\n' && character != '\t' && !plain_text_shows(character)) {
      character = REPLACEMENT;
    }
    g_string_append_unichar(html, character);
    break;
  }
}

void html_append_text(GString *html, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    if (strncmp(c, "\r\n", 2) != 0) {
      append_character(html, g_utf8_get_char(c));
    }
  }
}

void html_append(GString *html, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  /* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): clang-tidy sees va_start() only in the first of several files */
  for (const char *c = format; *c != '\0'; c++) {
    if (*c != '%') {
      g_string_append_c(html, *c);
    } else if (*++c == 's') {
      html_append_text(html, va_arg(arguments, const char *));
    } else if (*c == '%') {
      g_string_append_c(html, '%');
    } else {
      g_assert(*c == 'u');
      g_string_append_printf(html, "%u", va_arg(arguments, guint));
    }
  }
  /* NOLINTEND(clang-analyzer-valist.Uninitialized) */
  va_end(arguments);
}

/* --- Tables --- */

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

void html_table_add_count(html_table *table, gsize count)
{
  g_autofree char *text = g_strdup_printf("%" G_GSIZE_FORMAT, count);
  html_table_add_cell(table, text);
}

static const table_column *column_at(const html_table *table, guint index)
{
  return &g_array_index(table->columns, table_column, index);
}

static const char *class_of(html_column_kind kind)
{
  static const char *const classes[] = {[HTML_COLUMN_HEADING] = "",
                                        [HTML_COLUMN_TEXT] = "",
                                        [HTML_COLUMN_NUMBER] = " class=\"number\"",
                                        [HTML_COLUMN_HALF_WIDTH] = " class=\"half-width\"",
                                        [HTML_COLUMN_MARK] = " class=\"number flagged\"",
                                        [HTML_COLUMN_VERBATIM] = " class=\"verbatim\""};
  return classes[kind];
}

static void append_headings(const html_table *table, GString *html)
{
  g_string_append(html, "<tr>");
  for (guint i = 0; i < table->columns->len; i++) {
    const table_column *column = column_at(table, i);
    const char *dot = column->kind == HTML_COLUMN_HEADING ? strrchr(column->heading, '.') : NULL;
    if (column->kind == HTML_COLUMN_HALF_WIDTH) {
      continue;
    }
    gboolean wide = i + 1 < table->columns->len && column_at(table, i + 1)->kind == HTML_COLUMN_HALF_WIDTH;
    g_string_append_printf(html, "<th scope=\"col\"%s%s>", class_of(column->kind),
                           wide ? " colspan=\"2\"" : "");
    if (dot != NULL) {
      g_autofree char *group = g_strndup(column->heading, (gsize)(dot + 1 - column->heading));
      html_append(html, "<span class=\"group-of\">%s</span>", group);
    }
    html_append_text(html, dot != NULL ? dot + 1 : column->heading);
    if (*column->unit != '\0') {
      html_append(html, " <span class=\"unit\">%s</span>", column->unit);
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
  html_append_text(html, text);
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

void html_table_finish(html_table *table, GString *html)
{
  html_append(html,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n"
              "<caption>%s</caption>\n<thead>\n",
              table->caption, table->caption);
  append_headings(table, html);
  g_string_append(html, "</thead>\n<tbody>\n");
  append_rows(table, html);
  g_string_append(html, "</tbody>\n</table>\n</div>\n");
  html_table_free(table);
}
