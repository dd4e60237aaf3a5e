/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_line.h"

#include <glib.h>
#include <string.h>

#include "base/plain_text.h"

enum {
  FIRST_CAPACITY_OCTETS = 128 << 10,
  NUMBER_MAX_OCTETS = 20, /* 2^64 - 1 */
  DECIMALS = 9,
};

#define NS_PER_SECOND UINT64_C(1000000000)

struct decode_line {
  decode_line_write write;
  void *user;
  size_t flush_octets;
  char *buffer;
  size_t capacity;
  size_t used;
  size_t start; /* of the line that is not ended */
  bool failed;
};

static const char digit_pairs[] = "00010203040506070809"
                                  "10111213141516171819"
                                  "20212223242526272829"
                                  "30313233343536373839"
                                  "40414243444546474849"
                                  "50515253545556575859"
                                  "60616263646566676869"
                                  "70717273747576777879"
                                  "80818283848586878889"
                                  "90919293949596979899";
static const char hex_digits[] = "0123456789ABCDEF";

decode_line *decode_line_new(decode_line_write write, void *user, size_t flush_octets)
{
  decode_line *line = g_new0(decode_line, 1);

  line->write = write;
  line->user = user;
  line->flush_octets = flush_octets;
  line->capacity = FIRST_CAPACITY_OCTETS;
  line->buffer = g_malloc(line->capacity);
  return line;
}

void decode_line_free(decode_line *line)
{
  if (line) {
    g_free(line->buffer);
    g_free(line);
  }
}

/* Room for `length` octets more. */
static char *make_room(decode_line *line, size_t length)
{
  if (G_UNLIKELY(line->capacity - line->used < length)) {
    while (line->capacity - line->used < length) {
      line->capacity *= 2;
    }
    line->buffer = g_realloc(line->buffer, line->capacity);
  }
  return line->buffer + line->used;
}

void decode_line_octets(decode_line *line, const char *octets, size_t length)
{
  memcpy(make_room(line, length), octets, length);
  line->used += length;
}

void decode_line_text(decode_line *line, const char *text)
{
  decode_line_octets(line, text, strlen(text));
}

void decode_line_print(decode_line *line, const char *format, ...)
{
  va_list values;

  va_start(values, format);
  g_autofree char *text = g_strdup_vprintf(format, values);
  va_end(values);
  decode_line_text(line, text);
}

/* Writes `number` so that it ends before `end`; returns where it starts. */
static char *write_digits(char *end, uint64_t number)
{
  while (number >= 100) {
    end -= 2;
    memcpy(end, digit_pairs + 2 * (number % 100), 2);
    number /= 100;
  }
  if (number >= 10) {
    end -= 2;
    memcpy(end, digit_pairs + 2 * number, 2);
  } else {
    *--end = (char)('0' + number);
  }
  return end;
}

void decode_line_number(decode_line *line, uint64_t number)
{
  char digits[NUMBER_MAX_OCTETS];
  char *start = write_digits(digits + sizeof digits, number);

  decode_line_octets(line, start, (size_t)(digits + sizeof digits - start));
}

void decode_line_hex(decode_line *line, uint64_t number, unsigned int digits)
{
  char *text = make_room(line, 2 + (size_t)digits);

  text[0] = '0';
  text[1] = 'x';
  for (unsigned int i = digits; i > 0; i--, number >>= 4) {
    text[1 + i] = hex_digits[number & 0x0F];
  }
  line->used += 2 + (size_t)digits;
}

void decode_line_dump(decode_line *line, const uint8_t *octets, size_t length, const char *separator)
{
  for (size_t i = 0; i < length; i++) {
    const char pair[] = {hex_digits[octets[i] >> 4], hex_digits[octets[i] & 0x0F]};

    if (i > 0 && separator) {
      decode_line_text(line, separator);
    }
    decode_line_octets(line, pair, sizeof pair);
  }
}

void decode_line_ascii(decode_line *line, const uint8_t *octets, size_t length)
{
  char *text = make_room(line, length);

  for (size_t i = 0; i < length; i++) {
    text[i] = octets[i] >= ' ' && octets[i] <= '~' ? (char)octets[i] : '.';
  }
  line->used += length;
}

void decode_line_seconds(decode_line *line, int64_t time_ns, size_t width)
{
  char text[1 + NUMBER_MAX_OCTETS + 1 + DECIMALS];
  char *end = text + sizeof text;
  uint64_t magnitude_ns = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
  char *start = write_digits(end, magnitude_ns % NS_PER_SECOND);

  while (end - start < DECIMALS) {
    *--start = '0';
  }
  *--start = '.';
  start = write_digits(start, magnitude_ns / NS_PER_SECOND);
  if (time_ns < 0) {
    *--start = '-';
  }
  size_t length = (size_t)(end - start);
  if (length < width) {
    memset(make_room(line, width - length), ' ', width - length);
    line->used += width - length;
  }
  decode_line_octets(line, start, length);
}

void decode_line_member(decode_line *line, const char *name)
{
  size_t length = strlen(name);
  char *text = make_room(line, length + 4);

  if (line->used > 0 && text[-1] != '{') {
    *text++ = ',';
    line->used++;
  }
  *text++ = '"';
  text = mempcpy(text, name, length);
  *text++ = '"';
  *text = ':';
  line->used += length + 3;
}

void decode_line_json(decode_line *line, const char *text)
{
  g_autoptr(GString) json = g_string_new(NULL);

  plain_text_append_json(json, text);
  decode_line_octets(line, json->str, json->len);
}

void decode_line_column(decode_line *line, size_t column)
{
  size_t length = decode_line_length(line);
  size_t blanks = length < column ? column - length : 1;

  memset(make_room(line, blanks), ' ', blanks);
  line->used += blanks;
}

size_t decode_line_length(const decode_line *line)
{
  return line->used - line->start;
}

void decode_line_end(decode_line *line)
{
  decode_line_octets(line, "\n", 1);
  line->start = line->used;
  if (line->used >= line->flush_octets) {
    decode_line_flush(line);
  }
}

bool decode_line_flush(decode_line *line)
{
  size_t begun = decode_line_length(line);

  if (line->start > 0 && !line->failed) {
    line->failed = !line->write(line->user, line->buffer, line->start);
  }
  memmove(line->buffer, line->buffer + line->start, begun);
  line->used = begun;
  line->start = 0;
  return !line->failed;
}
