/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages with panels: sizes papers have, room for all. */
#include "fields.h"
#include "study/plot/plot_chart.h"
#include "test.h"

static plot_page page_of(gnuplot_format format, guint panels, guint entries, int letters)
{
  const gnuplot_target target = {.format = format};
  g_autoptr(GPtrArray) titles = g_ptr_array_new();
  g_autofree char *entry = g_strdup_printf("%*s", letters, "");
  g_auto(plot_chart) chart = plot_chart_new("lines", &target, "a title", "a subtitle", "");
  g_ptr_array_set_size(titles, (int)panels);
  chart.panels = titles;
  chart.panel_height = 500;
  for (guint i = 0; i < entries; i++) {
    plot_chart_add_legend(&chart, "main", i, entry);
  }
  return plot_chart_page(&chart);
}

/* 85 mm and 178 mm at 300 dots an inch: 85 / 25.4 · 300 = 1004, 178 / 25.4 · 300 = 2102. */
TEST(test_widths)
{
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 1, 3, 15).width, ==, 1004);
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 2, 3, 15).width, ==, 2102);
  g_assert_cmpuint(page_of(GNUPLOT_PNG, 1, 3, 60).width, ==, 2102); /* for the legend */
}

/* Text is 8 to 9 points in print: 27 · 4/3 dots at 300 an inch are 8.64 points of 1/72 inch. */
TEST(test_font)
{
  double points = page_of(GNUPLOT_PNG, 1, 0, 0).font_size * 4 / 3.0 / 300 * 72;
  g_assert_cmpfloat(points, >=, 8);
  g_assert_cmpfloat(points, <=, 9);
}

static const struct {
  guint panels;
  guint columns;
  guint rows;
} grids[] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 2, 2}, {5, 3, 2}, {7, 3, 3}, {12, 3, 4}};

ROW_TEST(test_grid, grids)
{
  plot_page page = page_of(GNUPLOT_PNG, c->panels, 2, 10);
  EXPECT_FIELDS(&page, (columns, c->columns), (rows, c->rows));
}

/* Panels stand on the page, above the legend, and none on another. */
TEST(test_margins)
{
  for (guint panels = 1; panels <= 12; panels++) {
    plot_page page = page_of(panels % 2 == 0 ? GNUPLOT_PNG : GNUPLOT_SVG, panels, 8, 20);
    double legend = page.legend_height / page.height;
    double last_right = 0, last_bottom = 1;
    for (guint i = 0; i < panels; i++) {
      gboolean first = i % page.columns == 0;
      const plot_margins of = plot_page_margins(&page, i);
      g_assert_cmpfloat(of.left, >, first ? 0.05 : last_right);
      g_assert_cmpfloat(of.right, >, of.left);
      g_assert_cmpfloat(of.right, <, 1);
      g_assert_cmpfloat(of.top, <, first ? last_bottom : 1);
      g_assert_cmpfloat(of.bottom, <, of.top);
      g_assert_cmpfloat(of.bottom, >, legend);
      last_right = of.right;
      last_bottom = i + 1 == panels || (i + 1) % page.columns == 0 ? of.bottom : last_bottom;
    }
  }
}

/* A terminal is as large as it is, its legend no more than a third of it. */
TEST(test_terminal)
{
  plot_page page = page_of(GNUPLOT_TERM, 4, 100, 20);
  EXPECT_FIELDS(&page, (width, 1000), (height, 750));
  g_assert_cmpfloat(page.legend_height, <, 750 / 2.5);
  g_assert_cmpuint(page.legend_rows * page.legend_columns, <, 100);
}
