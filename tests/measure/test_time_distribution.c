/* SPDX-License-Identifier: GPL-2.0-only */
/* A step function of time: exact mean, exact quantiles. */
#include <stdlib.h>

#include "measure/time_distribution.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(time_distribution, time_distribution_free)

/* A test of a `function` that is 0 so far. */
#define FUNCTION_TEST(name) TEST_OF(time_distribution, function, time_distribution_new(), name)

static void assert_mean(time_distribution *function, double expected)
{
  double mean = -1;
  g_assert_true(time_distribution_mean(function, &mean));
  g_assert_cmpfloat(mean, ==, expected);
}

static void assert_quantile(time_distribution *function, double percent, double expected)
{
  const uint32_t parts = quantile_parts(percent / 100);
  double x = -1;
  g_assert_true(time_distribution_quantiles(function, &parts, 1, &x));
  g_assert_cmpfloat(x, ==, expected);
}

static bool has_quantile(time_distribution *function)
{
  double x;
  return time_distribution_quantiles(function, (const uint32_t[]){QUANTILE_PARTS}, 1, &x);
}

FUNCTION_TEST(test_nothing_counted)
{
  double mean;
  g_assert_false(time_distribution_mean(function, &mean));
  g_assert_false(has_quantile(function));
  time_distribution_set(function, 100, 5);
  g_assert_false(time_distribution_mean(function, &mean));
  time_distribution_start(function, 200);
  time_distribution_mark(function, 200); /* an interval without length */
  g_assert_false(time_distribution_mean(function, &mean));
  g_assert_false(has_quantile(function));
}

/* 0 for 10 ps, 8 for 30 ps, 2 for 60 ps: sum 0 + 240 + 120 = 360 over 100 ps. */
FUNCTION_TEST(test_mean_and_quantiles)
{
  time_distribution_set(function, 10, 8);
  time_distribution_set(function, 40, 2);
  time_distribution_mark(function, 100);
  assert_mean(function, 3.6);
  assert_quantile(function, 1, 0);
  assert_quantile(function, 10, 0); /* 10 of 100 ps at 0: "at least 10 %" holds */
  assert_quantile(function, 11, 2);
  assert_quantile(function, 70, 2);
  assert_quantile(function, 71, 8);
  assert_quantile(function, 100, 8);
}

/* 10^9 - 1 ps of 10^9 at 7, one at 7 + 2^32: the least share above 99.9999999 % needs the latter. */
FUNCTION_TEST(test_quantiles_are_exact)
{
  static const uint32_t parts[] = {1, 500000000, 999999999, 1000000000};
  static const double expected[] = {7, 7, 7, 4294967303};
  double x[G_N_ELEMENTS(parts)];
  time_distribution_set(function, 100, 7);
  time_distribution_start(function, 100);
  time_distribution_set(function, 100 + 999999999, 4294967303);
  time_distribution_mark(function, 100 + 1000000000);
  g_assert_true(time_distribution_quantiles(function, parts, G_N_ELEMENTS(parts), x));
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_assert_cmpfloat(x[i], ==, expected[i]);
  }
}

/* 3 in [0, 40), counted, and [40, 50), not yet; then a copy goes on with 8 and one that was 0 so far with 5,
 * each for 50 ps. The function itself stays 3. */
FUNCTION_TEST(test_copies)
{
  time_distribution_set(function, 0, 3);
  time_distribution_mark(function, 20);
  time_distribution_set(function, 30, 4); /* pending at the copy */
  time_distribution_set(function, 30, 3);
  time_distribution_mark(function, 40);
  g_autoptr(time_distribution) copy = time_distribution_copy(function);
  g_autoptr(time_distribution) zero = time_distribution_copy_as_zero(function);
  time_distribution_set(copy, 50, 8);
  time_distribution_set(zero, 50, 5);
  time_distribution_mark(function, 100);
  time_distribution_mark(copy, 100);
  time_distribution_mark(zero, 100);
  assert_mean(function, 3);
  assert_mean(copy, 5.5); /* (3 · 50 + 8 · 50) / 100 */
  assert_mean(zero, 2.5);
  assert_quantile(zero, 50, 0);
  assert_quantile(zero, 51, 5);
}

/* What counts for the mean goes into a histogram: 0 for 10 ps, 8 for 30 ps, 2 for 60 ps; not the 20 ps of 5
 * after the mark, nor the 7 ps of 9 before the start. */
FUNCTION_TEST(test_histogram)
{
  g_autofree value_histogram *histogram = g_new0(value_histogram, 1);
  time_distribution_set(function, 0, 9);
  time_distribution_set(function, 7, 0);
  time_distribution_start(function, 7);
  time_distribution_set(function, 17, 8);
  time_distribution_set(function, 47, 2);
  time_distribution_set(function, 107, 5);
  time_distribution_mark(function, 107);
  time_distribution_set(function, 127, 0);
  value_histogram_add(histogram, 2, 1000); /* is added to */
  time_distribution_add_to(function, histogram);
  for (uint64_t value = 0; value < VALUE_HISTOGRAM_EXACT; value++) {
    uint64_t expected = value == 0 ? 10 : value == 8 ? 30 : value == 2 ? 1060 : 0;
    g_assert_cmpuint(histogram->weights[value_histogram_bin(value)], ==, expected);
  }
}

/* 99 % of 101 ps is 99.99 ps: 99 ps at 1 are not enough, 100 ps are. */
TEST(test_quantile_has_no_rounding_slack)
{
  for (uint64_t at_1 = 99; at_1 <= 100; at_1++) {
    g_autoptr(time_distribution) function = time_distribution_new();
    time_distribution_set(function, 0, 1);
    time_distribution_set(function, (time_ps)at_1, 7);
    time_distribution_mark(function, 101);
    assert_quantile(function, 99, at_1 == 99 ? 7 : 1);
  }
}

