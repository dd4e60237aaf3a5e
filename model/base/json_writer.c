/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_writer.h"

#include <math.h>
#include <string.h>

#include "base/fast_text.h"
#include "base/plain_text.h"
#include "base/units.h"

/* Below it a double's 15 digits are the whole number that it is. */
#define WHOLE_MAX 1e15

/* A comma, two quotes, a colon and a blank around a name. */
enum { AROUND = 5 };

/* Puts what comes before a value after the text, and returns its end, after which there is room for `octets`
 * and a NUL. */
static inline char *put_name(GString *json, const char *gap, const char *name, gsize octets)
{
  const gsize gap_length = gap != NULL ? strlen(gap) : 0, name_length = name != NULL ? strlen(name) : 0;
  char *at = fast_text_room(json, gap_length + name_length + AROUND + octets);
  const char last = json->len > 0 ? at[-1] : '\n';
  *at = ',';
  at += last != '{' && last != '[' && last != '\n';
  if (gap != NULL) {
    at = fast_text_put(at, gap, gap_length);
  }
  if (name != NULL) {
    *at++ = '"';
    at = fast_text_put(at, name, name_length);
    at = fast_text_put(at, "\": ", gap != NULL ? 3 : 2);
  }
  return at;
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
  fast_text_end(json, text != NULL && *from == '\0' ? at : value);
  if (text == NULL) {
    fast_text_append(json, "null");
  } else if (*from != '\0') { /* some of it must be escaped */
    plain_text_append_json(json, text);
  }
}

void json_append_literal(GString *json, const char *gap, const char *name, const char *literal)
{
  const gsize length = strlen(literal);
  fast_text_end(json, fast_text_put(put_name(json, gap, name, length), literal, length));
}

void json_append_flag(GString *json, const char *gap, const char *name, gboolean flag)
{
  json_append_literal(json, gap, name, flag ? "true" : "false");
}

void json_append_whole(GString *json, const char *gap, const char *name, guint64 number)
{
  fast_text_end(json, fast_text_digits(put_name(json, gap, name, FAST_TEXT_DIGITS), number, 1));
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
  fast_text_end(json, at + 1);
}

void json_close(GString *json, const char *gap, char bracket)
{
  if (gap != NULL) {
    fast_text_append(json, gap);
  }
  fast_text_append(json, (const char[]){bracket, '\0'});
}
