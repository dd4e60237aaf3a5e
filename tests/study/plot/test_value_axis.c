/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes of metrics: units people read, scales that show all. */
#include "study/plot/value_axis.h"

#include <math.h>
#include <string.h>

static value_extent extent_of(const double *means, guint count)
{
  value_extent extent = {0};
  for (guint i = 0; i < count; i++) {
    value_extent_add(&extent, means[i], NAN);
  }
  return extent;
}

static void test_units(void)
{
  static const double rates[] = {2e9, 9e9}, delays[] = {3e-5, 2e-5};
  value_extent rate = extent_of(rates, 2), delay = extent_of(delays, 2);
  value_axis axis = value_axis_of(&rate, "bit/s", VALUE_SCALE_FITTING);
  g_autofree char *name = value_axis_name(&axis, "goodput");
  g_assert_cmpstr(name, ==, "goodput (Gbit/s)");
  g_assert_cmpfloat(axis.unit_size, ==, 1e9);
  axis = value_axis_of(&delay, "s", VALUE_SCALE_FITTING);
  g_assert_cmpstr(axis.unit_name, ==, "µs");
  axis = value_axis_of(&delay, "1", VALUE_SCALE_SHARE);
  g_autofree char *ratio = value_axis_name(&axis, "share");
  g_assert_cmpstr(ratio, ==, "share");
  g_assert_cmpfloat(axis.bottom, ==, 0);
  g_assert_cmpfloat(axis.top, >=, 1);
  g_assert_cmpfloat(axis.top, <, 1.2);
}

/* 1 and 100 differ too much for a linear axis; with a zero, which has no logarithm, it has to do. */
static void test_scale(void)
{
  static const double far[] = {1, 100, 0};
  value_extent some = extent_of(far, 2), with_zero = extent_of(far, 3);
  g_assert_true(value_axis_of(&some, "segments", VALUE_SCALE_FITTING).logarithmic);
  g_assert_false(value_axis_of(&with_zero, "segments", VALUE_SCALE_FITTING).logarithmic);
  value_axis octets = value_axis_of(&with_zero, "octets", VALUE_SCALE_FITTING);
  g_assert_true(octets.in_octets && octets.octets.has_zero);
}

/* Intervals fit on it; what lies below is put on its bottom. */
static void test_intervals(void)
{
  value_extent extent = {0};
  value_extent_add(&extent, 10, 5);
  value_axis axis = value_axis_of(&extent, "segments", VALUE_SCALE_FITTING);
  g_assert_cmpfloat(axis.top, >, 15);
  GString *script = g_string_new(NULL);
  value_axis_append(&axis, TRUE, script);
  g_assert_nonnull(strstr(script->str, "drawn(v) = (v > 0 || v != v ? v : 0) / 1 "));
  g_string_free(script, TRUE);
}

/* Values below zero, which no metric has today, are on the axis all the same. */
static void test_negative(void)
{
  static const double means[] = {-3, 2};
  value_extent extent = extent_of(means, 2);
  value_axis axis = value_axis_of(&extent, "octets", VALUE_SCALE_FITTING);
  g_assert_cmpfloat(axis.bottom, <, -3);
  g_assert_cmpfloat(axis.top, >, 2);
}

/* A single zero has an axis with some height. */
static void test_zero(void)
{
  static const double means[] = {0};
  value_extent extent = extent_of(means, 1);
  value_axis ratio = value_axis_of(&extent, "1", VALUE_SCALE_LOGARITHMIC);
  value_axis octets = value_axis_of(&extent, "octets", VALUE_SCALE_LOGARITHMIC);
  g_assert_cmpfloat(ratio.top, >, ratio.bottom);
  g_assert_cmpfloat(octets.top, >, octets.bottom);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/value_axis/units", test_units);
  g_test_add_func("/value_axis/scale", test_scale);
  g_test_add_func("/value_axis/intervals", test_intervals);
  g_test_add_func("/value_axis/negative", test_negative);
  g_test_add_func("/value_axis/zero", test_zero);
  return g_test_run();
}
