/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/integer_root.h"

#include <glib.h>

#include "base/random_stream.h"

/* Every value up to 100^3 against counting upwards. */
static void test_small_values_exhaustively(void)
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
static void test_around_large_cubes(void)
{
  uint64_t seed = 20261121;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  random_stream *stream = random_stream_new(seed, "integer_root");
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
  random_stream_free(stream);
}

/* 2^126 is the cube of 2^42. The cube root of 2^128 is 2^42 · 2^(2/3) = 6981463658331.56: a number whose cube fits, and whose
 * successor's does not. */
static void test_largest_values(void)
{
  g_assert_cmpuint(integer_cube_root((uint128)1 << 126), ==, UINT64_C(1) << 42);
  g_assert_cmpuint(integer_cube_root(((uint128)1 << 126) - 1), ==, (UINT64_C(1) << 42) - 1);
  g_assert_cmpuint(integer_cube_root(~(uint128)0), ==, UINT64_C(6981463658331));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/base/integer_root/small_values", test_small_values_exhaustively);
  g_test_add_func("/base/integer_root/around_large_cubes", test_around_large_cubes);
  g_test_add_func("/base/integer_root/largest_values", test_largest_values);
  return g_test_run();
}
