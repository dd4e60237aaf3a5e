/* SPDX-License-Identifier: GPL-2.0-only */
#include "import/import_values.h"

#include <string.h>

#include "base/error.h"
#include "base/numbers.h"

gboolean import_next(text_columns *text, const char *expected, GError **error)
{
  g_autoptr(GError) wrong = NULL;

  if (text_columns_next(text, &wrong)) {
    return TRUE;
  }
  if (wrong == NULL) {
    return import_error_in(text, text->line, error, "the file ends here; expected %s", expected);
  }
  g_propagate_error(error, g_steal_pointer(&wrong));
  return FALSE;
}

gboolean import_error_in(const text_columns *text, uint64_t number, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return error_set(error, "%s:%" G_GUINT64_FORMAT ": %s", text->path, MAX(number, 1), message);
}

gboolean import_number(const text_columns *text, const char *word, const char *noun, uint64_t least,
                       uint64_t most, uint64_t *number, GError **error)
{
  guint64 read = 0;

  if (!g_ascii_isdigit(*word) || !g_ascii_string_to_unsigned(word, 10, least, most, &read, NULL)) {
    return text_columns_error(text, error,
                              "'%s' is not %s; expected a whole number from %" G_GUINT64_FORMAT
                              " to %" G_GUINT64_FORMAT,
                              word, noun, least, most);
  }
  *number = read;
  return TRUE;
}

gboolean import_decimal(const text_columns *text, const char *word, const char *noun, int digits,
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
    return text_columns_error(text, error, "'%s' is not %s; expected a decimal number, not negative%s", word,
                              noun, has_digit && *next == '\0' ? ", that is not so large" : "");
  }
  *number = (uint64_t)value;
  return TRUE;
}
