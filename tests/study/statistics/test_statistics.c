/* SPDX-License-Identifier: GPL-2.0-only */
/* Means, quartiles and Student-t intervals against numbers worked out by hand and from printed tables; and
 * against what an interval is for: how often it holds the mean of a process that is known. */
#include "study/statistics/statistics.h"

#include <math.h>

#include "base/random_stream.h"
#include "test.h"

static void expect_near(double value, double expected, double tolerance)
{
  g_assert_cmpfloat_with_epsilon(value, expected, tolerance);
}

static const struct {
  double values[5];
  gsize count;
  double mean, deviation, half_width, median, lower_quartile, upper_quartile, smallest, largest;
} few[] = {
    /* Squares of the distances 4 + 1 + 0 + 1 + 4 = 10, s = sqrt(10 / 4) = 1.5811, t(0.975, 4)
     * = 2.7764: 2.7764 * 1.5811 / sqrt(5) = 1.9632. The quarters fall on the second and fourth. */
    {{5, 1, 4, 2, 3}, 5, 3, 1.58114, 1.9632, 3, 2, 4, 1, 5},
    /* Four values have three gaps; a quarter of the way is 0.75 gaps from the first: 10 + 0.75 * 10 = 17.5.
     * Half: 1.5 gaps, in the middle of 20 and 40. Three quarters: 2.25 gaps, 40 + 0.25 * 40 = 50. Squares of
     * the distances 2875, s = sqrt(2875 / 3) = 30.95696, t(0.975, 3) = 3.18245: 3.18245 * 30.95696 / 2
     * = 49.2594. */
    {{80, 20, 10, 40}, 4, 37.5, 30.95696, 49.2594, 30, 17.5, 50, 10, 80},
    /* s = sqrt(2), t(0.975, 1) = 12.7062: 12.7062 * sqrt(2) / sqrt(2). */
    {{0, 2}, 2, 1, 1.41421, 12.7062, 1, 0.5, 1.5, 0, 2},
    {{42.5}, 1, 42.5, NAN, NAN, 42.5, 42.5, 42.5, 42.5, 42.5}};

/* Both are no number, or they are near each other. */
static void expect_near_or_none(double value, double expected, double tolerance)
{
  g_assert_true(isnan(value) == isnan(expected));
  g_assert_true(isnan(expected) || fabs(value - expected) <= tolerance);
}

ROW_TEST(test_few, few)
{
  statistics s = statistics_of(c->values, c->count);
  g_assert_cmpuint(s.count, ==, c->count);
  g_assert_cmpfloat(s.mean, ==, c->mean);
  expect_near_or_none(s.deviation, c->deviation, 1e-5);
  expect_near_or_none(s.half_width, c->half_width, 1e-4);
  g_assert_cmpfloat(s.lower_quartile, ==, c->lower_quartile);
  g_assert_cmpfloat(s.median, ==, c->median);
  g_assert_cmpfloat(s.upper_quartile, ==, c->upper_quartile);
  g_assert_cmpfloat(s.smallest, ==, c->smallest);
  g_assert_cmpfloat(s.largest, ==, c->largest);
}

/* 30 values, half 9 and half 11: mean 10, s = sqrt(30 / 29) = 1.01710, t(0.975, 29) = 2.0452:
 * 2.0452 * 1.01710 / sqrt(30) = 0.37979. */
TEST(test_thirty)
{
  double values[30];
  for (int i = 0; i < 30; i++) {
    values[i] = i % 2 == 0 ? 9 : 11;
  }
  statistics s = statistics_of(values, 30);
  expect_near(s.mean, 10, 1e-12);
  expect_near(s.half_width, 0.37979, 1e-5);
}

/* Equal values are their own mean, to the last bit, also where a sum of them is rounded (0.1). */
TEST(test_no_spread)
{
  const double values[] = {0.1, 0.1, 0.1};
  statistics s = statistics_of(values, 3);
  g_assert_cmpfloat(s.mean, ==, 0.1);
  g_assert_cmpfloat(s.deviation, ==, 0);
  g_assert_cmpfloat(s.half_width, ==, 0);
}

TEST(test_none)
{
  g_assert_cmpuint(statistics_of(NULL, 0).count, ==, 0);
}

