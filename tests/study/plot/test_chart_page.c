/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages with panels: sizes papers have, room for all. */
#include "study/plot/chart_page.h"

#include <stdio.h>

static chart_page page_of(gnuplot_format format, guint panels, guint entries, glong letters)
{
  const gnuplot_target target = {.format = format};
  const chart_needs needs = {.panels = panels,
                             .titled = panels > 1,
                             .legend_entries = entries,
                             .legend_letters = letters,
                             .panel_height = 500,
                             .title = "a title",
                             .subtitle = "a subtitle"};
  return chart_page_of(&target, &needs);
}

/* 85 mm and 178 mm at 300 dots an inch: 85 / 25.4 · 300 = 1004, 178 / 25.4 · 300 = 2102. */
static void test_widths(void)
{
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 1, 3, 15).page.width, ==, 1004);
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 2, 3, 15).page.width, ==, 2102);
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 1, 3, 60).page.width, ==, 2102); /* for the legend */
}

/* Text is 8 to 9 points in print: 27 · 4/3 dots at 300 an inch are 8.64 points of 1/72 inch. */
static void test_font(void)
{
  double points = page_of(GNUPLOT_PNG, 1, 0, 0).page.font_size * 4 / 3.0 / 300 * 72;
  g_assert_cmpfloat(points, >=, 8);
  g_assert_cmpfloat(points, <=, 9);
}

static void test_grid(void)
{
  static const struct {
    guint panels;
    guint columns;
    guint rows;
  } grids[] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 2, 2}, {5, 3, 2}, {7, 3, 3}, {12, 3, 4}};
  for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
    chart_page page = page_of(GNUPLOT_PNG, grids[i].panels, 2, 10);
    g_assert_cmpuint(page.columns, ==, grids[i].columns);
    g_assert_cmpuint(page.rows, ==, grids[i].rows);
    g_assert_true(chart_page_is_left(&page, 0));
    g_assert_cmpint(chart_page_is_left(&page, 1), ==, grids[i].columns == 1);
  }
}

/* Panels stand on the page, above the legend, and none on another. */
static void test_margins(void)
{
  for (guint panels = 1; panels <= 12; panels++) {
    chart_page page = page_of(panels % 2 == 0 ? GNUPLOT_PNG : GNUPLOT_SVG, panels, 8, 20);
    double legend = page.legend_height / page.page.height;
    double last_right = 0, last_bottom = 1;
    for (guint i = 0; i < panels; i++) {
      double left, right, top, bottom;
      GString *script = g_string_new(NULL);
      chart_page_append_margins(&page, i, script);
      int read = sscanf(script->str,
                        "set lmargin at screen %lf set rmargin at screen %lf set tmargin at screen %lf set "
                        "bmargin at screen %lf",
                        &left, &right, &top, &bottom);
      g_string_free(script, TRUE);
      g_assert_cmpint(read, ==, 4);
      g_assert_cmpfloat(left, >, chart_page_is_left(&page, i) ? 0.05 : last_right);
      g_assert_cmpfloat(right, >, left);
      g_assert_cmpfloat(right, <, 1);
      g_assert_cmpfloat(top, <, chart_page_is_left(&page, i) ? last_bottom : 1);
      g_assert_cmpfloat(bottom, <, top);
      g_assert_cmpfloat(bottom, >, legend);
      last_right = right;
      last_bottom = i + 1 == panels || (i + 1) % page.columns == 0 ? bottom : last_bottom;
    }
  }
}

/* A terminal is as large as it is, its legend no more than a third of it. */
static void test_terminal(void)
{
  chart_page page = page_of(GNUPLOT_TERM, 4, 100, 20);
  g_assert_cmpuint(page.page.width, ==, 1000);
  g_assert_cmpuint(page.page.height, ==, 750);
  g_assert_cmpfloat(page.legend_height, <, 750 / 2.5);
  g_assert_cmpuint(page.legend_rows * page.legend_columns, <, 100);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/chart_page/widths", test_widths);
  g_test_add_func("/chart_page/font", test_font);
  g_test_add_func("/chart_page/grid", test_grid);
  g_test_add_func("/chart_page/margins", test_margins);
  g_test_add_func("/chart_page/terminal", test_terminal);
  return g_test_run();
}
