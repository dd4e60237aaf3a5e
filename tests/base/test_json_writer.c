/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what the writer of JSON sees to: names, commas, numbers, and nothing where there is no
 * gap. */
#include "base/json_writer.h"

#include <math.h>

#include "test.h"

/* Returns the same values twice: laid out, and without a blank. */
static char *written(const char *gap, const char *other)
{
  GString *json = g_string_new(NULL);
  json_open(json, NULL, NULL, '{');
  json_append_text(json, gap, "a b", "\"c\"\n");
  json_append_text(json, gap, "none", NULL);
  json_open(json, gap, "list", '[');
  json_open(json, other, NULL, '[');
  json_close(json, NULL, ']');
  json_append_literal(json, other, NULL, "true");
  json_append_number(json, other, NULL, -0.5);
  json_close(json, other, ']');
  json_open(json, gap, "object", '{');
  json_close(json, gap, '}');
  json_append_text(json, gap, "last", "{"); /* no bracket */
  json_append_number(json, gap, "n", 7);
  json_close(json, gap, '}');
  return g_string_free(json, FALSE);
}

TEST(test_layout)
{
  g_autofree char *page = written("\n  ", " "), *compact = written(NULL, NULL);
  g_assert_cmpstr(page, ==,
                  "{\n  \"a b\": \"\\\"c\\\"\\n\",\n  \"none\": null,\n  \"list\": [ [], true, -0.5 ],\n  "
                  "\"object\": {\n  },\n  \"last\": \"{\",\n  \"n\": 7\n  }");
  g_assert_cmpstr(
      compact, ==,
      "{\"a b\":\"\\\"c\\\"\\n\",\"none\":null,\"list\":[[],true,-0.5],\"object\":{},\"last\":\"{\","
      "\"n\":7}");
}

/* A line begins without a comma; whole numbers are exact, the largest too; the caller appends what is open or
 * empty. */
TEST(test_lines)
{
  g_autoptr(GString) json = g_string_new("{}\n");
  json_open(json, NULL, NULL, '{');
  json_append_whole(json, NULL, "none", 0);
  json_append_whole(json, NULL, "most", G_MAXUINT64);
  json_append_flag(json, NULL, "flag", TRUE);
  json_append_flag(json, NULL, "other", FALSE);
  json_append_literal(json, NULL, "time", "");
  g_string_append(json, "1.50");
  json_open(json, NULL, "text", '"');
  g_string_append(json, "0x07");
  json_close(json, NULL, '"');
  json_close(json, NULL, '}');
  g_assert_cmpstr(json->str, ==,
                  "{}\n{\"none\":0,\"most\":18446744073709551615,\"flag\":true,\"other\":false,\"time\":1.50,"
                  "\"text\":\"0x07\"}");
}

/* The fewest digits that read back as the number; none for what JSON has no number for. */
TEST(test_numbers)
{
  static const struct {
    double number;
    const char *text;
  } numbers[] = {{0, "0"},
                 {-0.0, "-0"},
                 {10, "10"},
                 {-3, "-3"},
                 {0.1, "0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {999999999999999.0, "999999999999999"},
                 {9007199254740991.0, "9007199254740991"}, /* 2^53 - 1 */
                 {1e300, "1e+300"},
                 {(double)NAN, "null"},
                 {(double)INFINITY, "null"}};
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    g_autoptr(GString) json = g_string_new(NULL);
    json_append_number(json, NULL, NULL, numbers[i].number);
    g_assert_cmpstr(json->str, ==, numbers[i].text);
  }
}
