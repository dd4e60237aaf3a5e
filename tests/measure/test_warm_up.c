/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the warm-up test: what it calls different, and how often it errs. */
#include "measure/warm_up.h"

#include <math.h>

#include "test.h"

/* Returns the verdict on `count` blocks whose maxima are value(i). */
static warm_up verdict_on(guint count, guint64 (*value)(guint i, guint count))
{
  g_autoptr(GArray) maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint i = 0; i < count; i++) {
    const guint64 maximum = value(i, count);
    g_array_append_val(maxima, maximum);
  }
  return warm_up_test(maxima);
}

static guint64 always_the_same(G_GNUC_UNUSED guint i, G_GNUC_UNUSED guint count)
{
  return 1456;
}

/* 7 i modulo 101 visits every residue: no half has more of the large ones, and neighbours do not correlate.
 */
static guint64 shuffled(guint i, G_GNUC_UNUSED guint count)
{
  return i * 37 % 101;
}

static guint64 higher_later(guint i, guint count)
{
  return shuffled(i, count) + (i < count / 2 ? 0 : 60);
}

/* Loss in three of the blocks, all in one half: so few could be there by chance, 2 (1/2)^3 = 1/4. */
static guint64 three_losses(guint i, G_GNUC_UNUSED guint count)
{
  return i == 70 || i == 80 || i == 95 ? 90000 : 0;
}

TEST(test_verdicts)
{
  g_assert_cmpint(warm_up_test(NULL).verdict, ==, WARM_UP_TOO_SHORT);
  g_assert_cmpint(verdict_on(99, shuffled).verdict, ==, WARM_UP_TOO_SHORT);
  g_assert_cmpint(verdict_on(1000, always_the_same).verdict, ==, WARM_UP_TOO_SHORT);
  g_assert_cmpint(verdict_on(101, three_losses).verdict, ==, WARM_UP_TOO_SHORT);
  g_assert_cmpint(verdict_on(202, shuffled).verdict, ==, WARM_UP_STEADY);
  g_assert_cmpint(verdict_on(202, higher_later).verdict, ==, WARM_UP_DIFFERS);
}

/* 100 distinct values, the 50 least first: the rank sum is 1,275 of a mean of 2,525, its variance 50 · 50 ·
 * 101 / 12. Neighbours correlate a little, by 3183.5 / 20825 within the halves, which widens it. */
static guint64 two_levels(guint i, guint count)
{
  return (i < count / 2 ? 0 : count / 2) + i * 9 % (count / 2);
}

TEST(test_p)
{
  const warm_up test = verdict_on(100, two_levels);
  g_assert_cmpuint(test.blocks, ==, 100);
  const double variance = 50 * 50 * 101 / 12.0 * (1 + 2 * 3183.5 / 20825);
  g_assert_cmpfloat_with_epsilon(test.p, erfc(1250 / sqrt(variance) / sqrt(2)), 1e-24);
  /* A rank sum 8 above the mean. The neighbours' correlation, -0.37, does not narrow its variance. */
  const double p = erfc(8 / sqrt(50 * 50 * 101 / 12.0) / sqrt(2));
  g_assert_cmpfloat_with_epsilon(verdict_on(100, shuffled).p, p, 1e-12);
}

/* Returns one standard normal number. */
static double normal(GRand *random)
{
  return sqrt(-2 * log(1 - g_rand_double(random))) * cos(2 * G_PI * g_rand_double(random));
}

/* The share of 2,000 steady runs of 400 blocks that are called different: 1 %, and with standard errors of
 * 0.22 % at most 1.7 %, when blocks are independent; at most 2.5 % when each depends on the one before
 * (AR(1)), where it calls many too short. */
TEST(test_level)
{
  static const struct {
    double correlation;
    double least, most;
  } cases[] = {{0, 0.004, 0.017}, {0.2, 0.003, 0.025}, {0.5, 0, 0.025}, {0.9, 0, 0.01}};
  enum { TRIALS = 2000, BLOCKS = 400 };
  const guint32 seed = 20261123;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_test_message("seed %u", seed);
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
    guint differ = 0;
    double x = normal(random);
    for (guint trial = 0; trial < TRIALS; trial++) {
      g_autoptr(GArray) maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
      for (guint i = 0; i < BLOCKS; i++) {
        const double r = cases[c].correlation;
        x = r * x + sqrt(1 - r * r) * normal(random);
        const guint64 maximum = (guint64)(1e6 + 1e5 * x);
        g_array_append_val(maxima, maximum);
      }
      differ += warm_up_test(maxima).verdict == WARM_UP_DIFFERS;
    }
    g_test_message("correlation %g: %g %%", cases[c].correlation, 100.0 * differ / TRIALS);
    g_assert_cmpfloat(differ, >=, cases[c].least * TRIALS);
    g_assert_cmpfloat(differ, <=, cases[c].most * TRIALS);
  }
}
