#include "study/report/html_text.h"

#include <string.h>

#define REPLACEMENT 0xFFFD

/* Characters that order text anew (Unicode's Bidi_Control): a text could show another than it is. */
static gboolean reorders(gunichar character)
{
  return character == 0x061C || character == 0x200E || character == 0x200F ||
         (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
}

static gboolean is_noncharacter(gunichar character)
{
  return (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

static gboolean is_shown(gunichar character)
{
  return character == '\n' || character == '\t' ||
         !(g_unichar_iscntrl(character) || reorders(character) || is_noncharacter(character));
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
