/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes: units people read, scales that show all; where what a sweep varies has its places. */
#include "study/plot/plot_axis.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"
#include "study/plot/plot_runs.h"

/* Checks name, scale and range, and clears the axis. */
static void expect(plot_axis axis, const char *name, int base, double from, double to)
{
  g_assert_cmpstr(axis.name, ==, name);
  g_assert_cmpint(axis.base, ==, base);
  g_assert_cmpfloat_with_epsilon(axis.from, from, 1e-9);
  g_assert_cmpfloat_with_epsilon(axis.to, to, 1e-6 * to + 1e-12);
  plot_axis_clear(&axis);
}

/* --- Metrics --- */

static plot_axis axis_of(double a, double b, double c, const char *unit, value_scale scale)
{
  value_extent extent = {0};
  const double means[] = {a, b, c};
  for (guint i = 0; i < G_N_ELEMENTS(means); i++) {
    if (!isnan(means[i])) {
      value_extent_add(&extent, means[i], NAN);
    }
  }
  return plot_axis_of_values(&extent, "y", unit, scale);
}

static plot_axis octets_of(double a, double b, double c)
{
  return axis_of(a, b, c, "octets", VALUE_SCALE_FITTING);
}

/* 100000 * 1.06 = 106000. From a factor of 50 on small values would be pressed flat. On a logarithmic axis
 * zero stands two powers of two below the smallest: 1024 / 4. Its unit is one in which the smallest is no
 * long fraction: 3 octets are none of a KiB. */
TEST(test_octets)
{
  expect(octets_of(100000, NAN, NAN), "y (KiB)", 0, 0, 106000);
  expect(octets_of(2000, NAN, NAN), "y (KiB)", 0, 0, 2120);
  expect(octets_of(1000, 49000, 0), "y (KiB)", 0, 0, 51940);
  expect(octets_of(0, NAN, NAN), "y (octets)", 0, 0, 1);
  expect(octets_of(1024, 65536, 0), "y (KiB)", 2, 256, 65536 * 1.3);
  expect(octets_of(1024, 65536, NAN), "y (KiB)", 2, 512, 65536 * 1.3);
  expect(octets_of(3, 65536, NAN), "y (octets)", 2, 1, 65536 * 1.3);
}

static const struct {
  double a, b;
  const char *unit;
  value_scale scale;
  const char *name;
  double size;
} units[] = {{2e9, 9e9, "bit/s", VALUE_SCALE_FITTING, "y (Gbit/s)", 1e9},
             {2e12, 9e9, "bit/s", VALUE_SCALE_FITTING, "y (Tbit/s)", 1e12},
             {20, 90, "bit/s", VALUE_SCALE_FITTING, "y (bit/s)", 1},
             {3e-5, 2e-5, "s", VALUE_SCALE_FITTING, "y (µs)", 1e-6},
             {3e-11, 2e-11, "s", VALUE_SCALE_FITTING, "y (ns)", 1e-9},
             {3e-5, 2e-5, "1", VALUE_SCALE_SHARE, "y (%)", 0.01},
             {7, 2, "segments", VALUE_SCALE_FITTING, "y (segments)", 1}};

ROW_TEST(test_units, units)
{
  g_auto(plot_axis) axis = axis_of(c->a, c->b, NAN, c->unit, c->scale);
  g_assert_cmpstr(axis.name, ==, c->name);
  g_assert_cmpfloat(axis.unit_size, ==, c->size);
}

static plot_axis segments_of(double a, double b, double c, value_scale scale)
{
  return axis_of(a, b, c, "segments", scale);
}

/* 1 and 100 differ too much for a linear axis; with a zero, which has no logarithm, it has to do. Rates are
 * linear: of goodput the part that is there is asked. Values below zero, which no metric has today, are on it
 * all the same, octets too; a single zero has an axis with some height, whatever its unit. */
