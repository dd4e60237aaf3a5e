/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes in octets: linear where that shows all, logarithmic where it would press small values flat; tics at
 * powers of two. */
#include "study/plot/value_axis.h"

#include <string.h>

static char *commands(const octet_axis *axis, gboolean labelled)
{
  GString *script = g_string_new(NULL);
  octet_axis_append(axis, labelled, script);
  return g_string_free(script, FALSE);
}

static void expect_tics(const octet_axis *axis, const char *tics)
{
  g_autofree char *text = commands(axis, TRUE);
  g_autofree char *wanted = g_strdup_printf("set ytics (%s)\n", tics);
  if (strstr(text, wanted) == NULL) {
    g_error("no \"%s\" in \"%s\"", wanted, text);
  }
}

/* 100000 · 1.06 = 106000: eight steps or fewer of a power of two, 16384 (32768 would do with three). */
static void test_linear(void)
{
  octet_axis axis = octet_axis_linear(100000);
  g_assert_false(axis.logarithmic);
  g_assert_cmpfloat(axis.bottom, ==, 0);
  g_assert_cmpfloat(axis.top, >, 100000);
  expect_tics(&axis, "'0' 0, '16 KiB' 16384, '32 KiB' 32768, '48 KiB' 49152, '64 KiB' 65536, '80 KiB' 81920, "
                     "'96 KiB' 98304");
}

static void test_nothing(void)
{
  octet_axis axis = octet_axis_linear(0);
  g_assert_cmpfloat(axis.top, >, 0);
}

static void test_kind(void)
{
  g_assert_false(octet_axis_for(FALSE, 1000, 1000).logarithmic);
  g_assert_false(octet_axis_for(TRUE, 1000, 40000).logarithmic);
  g_assert_true(octet_axis_for(FALSE, 1000, 100000).logarithmic);
  g_assert_true(octet_axis_for(TRUE, 1000, 100000).logarithmic);
}

/* Zero stands two powers of two below the smallest: 1024 / 4; then 1 KiB … 64 KiB. */
static void test_zero_on_logarithmic(void)
{
  octet_axis axis = octet_axis_for(TRUE, 1024, 65536);
  g_assert_cmpfloat(axis.bottom, ==, 256);
  expect_tics(&axis, "'0' 256, '1 KiB' 1024, '4 KiB' 4096, '16 KiB' 16384, '64 KiB' 65536");
}

static void test_logarithmic(void)
{
  octet_axis axis = octet_axis_for(FALSE, 1024, 65536);
  g_assert_cmpfloat(axis.bottom, ==, 512);
  expect_tics(&axis, "'512' 512, '1 KiB' 1024, '2 KiB' 2048, '4 KiB' 4096, '8 KiB' 8192, '16 KiB' 16384, "
                     "'32 KiB' 32768, '64 KiB' 65536");
}

static void test_without_labels(void)
{
  octet_axis axis = octet_axis_linear(3000);
  g_autofree char *text = commands(&axis, FALSE);
  g_assert_nonnull(strstr(text, "('' 0, '' 512, '' 1024"));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/octet_axis/linear", test_linear);
  g_test_add_func("/octet_axis/nothing", test_nothing);
  g_test_add_func("/octet_axis/kind", test_kind);
  g_test_add_func("/octet_axis/zero_on_logarithmic", test_zero_on_logarithmic);
  g_test_add_func("/octet_axis/logarithmic", test_logarithmic);
  g_test_add_func("/octet_axis/without_labels", test_without_labels);
  return g_test_run();
}
