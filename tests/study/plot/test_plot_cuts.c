/* SPDX-License-Identifier: GPL-2.0-only */
/* The fraction placed directly against the size of a middlebox's cuts. */
#include "study/plot/study_plot.h"

#include "plot_fixture.h"

/* Returns the data of the plot over `key`. Free with g_free(). */
static char *drawn(plot_fixture *f, const char *key, const char *values)
{
  g_autofree char *axis = g_strdup_printf("{ key = \"%s\"; values = %s; }", key, values);
  plot_fixture_sweep(f, axis);
  plot_fixture_set_all(f, METRIC_PLACEMENT_OCTETS, 1000, 0);
  plot_fixture_set_all(f, METRIC_PLACEMENT_OCTETS_DIRECT, 250, 100);
  return plot_fixture_drawn(f, &plot_cuts, 0);
}

/* docs/facts.md: 24.4 % at 128, 49.4 % at 256, 99.4 % at 512, 100 % from 515. */
DRAWN_TEST(test_probability)
{
  static const struct {
    const char *sizes; /* the ends of the curve */
    double first;
    double last;
  } curves[] = {
      {"[128, 256]", 0.244, 0.494}, {"[512, 515]", 0.994, 1}, {"[3, 1460]", 0, 1}, {"[1, 515]", 0, 1}};
  double row[3];
  for (gsize i = 0; i < G_N_ELEMENTS(curves); i++) {
    g_autofree char *data = drawn(f, "middlebox.chunk", curves[i].sizes);
    plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 0, row, 3);
    g_assert_cmpfloat_with_epsilon(row[2], curves[i].first, 0.0005);
    plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 199, row, 3);
    g_assert_cmpfloat_with_epsilon(row[2], curves[i].last, 0.0005);
  }
}

DRAWN_TEST(test_key)
{
  static const char *const keys[] = {"middlebox.chunk", "middlebox.split_size", "middlebox.random_maximum",
                                     "middlebox.random_minimum"};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    g_autofree char *data = drawn(f, keys[i], "[100, 200]");
    g_autofree char *place = g_strconcat("place_on_x: ", keys[i], NULL);
    EXPECT_PARTS(data, place);
  }
}

/* 250 of 1000 octets placed directly are 0.25. The prediction goes from the first size to the last: (64 - 3)
 * / 512 = 0.1191. */
DRAWN_TEST(test_data)
{
  double row[3];
  g_autofree char *data = drawn(f, "middlebox.chunk", "[64, 515, 1460]");
  EXPECT_ROWS(f, {"payload placed directly", 0, "* * 0.25"}, {"payload placed directly", 2, "* * 0.45"});
  plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 0, row, 3);
  g_assert_cmpfloat(row[0], ==, 64);
  g_assert_cmpfloat_with_epsilon(row[2], 0.11914, 1e-5);
  plot_fixture_row(data, "whole marker in S: min(1, (S−3)/512)", 199, row, 3);
  g_assert_cmpfloat_with_epsilon(row[0], 1460, 1e-5);
  g_assert_cmpfloat(row[2], ==, 1);
  EXPECT_PARTS(data, "probability that a piece of S octets");
}

/* Pieces of many sizes have no S: nothing is predicted. */
DRAWN_TEST(test_random)
{
  g_autofree char *data = drawn(f, "middlebox.random_maximum", "[64, 1460]");
  EXPECT_NO_PARTS(data, "marker");
}

/* Nothing was placed: there is no fraction, and that is said. */
PLOT_TEST(test_nothing_placed)
{
  plot_fixture_sweep(f, "{ key = \"middlebox.chunk\"; values = [64, 1460]; }");
  plot_fixture_set_all(f, METRIC_PLACEMENT_OCTETS, 0, 0);
  plot_fixture_set_all(f, METRIC_PLACEMENT_OCTETS_DIRECT, 0, 0);
  plot_fixture_refuse(f, &plot_cuts, 0, "placed directly");
}