TEST(test_scale)
{
  expect(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), "y (segments)", 10, 0.5, 150);
  expect(segments_of(1, 100, 0, VALUE_SCALE_FITTING), "y (segments)", 0, 0, 106);
  expect(segments_of(-3, 2, NAN, VALUE_SCALE_FITTING), "y (segments)", 0, -3.18, 2.12);
  expect(octets_of(-3, 2, NAN), "y (octets)", 0, -3.18, 2.12);
  expect(segments_of(0, NAN, NAN, VALUE_SCALE_LOGARITHMIC), "y (segments)", 0, 0, 1);
  expect(axis_of(0, NAN, NAN, "octets", VALUE_SCALE_LOGARITHMIC), "y (octets)", 0, 0, 1);
  expect(axis_of(0.5, 1, NAN, "1", VALUE_SCALE_SHARE), "y (%)", 0, 0, 1.05);
  expect(axis_of(1e6, 1e9, NAN, "bit/s", VALUE_SCALE_FITTING), "y (Gbit/s)", 0, 0, 1.06e9);
  expect(axis_of(1e6, 1e9, NAN, "bit/s", VALUE_SCALE_LOGARITHMIC), "y (Gbit/s)", 10, 5e5, 1.5e9);
}

/* 10 ± 5: the upper end fits on it. */
TEST(test_intervals)
{
  value_extent extent = {0};
  value_extent_add(&extent, 10, 5);
  expect(plot_axis_of_values(&extent, "sent", "segments", VALUE_SCALE_FITTING), "sent (segments)", 0, 0,
         15 * 1.03);
}

/* Times on a logarithmic axis have tics with units of their own. */
TEST(test_decades)
{
  g_auto(plot_axis) axis = axis_of(1e-6, 1e-3, NAN, "s", VALUE_SCALE_FITTING);
  g_assert_cmpstr(axis.format, ==, "%.0s %cs");
  expect(axis_of(1e-6, 1e-3, NAN, "s", VALUE_SCALE_FITTING), "y (s)", 10, 5e-7, 1.5e-3);
  expect(axis_of(1e-5, 99e-6, NAN, "s", VALUE_SCALE_FITTING), "y (µs)", 0, 0, 99e-6 * 1.06);
}

/* --- What was asked for --- */

/* What a logarithmic axis cannot have, 0, stays as it is, and so does an end without number. */
TEST(test_limited)
{
  const plot_range range = {2, 6}, from_zero = {0, 20}, above = {10, INFINITY}, none = {0, 0};
  const plot_range narrow = {1500, 2300};
  expect(plot_axis_limited(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), &range), "y (segments)", 10, 2, 6);
  expect(plot_axis_limited(segments_of(1, 100, NAN, VALUE_SCALE_FITTING), &from_zero), "y (segments)", 10,
         0.5, 20);
  expect(plot_axis_limited(segments_of(1, 100, 0, VALUE_SCALE_FITTING), &above), "y (segments)", 0, 10, 106);
  expect(plot_axis_limited(octets_of(1024, 65536, NAN), &narrow), "y (KiB)", 2, 1500, 2300);
  expect(plot_axis_limited(octets_of(1024, 65536, 0), &none), "y (KiB)", 2, 256, 65536 * 1.3);
}

/* --- What a sweep varies --- */

static place_axis places_of(plot_fixture *f, const char *key_name, const char *values, gboolean logarithmic)
{
  g_autofree char *axis = g_strdup_printf("{ key = \"%s\"; values = %s; }", key_name, values);
  plot_fixture_sweep(f, axis);
  return place_axis_of(&f->table, scenario_key_find(key_name), logarithmic);
}

static double place(const place_axis *axis, guint index)
{
  return g_array_index(axis->drawn.tics, double, index);
}

/* A decade makes it logarithmic; zero stands apart, left of the smallest and of a mark. */
PLOT_TEST(test_loss)
{
  g_auto(place_axis) axis = places_of(f, "path.forward.loss", "[\"1%\", \"0\", \"0.1%\"]", FALSE);
  g_assert_true(axis.numeric && axis.drawn.base == 10 && axis.first_apart && !axis.last_apart);
  g_assert_cmpfloat(place(&axis, 1), ==, 0.001);
  g_assert_cmpfloat(place(&axis, 2), ==, 0.01);
  g_assert_cmpfloat(place(&axis, 0), <, 0.0004);
  g_assert_cmpfloat(axis.drawn.from, <, place(&axis, 0));
  g_assert_cmpuint(place_axis_index(&axis, g_ptr_array_index(axis.texts, 2)), ==, 2);
  g_assert_cmpuint(axis.drawn.gaps->len, ==, 1);
  g_assert_cmpfloat(g_array_index(axis.drawn.gaps, double, 0), >, place(&axis, 0));
  g_assert_cmpfloat(g_array_index(axis.drawn.gaps, double, 0), <, place(&axis, 1));
}

