/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the search on conditions that are functions of the number: what it finds, and how
 * often it has to look. */
#include "study/size/size_question.h"

#include "test.h"

#define ONE_PER_CENT(least, most)                                                                            \
  {                                                                                                          \
    .from = (least), .to = (most), .precision = 0.01, .binary = TRUE                                         \
  }

/* Returns whether a condition keeps at `number`. */
typedef gboolean (*condition)(guint64 number, const guint64 *parameters);

static gboolean is_at_least(guint64 number, const guint64 *parameters)
{
  return number >= parameters[0];
}

static gboolean is_at_most(guint64 number, const guint64 *parameters)
{
  return number <= parameters[0];
}

/* It holds from the first to the second, and from the third on. */
static gboolean is_island(guint64 number, const guint64 *parameters)
{
  return (number >= parameters[0] && number <= parameters[1]) || number >= parameters[2];
}

static guint64 number_at(const GPtrArray *verdicts, guint index)
{
  return ((const size_verdict *)g_ptr_array_index(verdicts, index))->number;
}

static void look(GPtrArray *verdicts, guint place, guint64 number, condition keeps, const guint64 *parameters)
{
  g_assert_true(place == 0 || number_at(verdicts, place - 1) < number);
  g_assert_true(place == verdicts->len || number_at(verdicts, place) > number);
  const size_verdict verdict = {number, keeps(number, parameters)};
  g_ptr_array_insert(verdicts, (gint)place, g_memdup2(&verdict, sizeof verdict));
}

/* Searches to the end; `*halvings` is how often it looked after the grid. Free with g_ptr_array_unref(). */
static GPtrArray *search(const size_scope *scope, condition keeps, const guint64 *parameters, guint *halvings)
{
  GPtrArray *verdicts = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) grid = size_search_grid(scope);
  guint64 number = 0;
  for (guint i = 0; i < grid->len; i++) {
    look(verdicts, i, g_array_index(grid, guint64, i), keeps, parameters);
  }
  guint place;
  for (*halvings = 0; (place = size_search_next(scope, verdicts, &number)) > 0; (*halvings)++) {
    look(verdicts, place, number, keeps, parameters);
  }
  return verdicts;
}

/* A threshold anywhere is found within 1 % above it; whole numbers exactly, where 1 % is less than one.
 * Halving the logarithm of 4 until 1 % is left takes log2(ln 4 / 0.01) = 7.1 looks; a number that is rounder
 * than the middle may leave 5/8 of the gap each time: log(ln 4 / 0.01) / log(8 / 5) = 10.5. */
TEST(test_threshold)
{
  static const size_scope scopes[] = {ONE_PER_CENT(0, G_GUINT64_CONSTANT(1) << 40),
                                      ONE_PER_CENT(1024, 1 << 30),
                                      ONE_PER_CENT(1, G_MAXINT64),
                                      ONE_PER_CENT(1000, 1001),
                                      ONE_PER_CENT(0, 1),
                                      ONE_PER_CENT(90, 1000)};
  enum { SEED = 19 };
  GRand *random = g_rand_new_with_seed(SEED);
  g_test_message("seed %d", SEED);
  for (gsize i = 0; i < G_N_ELEMENTS(scopes) * 200; i++) {
    size_scope scope = scopes[i % G_N_ELEMENTS(scopes)];
    scope.binary = g_rand_boolean(random);
    const guint bits = (guint)g_bit_storage(scope.to);
    const guint64 any = ((guint64)g_rand_int(random) << 32 | g_rand_int(random)) >>
                        g_rand_int_range(random, 64 - (gint32)bits, 64);
    const guint64 threshold = CLAMP(any, scope.from + 1, scope.to);
    guint halvings;
    g_autoptr(GPtrArray) verdicts = search(&scope, is_at_least, &threshold, &halvings);
    const size_answer answer = size_search_answer(verdicts);
    g_assert_cmpuint(answer.also, ==, answer.least);
    const guint64 least = number_at(verdicts, answer.least);
    g_assert_cmpuint(least, >=, threshold);
    g_assert_cmpuint(number_at(verdicts, answer.least - 1), <, threshold);
    g_assert_cmpfloat((double)(least - threshold), <=, 0.01 * (double)least);
    g_assert_cmpuint(halvings, <=, 11);
    g_assert_cmpuint(verdicts->len - halvings, <=, 26);
  }
  g_rand_free(random);
}

