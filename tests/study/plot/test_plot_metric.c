/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the peak with its p99, and any metric, over what made-up studies vary. */
#include "study/plot/study_plot.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"

static const char mtu_loss[] =
    "title = \"Peak of `all`: it's 100 % \\\\\";"
    "sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
    "          { key = \"path.forward.mtu\"; values = [576, 1500]; },"
    "          { key = \"path.forward.loss\"; values = [\"0\", \"0.1%\", \"1%\"]; },"
    "          { key = \"run.seed\"; from = 1; to = 3; } );";

/* Fills in a peak of 1000 times the place in the grid, 0 for the first; p99 half of it. */
static void fill(plot_fixture *f, const char *text)
{
  plot_fixture_fill(f, text);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 1000);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, 0, 500);
}

/* Returns the picture of these peaks over `axes`. Free with g_free(). */
static char *picture(plot_fixture *f, const char *axes)
{
  g_autofree char *text = g_strdup_printf("title = \"a\"; sweep = ( %s );", axes);
  fill(f, text);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  return plot_fixture_text(f, "plot.svg");
}

/* Two panels take both columns of a paper, 178 mm; one takes one, 85 mm; at 300 dots an inch. */
DRAWN_TEST(test_png)
{
  fill(f, mtu_loss);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_PNG);
  g_assert_cmpuint(plot_fixture_png_height(f, "plot.png", 2102), <, 2102);
  g_assert_cmpuint(f->written->len, ==, 3);
  fill(f, "title = \"b\"; sweep = ( { key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; } );");
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_PNG);
  (void)plot_fixture_png_height(f, "plot.png", 1004);
}

DRAWN_TEST(test_script)
{
  fill(f, mtu_loss);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.svg", "width=\"673\"",
              "<text>Peak and p99 of the reassembly occupancy over loss of segments</text>",
              "<text>Peak of `all`: it’s 100 % \\ · scenario a · seeds 1–3 · iwarpsim 0.1.0 · 36 runs, "
              "mean of 3 each with 95\u00a0%</text>",
              "<text>in-order receiver</text>", "<text>out-of-order receiver</text>",
              "<text>MTU 576 octets</text>", "<text>MTU 1500 octets</text>", "<text>peak</text>",
              "<text>p99</text>", "<text>0.1%</text>", "<text>loss of segments</text>",
              "<text>reassembly occupancy (KiB)</text>");
  g_autofree char *script = plot_fixture_text(f, "plot.gnuplot");
  EXPECT_NO_PARTS(script, f->folder /* it runs wherever its folder goes */, "'with flagged");
  EXPECT_PARTS(
      script, "x_numeric = 1\n", /* p99 below the peak */
      "curve[8] = ['1 second 1', '1 second 2', '2 second 1', '2 second 2', '1 first 1', '1 first 2', "
      "'2 first 1', '2 first 2']");
}

/* Runs 0, 1, 2 are the seeds of the first line's loss 0: 8000, 9000, 10000: mean 9000, s = 1000, t(0.975, 2)
 * = 4.302653: 4.302653 · 1000 / √3 = 2484.1377. The next are 11000, 12000, 13000. The p99 are half of them.
 */
DRAWN_TEST(test_data)
{
  fill(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 8000, 1000);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, 4000, 500);
  plot_fixture_flag(f, 4, STUDY_FLAG_TIMEOUTS);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_PNG);
  EXPECT_ROWS(f, {"in-order receiver: peak: MTU 576 octets", 0, "* 3 9000 6515.8623 11484.1377 0"},
              {"in-order receiver: peak: MTU 576 octets", 1, "* * 12000 * 14484.1377 1"},
              {"in-order receiver: p99: MTU 576 octets", 1, "* * 6000"},
              /* the last: 41000, 42000, 43000 */
              {"out-of-order receiver: peak: MTU 1500 octets", 2, "* * 42000"});
  EXPECT_FILE(f, "plot.dat", "# Peak of `all`: it’s 100 % \\ · scenario a · seeds 1–3", "unit octets");
}

