/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what JSON is read as, and what is refused before json-glib's parser, which recurses, sees
 * it. */
#include "base/json_text.h"

#include <string.h>

#include "test.h"

TEST(test_members)
{
  static const char text[] =
      "{\"a\": {\"b\": \"\\u00e4 [\\\"{\\\\\", \"c\": 1e3}, \"d\": [true, null, -0.5]} tail";
  g_autoptr(JsonObject) object = json_text_read(text, sizeof text - sizeof " tail", NULL);
  JsonObject *inner = json_text_object(object, "a");

  g_assert_cmpstr(json_text_string(inner, "b"), ==, "\u00e4 [\"{\\");
  g_assert_null(json_text_string(inner, "c"));
  g_assert_null(json_text_string(inner, "none"));
  g_assert_null(json_text_object(object, "d"));
  g_assert_null(json_text_string(NULL, "a"));
}

/* `before` and then `depth` arrays in each other are refused for `why`; so is the same without their ends. */
static void expect_refused(const char *before, gsize depth, const char *after, const char *why)
{
  g_autofree char *opened = g_strnfill(depth, '['), *closed = g_strnfill(depth, ']');
  g_autofree char *whole = g_strconcat(before, opened, closed, after, NULL),
                  *begun = g_strconcat(before, opened, NULL);
  const char *const texts[] = {whole, begun};

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(json_text_read(texts[i], strlen(texts[i]), &error));
    g_assert_nonnull(strstr(error->message, why));
  }
}

/* The stack of 8 MiB ends at some 50,000 levels of json-glib's parser; an object and 15 arrays are 16 levels.
 */
TEST(test_deep)
{
  g_autoptr(JsonObject) most = json_text_read("{\"a\":[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]}", 36, NULL);

  g_assert_nonnull(most);
  expect_refused("{\"a\":", 16, "}", "nested too deep");
  expect_refused("{\"a\":", 1000000, "}", "nested too deep");
  expect_refused("/*\"*/{\"a\":", 1000000, "}", "not JSON");
  expect_refused("{\"a\": //\"\n", 1000000, "}", "not JSON");
  expect_refused("{\"a\": #\"\n", 1000000, "}", "not JSON");
  expect_refused("{\"a\": '\"',", 1000000, "}", "not JSON");
  expect_refused("var a = ", 1000000, "", "not JSON");
  expect_refused("{\"a\\\n\":", 1000000, "}", "backslash");
}

TEST(test_no_json)
{
  static const struct {
    const char *text;
    gsize length;
  } texts[] = {{"", 0},
               {"[]", 2},
               {"1", 1},
               {"{\"a\": inf}", 10},
               {"{\"a\": NaN}", 10},
               {"{\"a\"}", 5},
               {"{\"a\": 1", 7},
               {"{\"a\0\": 1}", 9},
               {"{\"\xff\": 1}", 8},
               {"{\"a\": \"\\377\"}", 13},
               {"{\"a\": \"\\", 8}};

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;
    g_test_message("%s", texts[i].text);
    g_assert_null(json_text_read(texts[i].text, texts[i].length, &error));
    g_assert_nonnull(error);
  }
}
