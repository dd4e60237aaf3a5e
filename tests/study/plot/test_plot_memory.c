/* SPDX-License-Identifier: GPL-2.0-only */
/* Goodput against finite memory. */
#include "study/plot/study_plot.h"

#include "plot_fixture.h"

static const char sweep[] = "title = \"a\"; sweep = ("
                            " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
                            " { key = \"receiver.memory\"; values = (\"unlimited\", 1500, 24000); } );";

/* "unlimited" comes first in the sweep and last on the axis, apart; its value is a line across the others. Runs 0, 1, 2 are in order:
 * 1e9, 2e9, 3e9 bit/s. */
static void test_unlimited(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  double numbers[2], unlimited[3], reference[3];
  const gnuplot_target target = plot_fixture_target(kit, GNUPLOT_SVG);
  if (!plot_fixture_can_draw()) {
    return;
  }
  plot_fixture_fill(kit, sweep);
  plot_fixture_set_all(kit, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  plot_memory.draw(&kit->table, &plot_memory, 0, "m", &target, &error);
  g_assert_no_error(error);
  g_autofree char *data = plot_fixture_text(kit, "m.dat");
  plot_fixture_row(data, "goodput: in-order receiver", 1, numbers, 2);
  plot_fixture_row(data, "goodput: in-order receiver", 2, unlimited, 3);
  g_assert_cmpfloat(unlimited[0], >, numbers[0]);
  g_assert_cmpfloat(unlimited[2], ==, 1e9);
  plot_fixture_row(data, "the same with unlimited memory", 0, reference, 3);
  g_assert_cmpfloat(reference[2], ==, 1e9);
  g_assert_cmpuint(plot_fixture_count(data, "# the same with unlimited memory"), ==, 2);
  plot_fixture_expect(data, " 24000\n\n"); /* a gap before what is apart */
  g_autofree char *script = plot_fixture_text(kit, "m.gnuplot");
  plot_fixture_expect(script, "x_gaps = 1\n");
  plot_fixture_expect(script, "width = 1004\n"); /* one panel: receivers are lines */
  g_autofree char *svg = plot_fixture_text(kit, "m.svg");
  plot_fixture_expect(svg, "<text>unlimited</text>");
  plot_fixture_expect(svg, "<text>//</text>");
  plot_fixture_expect(svg, "<text>goodput (Gbit/s)</text>");
  plot_fixture_expect(svg, "<text>the same with unlimited memory</text>");
}

/* Without it there is no reference. */
static void test_numbers_only(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(kit, GNUPLOT_SVG);
  if (!plot_fixture_can_draw()) {
    return;
  }
  plot_fixture_fill(kit, "title = \"a\"; sweep = ( { key = \"receiver.memory\"; values = (1500, 2000); } );");
  plot_fixture_set_all(kit, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  plot_memory.draw(&kit->table, &plot_memory, 0, "m", &target, &error);
  g_assert_no_error(error);
  g_autofree char *data = plot_fixture_text(kit, "m.dat");
  g_assert_cmpuint(plot_fixture_count(data, "unlimited"), ==, 0);
  plot_fixture_expect(data, "decimal logarithm"); /* memory always is */
}

static void add(const char *path, void (*test)(plot_fixture *, gconstpointer))
{
  g_test_add(path, plot_fixture, NULL, plot_fixture_set_up, test, plot_fixture_tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/plot_memory/unlimited", test_unlimited);
  add("/plot_memory/numbers_only", test_numbers_only);
  return g_test_run();
}
