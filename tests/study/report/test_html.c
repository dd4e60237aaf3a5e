/* SPDX-License-Identifier: GPL-2.0-only */
/* Nothing that a user or a stranger wrote acts as markup, and all of it is still to be read; tables that
 * people and screen readers can follow. */
#include "string_list.h"
#include "study/report/html.h"
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

/* The table of these columns and cells. Free with g_free(). */
static char *html_of(const char *caption, const text_column *columns, guint count, const char *const *cells)
{
  GString *html = g_string_new(NULL);
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
  for (; *cells != NULL; cells++) {
    g_ptr_array_add(texts, g_strdup(*cells));
  }
  html_append_table(html, "peak", caption, columns, count, texts);
  return g_string_free(html, FALSE);
}

/* A link that saves the same as CSV, as measured; a caption, a header for each column and each row; the
 * mean's header stands over its interval too; numbers are padded to have their points below each other; texts
 * are escaped; a column without a text is in the
 * CSV alone. */
TEST(test_structure)
{
  static const text_column columns[] = {{"path.forward.mtu", TEXT_COLUMN_HEADING, NULL},
                                        {"peak", TEXT_COLUMN_NUMBER, "KiB"},
                                        {"", TEXT_COLUMN_INTERVAL, NULL},
                                        {"mean", TEXT_COLUMN_VALUE, "octets"},
                                        {"flagged", TEXT_COLUMN_MARK, NULL}};
  g_autofree char *html = html_of("Peak & <p99>", columns, 5,
                                  STRINGS("576", "12.5", "12 to 13", "12800", "", "<1500>", "3", "", "3072",
                                          "2", "9000", "", "", "", ""));
  const char csv[] = "path.forward.mtu,\"peak, mean (octets)\",flagged\n576,12800,\n<1500>,3072,2\n9000,,\n";
  g_autofree char *octets = g_base64_encode((const guchar *)csv, strlen(csv));
  g_autofree char *link =
      g_strconcat("<p class=\"tools\"><a download=\"peak.csv\" href=\"data:text/csv;charset=utf-8;base64,",
                  octets, "\">CSV</a></p>\n", NULL);
  g_assert_true(g_str_has_prefix(html, link));
  g_assert_cmpstr(
      html + strlen(link), ==,
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Peak &amp; &lt;p99&gt;\">\n"
      "<table>\n<caption><span>Peak &amp; &lt;p99&gt;</span></caption>\n<thead>\n"
      "<tr><th scope=\"col\"><span class=\"group-of\">path.forward.</span>mtu</th>"
      "<th scope=\"col\" class=\"number\">peak <span class=\"unit\">KiB</span></th>"
      "<th scope=\"col\" class=\"number flagged\">flagged</th></tr>\n"
      "</thead>\n<tbody>\n"
      "<tr><th scope=\"row\">576</th><td class=\"number\">12.5 <small>12 to 13</small></td><td "
      "class=\"number flagged\"></td></tr>\n"
      "<tr><th scope=\"row\">&lt;1500&gt;</th><td class=\"number\">3\u2008\u2007</td><td "
      "class=\"number flagged\">2</td></tr>\n"
      "<tr><th scope=\"row\">9000</th><td class=\"number\"></td><td class=\"number "
      "flagged\"></td></tr>\n"
      "</tbody>\n</table>\n</div>\n");
}

TEST(test_without_rows)
{
  static const text_column column = {"value", TEXT_COLUMN_TEXT, NULL};
  g_autofree char *html = html_of("", &column, 1, STRINGS(NULL));
  g_assert_nonnull(strstr(html, "<tbody>\n</tbody>"));
}
