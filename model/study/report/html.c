/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html.h"

#include <string.h>

#include "base/plain_text.h"
#include "study/table/shown_number.h"

/* --- Texts --- */

#define REPLACEMENT 0xFFFD

void html_append_text(GString *html, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(GString) shown = g_string_new(NULL);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    gunichar character = g_utf8_get_char(c);
    if (strncmp(c, "\r\n", 2) != 0) {
      gboolean shows = *c == '\n' || *c == '\t' || plain_text_shows(character);
      g_string_append_unichar(shown, shows ? character : REPLACEMENT);
    }
  }
  g_autofree char *escaped = g_markup_escape_text(shown->str, (gssize)shown->len);
  g_string_assign(shown, escaped);
  g_string_replace(shown, "&apos;", "&#39;", 0); /* which HTML 4 knows too */
  g_string_append_len(html, shown->str, (gssize)shown->len);
}

void html_append(GString *html, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  /* NOLINTBEGIN(clang-analyzer-valist.Uninitialized): clang-tidy sees va_start() only in the first of several
   * files */
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
  GPtrArray *texts; /* char *, one a row */
} table_column;

struct html_table {
  char *caption;
  GArray *columns; /* table_column */
  GArray *marks;   /* gboolean, one a row */
  guint filled;    /* cells of the last row */
};

static void clear_column(gpointer data)
{
  table_column *column = data;
  g_free(column->heading);
  g_free(column->unit);
  g_ptr_array_unref(column->texts);
}

static table_column *column_at(const html_table *table, guint index)
{
  return &g_array_index(table->columns, table_column, index);
}

html_table *html_table_new(const char *caption)
{
  html_table *table = g_new0(html_table, 1);
  table->caption = g_strdup(caption);
  table->columns = g_array_new(FALSE, FALSE, sizeof(table_column));
  table->marks = g_array_new(FALSE, FALSE, sizeof(gboolean));
  g_array_set_clear_func(table->columns, clear_column);
  return table;
}

void html_table_add_column(html_table *table, html_column_kind kind, const char *heading, const char *unit)
{
  g_assert(table->marks->len == 0);
  const table_column column = {kind, g_strdup(heading), g_strdup(unit),
                               g_ptr_array_new_with_free_func(g_free)};
  g_array_append_val(table->columns, column);
}

void html_table_add_row(html_table *table, gboolean mark)
{
  g_array_append_val(table->marks, mark);
  for (guint i = 0; i < table->columns->len; i++) {
    g_ptr_array_add(column_at(table, i)->texts, g_strdup(""));
  }
  table->filled = 0;
}

void html_table_add_cell(html_table *table, const char *text)
{
  g_assert(table->marks->len > 0 && table->filled < table->columns->len);
  gpointer *cell = &g_ptr_array_index(column_at(table, table->filled)->texts, table->marks->len - 1);
  g_free(*cell);
  *cell = g_strdup(text);
  table->filled++;
}

void html_table_add_cells(html_table *table, const char *const *texts)
{
  for (gsize i = 0; texts[i] != NULL; i++) {
    html_table_add_cell(table, texts[i]);
  }
}

void html_table_add_count(html_table *table, gsize count)
{
  g_autofree char *text = g_strdup_printf("%" G_GSIZE_FORMAT, count);
  html_table_add_cell(table, text);
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

static void append_rows(const html_table *table, GString *html)
{
  for (guint row = 0; row < table->marks->len; row++) {
    g_string_append(html, g_array_index(table->marks, gboolean, row) ? "<tr class=\"mark\">" : "<tr>");
    for (guint i = 0; i < table->columns->len; i++) {
      const table_column *column = column_at(table, i);
      const char *text = g_ptr_array_index(column->texts, row);
      gboolean heading = column->kind == HTML_COLUMN_HEADING;
      g_string_append_printf(html, heading ? "<th scope=\"row\"%s>" : "<td%s>", class_of(column->kind));
      g_string_append(html, column->kind == HTML_COLUMN_HALF_WIDTH && *text != '\0' ? "±\u00a0" : "");
      html_append_text(html, text);
      g_string_append(html, heading ? "</th>" : "</td>");
    }
    g_string_append(html, "</tr>\n");
  }
}

void html_table_finish(html_table *table, GString *html)
{
  for (guint i = 0; i < table->columns->len; i++) {
    if (column_at(table, i)->kind == HTML_COLUMN_NUMBER) {
      shown_number_align(column_at(table, i)->texts);
    }
  }
  html_append(html,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n"
              "<caption>%s</caption>\n<thead>\n",
              table->caption, table->caption);
  append_headings(table, html);
  g_string_append(html, "</thead>\n<tbody>\n");
  append_rows(table, html);
  g_string_append(html, "</tbody>\n</table>\n</div>\n");
  g_free(table->caption);
  g_array_unref(table->columns);
  g_array_unref(table->marks);
  g_free(table);
}
