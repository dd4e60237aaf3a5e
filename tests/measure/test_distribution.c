/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions as values: what is accepted, what is read off, and the table of those a run has. */
#include "measure/distribution.h"
#include "test.h"

#include <math.h>

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(distribution, distribution_clear)

TEST(test_table)
{
  g_assert_cmpint(distribution_find("buffer.reassembly_octets"), ==, DISTRIBUTION_REASSEMBLY_OCTETS);
  g_assert_cmpint(distribution_find("delay.placement_s"), ==, DISTRIBUTION_PLACEMENT_DELAY_S);
  g_assert_cmpint(distribution_find("delay.delivery_s"), ==, DISTRIBUTION_DELIVERY_DELAY_S);
  g_assert_cmpint(distribution_find("delay.delivery"), ==, DISTRIBUTION_COUNT);
  g_assert_cmpint(distribution_find(""), ==, DISTRIBUTION_COUNT);
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);
    g_assert_cmpint(distribution_find(row->name), ==, id);
    /* the unit is the end of the name, as with metrics; a ratio has none */
    g_autofree char *suffix = g_strconcat("_", row->unit, NULL);
    g_assert_true(g_str_has_suffix(row->name, suffix) || id == DISTRIBUTION_MESSAGE_SLOWDOWN);
    g_assert_true(g_str_has_suffix(row->sentence, "."));
  }
  g_assert_cmpstr(distribution_row_of(DISTRIBUTION_REASSEMBLY_OCTETS)->weight_unit, ==, "s");
  g_assert_cmpstr(distribution_row_of(DISTRIBUTION_DELIVERY_DELAY_S)->weight_unit, ==, "octets");
}

TEST(test_append)
{
  g_auto(distribution) d = {.bins = NULL};
  g_assert_false(distribution_append(&d, -1, 1));
  g_assert_false(distribution_append(&d, NAN, 1));
  g_assert_false(distribution_append(&d, INFINITY, 1));
  g_assert_false(distribution_append(&d, 0, 0));
  g_assert_false(distribution_append(&d, 0, -1));
  g_assert_false(distribution_append(&d, 0, NAN));
  g_assert_false(distribution_append(&d, 0, INFINITY));
  g_assert_cmpuint(d.count, ==, 0);
  g_assert_true(distribution_append(&d, 0, 2));
  g_assert_false(distribution_append(&d, 0, 2)); /* not above the last */
  g_assert_true(distribution_append(&d, 3, 4));
  g_assert_false(distribution_append(&d, 1, 2));
  g_assert_cmpuint(d.count, ==, 2);
  g_assert_cmpfloat(distribution_weight(&d), ==, 6);
  distribution_clear(&d);
  g_assert_cmpuint(d.count, ==, 0);
  g_assert_cmpfloat(distribution_weight(&d), ==, 0);
}

TEST(test_many_bins)
{
  g_auto(distribution) d = {.bins = NULL};
  for (int i = 0; i < DISTRIBUTION_BINS_MAX; i++) {
    g_assert_true(distribution_append(&d, i, i + 1));
  }
  g_assert_false(distribution_append(&d, 1e9, 1));
  g_assert_cmpuint(d.count, ==, DISTRIBUTION_BINS_MAX);
  for (int i = 0; i < DISTRIBUTION_BINS_MAX; i++) {
    g_assert_cmpfloat(d.bins[i].bound, ==, i);
    g_assert_cmpfloat(d.bins[i].weight, ==, i + 1);
  }
}

/* The copy is its own: appending to one or freeing it leaves the other. */
TEST(test_copy)
{
  for (size_t count = 0; count <= 5; count++) {
    distribution from = {.bins = NULL}, to = {.bins = NULL};
    for (size_t i = 0; i < count; i++) {
      g_assert_true(distribution_append(&from, (double)i, 7));
    }
    distribution_copy(&to, &from);
    g_assert_true(distribution_append(&to, 100, 1));
    g_assert_true(distribution_append(&to, 101, 1));
    g_assert_cmpuint(from.count, ==, count);
    distribution_clear(&from);
    g_assert_cmpuint(to.count, ==, count + 2);
    g_assert_cmpfloat(distribution_weight(&to), ==, 7 * (double)count + 2);
    distribution_clear(&to);
  }
}

static void append_all(distribution *d, const double bins[][2], gsize count)
{
  for (gsize i = 0; i < count; i++) {
    g_assert_true(distribution_append(d, bins[i][0], bins[i][1]));
  }
}

/* Bounds that both have become one bin, wherever they stand; nothing is added by adding nothing. */
TEST(test_add)
{
  static const double first[][2] = {{0, 1}, {4, 2}, {8, 3}};
  static const double second[][2] = {{2, 10}, {4, 20}, {8, 30}, {9, 40}};
  static const double sums[][2] = {{0, 1}, {2, 10}, {4, 22}, {8, 33}, {9, 40}};
  g_auto(distribution) a = {.bins = NULL}, b = {.bins = NULL}, sum = {.bins = NULL};
  append_all(&a, first, G_N_ELEMENTS(first));
  append_all(&b, second, G_N_ELEMENTS(second));
  distribution_add(&sum, &a);
  distribution_add(&sum, &(distribution){.bins = NULL});
  g_assert_cmpuint(sum.count, ==, a.count);
  distribution_add(&sum, &b);
  g_assert_cmpuint(sum.count, ==, G_N_ELEMENTS(sums));
  for (gsize i = 0; i < G_N_ELEMENTS(sums); i++) {
    g_assert_cmpfloat(sum.bins[i].bound, ==, sums[i][0]);
    g_assert_cmpfloat(sum.bins[i].weight, ==, sums[i][1]);
  }
  g_assert_true(distribution_append(&sum, 10, 1));
  g_assert_cmpuint(b.count, ==, 4);
}

/* 10 of 100 up to 0, 80 up to 5, 10 up to 9. */
TEST(test_quantiles)
{
  g_auto(distribution) d = {.bins = NULL};
  static const double bins[][2] = {{0, 10}, {5, 80}, {9, 10}};
  append_all(&d, bins, G_N_ELEMENTS(bins));
  g_assert_cmpfloat(distribution_quantile(&d, 1e-9), ==, 0);
  g_assert_cmpfloat(distribution_quantile(&d, 0.1), ==, 0); /* exactly the share */
  g_assert_cmpfloat(distribution_quantile(&d, 0.11), ==, 5);
  g_assert_cmpfloat(distribution_quantile(&d, 0.9), ==, 5);
  g_assert_cmpfloat(distribution_quantile(&d, 0.91), ==, 9);
  g_assert_cmpfloat(distribution_quantile(&d, 1), ==, 9);
}

/* Weights whose sum rounds: all of it is held by the last bin, not by one after it. */
TEST(test_quantile_of_all)
{
  g_auto(distribution) d = {.bins = NULL};
  for (int i = 0; i < 10; i++) {
    g_assert_true(distribution_append(&d, i, 0.1));
  }
  g_assert_cmpfloat(distribution_quantile(&d, 1), ==, 9);
}
