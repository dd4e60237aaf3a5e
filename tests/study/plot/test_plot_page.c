/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages with panels: sizes papers have, room for all. */
#include "fields.h"
#include "study/plot/plot_chart.h"

#include <math.h>

#include "test.h"

static plot_page page_asked(const plot_request *request, gnuplot_format format, guint panels, guint entries,
                            int letters)
{
  const gnuplot_target target = {.format = format};
  g_autoptr(GPtrArray) titles = g_ptr_array_new();
  g_autofree char *entry = g_strdup_printf("%*s", letters, "");
  g_auto(plot_chart) chart = plot_chart_new("lines", &target, request, "a title", "a subtitle", "");
  for (guint i = 0; i < panels; i++) {
    g_ptr_array_add(titles, (gpointer) "");
  }
  chart.panels = titles;
  chart.panel_height = 500;
  for (guint i = 0; i < entries; i++) {
    plot_chart_add_legend(&chart, "main", i, entry);
  }
  return plot_chart_page(&chart);
}

static plot_page page_of(gnuplot_format format, guint panels, guint entries, int letters)
{
  return page_asked(&(const plot_request){0}, format, panels, entries, letters);
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

/* A page has the size that was asked for, and letters the size they have on any: 12 points are 50 dots at 300
 * an inch. Panels that would be less wide than 16 letters stand above each other. */
TEST(test_asked)
{
  static const double widths[] = {600, 1004, 2102, 1920, 6000};
  for (gsize i = 0; i < G_N_ELEMENTS(widths); i++) {
    const plot_request request = {.width = widths[i], .height = 2500};
    plot_page page = page_asked(&request, GNUPLOT_PNG, 3, 2, 10);
    EXPECT_FIELDS(&page, (width, widths[i]), (height, 2500), (font_size, 27));
    g_assert_cmpfloat(plot_page_panel_letters(&page), >=, widths[i] > 600 ? 16 : 10);
    double last = page.first + (page.rows - 1) * page.row_height + page.panel_height;
    g_assert_cmpfloat(last, <, page.height - page.legend_height);
  }
  const plot_request twelve = {.font_points = 12};
  g_assert_cmpuint(page_asked(&twelve, GNUPLOT_PNG, 1, 0, 0).font_size, ==, (guint)lround(50 * 0.75));
  const plot_request letters = {.width = 160, .height = 50};
  g_assert_cmpuint(page_asked(&letters, GNUPLOT_TERM, 1, 0, 0).width, ==, 160 * 10);
}

/* Without a title the subtitle, which names the scenario, stands where the title would: with one, a line
 * of 1.9 x 27 points lower. */
TEST(test_untitled)
{
  const plot_page titled = page_of(GNUPLOT_PNG, 1, 0, 0);
  const plot_page untitled = page_asked(&(const plot_request){.title = ""}, GNUPLOT_PNG, 1, 0, 0);
  g_assert_cmpfloat(titled.title_at, ==, untitled.subtitle_at);
  g_assert_cmpfloat_with_epsilon(titled.subtitle_at - titled.title_at, 1.9 * 27, 0.2);
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
    double last_right = 0, last_bottom = 0;
    for (guint i = 0; i < panels; i++) {
      gboolean first = i % page.columns == 0;
      double left = page.left + (i % page.columns) * (page.panel_width + page.gap);
      double top = page.first + i / page.columns * page.row_height;
      g_assert_cmpfloat(left, >, first ? 0.05 * page.width : last_right);
      g_assert_cmpfloat(top, >, first ? last_bottom : 0);
      last_right = left + page.panel_width;
      last_bottom = top + page.panel_height;
      g_assert_cmpfloat(left, <, last_right);
      g_assert_cmpfloat(last_right, <, page.width);
      g_assert_cmpfloat(last_bottom, <, page.height - page.legend_height);
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
