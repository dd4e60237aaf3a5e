/* SPDX-License-Identifier: GPL-2.0-only */
/* Nothing that a user or a stranger wrote acts as markup, and all of it is still to be read. */
#include "study/report/html_text.h"

#include <string.h>

typedef struct text_case {
  const char *name;
  const char *text;
  const char *html;
} text_case;

static const text_case cases[] = {
    {"plain", "Peak by MTU", "Peak by MTU"},
    {"a tag", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
    {"an attribute's end", "x\" onload='y'", "x&quot; onload=&#39;y&#39;"},
    {"an entity stays what it reads as", "a &amp; b &#60;", "a &amp;amp; b &amp;#60;"},
    {"beyond ASCII", "±\u00a035 µs", "±\u00a035 µs"},
    {"lines and tabs", "a\n\tb", "a\n\tb"},
    {"CR LF is one line's end", "a\r\nb", "a\nb"},
    {"CR alone", "a\rb", "a\ufffdb"},
    {"control characters", "a\x01\x1b[31mb\x7f\xc2\x85", "a\ufffd\ufffd[31mb\ufffd\ufffd"},
    {"text that turns around", "a\u202Eb\u2066c\u200F", "a\ufffdb\ufffdc\ufffd"},
    {"noncharacters", "a\uFFFEb\uFDD0c\U0001FFFF", "a\ufffdb\ufffdc\ufffd"},
    {"octets that are no UTF-8", "a\xff\xc3(b", "a\ufffd\ufffd(b"},
    {"an overlong '<'",
     "\xc0\xbc"
     "b>",
     "\ufffd\ufffdb&gt;"},
    {"empty", "", ""},
};

static void test_append(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GString) html = g_string_new("<");
    g_test_message("%s", cases[i].name);
    html_text_append(html, cases[i].text);
    g_autofree char *expected = g_strconcat("<", cases[i].html, NULL);
    g_assert_cmpstr(html->str, ==, expected);
  }
}

/* Whatever octets come, what goes out is UTF-8 and holds none of the characters that end a text or an attribute. */
static void test_random_octets(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(20261121);
  g_test_message("seed 20261121");
  for (guint round = 0; round < 2000; round++) {
    char text[65] = "";
    gsize length = (gsize)g_rand_int_range(random, 0, 64);
    for (gsize i = 0; i < length; i++) {
      text[i] = (char)g_rand_int_range(random, 1, 256);
    }
    g_autoptr(GString) html = g_string_new(NULL);
    html_text_append(html, text);
    g_assert_true(g_utf8_validate(html->str, (gssize)html->len, NULL));
    g_assert_null(strpbrk(html->str, "<>\"'\r\x01\x1b\x7f"));
  }
}

static void test_element(void)
{
  g_autoptr(GString) html = g_string_new(NULL);
  html_text_append_element(html, "p", "note", "a < b");
  html_text_append_element(html, "b", NULL, "&");
  g_assert_cmpstr(html->str, ==, "<p class=\"note\">a &lt; b</p><b>&amp;</b>");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/html-text/append", test_append);
  g_test_add_func("/html-text/random-octets", test_random_octets);
  g_test_add_func("/html-text/element", test_element);
  return g_test_run();
}
