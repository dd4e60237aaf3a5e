/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html.h"

#include <string.h>

#include "base/plain_text.h"
#include "study/table/shown_number.h"

/* --- Texts --- */

void html_append_text(GString *html, const char *text)
{
  g_autoptr(GString) lines = g_string_new(text);
  g_string_replace(lines, "\r\n", "\n", 0);
  g_autofree char *plain = plain_text(lines->str, -1, "\n\t");
  g_autofree char *escaped = g_markup_escape_text(plain, -1);
  g_string_append(html, escaped);
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

/* --- Pages --- */

/* As a Content-Security-Policy names what it admits. Free with g_free(). */
static char *hash_of(const char *text)
{
  guint8 digest[32];
  gsize octets = sizeof digest;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)text, -1);
  g_checksum_get_digest(checksum, digest, &octets);
  return g_base64_encode(digest, octets);
}

void html_append_head(GString *html, const char *style, const char *script, const char *title,
                      const char *kind)
{
  g_autofree char *style_hash = hash_of(style), *script_hash = hash_of(script);
  html_append(
      html,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
      "script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"iwarpsim\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>%s – %s</title>\n",
      style_hash, script_hash, title, kind);
  g_string_append_printf(html, "<style>%s</style>\n</head>\n", style);
}

/* --- Tables --- */

static const char *const classes[] = {[TEXT_COLUMN_TEXT] = "",
                                      [TEXT_COLUMN_HEADING] = "",
                                      [TEXT_COLUMN_NUMBER] = " class=\"number\"",
                                      [TEXT_COLUMN_MARK] = " class=\"number flagged\"",
                                      [TEXT_COLUMN_VERBATIM] = " class=\"verbatim\""};

static void append_heading(const text_column *column, GString *html)
{
  const char *dot = column->kind == TEXT_COLUMN_HEADING ? strrchr(column->heading, '.') : NULL;
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
              "<caption><span>%s</span></caption>\n<thead>\n<tr>",
              caption, caption);
  g_autofree gboolean *shown = g_new(gboolean, count);
  for (guint i = 0; i < count; i++) {
    /* an interval is in the cell of its number, and where no row has anything to say there is nothing to see
     */
    gboolean has_text = cells->len == 0;
    for (guint k = i; k < cells->len && !has_text; k += count) {
      has_text = *(const char *)g_ptr_array_index(cells, k) != '\0';
    }
    shown[i] = has_text && columns[i].kind != TEXT_COLUMN_INTERVAL && columns[i].kind != TEXT_COLUMN_VALUE;
    if (shown[i]) {
      append_heading(&columns[i], html);
    }
    if (columns[i].kind == TEXT_COLUMN_NUMBER) { /* with blanks as wide as a point, and as a digit */
      shown_number_align(cells, i, count, "\u2008", "\u2007");
    }
  }
  g_string_append(html, "</tr>\n</thead>\n<tbody>\n");
  for (guint at = 0; at < cells->len; at++) {
    const guint i = at % count;
    gboolean has_interval = i + 1 < count && columns[i + 1].kind == TEXT_COLUMN_INTERVAL;
    g_string_append(html, i == 0 ? "<tr>" : "");
    const char *interval =
        has_interval ? g_ptr_array_index(cells, at + 1) : ""; /* of the number in the cell */
    const char *element = columns[i].kind == TEXT_COLUMN_HEADING ? "th scope=\"row\"" : "td";
    if (shown[i]) {
      g_string_append_printf(html, "<%s%s>", element, classes[columns[i].kind]);
      html_append_text(html, g_ptr_array_index(cells, at));
      html_append(html, *interval != '\0' ? " <small>%s</small>" : "%s", interval);
      g_string_append_printf(html, "</%.2s>", element);
    }
    g_string_append(html, i + 1 == count ? "</tr>\n" : "");
  }
  g_string_append(html, "</tbody>\n</table>\n</div>\n");
}
