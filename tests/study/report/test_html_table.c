/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables that people and screen readers can follow. */
#include "study/report/html_table.h"

#include <string.h>

static char *html_of(const html_table *table)
{
  GString *html = g_string_new(NULL);
  html_table_append(table, html);
  return g_string_free(html, FALSE);
}

static html_table *example(void)
{
  html_table *table = html_table_new("Peak & <p99>");
  html_table_add_column(table, HTML_COLUMN_HEADING, "path.forward.mtu", "");
  html_table_add_column(table, HTML_COLUMN_NUMBER, "peak", "KiB");
  html_table_add_column(table, HTML_COLUMN_HALF_WIDTH, "", "");
  html_table_add_column(table, HTML_COLUMN_MARK, "flagged", "");
  html_table_add_row(table, FALSE);
  html_table_add_cell(table, "576");
  html_table_add_cell(table, "12.5");
  html_table_add_cell(table, "0.5");
  html_table_add_cell(table, "");
  html_table_add_row(table, TRUE);
  html_table_add_cell(table, "<1500>");
  html_table_add_cell(table, "3");
  return table;
}

/* A caption, a header for each column and each row; the mean's header stands over its interval too; numbers are padded to have their
 * points below each other; texts are escaped; cells left out are empty. */
static void test_structure(void)
{
  html_table *table = example();
  g_autofree char *html = html_of(table);
  g_assert_cmpstr(
      html, ==,
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Peak &amp; &lt;p99&gt;\">\n"
      "<table>\n<caption>Peak &amp; &lt;p99&gt;</caption>\n<thead>\n"
      "<tr><th scope=\"col\"><span class=\"group-of\">path.forward.</span>mtu</th>"
      "<th scope=\"col\" class=\"number\" colspan=\"2\">peak <span class=\"unit\">KiB</span></th>"
      "<th scope=\"col\" class=\"number flagged\">flagged</th></tr>\n"
      "</thead>\n<tbody>\n"
      "<tr><th scope=\"row\">576</th><td class=\"number\">12.5</td>"
      "<td class=\"half-width\">±\u00a00.5</td><td class=\"number flagged\"></td></tr>\n"
      "<tr class=\"mark\"><th scope=\"row\">&lt;1500&gt;</th><td class=\"number\">3\u2008\u2007</td>"
      "<td class=\"half-width\"></td><td class=\"number flagged\"></td></tr>\n"
      "</tbody>\n</table>\n</div>\n");
  html_table_free(table);
}

static void test_without_rows(void)
{
  html_table *table = html_table_new("");
  html_table_add_column(table, HTML_COLUMN_TEXT, "value", "");
  g_autofree char *html = html_of(table);
  g_assert_nonnull(strstr(html, "<tbody>\n</tbody>"));
  html_table_free(table);
  html_table_free(NULL);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/html-table/structure", test_structure);
  g_test_add_func("/html-table/without-rows", test_without_rows);
  return g_test_run();
}
