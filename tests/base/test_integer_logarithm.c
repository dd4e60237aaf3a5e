/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/integer_logarithm.h"

#include <glib.h>

#define ONE (UINT64_C(1) << INTEGER_LOGARITHM_BITS)

/* log2(2^n) = n, exactly. */
static void test_powers_of_two(void)
{
  for (unsigned exponent = 0; exponent < 128; exponent++) {
    g_assert_cmpuint(integer_logarithm2((uint128)1 << exponent), ==, exponent * ONE);
  }
}

/* The digits of log2(3) = 1.58496250072115618145… and log2(10) = 3.32192809488736234787…, times 2^56 = 72057594037927936. */
static void test_known(void)
{
  g_assert_cmpuint(UINT64_C(114208584442304135) - integer_logarithm2(3), <=, 2);
  g_assert_cmpuint(UINT64_C(239370146084580907) - integer_logarithm2(10), <=, 2);
}

/* log2(2^128 - 1) is less than 128, but by less than 2^-127: 128 * 2^56 = 2^63 is just not reached. */
static void test_largest(void)
{
  uint64_t logarithm = integer_logarithm2(~(uint128)0);
  g_assert_cmpuint(logarithm, <, UINT64_C(1) << 63);
  g_assert_cmpuint((UINT64_C(1) << 63) - logarithm, <=, 3);
}

/* log(a b) = log a + log b, but for the two at most that each of the three may be too low. */
static void test_products(void)
{
  const guint32 seed = 20261121;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_test_message("seed %u", seed);
  for (int i = 0; i < 2000; i++) {
    uint64_t a = 1 + g_rand_int(random);
    uint64_t b = ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 0, 63);
    b += b == 0;
    gint64 difference =
        (gint64)(integer_logarithm2((uint128)a * b) - integer_logarithm2(a) - integer_logarithm2(b));
    g_assert_cmpint(difference, <=, 4);
    g_assert_cmpint(difference, >=, -2);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/integer_logarithm/powers_of_two", test_powers_of_two);
  g_test_add_func("/integer_logarithm/known", test_known);
  g_test_add_func("/integer_logarithm/largest", test_largest);
  g_test_add_func("/integer_logarithm/products", test_products);
  return g_test_run();
}
