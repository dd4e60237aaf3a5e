/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_line.h"

#include <stdbool.h>
#include <string.h>

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MICROSECOND 1000

/* Does what g_string_append_len() does, without a call where there is room. */
static inline void append(GString *to, const char *text, size_t length)
{
  if (length < to->allocated_len - to->len) {
    memcpy(to->str + to->len, text, length);
    to->len += length;
    to->str[to->len] = '\0';
  } else {
    g_string_append_len(to, text, (gssize)length);
  }
}

void decode_line_text(decode_line *line, const char *text)
{
  append(line->text, text, strlen(text));
}

/* Appends the last `least` digits of `value`, from 1 on, and those before them that are not 0. */
static inline void append_digits(GString *text, uint64_t value, unsigned base, unsigned least)
{
  char digits[sizeof "18446744073709551615"];
  size_t first = sizeof digits;

  do {
    digits[--first] = "0123456789ABCDEF"[value % base];
    value /= base;
  } while (value > 0 || sizeof digits - first < least);
  append(text, digits + first, sizeof digits - first);
}

void decode_line_number(decode_line *line, const char *before, uint64_t value)
{
  append(line->text, before, strlen(before));
  append_digits(line->text, value, 10, 1);
}

void decode_line_hex(decode_line *line, const char *before, uint64_t value, unsigned octets)
{
  g_string_append(line->text, before);
  g_string_append(line->text, "0x");
  append_digits(line->text, value, 16, 2 * octets);
}

void decode_line_print(decode_line *line, const char *format, ...)
{
  va_list values;

  va_start(values, format);
  g_string_append_vprintf(line->text, format, values);
  va_end(values);
}

void decode_line_dump(decode_line *line, const uint8_t *octets, size_t length, const char *separator)
{
  for (size_t i = 0; i < length; i++) {
    g_string_append(line->text, i > 0 ? separator : "");
    append_digits(line->text, octets[i], 16, 2);
  }
}

void decode_line_seconds(decode_line *line, int64_t time_ns, size_t width)
{
  uint64_t magnitude_ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  size_t from = line->text->len;

  g_string_append(line->text, time_ns < 0 ? "-" : "");
  append_digits(line->text, magnitude_ns / (uint64_t)NS_PER_SECOND, 10, 1);
  g_string_append_c(line->text, '.');
  append_digits(line->text, magnitude_ns % (uint64_t)NS_PER_SECOND, 10, 9);
  while (line->text->len - from < width) {
    g_string_insert_c(line->text, (gssize)from, ' ');
  }
}

void decode_line_utc(decode_line *line, int64_t since_1970_ns, unsigned decimals)
{
  int64_t ns = since_1970_ns % NS_PER_SECOND;
  bool is_before = ns < 0;
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(since_1970_ns / NS_PER_SECOND - is_before);
  g_autofree char *seconds = g_date_time_format(time, "%Y-%m-%dT%H:%M:%S.");

  ns += is_before ? NS_PER_SECOND : 0;
  g_string_append(line->text, seconds);
  append_digits(line->text, (uint64_t)(decimals == 9 ? ns : ns / NS_PER_MICROSECOND), 10, decimals);
  g_string_append_c(line->text, 'Z');
}

void decode_line_time(decode_line *line, int64_t time_ns, size_t width)
{
  size_t from = line->text->len;

  if (line->clock == DECODE_CLOCK_ABSOLUTE) {
    decode_line_utc(line, line->origin_ns + time_ns, line->decimals);
    line->shift = line->text->len - from - width;
  } else {
    decode_line_seconds(line, time_ns - (line->clock == DECODE_CLOCK_DELTA ? line->previous_ns : 0), width);
  }
  line->previous_ns = time_ns;
}

void decode_line_column(decode_line *line, size_t column)
{
  size_t from = line->text->len;
  const char *before = memrchr(line->text->str, '\n', from);
  size_t start = before ? (size_t)(before + 1 - line->text->str) : 0;
  size_t end = MAX(start + line->shift + column, from + 1);

  g_string_set_size(line->text, end);
  memset(line->text->str + from, ' ', end - from);
}

size_t decode_line_widest(decode_line *line, size_t width)
{
  line->widest = MAX(line->widest, width);
  return line->widest;
}
