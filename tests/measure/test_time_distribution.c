/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show how long a quantity had each value: exact mean, exact quantiles. */
#include <stdlib.h>

#include "measure/time_distribution.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(time_distribution, time_distribution_clear)

static void assert_quantile(const time_distribution *d, time_part part, double percent, double expected)
{
  const uint32_t parts = quantile_parts(percent / 100);
  double x = -1;
  g_assert_true(time_distribution_quantiles(d, part, &parts, 1, &x));
  g_assert_cmpfloat(x, ==, expected);
}

/* 8 for 30 ps, 10 of them in recovery, and 2 for 60 ps of 100, all in recovery, so 0 for 10 ps: sum 240 + 120
 * = 360. Of 70 ps in recovery 60 are 85.7 %. */
TEST(test_mean_and_quantiles)
{
  g_auto(time_distribution) first, d = {.table = NULL};
  time_distribution_init(&first);
  time_distribution_add(&first, 8, 10, true);
  time_distribution_copy(&d, &first);
  time_distribution_add(&d, 2, 60, true);
  time_distribution_add(&d, 8, 20, false);
  time_distribution_end(&d, 100);
  g_assert_cmpfloat(time_distribution_mean(&d), ==, 3.6);
  assert_quantile(&d, TIME_ALL, 1, 0);
  assert_quantile(&d, TIME_ALL, 10, 0); /* 10 of 100 ps at 0: "at least 10 %" holds */
  assert_quantile(&d, TIME_ALL, 11, 2);
  assert_quantile(&d, TIME_ALL, 70, 2);
  assert_quantile(&d, TIME_ALL, 71, 8);
  assert_quantile(&d, TIME_ALL, 100, 8);
  assert_quantile(&d, TIME_IN_RECOVERY, 85, 2);
  assert_quantile(&d, TIME_IN_RECOVERY, 86, 8);
}

/* One ps of 10^9 at 0, one at 7 + 2^32, all others at 7: the least share is 0, the second least 7, and the
 * least above 99.9999999 % needs the largest. */
TEST(test_quantiles_are_exact)
{
  static const uint32_t parts[] = {1, 2, 999999999, 1000000000};
  static const double expected[] = {0, 7, 7, 4294967303};
  double x[G_N_ELEMENTS(parts)];
  g_auto(time_distribution) d;
  time_distribution_init(&d);
  time_distribution_add(&d, 4294967303, 1, false);
  time_distribution_add(&d, 7, 999999998, false);
  time_distribution_end(&d, 1000000000);
  g_assert_true(time_distribution_quantiles(&d, TIME_ALL, parts, G_N_ELEMENTS(parts), x));
  g_assert_cmpmem(x, sizeof x, expected, sizeof expected);
}

/* 2^40 octets for 10^15 ps and as long at 0: the sum has 90 bits and the mean is still exact. */
TEST(test_large_sums_are_exact)
{
  g_auto(time_distribution) d;
  time_distribution_init(&d);
  time_distribution_add(&d, UINT64_C(1) << 40, INT64_C(1000000000000000), false);
  time_distribution_end(&d, INT64_C(2000000000000000));
  g_assert_cmpfloat(time_distribution_mean(&d), ==, (double)(UINT64_C(1) << 39));
  assert_quantile(&d, TIME_ALL, 50, 0);
  assert_quantile(&d, TIME_ALL, 51, UINT64_C(1) << 40);
}

static int compare_uint64(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* Random values against one a picosecond, sorted: the quantile is the element number ceil(n * percent / 100).
 * Enough different values to make the table grow. */
TEST(test_against_a_value_a_picosecond)
{
  enum { PICOSECONDS = 20000 };
  g_autoptr(GRand) random = g_rand_new_with_seed(20260301);
  g_autofree uint64_t *values = g_new0(uint64_t, PICOSECONDS);
  uint64_t sum = 0;
  g_auto(time_distribution) d;
  time_distribution_init(&d);
  for (int i = 0; i < PICOSECONDS; i++) {
    values[i] = i > 0 && g_rand_int_range(random, 0, 3) > 0 ? values[i - 1]
                                                            : (uint64_t)g_rand_int_range(random, 0, 3000) * 4;
    sum += values[i];
    time_distribution_add(&d, values[i], 1, false);
  }
  time_distribution_end(&d, PICOSECONDS);
  g_assert_cmpfloat(time_distribution_mean(&d), ==, (double)sum / PICOSECONDS);
  qsort(values, PICOSECONDS, sizeof *values, compare_uint64);
  for (unsigned percent = 1; percent <= 100; percent++) {
    assert_quantile(&d, TIME_ALL, percent, (double)values[(PICOSECONDS * percent + 99) / 100 - 1]);
  }
}
