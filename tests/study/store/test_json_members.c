/* SPDX-License-Identifier: GPL-2.0-only */
/* A run's texts in a store are the rest of its origin's base: these tests take the base away, and add it
 * again. */
#include "study/store/json_members.h"

#include <string.h>

#include "test.h"

static void expect(const char *text, const char *base, const char *expected)
{
  g_autofree char *own = json_members_without(text, base);
  g_assert_cmpstr(own, ==, expected);
}

TEST(test_what_differs)
{
  expect("{\"a\":1,\"b\":2}", "{}", "{\"a\":1,\"b\":2}");
  expect("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", "{}");
  expect("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":20}", "{\"b\":2}");
  expect("{\"b\":2,\"c\":3}", "{\"a\":1,\"b\":2}", "{\"c\":3,\"a\":null}");
  expect("{}", "{\"a\":1}", "{\"a\":null}");
  expect("{\"a\":[[50,0],[90,2]]}", "{\"a\":[[50,0],[90,1]],\"ab\":{\"c\":1}}",
         "{\"a\":[[50,0],[90,2]],\"ab\":null}");
}

/* What ends a member or an object has no meaning within a text. */
TEST(test_texts)
{
  expect("{\"a\":\"},\\\"b\\\":2\",\"b\":\"\\\\\"}", "{\"a\":\"},\\\"b\\\":2\",\"b\":\"\"}",
         "{\"b\":\"\\\\\"}");
}

/* Returns object `number` of 27: each of three members is not there, 1 or 2. */
static char *object_of(guint number)
{
  GString *json = g_string_new("{");
  for (guint name = 0; name < 3; name++, number /= 3) {
    if (number % 3 > 0) {
      g_string_append_printf(json, "%s\"%c\":%u", json->len > 1 ? "," : "", 'a' + (char)name, number % 3);
    }
  }
  return g_string_free(g_string_append_c(json, '}'), FALSE);
}

/* Whatever the two have, the rest and the base are the whole. */
TEST(test_all_pairs)
{
  for (guint pair = 0; pair < 27 * 27; pair++) {
    g_autofree char *text = object_of(pair / 27), *base = object_of(pair % 27);
    g_autofree char *own = json_members_without(text, base), *whole = json_members_with(own, base);
    g_autofree char *more = json_members_without(whole, text), *less = json_members_without(text, whole);
    g_assert_cmpstr(more, ==, "{}");
    g_assert_cmpstr(less, ==, "{}");
  }
}

/* Each member of the base is looked for in the other, so a base with more than a run can have is none: 4096
 * are found in any order, 4097 are refused. */
TEST(test_many_members)
{
  for (guint count = 4096; count <= 4097; count++) {
    GString *base = g_string_new("{"), *own = g_string_new("{");
    for (guint i = 0; i < count; i++) {
      g_string_append_printf(base, "%s\"%u\":1", i > 0 ? "," : "", i);
      g_string_append_printf(own, "%s\"%u\":2", i > 0 ? "," : "", count - 1 - i);
    }
    g_autofree char *known = g_string_free(g_string_append_c(base, '}'), FALSE);
    g_autofree char *text = g_string_free(g_string_append_c(own, '}'), FALSE);
    g_autofree char *whole = json_members_with(text, known);
    if (count > 4096) {
      g_assert_null(whole);
    } else {
      g_assert_true(g_str_has_prefix(whole, "{\"0\":2,\"1\":2,"));
      g_assert_true(g_str_has_suffix(whole, ",\"4095\":2}"));
    }
  }
}

/* A text that a damaged store has is none, and is not read beyond its end. */
TEST(test_cut)
{
  static const char whole[] = "{\"a\":\"x\\\"\",\"b\":[[1,2],[3,4]],\"c\":null}";
  for (gsize octets = 0; octets < strlen(whole); octets++) {
    g_autofree char *text = g_strndup(whole, octets); /* of its own: a sanitizer sees what is read after it */
    g_assert_null(json_members_without(text, "{}"));
    g_assert_null(json_members_with("{}", text));
  }
  g_autofree char *without = json_members_without(whole, "{}");
  g_assert_cmpstr(without, ==, whole);
  g_assert_null(json_members_without("{}}", "{}"));
}