PLOT_TEST(test_linear)
{
  g_auto(place_axis) axis = places_of(f, "path.forward.mtu", "[576, 1500]", FALSE);
  g_assert_cmpint(axis.drawn.base, ==, 0);
  g_assert_cmpfloat(place(&axis, 1), ==, 1500);
  place_axis_clear(&axis);
  axis = places_of(f, "path.forward.mtu", "[576, 1500]", TRUE);
  g_assert_cmpint(axis.drawn.base, ==, 10);
}

/* One word among numbers stands apart at the right, within the axis; several are places of their own. */
PLOT_TEST(test_words)
{
  g_auto(place_axis) axis = places_of(f, "receiver.memory", "(\"unlimited\", 1500, 3000)", TRUE);
  g_assert_true(axis.numeric && axis.last_apart);
  g_assert_cmpfloat(place(&axis, 1), ==, 3000);
  g_assert_cmpfloat(place(&axis, 2), >, 3000);
  /* as far from the end of the axis as from the numbers */
  g_assert_cmpfloat_with_epsilon(axis.drawn.to / place(&axis, 2), place(&axis, 2) / 3000, 1e-9);
  place_axis_clear(&axis);
  axis = places_of(f, "middlebox.mode", "[\"none\", \"split\", \"rechunk\"]", FALSE);
  g_assert_false(axis.numeric || axis.last_apart);
  g_assert_cmpfloat(place(&axis, 2), ==, 2);
  g_assert_cmpfloat(axis.drawn.from, ==,
                    -0.5); /* the first word and the last have as much room as the others */
  g_assert_cmpfloat(axis.drawn.to, ==, 2.5);
}

static const struct {
  const char *key, *values, *name, *labels;
} labels[] = {{"middlebox.chunk", "(110, 1024)", "middlebox's cuts (octets)", "110 1024"},
              {"path.forward.mtu", "(1500, 4096)", "MTU (octets)", "1500 4096"},
              {"receiver.memory", "(1500, 12000)", "reassembly memory (KiB)", "1.46 11.7"},
              {"receiver.memory", "(\"0\", \"4KiB\", \"1MiB\", \"unlimited\")", "reassembly memory",
               "0 4 KiB 1 MiB unlimited"},
              {"path.forward.loss", "(\"0.1%\", \"1%\")", "loss of segments", "0.1%% 1%%"},
              {"mpa.assumed_emss", "(\"none\", \"536\")", "mpa.assumed_emss", "none 536"}};

/* Every value has a label; their unit is in the labels, or the name has it. */
PLOT_TEST(test_labels)
{
  for (gsize i = 0; i < G_N_ELEMENTS(labels); i++) {
    g_auto(place_axis) axis = places_of(f, labels[i].key, labels[i].values, TRUE);
    g_ptr_array_add(axis.drawn.labels, NULL);
    g_autofree char *shown = g_strjoinv(" ", (char **)axis.drawn.labels->pdata);
    g_assert_cmpstr(shown, ==, labels[i].labels);
    g_assert_cmpstr(axis.drawn.name, ==, labels[i].name);
  }
}

/* What the sweep calls a key and its values stands on the axis and in legends. */
PLOT_TEST(test_words_of_the_sweep)
{
  const scenario_key key = SCENARIO_PATH_FORWARD_GEMODEL;
  plot_fixture_sweep(
      f, "{ key = \"path.forward.gemodel\"; values = ([\"0.1%\", \"100%\"], [\"0.01%\", \"10%\"]);"
         "  axis_title = \"losses\"; names = [\"single\", \"in bursts of 10\"]; }");
  g_auto(place_axis) axis = place_axis_of(&f->table, key, FALSE);
  g_assert_cmpstr(axis.drawn.name, ==, "losses");
  g_assert_cmpstr(g_ptr_array_index(axis.drawn.labels, 1), ==, "in bursts of 10");
  g_autoptr(GArray) keys = g_array_append_val(g_array_new(FALSE, FALSE, sizeof key), key);
  g_autofree char *line = plot_place_words(&f->table, keys, ((study_run *)f->table.runs->pdata[0])->keys);
  g_assert_cmpstr(line, ==, "single");
}
