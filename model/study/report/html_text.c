/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_text.h"

#include <string.h>

#include "base/plain_text.h"

#define REPLACEMENT 0xFFFD

static gboolean is_shown(gunichar character)
{
  return character == '\n' || character == '\t' || plain_text_shows(character);
}

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
    g_string_append_unichar(html, is_shown(character) ? character : REPLACEMENT);
    break;
  }
}

void html_text_append(GString *html, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    if (strncmp(c, "\r\n", 2) != 0) {
      append_character(html, g_utf8_get_char(c));
    }
  }
}

void html_text_append_element(GString *html, const char *element, const char *class_name, const char *text)
{
  g_string_append_printf(html, "<%s", element);
  if (class_name != NULL) {
    g_string_append_printf(html, " class=\"%s\"", class_name);
  }
  g_string_append_c(html, '>');
  html_text_append(html, text);
  g_string_append_printf(html, "</%s>", element);
}
