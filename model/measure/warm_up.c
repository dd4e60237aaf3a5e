/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/warm_up.h"

#include <math.h>
#include <stdlib.h>

#include "base/numbers.h"

const char *const warm_up_verdicts[] = {"too short to tell", "steady", "differs"};

/* Returns the two-sided p of the rank sum `sum`, by the normal approximation, which ties do not harm. */
static double p_of(double sum, double deviation)
{
  return erfc(fabs(sum) / deviation / sqrt(2));
}

static double sum_of(const double *ranks, guint count)
{
  double sum = 0;
  for (guint i = 0; i < count; i++) {
    sum += ranks[i];
  }
  return sum;
}

/* Returns how the ranks correlate with their neighbours' within either half: halves that differ must not look
 * like correlation. */
static double correlation_of(const double *ranks, guint count)
{
  double squares = 0, products = 0;
  for (guint part = 0; part < 2; part++) {
    const guint from = part == 0 ? 0 : count / 2, to = part == 0 ? count / 2 : count;
    const double mean = sum_of(ranks + from, to - from) / (to - from);
    for (guint i = from; i < to; i++) {
      squares += (ranks[i] - mean) * (ranks[i] - mean);
      products += i > from ? (ranks[i] - mean) * (ranks[i - 1] - mean) : 0;
    }
  }
  return squares > 0 ? products / squares : 0;
}

/* Compares the halves of `count` blocks, unless their ranks still correlate: then FALSE. */
static gboolean compare_halves(const double *values, guint count, warm_up *test)
{
  double *ranks = ranks_of(values, count);
  double squares = 0;
  for (guint i = 0; i < count; i++) {
    ranks[i] -= (count + 1.0) / 2; /* their mean */
    squares += ranks[i] * ranks[i];
  }
  double correlation = correlation_of(ranks, count);
  gboolean good = correlation <= 2 / sqrt(count);
  if (good && squares > 0) {
    guint half = count / 2;
    double widened = 1 + 2 * MAX(correlation, 0);
    double deviation = sqrt(widened * squares * half * (count - half) / ((double)count * (count - 1)));
    test->blocks = count;
    test->p = p_of(sum_of(ranks, half), deviation);
    qsort(ranks, count, sizeof *ranks, compare_doubles); /* the order that would show most */
    test->verdict = p_of(sum_of(ranks, half), deviation) > WARM_UP_LEVEL ? WARM_UP_TOO_SHORT
                    : test->p < WARM_UP_LEVEL                            ? WARM_UP_DIFFERS
                                                                         : WARM_UP_STEADY;
  }
  g_free(ranks);
  return good;
}

warm_up warm_up_test(const GArray *maxima)
{
  warm_up test = {.verdict = WARM_UP_TOO_SHORT, .p = 1};
  guint count = maxima ? maxima->len : 0;
  double *values = g_new(double, count);
  for (guint i = 0; i < count; i++) {
    values[i] = (double)g_array_index(maxima, guint64, i);
  }
  while (count >= WARM_UP_BLOCKS_MIN && !compare_halves(values, count, &test)) {
    count /= 2;
    for (guint i = 0; i < count; i++) {
      values[i] = MAX(values[2 * i], values[2 * i + 1]);
    }
  }
  if (test.verdict == WARM_UP_TOO_SHORT) {
    test.p = 1;
  }
  g_free(values);
  return test;
}
