/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages as scripts/plots/page.gp lays them out: sizes papers have, room for all. */
#include "study/plot/plot_chart.h"

#include <glib/gstdio.h>
#include <math.h>

#include "plot_fixture.h"
#include "study_fixture.h"

/* This is what page.gp has made of a chart, in dots. */
typedef struct page {
  double width, height, font, columns, rows, left, panel_width, gap, first, panel_height, row_height;
  double legend_height, title_at, subtitle_at, legend_rows;
} page;

/* A template that prints the layout instead of a plot, the way page.gp prints that there is no room. */
static const char probe[] =
    "\nprint width, height, font, columns, rows, left, panel_width, gap, first, panel_height, "
    "panel_height+above+1.8*font, legend_height, title_at, subtitle_at, legend_rows\nexit status 3\n";

typedef struct page_fixture {
  plot_fixture plot;
  char *templates; /* the folder of the program's own */
} page_fixture;

/* Templates with that one, in the test's folder. */
static void set_up(page_fixture *f, gconstpointer unused)
{
  static const char *const copied[] = {"page.gp", "legend.gp"};
  plot_fixture_set_up(&f->plot, unused);
  f->templates = g_strdup(g_getenv("IWARPSIM_PLOTS"));
  for (gsize i = 0; i < G_N_ELEMENTS(copied); i++) {
    g_autofree char *text = gnuplot_template(copied[i], NULL);
    g_autofree char *whole = g_strconcat("\n\n", text, NULL);
    g_free(fixture_file(f->plot.folder, copied[i], whole));
  }
  g_free(fixture_file(f->plot.folder, "probe.gp", probe));
  g_setenv("IWARPSIM_PLOTS", f->plot.folder, TRUE);
}

static void tear_down(page_fixture *f, gconstpointer unused)
{
  g_setenv("IWARPSIM_PLOTS", f->templates, TRUE);
  g_free(f->templates);
  plot_fixture_tear_down(&f->plot, unused);
}

#define PAGE_FIXTURE_TEST(name) TEST_WITH(page_fixture, NULL, set_up, tear_down, name)
#define PAGE_TEST(name) DRAWN(PAGE_FIXTURE_TEST, page_fixture, name)

static page page_asked(const page_fixture *f, const plot_request *request, gnuplot_format format,
                       guint panels, guint entries, int letters)
{
  const gnuplot_target target = plot_fixture_target(&f->plot, format);
  g_autoptr(GPtrArray) titles = g_ptr_array_new();
  g_autofree char *entry = g_strdup_printf("%*s", letters, "");
  g_autoptr(GError) error = NULL;
  g_auto(plot_chart) chart = plot_chart_new("probe", &target, request, "a title", "a subtitle", "");
  chart.x = chart.y = (plot_axis){.name = NULL, .to = 1, .unit_size = 1};
  chart.x.name = g_strdup("x");
  chart.y.name = g_strdup("a name that has thirty letters");
  for (guint i = 0; i < panels; i++) {
    g_ptr_array_add(titles, (gpointer) "");
  }
  chart.panels = titles;
  chart.panel_height = 500;
  for (guint i = 0; i < entries; i++) {
    plot_chart_add_legend(&chart, "main", i, entry);
  }
  g_assert_false(plot_chart_draw(&chart, "page", &error));
  page p = {0};
  g_auto(GStrv) numbers = g_strsplit(error->message, " ", -1);
  g_assert_cmpuint(g_strv_length(numbers), ==, sizeof p / sizeof p.width);
  for (guint i = 0; numbers[i] != NULL; i++) {
    (&p.width)[i] = g_ascii_strtod(numbers[i], NULL);
  }
  return p;
}

static page page_of(const page_fixture *f, gnuplot_format format, guint panels, guint entries, int letters)
{
  return page_asked(f, &(const plot_request){0}, format, panels, entries, letters);
}

/* 85 mm and 178 mm at 300 dots an inch: 85 / 25.4 · 300 = 1004, 178 / 25.4 · 300 = 2102. Text is 8 to 9
 * points in print: 27 · 4/3 dots at 300 an inch are 8.64 points of 1/72 inch. */
PAGE_TEST(test_widths)
{
  g_assert_cmpfloat(page_of(f, GNUPLOT_PNG, 1, 3, 15).width, ==, 1004);
  g_assert_cmpfloat(page_of(f, GNUPLOT_PNG, 2, 3, 15).width, ==, 2102);
  const page wide = page_of(f, GNUPLOT_PNG, 1, 3, 60);
  g_assert_cmpfloat(wide.width, ==, 2102); /* for the legend */
  g_assert_cmpfloat(wide.font, ==, 27);
}

