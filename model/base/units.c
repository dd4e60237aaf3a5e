/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/units.h"

#include <glib.h>
#include <math.h>
#include <string.h>

typedef struct unit {
  const char *name;
  uint64_t factor; /* how many of the result's unit it is */
} unit;

/* Each table from the smallest unit to the largest; one with factor 1 comes first. */
static const unit time_units[] = {
    {"ps", 1},
    {"ns", TIME_PS_PER_NANOSECOND},
    {"us", TIME_PS_PER_MICROSECOND},
    {"ms", TIME_PS_PER_MILLISECOND},
    {"s", TIME_PS_PER_SECOND},
    {"min", 60 * TIME_PS_PER_SECOND},
};
static const unit rate_units[] = {
    {"bit/s", 1},
    {"kbit/s", UINT64_C(1000)},
    {"Mbit/s", UINT64_C(1000000)},
    {"Gbit/s", UINT64_C(1000000000)},
    {"Tbit/s", UINT64_C(1000000000000)},
};
static const unit size_units[] = {
    {"", 1},
    {"B", 1},
    {"kB", UINT64_C(1000)},
    {"KiB", UINT64_C(1) << 10},
    {"MB", UINT64_C(1000000)},
    {"MiB", UINT64_C(1) << 20},
    {"GB", UINT64_C(1000000000)},
    {"GiB", UINT64_C(1) << 30},
};

/* This is a decimal number as it stands in the text. */
typedef struct decimal {
  const char *integer;
  size_t integer_digits; /* at least 1 */
  const char *fraction;
  size_t fraction_digits; /* without zeros at the end; 0: a whole number */
} decimal;

#define BLANKS " \t"

static const char *skip_blanks(const char *text)
{
  return text + strspn(text, BLANKS);
}

/* Reads digits, and a point with digits after it when there is one. Returns what follows; NULL: no number. */
static const char *read_decimal(const char *text, decimal *number)
{
  *number = (decimal){.integer = text, .integer_digits = strspn(text, G_CSET_DIGITS)};
  if (number->integer_digits == 0) {
    return NULL;
  }
  text += number->integer_digits;
  if (*text != '.') {
    return text;
  }
  number->fraction = ++text;
  size_t digits = strspn(text, G_CSET_DIGITS);
  if (digits == 0) {
    return NULL;
  }
  text += digits;
  while (digits > 0 && number->fraction[digits - 1] == '0') {
    digits--;
  }
  number->fraction_digits = digits;
  return text;
}

/* Multiplies `number` by `factor`; false when that is not whole or beyond `limit`. */
static bool multiply_exactly(const decimal *number, uint64_t factor, uint64_t limit, uint64_t *result)
{
  uint64_t whole = 0;
  for (size_t digit = 0; digit < number->integer_digits; digit++) {
    if (__builtin_mul_overflow(whole, UINT64_C(10), &whole) ||
        __builtin_add_overflow(whole, (uint64_t)(number->integer[digit] - '0'), &whole)) {
      return false;
    }
  }
  uint64_t part = 0; /* of the fraction, from its last digit on, each of which must leave no tenths */
  for (size_t digit = number->fraction_digits; digit-- > 0;) {
    const uint64_t tenths = (uint64_t)(number->fraction[digit] - '0') * factor + part;
    if (tenths % 10 != 0) {
      return false;
    }
    part = tenths / 10;
  }
  uint64_t value;
  if (__builtin_mul_overflow(whole, factor, &value) || __builtin_add_overflow(value, part, &value) ||
      value > limit) {
    return false;
  }
  *result = value;
  return true;
}

/* Reads a number and the unit after it; `bare_zero`: 0 needs no unit. */
static bool parse(const char *text, const unit *units, size_t unit_count, bool bare_zero, uint64_t limit,
                  uint64_t *result)
{
  decimal number;
  const char *rest = read_decimal(skip_blanks(text), &number);
  if (rest == NULL) {
    return false;
  }
  if (strspn(rest, BLANKS) == 1 && rest[1] != '\0') {
    rest++;
  }
  size_t name_length = strcspn(rest, BLANKS);
  if (*skip_blanks(rest + name_length) != '\0') {
    return false;
  }
  for (size_t index = 0; index < unit_count; index++) {
    if (strlen(units[index].name) == name_length && memcmp(units[index].name, rest, name_length) == 0) {
      return multiply_exactly(&number, units[index].factor, limit, result);
    }
  }
  uint64_t value;
  if (bare_zero && name_length == 0 && multiply_exactly(&number, 1, 0, &value)) {
    *result = 0;
    return true;
  }
  return false;
}