/* 10^15 and 10^15 + 1 by turns, 100,000 of them: mean 10^15 + 0.5, every distance from it 0.5, s = 0.5 *
 * sqrt(n / (n - 1)). Their sum is 10^20, where doubles are 16,384 apart; their squares, 10^30, differ in
 * digits that no double has. */
TEST(test_large_means)
{
  gsize count = 100000;
  g_autofree double *values = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    values[i] = 1e15 + (double)(i % 2);
  }
  statistics s = statistics_of(values, count);
  g_assert_cmpfloat(s.mean, ==, 1e15 + 0.5);
  expect_near(s.deviation, 0.5 * sqrt(100000.0 / 99999.0), 1e-9);
}

/* A sum of numbers of such different sizes depends on its order; the statistics do not, so neither on which
 * run ended first. */
TEST(test_order_does_not_matter)
{
  const double values[] = {1e16, 1, -1e16, 3, 1e-3, 7};
  double turned[6];
  for (int i = 0; i < 6; i++) {
    turned[i] = values[(i + 4) % 6];
  }
  statistics a = statistics_of(values, 6), b = statistics_of(turned, 6);
  g_assert_cmpfloat(a.mean, ==, b.mean);
  g_assert_cmpfloat(a.deviation, ==, b.deviation);
  g_assert_cmpfloat(a.half_width, ==, b.half_width);
}

TEST(test_largest_values)
{
  const double values[] = {-STATISTICS_VALUE_MAX, STATISTICS_VALUE_MAX};
  statistics s = statistics_of(values, 2);
  g_assert_cmpfloat(s.mean, ==, 0);
  g_assert_true(isfinite(s.deviation));
  g_assert_true(isfinite(s.half_width));
}

/* Differences 1, 2, 3 of values whose own spread is a hundred times that: mean 2, s = 1, t(0.975, 2)
 * = 4.30265: 4.30265 / sqrt(3) = 2.48414. */
TEST(test_pairs)
{
  const double a[] = {101, 202, 303}, b[] = {100, 200, 300};
  statistics s = statistics_of_pairs(a, b, 3);
  expect_near(s.mean, 2, 1e-12);
  expect_near(s.half_width, 2.48414, 1e-5);
  expect_near(statistics_of_pairs(b, a, 3).mean, -2, 1e-12);
}

/* Equal counts and deviations: Welch's freedom is 2 (n - 1) = 4, t(0.975, 4) = 2.77645, s of both {0, 2, 4}
 * and {1, 3, 5} is 2: 2.77645 * sqrt(4 / 3 + 4 / 3) = 4.53391. When b does not vary, only a's counts: freedom
 * 2, t = 4.30265: 4.30265 * 2 / sqrt(3) = 4.96828. */
TEST(test_independent)
{
  const double a[] = {0, 2, 4}, b[] = {1, 3, 5}, constant[] = {3, 3, 3};
  statistics of_a = statistics_of(a, 3), of_b = statistics_of(b, 3), of_constant = statistics_of(constant, 3);
  expect_near(statistics_independent_half_width(&of_a, &of_b), 4.53391, 1e-5);
  expect_near(statistics_independent_half_width(&of_a, &of_constant), 4.96828, 1e-5);
  g_assert_cmpfloat(statistics_independent_half_width(&of_constant, &of_constant), ==, 0);
  statistics of_one = statistics_of(a, 1);
  g_assert_true(isnan(statistics_independent_half_width(&of_a, &of_one)));
}

/* Common random numbers pay: what a seed does to both receivers cancels in their difference.
 * a = {10, 20, 30, 40}, b = {8, 19, 27, 38}: differences {2, 1, 3, 2}, mean 2, squares 0 + 1 + 1 + 0 = 2, s =
 * sqrt(2 / 3) = 0.81650, t(0.975, 3) = 3.18245: 3.18245 * 0.81650 / 2 = 1.29923, so 0 lies outside of 2
 * ± 1.3. Independently: s² of a is 500 / 3 (distances 15, 5, 5, 15), of b 482 / 3 (15, 4, 4, 15):
 * sqrt((166.667 + 160.667) / 4) = 9.04618, freedom 5.998, t = 2.4470: 22.136, and 2 ± 22 says nothing. With b
 * turned around, seeds that pull the receivers apart, pairing is the worse one. */
