/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_writer.h"

#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"

/* Below it a double's 15 digits are the whole number that it is. */
#define WHOLE_MAX 1e15

/* The digits of a whole number; a comma, two quotes, a colon and a blank around a name. */
enum { DIGITS_MAX = sizeof "18446744073709551615", AROUND = 5 };

static inline char *put(char *at, const char *text, gsize length)
{
  memcpy(at, text, length);
  return at + length;
}

/* Members are written by the million, so they go into the text's own memory. Puts what comes before a value
 * there, and returns its end, after which there is room for `octets` and a NUL. */
static inline char *put_name(GString *json, const char *gap, const char *name, gsize octets)
{
  const gsize gap_length = gap != NULL ? strlen(gap) : 0, name_length = name != NULL ? strlen(name) : 0;
  const gsize length = json->len, most = length + gap_length + name_length + AROUND + octets;
  if (json->allocated_len <= most) {
    g_string_set_size(json, most);
    json->len = length;
  }
  const char last = length > 0 ? json->str[length - 1] : '\n';
  char *at = json->str + length;
  *at = ',';
  at += last != '{' && last != '[' && last != '\n';
  if (gap != NULL) {
    at = put(at, gap, gap_length);
  }
  if (name != NULL) {
    *at++ = '"';
    at = put(at, name, name_length);
    put(at, "\": ", 3);
    at += gap != NULL ? 3 : 2;
  }
  return at;
}

/* The text ends at `at`. */
static inline void end_at(GString *json, char *at)
{
  *at = '\0';
  json->len = (gsize)(at - json->str);
}

/* A format takes ten times as long: 0.6 % of a run of 300 messages. */
static inline char *put_digits(char *at, guint64 number)
{
  char digits[2 * DIGITS_MAX] = "", *first = digits + DIGITS_MAX;
  for (; number >= 10; number /= 10) {
    *--first = (char)('0' + number % 10);
  }
  *at++ = (char)('0' + number);
  memcpy(at, first, DIGITS_MAX); /* and what is after them, which takes no counting */
  return at + (digits + DIGITS_MAX - first);
}

void json_append_text(GString *json, const char *gap, const char *name, const char *text)
{
  const char *from = text != NULL ? text : "";
  char *at = put_name(json, gap, name, strlen(from) + 2), *value = at;
  *at++ = '"';
  for (char c = *from; c >= ' ' && c <= '~' && c != '"' && c != '\\'; c = *++from) {
    *at++ = c;
  }
  *at++ = '"';
  end_at(json, text != NULL && *from == '\0' ? at : value);
  if (text == NULL) {
    g_string_append(json, "null");
  } else if (*from != '\0') { /* some of it must be escaped */
    plain_text_append_json(json, text);
  }
}

void json_append_literal(GString *json, const char *gap, const char *name, const char *literal)
{
  end_at(json, put_name(json, gap, name, 0));
  g_string_append(json, literal);
}

void json_append_flag(GString *json, const char *gap, const char *name, gboolean flag)
{
  json_append_literal(json, gap, name, flag ? "true" : "false");
}

void json_append_whole(GString *json, const char *gap, const char *name, guint64 number)
{
  end_at(json, put_digits(put_name(json, gap, name, 1 + DIGITS_MAX), number));
}

void json_append_number(GString *json, const char *gap, const char *name, double number)
{
  if (number >= 0 && number < WHOLE_MAX && number == floor(number) && !signbit(number)) {
    json_append_whole(json, gap, name, (guint64)number);
  } else {
    g_autofree char *digits = isfinite(number) ? units_format_real(number) : g_strdup("null");
    json_append_literal(json, gap, name, digits);
  }
}

void json_open(GString *json, const char *gap, const char *name, char bracket)
{
  char *at = put_name(json, gap, name, 1);
  *at = bracket;
  end_at(json, at + 1);
}

void json_close(GString *json, const char *gap, char bracket)
{
  if (gap != NULL) {
    g_string_append(json, gap);
  }
  g_string_append_c(json, bracket);
}