bool units_parse_time(const char *text, time_ps *result)
{
  return parse(text, time_units, G_N_ELEMENTS(time_units), true, INT64_MAX, (uint64_t *)result);
}

bool units_parse_rate(const char *text, uint64_t *bit_per_s)
{
  uint64_t value;
  if (!parse(text, rate_units, G_N_ELEMENTS(rate_units), false, UINT64_MAX, &value) || value == 0) {
    return false;
  }
  *bit_per_s = value;
  return true;
}

bool units_parse_size(const char *text, uint64_t *octets)
{
  return parse(text, size_units, G_N_ELEMENTS(size_units), false, UINT64_MAX, octets);
}

/* Reads the exponent of a number like 1e-06 into `*exponent` (0: none). Returns what follows; NULL: malformed
 * or beyond what a double can need. */
static const char *read_exponent(const char *text, int *exponent)
{
  *exponent = 0;
  if (*text != 'e' && *text != 'E') {
    return text;
  }
  text++;
  bool negative = *text == '-';
  if (*text == '-' || *text == '+') {
    text++;
  }
  size_t digits = strspn(text, G_CSET_DIGITS);
  if (digits == 0 || digits > 4) {
    return NULL;
  }
  *exponent = atoi(text);
  *exponent = negative ? -*exponent : *exponent;
  return text + digits;
}

bool units_parse_probability(const char *text, double *probability)
{
  decimal number;
  int exponent;
  const char *start = skip_blanks(text);
  const char *number_end = read_decimal(start, &number);
  if (number_end == NULL) {
    return false;
  }
  const char *rest = read_exponent(number_end, &exponent);
  if (rest == NULL) {
    return false;
  }
  const char *sign = strspn(rest, BLANKS) == 1 ? rest + 1 : rest;
  if (*sign == '%') {
    /* In the exponent, so that "0.1%" is the double nearest to a thousandth, as "0.001" is. */
    exponent -= 2;
    rest = sign + 1;
  }
  if (*skip_blanks(rest) != '\0') {
    return false;
  }
  g_autofree char *scaled = g_strdup_printf("%.*se%d", (int)(number_end - start), start, exponent);
  double value = g_ascii_strtod(scaled, NULL);
  if (!(value <= 1)) {
    return false;
  }
  *probability = value;
  return true;
}

const char *units_read_real(const char *text, double *value)
{
  const char *start = skip_blanks(text);
  const char *digits = start + (*start == '-' || *start == '+');
  char *end;
  const double number = g_ascii_strtod(start, &end);
  if (end == start || !isfinite(number) || !strchr(".0123456789", *digits) ||
      g_ascii_toupper(digits[1]) == 'X') {
    return NULL;
  }
  *value = number;
  return end;
}

/* Appends value / factor as a decimal of at most `limit` characters; false when there is none. */
static bool append_quotient(GString *text, uint64_t value, uint64_t factor, size_t limit)
{
  g_assert(factor > 0);
  g_string_append_printf(text, "%" G_GUINT64_FORMAT, value / factor);
  uint64_t remainder = value % factor;
  if (remainder > 0) {
    g_string_append_c(text, '.');
  }
  while (remainder > 0 && text->len < limit) {
    remainder *= 10; /* a minute is the largest factor: less than 2^46, times 10 */
    /* cppcheck-suppress zerodivcond ; factor is not 0, whatever the remainder */
    g_string_append_c(text, (char)('0' + remainder / factor));
    remainder %= factor;
  }
  return remainder == 0 && text->len <= limit;
}

/* Returns the shortest of the exact texts of `value`; of equally short ones that without a point, then that
 * in the largest unit. */
static char *format(uint64_t value, const unit *units, size_t unit_count)
{
  g_autoptr(GString) best = NULL;
  for (size_t index = unit_count; index-- > 0;) {
    size_t name_length = strlen(units[index].name);
    g_autoptr(GString) text = g_string_new(NULL);
    size_t longest = best == NULL ? 64 : best->len;
    bool exact =
        name_length < longest && append_quotient(text, value, units[index].factor, longest - name_length);
    g_string_append(text, units[index].name);
    if (exact && (best == NULL || text->len < best->len ||
                  (strchr(best->str, '.') != NULL && strchr(text->str, '.') == NULL))) {
      GString *worse = best;
      best = g_steal_pointer(&text);
      text = worse;
    }
  }
  return g_string_free(g_steal_pointer(&best), FALSE);
}

