/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/numbers.h"

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

#define ONE (UINT64_C(1) << INTEGER_LOGARITHM_BITS)

/* log2(2^n) = n, exactly. */
TEST(test_powers_of_two)
{
  for (unsigned exponent = 0; exponent < 128; exponent++) {
    g_assert_cmpuint(integer_logarithm2((uint128)1 << exponent), ==, exponent * ONE);
  }
}

/* The digits of log2(3) = 1.58496250072115618145… and log2(10) = 3.32192809488736234787…, times 2^56 =
 * 72057594037927936. */
TEST(test_known)
{
  g_assert_cmpuint(UINT64_C(114208584442304135) - integer_logarithm2(3), <=, 2);
  g_assert_cmpuint(UINT64_C(239370146084580907) - integer_logarithm2(10), <=, 2);
}

/* log2(2^128 - 1) is less than 128, but by less than 2^-127: 128 * 2^56 = 2^63 is just not reached. */
TEST(test_largest)
{
  uint64_t logarithm = integer_logarithm2(~(uint128)0);
  g_assert_cmpuint(logarithm, <, UINT64_C(1) << 63);
  g_assert_cmpuint((UINT64_C(1) << 63) - logarithm, <=, 3);
}

/* log(a b) = log a + log b, but for the two at most that each of the three may be too low. */
TEST(test_products)
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

/* Every value up to 100^3 against counting upwards. */
TEST(test_small_values_exhaustively)
{
  uint64_t root = 0;
  for (uint64_t value = 0; value <= 1000000; value++) {
    if ((root + 1) * (root + 1) * (root + 1) == value) {
      root++;
    }
    g_assert_cmpuint(integer_cube_root(value), ==, root);
  }
  g_assert_cmpuint(root, ==, 100);
}

/* About a cube the root changes, and nowhere else: n^3 - 1 has n - 1, n^3 has n, (n + 1)^3 - 1 still n. */
TEST(test_around_large_cubes)
{
  uint64_t seed = 20261121;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  g_autoptr(random_stream) stream = random_stream_new(seed, "integer_root");
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t root = random_stream_next(stream) >> (22 + random_stream_below(stream, 40)); /* below 2^42 */
    uint128 cube = (uint128)root * root * root;
    uint128 next_cube = (uint128)(root + 1) * (root + 1) * (root + 1);
    g_assert_cmpuint(integer_cube_root(cube), ==, root);
    g_assert_cmpuint(integer_cube_root(next_cube - 1), ==, root);
    if (root > 0) {
      g_assert_cmpuint(integer_cube_root(cube - 1), ==, root - 1);
    }
  }
}

/* 2^126 is the cube of 2^42. The cube root of 2^128 is 2^42 · 2^(2/3) = 6981463658331.56: a number whose cube
 * fits, and whose successor's does not. */
TEST(test_largest_values)
{
  g_assert_cmpuint(integer_cube_root((uint128)1 << 126), ==, UINT64_C(1) << 42);
  g_assert_cmpuint(integer_cube_root(((uint128)1 << 126) - 1), ==, (UINT64_C(1) << 42) - 1);
  g_assert_cmpuint(integer_cube_root(~(uint128)0), ==, UINT64_C(6981463658331));
}
