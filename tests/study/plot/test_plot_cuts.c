/* The fraction placed directly against the size of a middlebox's cuts. */
#include "study/plot/plot_cuts.h"

#include "plot_kit.h"

/* facts.md: 24.4 % at 128, 49.4 % at 256, 99.4 % at 512, 100 % from 515. */
static void test_probability(plot_kit *kit, gconstpointer unused)
{
  (void)kit;
  (void)unused;
  g_assert_cmpfloat_with_epsilon(plot_cuts_marker_probability(128), 0.244, 0.0005);
  g_assert_cmpfloat_with_epsilon(plot_cuts_marker_probability(256), 0.494, 0.0005);
  g_assert_cmpfloat_with_epsilon(plot_cuts_marker_probability(512), 0.994, 0.0005);
  g_assert_cmpfloat(plot_cuts_marker_probability(515), ==, 1);
  g_assert_cmpfloat(plot_cuts_marker_probability(1460), ==, 1);
  g_assert_cmpfloat(plot_cuts_marker_probability(3), ==, 0);
  g_assert_cmpfloat(plot_cuts_marker_probability(1), ==, 0);
}

static void expect_key(plot_kit *kit, const char *key_name, const char *values, scenario_key key)
{
  plot_kit_tear_down(kit, NULL);
  plot_kit_set_up(kit, NULL);
  g_autofree char *text =
      g_strdup_printf("title = \"a\"; sweep = ( { key = \"%s\"; values = %s; } );", key_name, values);
  plot_kit_fill(kit, text);
  g_assert_cmpint(plot_cuts_key(&kit->table), ==, key);
}

static void test_key(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  expect_key(kit, "middlebox.chunk", "[100, 200]", SCENARIO_MIDDLEBOX_CHUNK);
  expect_key(kit, "middlebox.split_size", "[100, 200]", SCENARIO_MIDDLEBOX_SPLIT_SIZE);
  expect_key(kit, "middlebox.random_maximum", "[100, 200]", SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM);
  expect_key(kit, "path.forward.mtu", "[576, 1500]", SCENARIO_KEY_COUNT);
}

/* 250 of 1000 octets placed directly are 0.25. The prediction goes from the first size to the last: (64 - 3) / 512 = 0.1191 at place
 * log10(64) = 1.80618, and 1 at log10(1460) = 3.16435. */
static void test_data(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  double row[3];
  const gnuplot_target target = plot_kit_target(kit, GNUPLOT_SVG);
  if (!plot_kit_can_draw()) {
    return;
  }
  plot_kit_fill(kit, "title = \"a\"; sweep = ( { key = \"middlebox.chunk\"; values = [64, 515, 1460]; } );");
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS, 1000, 0);
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS_DIRECT, 250, 100);
  plot_cuts_draw(&kit->table, "c", &target, &error);
  g_assert_no_error(error);
  g_autofree char *data = plot_kit_text(kit, "c.dat");
  plot_kit_row(data, "payload placed directly", 0, row, 3);
  g_assert_cmpfloat(row[2], ==, 0.25);
  plot_kit_row(data, "payload placed directly", 2, row, 3);
  g_assert_cmpfloat(row[2], ==, 0.45);
  plot_kit_row(data, "whole marker in S: min(1, (S−3)/512)", 0, row, 3);
  g_assert_cmpfloat_with_epsilon(row[0], 1.80618, 1e-5);
  g_assert_cmpfloat_with_epsilon(row[2], 0.11914, 1e-5);
  plot_kit_row(data, "whole marker in S: min(1, (S−3)/512)", 199, row, 3);
  g_assert_cmpfloat_with_epsilon(row[0], 3.16435, 1e-5);
  g_assert_cmpfloat(row[2], ==, 1);
  plot_kit_expect(data, "probability that a piece of S octets");
}

/* Pieces of many sizes have no S: nothing is predicted. */
static void test_random(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_kit_target(kit, GNUPLOT_SVG);
  if (!plot_kit_can_draw()) {
    return;
  }
  plot_kit_fill(kit,
                "title = \"a\"; sweep = ( { key = \"middlebox.random_maximum\"; values = [64, 1460]; } );");
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS, 1000, 0);
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS_DIRECT, 250, 100);
  plot_cuts_draw(&kit->table, "c", &target, &error);
  g_assert_no_error(error);
  g_autofree char *data = plot_kit_text(kit, "c.dat");
  g_assert_cmpuint(plot_kit_count(data, "marker"), ==, 0);
}

/* Nothing was placed: there is no fraction, and that is said. */
static void test_nothing_placed(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_kit_target(kit, GNUPLOT_SVG);
  plot_kit_fill(kit, "title = \"a\"; sweep = ( { key = \"middlebox.chunk\"; values = [64, 1460]; } );");
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS, 0, 0);
  plot_kit_set_all(kit, METRIC_PLACEMENT_OCTETS_DIRECT, 0, 0);
  g_assert_false(plot_cuts_draw(&kit->table, "c", &target, &error));
  plot_kit_expect(error->message, "placed directly");
}

static void add(const char *path, void (*test)(plot_kit *, gconstpointer))
{
  g_test_add(path, plot_kit, NULL, plot_kit_set_up, test, plot_kit_tear_down);
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