TEST(test_common_random_numbers)
{
  const double a[] = {10, 20, 30, 40}, b[] = {8, 19, 27, 38}, against[] = {38, 27, 19, 8};
  statistics of_a = statistics_of(a, 4), of_b = statistics_of(b, 4);
  double independent = statistics_independent_half_width(&of_a, &of_b);
  statistics paired = statistics_of_pairs(a, b, 4);
  expect_near(paired.mean, 2, 1e-12);
  expect_near(paired.half_width, 1.29923, 1e-5);
  expect_near(independent, 22.136, 2e-3);
  g_assert_cmpfloat(paired.half_width, <, independent);
  g_assert_cmpfloat(statistics_of_pairs(a, against, 4).half_width, >, independent);
}

/* A normal deviate by Box and Muller's method; the logarithm's argument is in 2^-53 … 1. */
static double normal(random_stream *stream)
{
  double u = ((double)(random_stream_next(stream) >> 11) + 1) * 0x1p-53;
  double v = (double)(random_stream_next(stream) >> 11) * 0x1p-53;
  return sqrt(-2 * log(u)) * cos(2 * G_PI * v);
}

enum { SAMPLES = 10000, COVERAGE_SEED = 20261121 };

/* The share of SAMPLES samples of `count` values, normal around 1000 with deviation 7, whose interval holds
 * 1000. */
static double covered(random_stream *stream, gsize count)
{
  double values[30];
  guint held = 0;
  for (guint sample = 0; sample < SAMPLES; sample++) {
    for (gsize i = 0; i < count; i++) {
      values[i] = 1000 + 7 * normal(stream);
    }
    statistics s = statistics_of(values, count);
    held += fabs(s.mean - 1000) <= s.half_width ? 1 : 0;
  }
  return (double)held / SAMPLES;
}

/* Of 10,000 samples the share covered is 95 % give or take sqrt(0.95 * 0.05 / 10000) = 0.22 %: the bounds are
 * nine such deviations away. An interval that used the normal's 1.96 for Student's t would cover 70 % at n =
 * 2, 81 % at n = 3 and 88 % at n = 5; one that divides by n and not n - 1 covers less than 93 % at n = 5 as
 * well. */
TEST(test_coverage)
{
  static const gsize counts[] = {2, 3, 5, 8, 30};
  random_stream *stream = random_stream_new(COVERAGE_SEED, "coverage");
  g_test_message("seed %d, %d samples of each size", COVERAGE_SEED, SAMPLES);
  for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
    double share = covered(stream, counts[i]);
    g_test_message("n = %d: the 95 %% interval covers %.2f %%", (int)counts[i], 100 * share);
    g_assert_cmpfloat(share, >=, 0.93);
    g_assert_cmpfloat(share, <=, 0.97);
  }
  random_stream_free(stream);
}

/* The same of differences: pairs that share most of their noise (deviation 7), of which each has its own
 * besides (1), and of Welch's interval, whose samples share nothing and have deviations 7 and 1. */
TEST(test_coverage_of_differences)
{
  enum { COUNT = 8 };
  random_stream *stream = random_stream_new(COVERAGE_SEED, "differences");
  guint paired = 0, independent = 0;
  for (guint sample = 0; sample < SAMPLES; sample++) {
    double a[COUNT], b[COUNT], c[COUNT];
    for (int i = 0; i < COUNT; i++) {
      double shared = 7 * normal(stream);
      a[i] = 1000 + shared + normal(stream);
      b[i] = 990 + shared + normal(stream);
      c[i] = 990 + normal(stream);
    }
    statistics difference = statistics_of_pairs(a, b, COUNT);
    paired += fabs(difference.mean - 10) <= difference.half_width ? 1 : 0;
    statistics of_a = statistics_of(a, COUNT), of_c = statistics_of(c, COUNT);
    double half_width = statistics_independent_half_width(&of_a, &of_c);
    independent += fabs(of_a.mean - of_c.mean - 10) <= half_width ? 1 : 0;
  }
  random_stream_free(stream);
  g_test_message("seed %d: of %d samples the paired interval covers %u, Welch's %u", COVERAGE_SEED, SAMPLES,
                 paired, independent);
  g_assert_cmpuint(paired, >=, SAMPLES * 93 / 100);
  g_assert_cmpuint(paired, <=, SAMPLES * 97 / 100);
  g_assert_cmpuint(independent, >=, SAMPLES * 93 / 100);
  g_assert_cmpuint(independent, <=, SAMPLES * 97 / 100);
}
