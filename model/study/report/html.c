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

static const char *const classes[] = {[TEXT_COLUMN_TEXT] = "",
                                      [TEXT_COLUMN_HEADING] = "",
                                      [TEXT_COLUMN_NUMBER] = " class=\"number\"",
                                      [TEXT_COLUMN_MARK] = " class=\"number flagged\"",
                                      [TEXT_COLUMN_VERBATIM] = " class=\"verbatim\""};

/* Whether a column has cells of its own: an interval is in the cell of its number. */
static gboolean is_shown(text_column_kind kind)
{
  return kind != TEXT_COLUMN_INTERVAL && kind != TEXT_COLUMN_VALUE;
}

static void append_headings(const text_column *columns, guint count, GString *html)
{
  g_string_append(html, "<tr>");
  for (guint i = 0; i < count; i++) {
    const text_column *column = &columns[i];
    const char *dot = column->kind == TEXT_COLUMN_HEADING ? strrchr(column->heading, '.') : NULL;
    if (!is_shown(column->kind)) {
      continue;
    }
    g_string_append_printf(html, "<th scope=\"col\"%s>", classes[column->kind]);
    if (dot != NULL) {
      g_autofree char *group = g_strndup(column->heading, (gsize)(dot + 1 - column->heading));
      html_append(html, "<span class=\"group-of\">%s</span>", group);
    }
    html_append_text(html, dot != NULL ? dot + 1 : column->heading);
    if (column->unit != NULL) {
      html_append(html, " <span class=\"unit\">%s</span>", column->unit);
    }
    g_string_append(html, "</th>");
  }
  g_string_append(html, "</tr>\n");
}

static void append_row(const text_column *columns, guint count, char *const *cells, GString *html)
{
  gboolean marked = FALSE;
  for (guint i = 0; i < count; i++) {
    marked = marked || (columns[i].kind == TEXT_COLUMN_MARK && g_ascii_strtoull(cells[i], NULL, 10) > 0);
  }
  g_string_append(html, marked ? "<tr class=\"mark\">" : "<tr>");
  for (guint i = 0; i < count; i++) {
    text_column_kind kind = columns[i].kind;
    gboolean heading = kind == TEXT_COLUMN_HEADING;
    if (!is_shown(kind)) {
      continue;
    }
    g_string_append_printf(html, heading ? "<th scope=\"row\"%s>" : "<td%s>", classes[kind]);
    html_append_text(html, cells[i]);
    if (i + 1 < count && columns[i + 1].kind == TEXT_COLUMN_INTERVAL && *cells[i + 1] != '\0') {
      html_append(html, " <small>%s</small>", cells[i + 1]);
    }
    g_string_append(html, heading ? "</th>" : "</td>");
  }
  g_string_append(html, "</tr>\n");
}

void html_append_table(GString *html, const char *name, const char *caption, const text_column *columns,
                       guint count, GPtrArray *cells)
{
  g_autoptr(GString) csv = g_string_new(NULL);
  text_columns_append_csv(columns, count, cells, csv);
  g_autofree char *octets = g_base64_encode((const guchar *)csv->str, csv->len);
  html_append(html,
              "<p class=\"tools\"><a download=\"%s.csv\" href=\"data:text/csv;charset=utf-8;base64,%s\">"
              "CSV</a></p>\n",
              name, octets);
  html_append(html,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n"
              "<caption><span>%s</span></caption>\n<thead>\n",
              caption, caption);
  append_headings(columns, count, html);
  g_string_append(html, "</thead>\n<tbody>\n");
  for (guint i = 0; i < count; i++) {
    if (columns[i].kind == TEXT_COLUMN_NUMBER) { /* with blanks as wide as a point, and as a digit */
      shown_number_align(cells, i, count, "\u2008", "\u2007");
    }
  }
  for (guint row = 0; row < cells->len; row += count) {
    append_row(columns, count, (char *const *)&cells->pdata[row], html);
  }
  g_string_append(html, "</tbody>\n</table>\n</div>\n");
}
