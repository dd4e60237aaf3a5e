/* SPDX-License-Identifier: GPL-2.0-only */
/* Goodput against finite memory. */
#include "study/plot/study_plot.h"

#include "plot_fixture.h"

static const char sweep[] = "title = \"a\"; sweep = ("
                            " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
                            " { key = \"receiver.memory\"; values = (\"unlimited\", 1500, 24000); } );";

/* "unlimited" comes first in the sweep and last on the axis, apart; its value is a line across the others.
 * Runs 0, 1, 2 are in order: 1e9, 2e9, 3e9 bit/s. */
DRAWN_TEST(test_unlimited)
{
  double numbers[2], unlimited[3], reference[3];
  plot_fixture_fill(f, sweep);
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  plot_fixture_draw(f, &plot_memory, 0, "m", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "m.dat");
  plot_fixture_row(data, "goodput: in-order receiver", 1, numbers, 2);
  plot_fixture_row(data, "goodput: in-order receiver", 2, unlimited, 3);
  g_assert_cmpfloat(unlimited[0], >, numbers[0]);
  g_assert_cmpfloat(unlimited[2], ==, 1e9);
  plot_fixture_row(data, "the same with unlimited memory", 0, reference, 3);
  g_assert_cmpfloat(reference[2], ==, 1e9);
  g_assert_cmpuint(plot_fixture_count(data, "# the same with unlimited memory"), ==, 2);
  plot_fixture_expect(data, " 24000\n\n"); /* a gap before what is apart */
  g_autofree char *script = plot_fixture_text(f, "m.gnuplot");
  plot_fixture_expect(script, "x_gaps = 1\n");
  plot_fixture_expect(script, "width = 1004\n"); /* one panel: receivers are lines */
  g_autofree char *svg = plot_fixture_text(f, "m.svg");
  plot_fixture_expect(svg, "<text>unlimited</text>");
  plot_fixture_expect(svg, "<text>//</text>");
  plot_fixture_expect(svg, "<text>goodput (Gbit/s)</text>");
  plot_fixture_expect(svg, "<text>the same with unlimited memory</text>");
}

/* Without it there is no reference. */
DRAWN_TEST(test_numbers_only)
{
  plot_fixture_fill(f, "title = \"a\"; sweep = ( { key = \"receiver.memory\"; values = (1500, 2000); } );");
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  plot_fixture_draw(f, &plot_memory, 0, "m", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "m.dat");
  g_assert_cmpuint(plot_fixture_count(data, "unlimited"), ==, 0);
  plot_fixture_expect(data, "decimal logarithm"); /* memory always is */
}
