/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/json_writer.h"

#include <math.h>

#include "base/plain_text.h"
#include "base/units.h"

/* Below it a double's 15 digits are the whole number that it is. */
#define WHOLE_MAX 1e15

/* What comes before a value. */
static void append_name(GString *json, const char *gap, const char *name)
{
  const char last = json->len > 0 ? json->str[json->len - 1] : '{';
  g_string_append(json, last == '{' || last == '[' ? "" : ",");
  g_string_append(json, gap != NULL ? gap : "");
  if (name != NULL) {
    plain_text_append_json(json, name);
    g_string_append(json, gap != NULL ? ": " : ":");
  }
}

void json_append_text(GString *json, const char *gap, const char *name, const char *text)
{
  append_name(json, gap, name);
  if (text != NULL) {
    plain_text_append_json(json, text);
  } else {
    g_string_append(json, "null");
  }
}

void json_append_literal(GString *json, const char *gap, const char *name, const char *literal)
{
  append_name(json, gap, name);
  g_string_append(json, literal);
}

/* There are many whole numbers, and a format takes ten times as long: 0.6 % of a run of 300 messages. */
static void append_whole(GString *json, guint64 number)
{
  if (number >= 10) {
    append_whole(json, number / 10);
  }
  g_string_append_c(json, (char)('0' + number % 10));
}

void json_append_number(GString *json, const char *gap, const char *name, double number)
{
  append_name(json, gap, name);
  if (number >= 0 && number < WHOLE_MAX && number == floor(number) && !signbit(number)) {
    append_whole(json, (guint64)number);
  } else {
    g_autofree char *digits = isfinite(number) ? units_format_real(number) : g_strdup("null");
    g_string_append(json, digits);
  }
}

void json_open(GString *json, const char *gap, const char *name, char bracket)
{
  append_name(json, gap, name);
  g_string_append_c(json, bracket);
}

void json_close(GString *json, const char *gap, char bracket)
{
  g_string_append(json, gap != NULL ? gap : "");
  g_string_append_c(json, bracket);
}
