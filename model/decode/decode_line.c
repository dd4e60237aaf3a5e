/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_line.h"

#include <stdbool.h>
#include <string.h>

#include "base/fast_text.h"

#define NS_PER_SECOND INT64_C(1000000000)
#define NS_PER_MICROSECOND 1000

void decode_line_text(decode_line *line, const char *text)
{
  fast_text_append(line->text, text);
}

void decode_line_number(decode_line *line, const char *before, uint64_t value)
{
  const size_t length = strlen(before);
  char *at = fast_text_put(fast_text_room(line->text, length + FAST_TEXT_DIGITS), before, length);

  fast_text_end(line->text, fast_text_digits(at, value, 1));
}

void decode_line_hex(decode_line *line, const char *before, uint64_t value, unsigned octets)
{
  const size_t length = strlen(before);
  char *at = fast_text_put(fast_text_room(line->text, length + 2 + 2 * octets), before, length);

  fast_text_end(line->text, fast_text_hex(fast_text_put(at, "0x", 2), value, 2 * octets));
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
    fast_text_end(line->text, fast_text_hex(fast_text_room(line->text, 2), octets[i], 2));
  }
}

void decode_line_seconds(decode_line *line, int64_t time_ns, size_t width)
{
  const uint64_t magnitude_ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  char seconds[1 + 2 * FAST_TEXT_DIGITS], *at = seconds;

  *at = '-';
  at = fast_text_digits(at + (time_ns < 0), magnitude_ns / (uint64_t)NS_PER_SECOND, 1);
  *at++ = '.';
  at = fast_text_digits(at, magnitude_ns % (uint64_t)NS_PER_SECOND, 9);
  const size_t length = (size_t)(at - seconds), blanks = width - MIN(width, length);
  at = fast_text_room(line->text, blanks + length);
  memset(at, ' ', blanks);
  fast_text_end(line->text, fast_text_put(at + blanks, seconds, length));
}

void decode_line_utc(decode_line *line, int64_t since_1970_ns, unsigned decimals)
{
  int64_t ns = since_1970_ns % NS_PER_SECOND;
  bool is_before = ns < 0;
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(since_1970_ns / NS_PER_SECOND - is_before);
  g_autofree char *seconds = g_date_time_format(time, "%Y-%m-%dT%H:%M:%S.");

  ns += is_before ? NS_PER_SECOND : 0;
  g_string_append(line->text, seconds);
  ns = decimals == 9 ? ns : ns / NS_PER_MICROSECOND;
  fast_text_end(line->text,
                fast_text_digits(fast_text_room(line->text, FAST_TEXT_DIGITS), (uint64_t)ns, decimals));
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

  char *at = fast_text_room(line->text, end - from);
  memset(at, ' ', end - from);
  fast_text_end(line->text, at + (end - from));
}

size_t decode_line_widest(decode_line *line, size_t width)
{
  line->widest = MAX(line->widest, width);
  return line->widest;
}
