/* SPDX-License-Identifier: GPL-2.0-only */
/* The fraction placed directly against the size of a middlebox's cuts. */
#include "study/plot/study_plot.h"

#include "plot_fixture.h"

static void fill(plot_fixture *kit, const char *key, const char *values)
{
  g_autofree char *text =
      g_strdup_printf("title = \"a\"; sweep = ( { key = \"%s\"; values = %s; } );", key, values);
  plot_fixture_fill(kit, text);
  plot_fixture_set_all(kit, METRIC_PLACEMENT_OCTETS, 1000, 0);
  plot_fixture_set_all(kit, METRIC_PLACEMENT_OCTETS_DIRECT, 250, 100);
}

/* The data of the plot over `key`. Free with g_free(). */
static char *drawn(plot_fixture *kit, const char *key, const char *values)
{
  g_autoptr(GError) error = NULL;
  plot_fixture_tear_down(kit, NULL);
  plot_fixture_set_up(kit, NULL);
  fill(kit, key, values);
  const gnuplot_target target = plot_fixture_target(kit, GNUPLOT_SVG);
  plot_cuts.draw(&kit->table, &plot_cuts, 0, "c", &target, &error);
  g_assert_no_error(error);
  return plot_fixture_text(kit, "c.dat");
}

/* docs/facts.md: 24.4 % at 128, 49.4 % at 256, 99.4 % at 512, 100 % from 515. */
static void test_probability(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  static const struct {
    const char *sizes; /* the ends of the curve */
    double first;
    double last;
  } curves[] = {
      {"[128, 256]", 0.244, 0.494}, {"[512, 515]", 0.994, 1}, {"[3, 1460]", 0, 1}, {"[1, 515]", 0, 1}};
  double row[3];
  if (!plot_fixture_can_draw()) {
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(curves); i++) {
    g_autofree char *data = drawn(kit, "middlebox.chunk", curves[i].sizes);
    plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 0, row, 3);
    g_assert_cmpfloat_with_epsilon(row[2], curves[i].first, 0.0005);
    plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 199, row, 3);
    g_assert_cmpfloat_with_epsilon(row[2], curves[i].last, 0.0005);
  }
}

static void test_key(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  static const char *const keys[] = {"middlebox.chunk", "middlebox.split_size", "middlebox.random_maximum",
                                     "middlebox.random_minimum"};
  if (!plot_fixture_can_draw()) {
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_autofree char *data = drawn(kit, keys[i], "[100, 200]");
    g_autofree char *place = g_strconcat("place_on_x: ", keys[i], NULL);
    plot_fixture_expect(data, place);
  }
}

/* 250 of 1000 octets placed directly are 0.25. The prediction goes from the first size to the last: (64 - 3) / 512 = 0.1191 at place
 * log10(64) = 1.80618, and 1 at log10(1460) = 3.16435. */
static void test_data(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  double row[3];
  if (!plot_fixture_can_draw()) {
    return;
  }
  g_autofree char *data = drawn(kit, "middlebox.chunk", "[64, 515, 1460]");
  plot_fixture_row(data, "payload placed directly", 0, row, 3);
  g_assert_cmpfloat(row[2], ==, 0.25);
  plot_fixture_row(data, "payload placed directly", 2, row, 3);
  g_assert_cmpfloat(row[2], ==, 0.45);
  plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 0, row, 3);
  g_assert_cmpfloat_with_epsilon(row[0], 1.80618, 1e-5);
  g_assert_cmpfloat_with_epsilon(row[2], 0.11914, 1e-5);
  plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 199, row, 3);
  g_assert_cmpfloat_with_epsilon(row[0], 3.16435, 1e-5);
  g_assert_cmpfloat(row[2], ==, 1);
  plot_fixture_expect(data, "probability that a piece of S octets");
}

/* Pieces of many sizes have no S: nothing is predicted. */
static void test_random(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  if (!plot_fixture_can_draw()) {
    return;
  }
  g_autofree char *data = drawn(kit, "middlebox.random_maximum", "[64, 1460]");
  g_assert_cmpuint(plot_fixture_count(data, "marker"), ==, 0);
}

/* Nothing was placed: there is no fraction, and that is said. */
static void test_nothing_placed(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(kit, GNUPLOT_SVG);
  plot_fixture_fill(kit, "title = \"a\"; sweep = ( { key = \"middlebox.chunk\"; values = [64, 1460]; } );");
  plot_fixture_set_all(kit, METRIC_PLACEMENT_OCTETS, 0, 0);
  plot_fixture_set_all(kit, METRIC_PLACEMENT_OCTETS_DIRECT, 0, 0);
  g_assert_false(plot_cuts.draw(&kit->table, &plot_cuts, 0, "c", &target, &error));
  plot_fixture_expect(error->message, "placed directly");
}

static void add(const char *path, void (*test)(plot_fixture *, gconstpointer))
{
  g_test_add(path, plot_fixture, NULL, plot_fixture_set_up, test, plot_fixture_tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/plot_cuts/probability", test_probability);
  add("/plot_cuts/key", test_key);
  add("/plot_cuts/data", test_data);
  add("/plot_cuts/random", test_random);
  add("/plot_cuts/nothing_placed", test_nothing_placed);
  return g_test_run();
}
