/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#define CONFIDENCE 0.95

static int compare_values(const void *a, const void *b)
{
  double value_a = *(const double *)a, value_b = *(const double *)b;
  return (value_a > value_b) - (value_a < value_b);
}

/* A sum depends on its order in the last bits; results must not. Free with g_free(). */
static double *sorted_copy(const double *values, gsize count)
{
  double *sorted = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    g_assert(fabs(values[i]) <= STATISTICS_VALUE_MAX);
    sorted[i] = values[i];
  }
  qsort(sorted, count, sizeof *sorted, compare_values);
  return sorted;
}

/* The distances from a value in their middle are small where the values are large and close together: few
 * digits are lost, and equal values have exactly themselves as their mean. */
static double mean_of(const double *sorted, gsize count)
{
  double origin = sorted[count / 2];
  double sum = 0;
  for (gsize i = 0; i < count; i++) {
    sum += sorted[i] - origin;
  }
  return origin + sum / (double)count;
}

/* The value that two-sided `confidence` of Student's t with `freedom` degrees stay within. */
static double student_quantile(double confidence, double freedom)
{
  return qt(0.5 + confidence / 2, freedom, TRUE, FALSE);
}

/* Type 7 of R's quantile(): order statistic number 1 + share · (n - 1), linear between whole ones. */
static double quantile_of(const double *sorted, gsize count, double share)
{
  double place = share * (double)(count - 1);
  gsize below = (gsize)place;
  if (below + 1 >= count) {
    return sorted[count - 1];
  }
  return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

statistics statistics_of(const double *values, gsize count)
{
  if (count == 0) {
    return (statistics){.count = 0};
  }
  g_autofree double *sorted = sorted_copy(values, count);
  statistics result = {.count = count,
                       .mean = mean_of(sorted, count),
                       .deviation = (double)NAN,
                       .half_width = (double)NAN,
                       .lower = (double)NAN,
                       .upper = (double)NAN,
                       .median = quantile_of(sorted, count, 0.5),
                       .lower_quartile = quantile_of(sorted, count, 0.25),
                       .upper_quartile = quantile_of(sorted, count, 0.75),
                       .smallest = sorted[0],
                       .largest = sorted[count - 1]};
  if (count >= 2) {
    /* In a second pass: of large values close together, the squares themselves would leave nothing of their
     * differences. */
    double squares = 0;
    for (gsize i = 0; i < count; i++) {
      squares += (sorted[i] - result.mean) * (sorted[i] - result.mean);
    }
    result.deviation = sqrt(squares / ((double)count - 1));
    result.half_width =
        student_quantile(CONFIDENCE, (double)count - 1) * result.deviation / sqrt((double)count);
    result.lower = result.mean - result.half_width;
    result.upper = result.mean + result.half_width;
  }
  return result;
}

statistics statistics_of_pairs(const double *a, const double *b, gsize count)
{
  double *differences = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    differences[i] = a[i] - b[i];
  }
  statistics result = statistics_of(differences, count);
  g_free(differences);
  return result;
}

double statistics_independent_half_width(const statistics *a, const statistics *b)
{
  if (a->count < 2 || b->count < 2) {
    return (double)NAN;
  }
  double variance_a = a->deviation * a->deviation / (double)a->count;
  double variance_b = b->deviation * b->deviation / (double)b->count;
  double variance = variance_a + variance_b;
  if (!(variance > 0)) {
    return 0;
  }
  /* Welch and Satterthwaite's degrees of freedom; shares, since the squares of variances could leave the
   * range of a double. */
  double share_a = variance_a / variance, share_b = variance_b / variance;
  double freedom =
      1 / (share_a * share_a / ((double)a->count - 1) + share_b * share_b / ((double)b->count - 1));
  return student_quantile(CONFIDENCE, freedom) * sqrt(variance);
}
