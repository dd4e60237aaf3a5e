/* Mean and Student-t interval against numbers worked out by hand and from printed tables. */
#include "study/statistics.h"

#include <math.h>

static void expect_near(double value, double expected, double tolerance)
{
  g_assert_cmpfloat_with_epsilon(value, expected, tolerance);
}

/* {1, 2, 3, 4, 5}: mean 3, squares 4 + 1 + 0 + 1 + 4 = 10, s = sqrt(10 / 4) = 1.5811, t(0.975, 4) = 2.7764:
 * 2.7764 * 1.5811 / sqrt(5) = 1.9632. */
static void test_five(void)
{
  const double values[] = {5, 1, 4, 2, 3};
  expect_near(statistics_mean(values, 5), 3, 1e-12);
  expect_near(statistics_half_width(values, 5, 0.95), 1.9632, 1e-4);
}

/* {0, 2}: s = sqrt(2), t(0.975, 1) = 12.7062: 12.7062 * sqrt(2) / sqrt(2) = 12.7062. At 90 %: t(0.95, 1) =
 * 6.3138. */
static void test_two(void)
{
  const double values[] = {0, 2};
  expect_near(statistics_mean(values, 2), 1, 1e-12);
  expect_near(statistics_half_width(values, 2, 0.95), 12.7062, 1e-4);
  expect_near(statistics_half_width(values, 2, 0.90), 6.3138, 1e-4);
}

/* 30 values, half 9 and half 11: mean 10, s = sqrt(30 / 29) = 1.01710, t(0.975, 29) = 2.0452:
 * 2.0452 * 1.01710 / sqrt(30) = 0.37979. */
static void test_thirty(void)
{
  double values[30];
  for (int i = 0; i < 30; i++) {
    values[i] = i % 2 == 0 ? 9 : 11;
  }
  expect_near(statistics_mean(values, 30), 10, 1e-12);
  expect_near(statistics_half_width(values, 30, 0.95), 0.37979, 1e-5);
}

static void test_no_spread(void)
{
  const double values[] = {8960, 8960, 8960};
  expect_near(statistics_mean(values, 3), 8960, 1e-12);
  expect_near(statistics_half_width(values, 3, 0.95), 0, 1e-12);
}

static void test_one(void)
{
  const double value = 42.5;
  expect_near(statistics_mean(&value, 1), 42.5, 1e-12);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/statistics/five", test_five);
  g_test_add_func("/statistics/two", test_two);
  g_test_add_func("/statistics/thirty", test_thirty);
  g_test_add_func("/statistics/no_spread", test_no_spread);
  g_test_add_func("/statistics/one", test_one);
  return g_test_run();
}
