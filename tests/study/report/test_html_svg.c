/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures inside the page: what draws stays, what acts or reaches out goes, ids do not meet. */
#include "study/report/html_svg.h"

#include <string.h>

#define OPEN "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"16\" height=\"9\" viewBox=\"0 0 16 9\">"

/* What becomes of `inside`, between the outermost tags. */
static char *cleaned(const char *inside)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GString) html = g_string_new(NULL);
  g_autofree char *svg = g_strconcat("<?xml version=\"1.0\"?>\n" OPEN, inside, "</svg>\n", NULL);
  g_assert_true(html_svg_append(html, svg, "p-", "A \"plot\"", &error));
  g_assert_no_error(error);
  static const char root[] = "<svg role=\"img\" aria-label=\"A &quot;plot&quot;\" viewBox=\"0 0 16 9\" "
                             "width=\"11\">"; /* 16 * 0.68 */
  g_assert_true(g_str_has_prefix(html->str, root));
  g_assert_true(g_str_has_suffix(html->str, "</svg>\n"));
  return g_strndup(html->str + strlen(root), html->len - strlen(root) - strlen("</svg>\n"));
}

typedef struct svg_case {
  const char *name;
  const char *svg;
  const char *html;
} svg_case;

static const svg_case cases[] = {
    {"what draws", "<g fill='none'><path d='M0,0 L1,1' stroke='red'/></g>",
     "<g fill=\"none\"><path d=\"M0,0 L1,1\" stroke=\"red\"></path>\n</g>\n"},
    {"text, and blanks in it alone", "<g>\n\t<text x='1'>\n 1 &lt; 2</text> </g>",
     "<g><text x=\"1\">\n 1 &lt; 2</text>\n</g>\n"},
    {"parts of a text", "<text>a<tspan dy='3'>b</tspan> c</text>",
     "<text>a<tspan dy=\"3\">b</tspan> c</text>\n"},
    {"ids and what refers to them",
     "<defs><circle id='c' r='1'/></defs><use xlink:href='#c'/><path fill='url(#c)' d='m'/>",
     "<defs><circle id=\"p-c\" r=\"1\"></circle>\n</defs>\n<use href=\"#p-c\"></use>\n"
     "<path fill=\"url(#p-c)\" d=\"m\"></path>\n"},
    {"a reference in quotes", "<path fill=\"URL('#c')\"/>", "<path fill=\"url(#p-c)\"></path>\n"},
    {"styles become attributes, and go before those",
     "<path fill='red' style='stroke: none; fill:blue;font:x'/>",
     "<path stroke=\"none\" fill=\"blue\"></path>\n"},
    {"a picture in the picture", "<image width='2' xlink:href='data:image/png;base64,AA=='/>",
     "<image width=\"2\" href=\"data:image/png;base64,AA==\"></image>\n"},
    {"scripts", "<script>alert(1)</script><script xlink:href='http://x/y.js'/>", ""},
    {"a script in CDATA", "<script><![CDATA[ alert('</svg>') ]]></script>", ""},
    {"handlers", "<g onclick='x()' onload='y()' ONMOUSEOVER='z()'/>", "<g></g>\n"},
    {"links", "<a xlink:href='javascript:x'><path d='m'/></a>", ""},
    {"pictures elsewhere",
     "<image xlink:href='http://x/y.png'/><image href='//x/y'/><image href='data:text/html,x'/>",
     "<image></image>\n<image></image>\n<image></image>\n"},
    {"shapes elsewhere", "<use xlink:href='http://x/y.svg#z'/><use href='data:image/png;base64,AA=='/>",
     "<use></use>\n<use></use>\n"},
    {"colours elsewhere", "<path fill='url(http://x/y)' stroke='url(//x)' color='url(#a) url(http://x)'/>",
     "<path></path>\n"},
    {"escapes in colours", "<path fill='\\75rl(http://x)' style='stroke:u\\72l(http://x)'/>",
     "<path></path>\n"},
    {"style sheets", "<style>@import url(http://x);</style><path class='a' d='m'/>",
     "<path d=\"m\"></path>\n"},
    {"foreign content", "<foreignObject><g><iframe src='http://x'/></g></foreignObject><g/>", "<g></g>\n"},
    {"animations", "<g><set attributeName='href' to='javascript:x'/><animate/></g>", "<g></g>\n"},
    {"titles and descriptions", "<title>Gnuplot</title><desc>a</desc>", ""},
    {"markup in values", "<text font-family='&quot;&gt;&lt;script&gt;'>&lt;/text&gt;&lt;script&gt;</text>",
     "<text font-family=\"&quot;&gt;&lt;script&gt;\">&lt;/text&gt;&lt;script&gt;</text>\n"},
};

static void test_cleaning(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_test_message("%s", cases[i].name);
    g_autofree char *html = cleaned(cases[i].svg);
    g_assert_cmpstr(html, ==, cases[i].html);
  }
}

static void test_two_pictures(void)
{
  g_autoptr(GString) html = g_string_new(NULL);
  g_assert_true(html_svg_append(html, OPEN "<g id='a'/></svg>", "figure-1-", "", NULL));
  g_assert_true(html_svg_append(html, OPEN "<g id='a'/></svg>", "figure-2-", "", NULL));
  g_assert_nonnull(strstr(html->str, "id=\"figure-1-a\""));
  g_assert_nonnull(strstr(html->str, "id=\"figure-2-a\""));
}

static void test_no_picture(void)
{
  static const char *const wrong[] = {"",
                                      "no markup",
                                      "<html></html>",
                                      OPEN,
                                      OPEN "<g></svg>",
                                      "<svg></svg>",
                                      OPEN "<text>&unknown;</text></svg>",
                                      OPEN "<text>\xff</text></svg>",
                                      "<svg viewBox='0 0 1 1\\'></svg>",
                                      "<svg viewBox='0 0 nan 9'></svg>",
                                      "<svg viewBox='0 0 16'></svg>",
                                      "<svg viewBox='0 0 -1 9'></svg>"};
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) html = g_string_new("before");
    g_autofree char *shown = g_strescape(wrong[i], NULL);
    g_test_message("%s", shown);
    g_assert_false(html_svg_append(html, wrong[i], "p-", "", &error));
    g_assert_error(error, HTML_SVG_ERROR, HTML_SVG_ERROR_INVALID);
    g_assert_cmpstr(html->str, ==, "before");
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/html-svg/cleaning", test_cleaning);
  g_test_add_func("/html-svg/two-pictures", test_two_pictures);
  g_test_add_func("/html-svg/no-picture", test_no_picture);
  return g_test_run();
}