TEST(test_grid)
{
  /* 2^10 to 2^20: ten factors of 2. 2^0 to 2^40, and 0: twenty of 4. 90 to 1000 are 3.5 octaves, and 9
   * numbers. */
  static const size_scope scopes[] = {ONE_PER_CENT(1024, 1 << 20),
                                      ONE_PER_CENT(0, G_GUINT64_CONSTANT(1) << 40), ONE_PER_CENT(90, 1000)};
  static const guint lengths[] = {11, 22, 9};
  for (gsize i = 0; i < G_N_ELEMENTS(scopes); i++) {
    g_autoptr(GArray) grid = size_search_grid(&scopes[i]);
    g_assert_cmpuint(grid->len, ==, lengths[i]);
    g_assert_cmpuint(g_array_index(grid, guint64, 0), ==, scopes[i].from);
    g_assert_cmpuint(g_array_index(grid, guint64, grid->len - 1), ==, scopes[i].to);
  }
}

/* What lies between the ends is round: from 1500 octets on by a factor of 1.93 comes 2888, near which is 3
 * KiB. */
TEST(test_round_grid)
{
  const size_scope scope = ONE_PER_CENT(1500, 1 << 20);
  g_autoptr(GArray) grid = size_search_grid(&scope);
  g_assert_cmpuint(grid->len, ==, 11);
  g_assert_cmpuint(g_array_index(grid, guint64, 1), ==, 3072);
  for (guint i = 1; i < grid->len; i++) {
    g_assert_cmpuint(g_array_index(grid, guint64, i) % 1024, ==, 0);
  }
}

/* Between 64 and 128 KiB the middle is 92,682, and 96 KiB is near it; between 1 and 2 Gbit/s 1.4. */
TEST(test_round_numbers)
{
  static const struct {
    guint64 low, high, middle;
    gboolean binary;
  } gaps[] = {{65536, 131072, 98304, TRUE}, {1000000000, 2000000000, 1400000000, FALSE}, {7, 9, 8, TRUE}};
  for (gsize i = 0; i < G_N_ELEMENTS(gaps); i++) {
    const size_scope scope = {.from = 1, .to = 2 * gaps[i].high, .precision = 0.01, .binary = gaps[i].binary};
    size_verdict known[] = {{gaps[i].low, FALSE}, {gaps[i].high, TRUE}};
    g_autoptr(GPtrArray) verdicts = g_ptr_array_new();
    g_ptr_array_add(verdicts, &known[0]);
    g_ptr_array_add(verdicts, &known[1]);
    guint64 number = 0;
    g_assert_cmpuint(size_search_next(&scope, verdicts, &number), ==, 1);
    g_assert_cmpuint(number, ==, gaps[i].middle);
  }
}

/* Goodput over memory may rise, fall and rise again: what counts is the last time it rises. */
TEST(test_not_monotone)
{
  const size_scope scope = ONE_PER_CENT(1024, 1 << 20);
  const guint64 parameters[] = {3000, 9000, 50000};
  guint halvings;
  g_autoptr(GPtrArray) verdicts = search(&scope, is_island, parameters, &halvings);
  const size_answer answer = size_search_answer(verdicts);
  g_assert_cmpuint(answer.also, <, answer.least);
  g_assert_cmpuint(number_at(verdicts, answer.also), ==, 4096); /* of the grid, the first in the island */
  g_assert_cmpuint(number_at(verdicts, answer.least), >=, 50000);
  g_assert_cmpuint(number_at(verdicts, answer.least), <=, 50500);
}

/* Where there is nothing to find, nothing is looked at after the grid of 11 numbers. Up to 9000 are 1024,
 * 2048, 4096 and 8192. */
TEST(test_no_threshold)
{
  const size_scope scope = ONE_PER_CENT(1024, 1 << 20);
  static const struct {
    condition keeps;
    guint64 parameter;
    guint least, also;
  } rows[] = {{is_at_least, 1, 0, 0}, {is_at_least, 1 << 21, 11, 11}, {is_at_most, 9000, 11, 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    guint halvings;
    g_autoptr(GPtrArray) verdicts = search(&scope, rows[i].keeps, &rows[i].parameter, &halvings);
    const size_answer answer = size_search_answer(verdicts);
    g_assert_cmpuint(answer.least, ==, rows[i].least);
    g_assert_cmpuint(answer.also, ==, rows[i].also);
    g_assert_cmpuint(halvings, ==, 0);
  }
}
