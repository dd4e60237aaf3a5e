/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/html.h"

#include "base/plain_text.h"

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

/* Returns the hash as a Content-Security-Policy names what it admits. Free with g_free(). */
static char *hash_of(const char *text)
{
  guint8 digest[32];
  gsize octets = sizeof digest;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)text, -1);
  g_checksum_get_digest(checksum, digest, &octets);
  return g_base64_encode(digest, octets);
}

char *html_page(const char *style, const char *script, const char *title, const char *kind, const char *body)
{
  g_autofree char *style_hash = hash_of(style), *script_hash = hash_of(script);
  GString *html = g_string_new(NULL);
  html_append(
      html,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
      "script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"iwarpsim\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>%s – %s</title>\n",
      style_hash, script_hash, title, kind);
  g_string_append_printf(html,
                         "<style>%s</style>\n</head>\n<body>\n%s<script>%s</script>\n</body>\n</html>\n",
                         style, body, script);
  return g_string_free(html, FALSE);
}

void html_append_table(GString *html, const char *caption, const char *tools, const char *head,
                       const char *rows)
{
  g_string_append_printf(html, "<p class=\"tools\">%s</p>\n", tools);
  html_append(html,
              "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table>\n"
              "<caption><span>%s</span></caption>\n",
              caption, caption);
  g_string_append_printf(html, "<thead>\n<tr>%s</tr>\n</thead>\n<tbody>\n%s</tbody>\n</table>\n</div>\n",
                         head, rows);
}
