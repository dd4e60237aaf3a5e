/* SPDX-License-Identifier: GPL-2.0-only */
#include "import/import_text.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"

enum { LINE_MAX_OCTETS = 1 << 20 };

import_text *import_text_open(const char *path, GError **error)
{
  FILE *file = file_open(path, TRUE, error);

  if (file == NULL) {
    return NULL;
  }
  import_text *self = g_new0(import_text, 1);
  self->path = path;
  self->file = file;
  self->columns = g_ptr_array_new();
  self->line = g_string_new(NULL);
  return self;
}

void import_text_close(import_text *self)
{
  if (self != NULL) {
    fclose(self->file);
    g_ptr_array_unref(self->columns);
    g_string_free(self->line, TRUE);
    g_free(self);
  }
}

static gboolean set_error(const import_text *self, uint64_t number, GError **error, const char *format,
                          va_list arguments)
{
  g_autofree char *text = g_strdup_vprintf(format, arguments);

  return error_set(error, "%s:%" G_GUINT64_FORMAT ": %s", self->path, MAX(number, 1), text);
}

gboolean import_text_error(const import_text *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  set_error(self, self->number, error, format, arguments);
  va_end(arguments);
  return FALSE;
}

gboolean import_text_error_in(const import_text *self, uint64_t number, GError **error, const char *format,
                              ...)
{
  va_list arguments;

  va_start(arguments, format);
  set_error(self, number, error, format, arguments);
  va_end(arguments);
  return FALSE;
}

/* Reads a line, without its end. FALSE at the end of the file, or with `error`. */
static gboolean read_line(import_text *self, GError **error)
{
  int octet = getc_unlocked(self->file);

  g_string_truncate(self->line, 0);
  if (octet == EOF) {
    return ferror(self->file) ? error_set(error, "%s: %s", self->path, g_strerror(errno)) : FALSE;
  }
  self->number++;
  for (; octet != EOF && octet != '\n'; octet = getc_unlocked(self->file)) {
    if (octet == '\0') {
      return import_text_error(self, error, "a NUL; expected text");
    }
    if (self->line->len == LINE_MAX_OCTETS) {
      return import_text_error(self, error, "more than %d octets; expected a shorter line", LINE_MAX_OCTETS);
    }
    g_string_append_c(self->line, (char)octet);
  }
  return TRUE;
}

gboolean import_text_next(import_text *self, GError **error)
{
  static const char blanks[] = " \t\r\v\f";

  while (read_line(self, error)) {
    g_ptr_array_set_size(self->columns, 0);
    for (char *word = self->line->str + strspn(self->line->str, blanks); *word != '\0';) {
      char *end = word + strcspn(word, blanks);
      g_ptr_array_add(self->columns, word);
      word = end + strspn(end, blanks);
      *end = '\0';
    }
    if (self->columns->len > 0 && *import_text_column(self, 0) != '#') {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean import_text_number(const import_text *self, const char *word, const char *noun, uint64_t least,
                            uint64_t most, uint64_t *number, GError **error)
{
  guint64 read = 0;

  if (!g_ascii_isdigit(*word) || !g_ascii_string_to_unsigned(word, 10, least, most, &read, NULL)) {
    return import_text_error(self, error,
                             "'%s' is not %s; expected a whole number from %" G_GUINT64_FORMAT
                             " to %" G_GUINT64_FORMAT,
                             word, noun, least, most);
  }
  *number = read;
  return TRUE;
}

gboolean import_text_decimal(const import_text *self, const char *word, const char *noun, int digits,
                             uint64_t most, uint64_t *number, GError **error)
{
  enum { EXPONENT_MAX = 30 };
  const char *next = word;
  const char *point = NULL;
  uint128 value = 0;
  guint64 exponent = 0;
  gboolean is_negative = FALSE;
  gboolean has_digit = FALSE;
  int power = digits;

  for (; g_ascii_isdigit(*next) || (*next == '.' && point == NULL); next++) {
    if (*next == '.') {
      point = next;
    } else if (value < (uint128)most * 1000000) { /* what is left out is far below one half */
      has_digit = TRUE;
      value = value * 10 + (uint128)(*next - '0');
      power -= point != NULL;
    } else {
      power += point == NULL;
    }
  }
  if (has_digit && (*next == 'e' || *next == 'E')) {
    is_negative = next[1] == '-';
    next += 1 + (next[1] == '-' || next[1] == '+');
    has_digit = g_ascii_string_to_unsigned(next, 10, 0, EXPONENT_MAX, &exponent, NULL);
    next += strlen(next);
  }
  power += is_negative ? -(int)exponent : (int)exponent;
  for (; power > 0 && value != 0 && value <= most; power--) {
    value *= 10;
  }
  for (; power < 0 && value != 0; power++) {
    value = power == -1 ? (value + 5) / 10 : value / 10;
  }
  if (!has_digit || *next != '\0' || value > most) {
    return import_text_error(self, error, "'%s' is not %s; expected a decimal number, not negative%s", word,
                             noun, has_digit && *next == '\0' ? ", that is not so large" : "");
  }
  *number = (uint64_t)value;
  return TRUE;
}