char *units_format_time(time_ps time)
{
  g_assert(time >= 0);
  return time == 0 ? g_strdup("0") : format((uint64_t)time, time_units, G_N_ELEMENTS(time_units));
}

char *units_format_rate(uint64_t bit_per_s)
{
  g_assert(bit_per_s > 0);
  return format(bit_per_s, rate_units, G_N_ELEMENTS(rate_units));
}

char *units_format_real(double value)
{
  static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
  g_assert(isfinite(value));
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (size_t index = 0; index < G_N_ELEMENTS(formats); index++) {
    g_ascii_formatd(text, sizeof text, formats[index], value);
    if (g_ascii_strtod(text, NULL) == value) {
      break;
    }
  }
  return g_strdup(text);
}

/* Returns `probability` in percent and without an exponent: the digits of units_format_real() with the point
 * moved. */
static char *format_percent(double probability)
{
  char *real = units_format_real(probability);
  decimal number;
  int exponent;
  read_exponent(read_decimal(real, &number), &exponent);
  GString *digits = g_string_new_len(number.integer, (gssize)number.integer_digits);
  if (number.fraction_digits > 0) {
    g_string_append_len(digits, number.fraction, (gssize)number.fraction_digits);
  }
  gssize point = (gssize)number.integer_digits + exponent + 2;
  while (point < 1) {
    g_string_prepend_c(digits, '0');
    point++;
  }
  while (point > (gssize)digits->len) {
    g_string_append_c(digits, '0');
  }
  if (point < (gssize)digits->len) {
    g_string_insert_c(digits, point, '.');
  }
  while (point > 1 && digits->str[0] == '0') {
    g_string_erase(digits, 0, 1);
    point--;
  }
  g_string_append_c(digits, '%');
  g_free(real);
  return g_string_free(digits, FALSE);
}

char *units_format_probability(double probability)
{
  g_assert(probability >= 0 && probability <= 1);
  probability = fabs(probability); /* a negative zero has a sign that no parser takes */
  char *bare = units_format_real(probability);
  char *percent = format_percent(probability);
  bool percent_is_better = probability > 0 && strlen(percent) <= strlen(bare);
  g_free(percent_is_better ? bare : percent);
  return percent_is_better ? percent : bare;
}

const char *units_counted(double count, const char *nouns)
{
  static const struct {
    const char *plural, *singular;
  } endings[] = {{"ies", "y"}, {"sses", "ss"}, {"tches", "tch"}, {"xes", "x"}, {"s", ""}};
  const char *end = nouns;

  while (count == 1 && *end != '\0') {
    const char *word = end + strspn(end, " ");
    end = word + strcspn(word, " ");
    if (end - word < 3 || memchr(word, '/', (size_t)(end - word))) {
      continue; /* a unit, such as "ms" and "bit/s" */
    }
    for (gsize i = 0; i < G_N_ELEMENTS(endings); i++) {
      const char *tail = end - MIN((gsize)(end - word), strlen(endings[i].plural));
      if (strncmp(tail, endings[i].plural, strlen(endings[i].plural)) == 0) {
        g_autofree char *singular =
            g_strdup_printf("%.*s%s%s", (int)(tail - nouns), nouns, endings[i].singular, end);
        return g_intern_string(singular);
      }
    }
  }
  return nouns;
}

char *units_format_rounded(double value, const char *base)
{
  static const struct {
    const char *of;
    double size;
    const char *name;
  } units[] = {{"octets", 1073741824.0, "GiB"},
               {"octets", 1048576.0, "MiB"},
               {"octets", 1024.0, "KiB"},
               {"bit/s", 1e12, "Tbit/s"},
               {"bit/s", 1e9, "Gbit/s"},
               {"bit/s", 1e6, "Mbit/s"},
               {"bit/s", 1e3, "kbit/s"},
               {"s", 1.0, "s"},
               {"s", 1e-3, "ms"},
               {"s", 1e-6, "us"},
               {"s", 1e-9, "ns"},
               {"s", 1e-12, "ps"}};
  for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
    if (strcmp(units[i].of, base) == 0 && fabs(value) >= units[i].size) {
      return g_strdup_printf("%.4g %s", value / units[i].size, units[i].name);
    }
  }
  return g_strdup("");
}

char *units_format_amount(double value, const char *base)
{
  g_autofree char *rounded = units_format_rounded(value, base), *exact = g_strdup_printf("%.4g", value);

  return *rounded != '\0' ? g_steal_pointer(&rounded)
                          : g_strjoin(" ", exact, units_counted(g_ascii_strtod(exact, NULL), base), NULL);
}