/* A page has the size that was asked for, and letters the size they have on any: 12 points are 50 dots at 300
 * an inch. Panels that would be less wide than 16 letters stand above each other. */
PAGE_TEST(test_asked)
{
  static const double widths[] = {600, 1004, 2102, 1920, 6000};
  for (gsize i = 0; i < G_N_ELEMENTS(widths); i++) {
    const plot_request request = {.width = widths[i], .height = 2500};
    const page p = page_asked(f, &request, GNUPLOT_PNG, 3, 2, 10);
    g_assert_cmpfloat(p.width, ==, widths[i]);
    g_assert_cmpfloat(p.height, ==, 2500);
    g_assert_cmpfloat(p.panel_width / (0.78 * p.font), >=, widths[i] > 600 ? 16 : 10);
    g_assert_cmpfloat(p.first + (p.rows - 1) * p.row_height + p.panel_height, <, p.height - p.legend_height);
  }
  const plot_request twelve = {.font_points = 12}, letters = {.width = 160, .height = 50};
  g_assert_cmpfloat(page_asked(f, &twelve, GNUPLOT_PNG, 1, 0, 0).font, ==, lround(50 * 0.75));
  g_assert_cmpfloat(page_asked(f, &letters, GNUPLOT_TERM, 1, 0, 0).width, ==, 160 * 10);
}

/* On a slide of 1920 x 1080 dots panels have more than two fifths of the height, whatever the legend, of
 * which a row has smaller letters there: of 47 letters two stand side by side. */
PAGE_TEST(test_slide)
{
  const plot_request slide = {.width = 1920, .height = 1080};
  const page p = page_asked(f, &slide, GNUPLOT_PNG, 1, 9, 47);
  g_assert_cmpfloat(p.legend_rows, ==, 5);
  g_assert_cmpfloat(p.panel_height, >, 0.4 * 1080);
  g_assert_cmpfloat(page_asked(f, &slide, GNUPLOT_PNG, 2, 3, 20).panel_height, >, 0.5 * 1080);
}

/* The name of y in two lines, where a page is low, takes more room, so that it stands clear of the labels. */
PAGE_TEST(test_name_of_y)
{
  const plot_request low = {.height = 900}, high = {.height = 3000};
  const page two = page_asked(f, &low, GNUPLOT_PNG, 1, 0, 0),
             one = page_asked(f, &high, GNUPLOT_PNG, 1, 0, 0);
  g_assert_cmpfloat_with_epsilon(two.left - one.left, 2 * 27, 0.1);
}

/* Without a title the subtitle, which names the scenario, stands where the title would: with one, a line
 * of 1.9 x 27 points lower. */
PAGE_TEST(test_untitled)
{
  const page titled = page_of(f, GNUPLOT_PNG, 1, 0, 0);
  const page untitled = page_asked(f, &(const plot_request){.title = ""}, GNUPLOT_PNG, 1, 0, 0);
  g_assert_cmpfloat(titled.title_at, ==, untitled.subtitle_at);
  g_assert_cmpfloat_with_epsilon(titled.subtitle_at - titled.title_at, 1.9 * 27, 0.2);
}

/* Panels stand in a grid on the page, above the legend, and none on another. */
PAGE_TEST(test_grid)
{
  static const struct {
    guint panels, columns, rows;
  } grids[] = {{1, 1, 1}, {2, 2, 1}, {3, 3, 1}, {4, 2, 2}, {5, 3, 2}, {7, 3, 3}, {12, 3, 4}};
  for (gsize i = 0; i < G_N_ELEMENTS(grids); i++) {
    const page p = page_of(f, i % 2 == 0 ? GNUPLOT_PNG : GNUPLOT_SVG, grids[i].panels, 8, 20);
    g_assert_cmpfloat(p.columns, ==, grids[i].columns);
    g_assert_cmpfloat(p.rows, ==, grids[i].rows);
    g_assert_cmpfloat(p.left, >, 0.05 * p.width);
    g_assert_cmpfloat(p.left + p.columns * p.panel_width + (p.columns - 1) * p.gap, <, p.width);
    g_assert_cmpfloat(p.first, >, p.subtitle_at);
    g_assert_cmpfloat(p.row_height, >, p.panel_height);
    g_assert_cmpfloat(p.first + (p.rows - 1) * p.row_height + p.panel_height, <, p.height - p.legend_height);
  }
}

/* A terminal is as large as it is, its legend no more than a third of it. */
PAGE_TEST(test_terminal)
{
  const page p = page_of(f, GNUPLOT_TERM, 4, 100, 20);
  g_assert_cmpfloat(p.width, ==, 1000);
  g_assert_cmpfloat(p.height, ==, 750);
  g_assert_cmpfloat(p.legend_height, <, 750 / 2.5);
}
