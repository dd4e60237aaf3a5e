/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/gnuplot_text.h"

#include <string.h>

#include "base/plain_text.h"

/* `text` as valid UTF-8 without what does not show and without the quote that ends a string: doubling it
 * is gnuplot's documented escape, but its scanner (5.4) takes the two for an empty string when they come
 * first, and runs what follows. */
static char *printable(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  GString *result = g_string_new(NULL);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    gunichar character = g_utf8_get_char(c);
    if (character == '\'') {
      g_string_append(result, "\u2019");
    } else {
      g_string_append_unichar(result, plain_text_shows(character) ? character : ' ');
    }
  }
  return g_string_free(result, FALSE);
}

char *gnuplot_text_quote(const char *text)
{
  g_autofree char *clean = printable(text);
  return g_strdup_printf("'%s'", clean);
}

char *gnuplot_text_quote_tic(const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, "%", -1);
  g_autofree char *no_format = g_strjoinv("%%", parts);
  return gnuplot_text_quote(no_format);
}

char *gnuplot_text_comment(const char *text)
{
  g_autofree char *clean = g_strstrip(printable(text));
  /* a backslash at its end would make the next line part of the comment */
  return g_str_has_suffix(clean, "\\") ? g_strconcat(clean, " .", NULL) : g_steal_pointer(&clean);
}

/* How many octets of `text` make a line of at most `columns` characters; `*next` is where the next line
 * starts. */
static gsize line_length(const char *text, guint columns, const char **next)
{
  const char *last_blank = NULL;
  const char *c = text;
  for (guint column = 0; *c != '\0' && column < columns; column++, c = g_utf8_next_char(c)) {
    if (*c == ' ') {
      last_blank = c;
    }
  }
  if (*c == ' ' || *c == '\0') {
    last_blank = c;
  }
  const char *end = last_blank != NULL && last_blank > text ? last_blank : c;
  *next = end;
  while (**next == ' ') {
    (*next)++;
  }
  return (gsize)(end - text);
}

char *gnuplot_text_quote_lines(const char *text, guint columns, guint lines_max, guint *lines)
{
  g_assert(columns >= 2 && lines_max >= 1);
  g_autofree char *clean = g_strstrip(printable(text));
  GString *result = g_string_new(NULL);
  const char *rest = clean;
  *lines = 0;
  do {
    const char *next;
    gboolean last = *lines + 1 == lines_max;
    gsize length = line_length(rest, columns, &next);
    if (last && *next != '\0') { /* room for the ellipsis */
      length = line_length(rest, columns - 1, &next);
    }
    g_autofree char *line = g_strndup(rest, length);
    g_autofree char *cut = g_strconcat(line, last && *next != '\0' ? "…" : "", NULL);
    g_autofree char *quoted = gnuplot_text_quote(cut);
    g_string_append_printf(result, "%s%s", *lines > 0 ? ".\"\\n\"." : "", quoted);
    rest = next;
    (*lines)++;
  } while (*rest != '\0' && *lines < lines_max);
  return g_string_free(result, FALSE);
}

char *gnuplot_text_file_stem(const char *text)
{
  char *stem = g_strdup(*text != '\0' ? text : "plot");
  for (char *c = stem; *c != '\0'; c++) {
    gboolean first = c == stem;
    if (!g_ascii_isalnum(*c) && *c != '_' && (first || (*c != '.' && *c != '-'))) {
      *c = '_';
    }
  }
  return stem;
}