/* Points with flagged runs get a ring; it is explained in the legend, the flags in the subtitle. */
DRAWN_TEST(test_flags)
{
  fill(f, mtu_loss);
  plot_fixture_flag(f, 4, STUDY_FLAG_TIMEOUTS);
  plot_fixture_flag(f, 7, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  /* a ring at the second and the third point of the first line's peak, and of its p99, and one in the
   * legend */
  EXPECT_COUNTS(f, "plot.svg", {"<text>flagged</text>", 1}, {"color='rgb( 64,  64,  64)'", 5});
  EXPECT_FILE(f, "plot.dat", "ringed: 2 with timeouts or lost retransmissions");
}

/* Two draws of the same study make the same octets. */
DRAWN_TEST(test_deterministic)
{
  fill(f, mtu_loss);
  g_autofree char *data = plot_fixture_drawn(f, &plot_peak, 0);
  g_autofree char *script = plot_fixture_text(f, "plot.gnuplot");
  g_autofree char *data_again = plot_fixture_drawn(f, &plot_peak, 0);
  g_autofree char *script_again = plot_fixture_text(f, "plot.gnuplot");
  g_assert_cmpstr(data, ==, data_again);
  g_assert_cmpstr(script, ==, script_again);
}

/* Sweeps of other shapes draw too: words on x, one seed, a word among numbers, all zero. */
DRAWN_TEST(test_other_shapes)
{
  static const char *const sweeps[] = {
      "title = \"a\"; sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; } );",
      "title = \"d\"; sweep = ( { key = \"tcp.receive_window\"; values = (\"auto\", 4096, 65536); } );",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(sweeps); i++) {
    fill(f, sweeps[i]);
    plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
    g_assert_cmpuint(f->written->len, ==, 3 * (i + 1));
  }
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 0);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, 0, 0);
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
}

/* 14 x 15 = 210 lines over 16 values: 40 rows of a legend do not hold them, it states how many it lacks. A
 * label ("MTU 1500 octets, middlebox's cuts = 100" …) leaves room for less than 160. */
DRAWN_TEST(test_hundreds_of_lines)
{
  g_autofree char *svg =
      picture(f, "{ key = \"path.forward.loss\"; from = \"0.1%\"; to = \"1.6%\"; step = \"0.1%\"; },"
                 "{ key = \"path.forward.mtu\"; from = 1500; to = 1513; },"
                 "{ key = \"middlebox.chunk\"; from = 100; to = 114; }");
  guint shown = plot_fixture_count(svg, "cuts = ");
  /* beside the lines, peak and p99 have an entry each, which comes last */
  g_autofree char *rest = g_strdup_printf("and %u more", 212 - shown);
  g_assert_cmpuint(shown, <=, 40);
  g_assert_cmpuint(shown, >, 30);
  EXPECT_PARTS(svg, rest);
}

/* Markers make receivers of one mode two: four panels, of which two stand in a row. */
DRAWN_TEST(test_four_receivers)
{
  fill(f, "title = \"a\"; sweep = ("
          " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\", \"out-of-order\", "
          "\"assume-aligned\"]; },"
          " { key = \"mpa.markers\"; values = [false, false, true, false]; with = \"receiver.mode\"; },"
          " { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; } );");
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_PNG);
  g_assert_cmpuint(plot_fixture_png_height(f, "plot.png", 2102), >,
                   1200); /* two rows of 560 dots and what is below them */
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.svg", "<text>out-of-order receiver, no markers</text>",
              "<text>out-of-order receiver, markers</text>");
  EXPECT_COUNTS(f, "plot.svg", {"<text>reassembly occupancy (KiB)</text>", 1},
                {"<text>0</text>", 2}); /* the panels to the right share the axis */
}

/* This is the extent of all lines in a colour, in pixels. */
typedef struct line_extent {
  double width; /* of the one that reaches farthest from left to right */
  double height;
  double lowest; /* below the top of the page */
} line_extent;

#define FIRST_LINE "rgb(  0, 114, 178)"
#define BORDER "rgb( 64,  64,  64)"
static line_extent extent_of_lines(const char *svg, const char *colour)
{
  g_autofree char *path = g_strdup_printf("<path stroke='%s'", colour);
  line_extent extent = {0};
  double from_x = 0, from_y = 0;
  for (const char *at = strstr(svg, path); at != NULL; at = strstr(at + 1, path)) {
    const char *end = strstr(at, "/>");
    for (const char *c = strstr(at, " d="); c != NULL && c < end; c++) {
      if (*c == 'M' || *c == 'L') {
        char *comma;
        double x = g_ascii_strtod(c + 1, &comma), y = g_ascii_strtod(comma + 1, NULL);
        extent.width = *c == 'L' ? MAX(extent.width, fabs(x - from_x)) : extent.width;
        extent.height = *c == 'L' ? MAX(extent.height, fabs(y - from_y)) : extent.height;
        extent.lowest = MAX(extent.lowest, y);
        from_x = x;
        from_y = y;
      }
    }
  }
  return extent;
}

