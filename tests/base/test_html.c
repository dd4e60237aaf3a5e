/* SPDX-License-Identifier: GPL-2.0-only */
/* Nothing that a user or a stranger wrote acts as markup, and all of it is still to be read;
 * tables that people and screen readers can follow. */
#include "base/html.h"
#include "test.h"

#include <string.h>

typedef struct text_case {
  const char *name;
  const char *text;
  const char *html;
} text_case;

static const text_case cases[] = {
    {"plain", "Peak by MTU", "Peak by MTU"},
    {"a tag", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
    {"an attribute's end", "x\" onload='y'", "x&quot; onload=&apos;y&apos;"},
    {"an entity stays what it reads as", "a &amp; b &#60;", "a &amp;amp; b &amp;#60;"},
    {"beyond ASCII", "±\u00a035 µs", "±\u00a035 µs"},
    {"lines and tabs", "a\n\tb", "a\n\tb"},
    {"CR LF is one line's end", "a\r\nb", "a\nb"},
    {"CR alone", "a\rb", "a\\rb"},
    {"control characters", "a\x01\x1b[31mb\x7f\xc2\x85", "a\\x01\\x1b[31mb\\x7f\\u0085"},
    {"text that turns around", "a\u202Eb\u2066c\u200F", "a\\u202eb\\u2066c\\u200f"},
    {"noncharacters", "a\uFFFEb\uFDD0c\U0001FFFF", "a\\ufffeb\\ufdd0c\\u1ffff"},
    {"octets that are no UTF-8", "a\xff\xc3(b", "a\\xff\\xc3(b"},
    {"an overlong '<'",
     "\xc0\xbc"
     "b>",
     "\\xc0\\xbcb&gt;"},
    {"empty", "", ""},
};

EACH_TEST(test_append, text_case, cases)
{
  g_autoptr(GString) html = g_string_new("<");
  html_append_text(html, c->text);
  g_autofree char *expected = g_strconcat("<", c->html, NULL);
  g_assert_cmpstr(html->str, ==, expected);
}

/* Whatever octets come, what goes out is UTF-8 and holds none of the characters that end a text or an
 * attribute. */
TEST(test_random_octets)
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
    html_append_text(html, text);
    g_assert_true(g_utf8_validate(html->str, (gssize)html->len, NULL));
    g_assert_null(strpbrk(html->str, "<>\"'\r\x01\x1b\x7f"));
  }
}

/* Markup is the program's, what stands for %s is text. */
TEST(test_format)
{
  g_autoptr(GString) html = g_string_new(NULL);
  html_append(html, "<p class=\"%s\">%s: %u %% of %u</p>", "no\"te", "a < b", 5U, 4294967295U);
  g_assert_cmpstr(html->str, ==, "<p class=\"no&quot;te\">a &lt; b: 5 % of 4294967295</p>");
}

/* The caption names the region that scrolls, too; headings and rows are markup. */
TEST(test_table)
{
  g_autoptr(GString) html = g_string_new(NULL);
  html_append_table(html, "Peak & <p99>", "<b>tools</b>", "<th>mtu</th>", "<tr><td>9000</td></tr>\n");
  g_assert_cmpstr(
      html->str, ==,
      "<p class=\"tools\"><b>tools</b></p>\n"
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Peak &amp; &lt;p99&gt;\">\n"
      "<table>\n<caption><span>Peak &amp; &lt;p99&gt;</span></caption>\n"
      "<thead>\n<tr><th>mtu</th></tr>\n</thead>\n<tbody>\n<tr><td>9000</td></tr>\n"
      "</tbody>\n</table>\n</div>\n");
}
