/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes of shares and values: where they begin, whether they are logarithmic, what stands at the tics. */
#include "study/plot/share_axis.h"

#include <string.h>

static void assert_tics(GString *script, const char *expected)
{
  if (strstr(script->str, expected) == NULL) {
    g_error("no \"%s\" in %s", expected, script->str);
  }
  g_string_free(script, TRUE);
}

/* Curves that end within a factor of six share a linear axis from 0. */
static void test_octets_linear(void)
{
  const share_extent extent = {
      .largest = 60000, .smallest_largest = 10001, .smallest = 12, .smallest_share = 0.1};
  share_axis axis = share_axis_of_values(&extent, FALSE);
  g_assert_false(axis.logarithmic);
  g_assert_cmpfloat(axis.from, ==, 0);
  g_assert_cmpfloat(axis.to, ==, 60000 * 1.04);
  GString *script = g_string_new(NULL);
  share_axis_append_values(&axis, FALSE, script);
  /* 62400 / 16384 = 3.8: at most five steps */
  assert_tics(script, "set xtics ('0' 0, '16 KiB' 16384, '32 KiB' 32768, '48 KiB' 49152)");
}

/* Beyond it is logarithmic, from five octaves below the end of the shortest: 10000 / 32 = 312.5, so 256. */
static void test_octets_logarithmic(void)
{
  const share_extent extent = {
      .largest = 60001, .smallest_largest = 10000, .smallest = 12, .smallest_share = 0.1};
  share_axis axis = share_axis_of_values(&extent, FALSE);
  g_assert_true(axis.logarithmic);
  g_assert_cmpfloat(axis.from, ==, 256);
  GString *script = g_string_new(NULL);
  share_axis_append_values(&axis, FALSE, script);
  /* log2(60001 * 1.3 / 256) = 8.3 octaves: a tic every second */
  assert_tics(script, "set xtics ('256' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536)");
}

/* Nothing above 0 at all. */
static void test_nothing(void)
{
  const share_extent extent = {.smallest_share = 1};
  share_axis axis = share_axis_of_values(&extent, FALSE);
  g_assert_false(axis.logarithmic);
  g_assert_cmpfloat(axis.from, ==, 0);
  g_assert_cmpfloat(axis.to, >, 0);
}

/* Times that span two decades are on a logarithmic axis, of five decades at most: 2 s / 10^5 = 20 us, so from 10 us. */
static void test_times(void)
{
  share_extent extent = {
      .largest = 99e-6, .smallest_largest = 99e-6, .smallest = 1e-6, .smallest_share = 0.1};
  share_axis axis = share_axis_of_values(&extent, TRUE);
  g_assert_false(axis.logarithmic);
  GString *script = g_string_new(NULL);
  share_axis_append_values(&axis, TRUE, script);
  assert_tics(script, "('0' 0, '50' 5e-05, '100' 0.0001)");

  extent.largest = 2;
  axis = share_axis_of_values(&extent, TRUE);
  g_assert_true(axis.logarithmic);
  g_assert_cmpfloat_with_epsilon(axis.from, 1e-5, 1e-12);
  script = g_string_new(NULL);
  share_axis_append_values(&axis, TRUE, script);
  assert_tics(script, "('10 µs' 1e-05, '100 µs' 0.0001, '1 ms' 0.001, '10 ms' 0.01, '100 ms' 0.1, '1 s' 1)");
}

static void test_time_units(void)
{
  double size;
  g_assert_cmpstr(share_axis_time_unit(1, &size), ==, "s");
  g_assert_cmpfloat(size, ==, 1);
  g_assert_cmpstr(share_axis_time_unit(0.999, &size), ==, "ms");
  g_assert_cmpstr(share_axis_time_unit(1e-6, &size), ==, "µs");
  g_assert_cmpstr(share_axis_time_unit(5e-8, &size), ==, "ns");
  g_assert_cmpstr(share_axis_time_unit(0, &size), ==, "ns");
}

/* A tail of 2 % or less is on a logarithmic axis that begins below it, but not below 0.001 %. */
static void test_shares(void)
{
  share_extent extent = {.largest = 1, .smallest_share = 0.021};
  share_axis axis = share_axis_of_shares(&extent);
  g_assert_false(axis.logarithmic);
  GString *script = g_string_new(NULL);
  share_axis_append_shares(&axis, script);
  assert_tics(script, "('0 %%' 0, '20 %%' 0.2, '40 %%' 0.4, '60 %%' 0.6, '80 %%' 0.8, '100 %%' 1)");

  extent.smallest_share = 0.01; /* is to be seen: the axis begins below it */
  axis = share_axis_of_shares(&extent);
  g_assert_true(axis.logarithmic);
  g_assert_cmpfloat_with_epsilon(axis.from, 0.001, 1e-12);
  script = g_string_new(NULL);
  share_axis_append_shares(&axis, script);
  assert_tics(script, "('0.1 %%' 0.001, '1 %%' 0.01, '10 %%' 0.1, '100 %%' 1)");

  extent.smallest_share = 1e-12;
  axis = share_axis_of_shares(&extent);
  g_assert_cmpfloat(axis.from, ==, 1e-5);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/share_axis/octets_linear", test_octets_linear);
  g_test_add_func("/share_axis/octets_logarithmic", test_octets_logarithmic);
  g_test_add_func("/share_axis/nothing", test_nothing);
  g_test_add_func("/share_axis/times", test_times);
  g_test_add_func("/share_axis/time_units", test_time_units);
  g_test_add_func("/share_axis/shares", test_shares);
  return g_test_run();
}