/* Of 9, 3 and 4 set in picosecond 50, only the 4 lasts. */
FUNCTION_TEST(test_a_value_without_length_does_not_exist)
{
  time_distribution_set(function, 50, 9);
  time_distribution_set(function, 50, 3);
  time_distribution_set(function, 50, 4);
  time_distribution_set(function, 60, 100);
  time_distribution_set(function, 60, 0);
  time_distribution_mark(function, 100);
  assert_mean(function, 0.4); /* 4 * 10 / 100 */
}

/* What happens after the last mark does not count, however often the value changes; a later mark brings it
 * in. */
FUNCTION_TEST(test_counts_up_to_the_last_mark)
{
  time_distribution_set(function, 10, 6);
  time_distribution_mark(function, 20); /* 6 * 10 / 20 */
  time_distribution_set(function, 25, 1000);
  time_distribution_set(function, 40, 0);
  assert_mean(function, 3);
  assert_quantile(function, 100, 6);
  time_distribution_mark(function, 50); /* (6 * 15 + 1000 * 15) / 50 */
  assert_mean(function, 301.8);
}

/* Marks that follow each other while nothing changes: the last one counts, also when the value changes or
 * counting pauses after it. 6 from 10 to 90 ps, 2 from 90 to 100 ps; 2 from 100 to 110 ps is marked and then
 * the pause begins: (480 + 20 + 20) / 110, and with the 10 ps of 0 in front. */
FUNCTION_TEST(test_many_marks)
{
  time_distribution_mark(function, 5);
  time_distribution_set(function, 10, 6);
  time_distribution_mark(function, 20);
  time_distribution_mark(function, 50);
  assert_mean(function, 4.8); /* 6 * 40 / 50, asked for in between */
  time_distribution_mark(function, 80);
  time_distribution_set(function, 90, 2);
  assert_mean(function, 5.25); /* 6 * 70 / 80 */
  time_distribution_mark(function, 100);
  time_distribution_mark(function, 110);
  time_distribution_pause(function, 110);
  time_distribution_mark(function, 500);
  assert_mean(function, 520.0 / 110);
  time_distribution_resume(function, 600);
  time_distribution_mark(function, 610);
  assert_mean(function, 540.0 / 120);
  time_distribution_start(function, 700); /* 2 from here on */
  time_distribution_mark(function, 710);
  assert_mean(function, 2);
}

FUNCTION_TEST(test_start_forgets_the_time_before_it)
{
  time_distribution_set(function, 10, 500);
  time_distribution_mark(function, 15);
  time_distribution_set(function, 20, 4);
  time_distribution_start(function, 30);
  time_distribution_set(function, 40, 0);
  time_distribution_mark(function, 50);
  assert_mean(function, 2); /* 4 * 10 / 20 */
}

/* Counted: [10, 20) at 3 and [40, 50) at 5; twice pausing or resuming changes nothing. */
FUNCTION_TEST(test_pause_and_resume)
{
  time_distribution_pause(function, 0);
  time_distribution_set(function, 5, 3);
  time_distribution_resume(function, 10);
  time_distribution_pause(function, 20);
  time_distribution_pause(function, 22);
  time_distribution_set(function, 30, 5);
  time_distribution_resume(function, 40);
  time_distribution_resume(function, 45);
  time_distribution_mark(function, 50);
  assert_mean(function, 4);
  assert_quantile(function, 50, 3);
  assert_quantile(function, 51, 5);
}

/* 2^40 octets for 10^15 ps and as long at 0: the sum has 90 bits and the mean is still exact. */
FUNCTION_TEST(test_large_sums_are_exact)
{
  time_distribution_set(function, 0, UINT64_C(1) << 40);
  time_distribution_set(function, INT64_C(1000000000000000), 0);
  time_distribution_mark(function, INT64_C(2000000000000000));
  assert_mean(function, (double)(UINT64_C(1) << 39));
  assert_quantile(function, 50, 0);
  assert_quantile(function, 51, UINT64_C(1) << 40);
}

static int compare_uint64(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

/* Random steps against one value a picosecond, sorted: the quantile is the element number ceil(n * percent /
 * 100). Enough different values to make the table grow. */
TEST(test_against_a_value_a_picosecond)
{
  enum { PICOSECONDS = 20000, START = 1234 };
  const guint32 seed = 20260301;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autofree uint64_t *values = g_new0(uint64_t, PICOSECONDS);
  g_autoptr(time_distribution) function = time_distribution_new();
  uint64_t value = 0;
  for (int now = 0; now < PICOSECONDS; now++) {
    if (now == START) {
      time_distribution_start(function, now);
    }
    if (g_rand_int_range(random, 0, 3) == 0) {
      value = (uint64_t)g_rand_int_range(random, 0, 3000) * 4;
      time_distribution_set(function, now, value);
    }
    if (g_rand_int_range(random, 0, 50) == 0) {
      time_distribution_mark(function, now);
    }
    values[now] = value;
  }
  time_distribution_mark(function, PICOSECONDS);
  size_t count = PICOSECONDS - START;
  uint64_t *counted = values + START;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += counted[i];
  }
  assert_mean(function, (double)sum / (double)count);
  qsort(counted, count, sizeof *counted, compare_uint64);
  for (unsigned percent = 1; percent <= 100; percent++) {
    assert_quantile(function, percent, counted[(count * percent + 99) / 100 - 1]);
  }
}
