/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what lies between the ends of an axis. */
#include "scenario/scenario_axes.h"

#include "base/numbers.h"
#include "test.h"

static void assert_numbers(GArray *numbers, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < numbers->len; i++) {
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i > 0 ? " " : "",
                           g_array_index(numbers, guint64, i));
  }
  g_assert_cmpstr(text->str, ==, expected);
  g_array_unref(numbers);
}

TEST(test_steps)
{
  assert_numbers(scenario_axis_range_steps(1000, 9000, 4000, 100), "1000 5000 9000");
  assert_numbers(scenario_axis_range_steps(1000, 8999, 4000, 100), "1000 5000");
  assert_numbers(scenario_axis_range_steps(7, 7, 1, 100), "7");
  assert_numbers(scenario_axis_range_steps(7, 8, 100, 100), "7");
}

/* The end of the numbers is not run over, and one more than the limit is enough to see that there are too
 * many. */
TEST(test_steps_end)
{
  assert_numbers(scenario_axis_range_steps(G_MAXUINT64 - 5, G_MAXUINT64, 3, 100),
                 "18446744073709551610 18446744073709551613");
  assert_numbers(scenario_axis_range_steps(0, G_MAXUINT64, 1, 2), "0 1 2");
}

TEST(test_factors_of_ten)
{
  assert_numbers(scenario_axis_range_factors(1, 100000, 6, 0), "1 10 100 1000 10000 100000");
  assert_numbers(scenario_axis_range_factors(1, 100000, 6, 3), "1 10 100 1000 10000 100000");
  assert_numbers(scenario_axis_range_factors(5, 6, 2, 0), "5 6");
}

/* The square root of ten is 3.16227766…; values have three digits, and as many more as are needed to
 * distinguish them: 1001 in the middle of 1000 and 1002 needs four. */
TEST(test_digits)
{
  assert_numbers(scenario_axis_range_factors(1000000, 10000000, 3, 3), "1000000 3160000 10000000");
  assert_numbers(scenario_axis_range_factors(1000000, 10000000, 3, 0), "1000000 3162278 10000000");
  assert_numbers(scenario_axis_range_factors(10000, 10020, 3, 3), "10000 10010 10020");
  assert_numbers(scenario_axis_range_factors(1000, 1002, 3, 3), "1000 1001 1002");
  assert_numbers(scenario_axis_range_factors(1000, 1002, 3, 1), "1000 1001 1002");
}

/* 9.996 has three digits only as 10.0: rounding may carry into the next power of ten. 9990^(1/2)
 * 10002^(1/2) = 9995.998… */
TEST(test_carry)
{
  assert_numbers(scenario_axis_range_factors(9990, 10002, 3, 3), "9990 10000 10002");
}

/* 5^(1/9) = 1.195…: ten points from 1 to 5 are 1, 1.2, 1.4, 1.7, 2.0, 2.4, 2.9, 3.5, 4.2, 5. */
TEST(test_no_number_twice)
{
  assert_numbers(scenario_axis_range_factors(1, 5, 10, 0), "1 2 3 4 5");
  assert_numbers(scenario_axis_range_factors(1, 5, 10, 3), "1 2 3 4 5");
}

/* The largest numbers: from 1 to 2^64 - 1 the middle is 2^32 less next to nothing. */
TEST(test_largest)
{
  assert_numbers(scenario_axis_range_factors(1, G_MAXUINT64, 3, 0), "1 4294967296 18446744073709551615");
}

static uint128 cube(guint64 x)
{
  return (uint128)x * x * x;
}

/* With four points the second is the cube root of from^2 to: the nearest whole number x has (2x - 1)^3 <=
 * 8 from^2 to <= (2x + 1)^3. */
TEST(test_nearest)
{
  const guint32 seed = 4201;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_test_message("seed %u", seed);
  for (int i = 0; i < 500; i++) {
    guint64 from = (guint64)g_rand_int_range(random, 1, 100000);
    guint64 to =
        from * (guint64)g_rand_int_range(random, 20, 1000) + (guint64)g_rand_int_range(random, 0, 1000);
    g_autoptr(GArray) numbers = scenario_axis_range_factors(from, to, 4, 0);
    g_assert_cmpuint(numbers->len, ==, 4);
    guint64 second = g_array_index(numbers, guint64, 1);
    guint64 third = g_array_index(numbers, guint64, 2);
    g_assert_true(cube(2 * second - 1) <= 8 * (uint128)from * from * to);
    g_assert_true(cube(2 * second + 1) >= 8 * (uint128)from * from * to);
    g_assert_true(cube(2 * third - 1) <= 8 * (uint128)from * to * to);
    g_assert_true(cube(2 * third + 1) >= 8 * (uint128)from * to * to);
  }
}

static void assert_probability(const char *text, guint64 expected)
{
  const scenario_key_row *row = scenario_key_row_of(SCENARIO_PATH_FORWARD_LOSS);
  scenario_value value = {0};
  char *problem = NULL;
  guint64 number = 0;
  g_assert_true(scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem));
  g_assert_true(scenario_axis_range_number(row, &value, &number));
  g_assert_cmpuint(number, ==, expected);
  g_autofree char *back = scenario_axis_range_text(row, number);
  g_autofree char *canonical = scenario_value_write(row, &value);
  g_assert_cmpstr(back, ==, canonical);
}

TEST(test_probabilities)
{
  assert_probability("0", 0);
  assert_probability("1", G_GUINT64_CONSTANT(1000000000000000000));
  assert_probability("0.1%", G_GUINT64_CONSTANT(1000000000000000));
  assert_probability("0.3", G_GUINT64_CONSTANT(300000000000000000));
  assert_probability("1e-18", 1);
  assert_probability("2.5e-7", G_GUINT64_CONSTANT(250000000000));
}

/* No whole number of 10^-18: the digit after the last. */
TEST(test_too_fine)
{
  const scenario_key_row *row = scenario_key_row_of(SCENARIO_PATH_FORWARD_LOSS);
  scenario_value value = {.probability = 1.5e-18};
  guint64 number;
  g_assert_false(scenario_axis_range_number(row, &value, &number));
}