/* Middleboxes have no order: a line from one to the next would draw one. Their intervals stay. */
DRAWN_TEST(test_words_are_not_connected)
{
  g_autofree char *svg =
      picture(f, "{ key = \"middlebox.mode\"; values = [\"none\", \"rechunk\", \"proxy\"]; },"
                 "{ key = \"run.seed\"; from = 1; to = 3; }");
  EXPECT_FILE(f, "plot.gnuplot", "x_numeric = 0\n");
  /* intervals are upright, with caps; places are some 100 pixels apart */
  const line_extent extent = extent_of_lines(svg, FIRST_LINE);
  g_assert_cmpfloat(extent.width, <, 20);
  g_assert_cmpfloat(extent.height, >, 20);
}

/* Numbers are joined. */
DRAWN_TEST(test_numbers_are_connected)
{
  g_autofree char *svg = picture(f, "{ key = \"path.forward.mtu\"; values = [1500, 3000]; }");
  g_assert_cmpfloat(extent_of_lines(svg, FIRST_LINE).width, >, 100);
}

/* An interval that reaches below zero, 2000 ± 12706, which has no place on a logarithmic axis, ends at the
 * bottom of the panel. */
DRAWN_TEST(test_intervals_end_at_the_bottom)
{
  fill(f, "title = \"a\"; sweep = ( { key = \"path.forward.mtu\"; values = [1500, 3000]; },"
          " { key = \"run.seed\"; from = 1; to = 2; } );");
  static const double peaks[] = {1000, 3000, 200000, 200000};
  for (guint i = 0; i < G_N_ELEMENTS(peaks); i++) {
    plot_fixture_set(f, i, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, peaks[i]);
    plot_fixture_set(f, i, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, 200000);
  }
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  g_autofree char *svg = plot_fixture_text(f, "plot.svg");
  EXPECT_FILE(f, "plot.gnuplot", "y_log = 2\n");
  const double tics = 6; /* reach further down */
  const double bottom = extent_of_lines(svg, BORDER).lowest - tics;
  const line_extent extent = extent_of_lines(svg, FIRST_LINE);
  g_assert_cmpfloat_with_epsilon(extent.lowest, bottom, 2);
  g_assert_cmpfloat(extent.height, >, 20);
}

/* The labels of eight words do not fit side by side in a panel: they are turned. Those of four do. */
DRAWN_TEST(test_turned_labels)
{
  g_autofree char *eight =
      picture(f, "{ key = \"middlebox.mode\"; values = [\"none\", \"split\", \"rechunk\", \"shift\", "
                 "\"random\", \"proxy\", \"split+rechunk\", \"shift+random\"]; }");
  g_assert_cmpuint(plot_fixture_count(eight, " rotate(-45)\""), ==, 8);
  g_autofree char *four =
      picture(f, "{ key = \"middlebox.mode\"; values = [\"none\", \"split\", \"shift\", \"proxy\"]; }");
  EXPECT_NO_PARTS(four, " rotate(-45)\"");
}

/* A metric in its own unit: 2.5e9 bit/s are 2.5 on an axis of Gbit/s. */
DRAWN_TEST(test_metric)
{
  plot_fixture_fill(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 2.5e9, 1e8);
  plot_fixture_draw(f, &plot_metric, METRIC_GOODPUT_BIT_PER_S, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.gnuplot", "y_name = 'goodput (Gbit/s)'\n", "y_unit = 1000000000\n");
  EXPECT_COUNTS(f, "plot.gnuplot", {"p99", 0});
}

/* A metric that no run has is an error that names it, and leaves no file. */
PLOT_TEST(test_no_values)
{
  fill(f, mtu_loss);
  plot_fixture_refuse(f, &plot_metric, METRIC_EFFICIENCY_WIRE, "efficiency_wire");
}

/* Points without the metric are left out, the others drawn. */
DRAWN_TEST(test_some_values)
{
  plot_fixture_fill(f, mtu_loss);
  plot_fixture_set(f, 4, METRIC_EFFICIENCY_WIRE, 0.5); /* one of the three of the second point */
  plot_fixture_draw(f, &plot_metric, METRIC_EFFICIENCY_WIRE, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"in-order receiver: efficiency_wire: MTU 576 octets", 0, "* 1 0.5"});
  EXPECT_FILE(f, "plot.dat", "1 run\n"); /* of which the counts speak */
}

PLOT_TEST(test_bad_folder)
{
  g_autoptr(GError) error = NULL;
  gnuplot_target target = plot_fixture_target(f, GNUPLOT_PNG);
  target.folder = "/nonexistent";
  fill(f, mtu_loss);
  g_assert_false(plot_peak.draw(&f->table, &plot_peak, &(const plot_request){0}, "a-peak", &target, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_cmpuint(f->written->len, ==, 0);
}
