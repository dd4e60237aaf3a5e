/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_line.h"

#include <glib.h>
#include <stdio.h>

#include "base/plain_text.h"

enum { FIRST_CAPACITY_OCTETS = 128 << 10 };

#define NS_PER_SECOND G_GUINT64_CONSTANT(1000000000)

struct decode_line {
  decode_line_write write;
  void *user;
  size_t flush_octets;
  GString *text;
  size_t start; /* of the line that is not ended */
  bool failed;
};

decode_line *decode_line_new(decode_line_write write, void *user, size_t flush_octets)
{
  decode_line *line = g_new(decode_line, 1);

  *line = (decode_line){.write = write,
                        .user = user,
                        .flush_octets = flush_octets,
                        .text = g_string_sized_new(FIRST_CAPACITY_OCTETS)};
  return line;
}

void decode_line_free(decode_line *line)
{
  if (line) {
    g_string_free(line->text, TRUE);
    g_free(line);
  }
}

void decode_line_text(decode_line *line, const char *text)
{
  g_string_append(line->text, text);
}

void decode_line_print(decode_line *line, const char *format, ...)
{
  GString *text = line->text;
  size_t room = text->allocated_len - text->len;
  va_list values;

  va_start(values, format);
  size_t length = (size_t)g_vsnprintf(text->str + text->len, room, format, values);
  va_end(values);
  if (length < room) {
    text->len += length;
    return;
  }
  va_start(values, format);
  g_string_append_vprintf(text, format, values);
  va_end(values);
}

void decode_line_dump(decode_line *line, const uint8_t *octets, size_t length, const char *separator)
{
  for (size_t i = 0; i < length; i++) {
    decode_line_print(line, "%s%02X", i > 0 && separator ? separator : "", octets[i]);
  }
}

void decode_line_ascii(decode_line *line, const uint8_t *octets, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    g_string_append_c(line->text, g_ascii_isprint(octets[i]) ? (char)octets[i] : '.');
  }
}

void decode_line_seconds(decode_line *line, int64_t time_ns, int width)
{
  uint64_t magnitude_ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  char text[sizeof "-9223372036.854775808"];

  g_snprintf(text, sizeof text, "%s%" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT, time_ns < 0 ? "-" : "",
             magnitude_ns / NS_PER_SECOND, magnitude_ns % NS_PER_SECOND);
  decode_line_print(line, "%*s", width, text);
}

void decode_line_json(decode_line *line, const char *text)
{
  plain_text_append_json(line->text, text);
}

void decode_line_column(decode_line *line, size_t column)
{
  size_t length = line->text->len - line->start;

  decode_line_print(line, "%*s", (int)(length < column ? column - length : 1), "");
}

void decode_line_end(decode_line *line)
{
  g_string_append_c(line->text, '\n');
  line->start = line->text->len;
  if (line->start >= line->flush_octets) {
    decode_line_flush(line);
  }
}

bool decode_line_flush(decode_line *line)
{
  if (line->start > 0 && !line->failed) {
    line->failed = !line->write(line->user, line->text->str, line->start);
  }
  g_string_erase(line->text, 0, (gssize)line->start);
  line->start = 0;
  return !line->failed;
}
