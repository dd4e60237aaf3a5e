/* SPDX-License-Identifier: GPL-2.0-only */
/* Bins of a value histogram: where values fall, how far below its bound a value can lie, what is exported. */
#include "measure/distribution.h"
#include "test.h"

/* Every value below 32 is alone in its bin; from 32 on the sixteenths of each power of two: 32 … 63 in twos,
 * 64 … 127 in fours … */
static const struct {
  uint64_t value;
  uint64_t bound;
} bounds_rows[] = {{0, 0},
                   {1, 1},
                   {31, 31},
                   {32, 33},
                   {33, 33},
                   {34, 35},
                   {63, 63},
                   {64, 67},
                   {67, 67},
                   {68, 71},
                   {1460, 1471},   /* 1024 … 2047 in steps of 64: 1408 … 1471 */
                   {65535, 65535}, /* the last of 32768 … 65535 */
                   {65536, 69631}, /* steps of 4096 */
                   {UINT64_C(1) << 63, (UINT64_C(17) << 59) - 1},
                   {UINT64_MAX, UINT64_MAX}};

ROW_TEST(test_bounds, bounds_rows)
{
  g_assert_cmpuint(value_histogram_bound(value_histogram_bin(c->value)), ==, c->bound);
}

/* The bins follow one another without gap or overlap: one above the bound of a bin is the first value of the
 * next. */
TEST(test_bins_are_a_partition)
{
  for (size_t bin = 0; bin + 1 < DISTRIBUTION_BINS_MAX; bin++) {
    uint64_t bound = value_histogram_bound(bin);
    g_assert_cmpuint(value_histogram_bin(bound), ==, bin);
    g_assert_cmpuint(value_histogram_bin(bound + 1), ==, bin + 1);
  }
  g_assert_cmpuint(value_histogram_bound(DISTRIBUTION_BINS_MAX - 1), ==, UINT64_MAX);
}

/* value <= bound < value * 17/16, for any value. */
TEST(test_error)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(20261121);
  for (int i = 0; i < 100000; i++) {
    uint64_t value =
        ((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >> g_rand_int_range(random, 5, 64);
    uint64_t bound = value_histogram_bound(value_histogram_bin(value));
    g_assert_cmpuint(bound, >=, value);
    g_assert_cmpuint((bound - value) * 16, <=, value);
  }
}

static void assert_bin(const distribution *d, size_t i, double bound, double weight)
{
  g_assert_cmpuint(i, <, d->count);
  g_assert_cmpfloat(d->bins[i].bound, ==, bound);
  g_assert_cmpfloat(d->bins[i].weight, ==, weight);
}

/* 32 and 33 share the bin up to 33; 5 is exact; 10^12 lies in 2^39 … 2^40 - 1 in steps of 2^35, of which 29
 * are below it: its bin is that of 29 * 2^35 … 30 * 2^35 - 1 = 1030792151039, but nothing larger than 10^12
 * occurred. In seconds (10^12 ps) and weights by the thousand. */
TEST(test_export)
{
  g_autofree value_histogram *histogram = g_new0(value_histogram, 1);
  distribution d;
  value_histogram_export(histogram, 1, 1, &d);
  g_assert_cmpuint(d.count, ==, 0);
  g_assert_null(d.bins);

  value_histogram_add(histogram, 33, 3000);
  value_histogram_add(histogram, 5, 1000);
  value_histogram_add(histogram, 32, 500);
  value_histogram_add(histogram, UINT64_C(1000000000000), 10);
  value_histogram_add(histogram, 7, 0);
  value_histogram_export(histogram, 1e12, 1e3, &d);
  g_assert_cmpuint(d.count, ==, 3);
  assert_bin(&d, 0, 5e-12, 1);
  assert_bin(&d, 1, 33e-12, 3.5);
  assert_bin(&d, 2, 1, 0.01);
  distribution_clear(&d);
}

/* A value in every bin comes out as DISTRIBUTION_BINS_MAX bins. */
TEST(test_full)
{
  g_autofree value_histogram *histogram = g_new0(value_histogram, 1);
  distribution d;
  for (size_t bin = 0; bin < DISTRIBUTION_BINS_MAX; bin++) {
    value_histogram_add(histogram, value_histogram_bound(bin), bin + 1);
  }
  value_histogram_export(histogram, 1e12, 1, &d);
  g_assert_cmpuint(d.count, ==, 976);
  g_assert_cmpfloat(d.bins[975].weight, ==, 976);
  g_assert_cmpfloat(distribution_weight(&d), ==, 976 * 977 / 2.0);
  distribution_clear(&d);
}
