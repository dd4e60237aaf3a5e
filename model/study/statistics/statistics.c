/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "base/ranks.h"

#define CONFIDENCE 0.95

/* Returns the value that two-sided `confidence` of Student's t with `freedom` degrees stay within. */
static double student_quantile(double confidence, double freedom)
{
  return qt(0.5 + confidence / 2, freedom, TRUE, FALSE);
}

double statistics_at_place(const double *ordered, gsize count, double place)
{
  gsize below = (gsize)place;
  if (below + 1 >= count) {
    return ordered[count - 1];
  }
  return ordered[below] + (place - (double)below) * (ordered[below + 1] - ordered[below]);
}

/* --- The interval of the mean --- */

/* From so many values on their skewness is worth something. */
enum { FEWEST_SKEWED = 6, FEWEST_FOR_ANY_SKEWNESS = 16 };

/* Returns the skewness of the sample without its bias for normal values (G1), as much of it as is more than
 * chance: G1 divided by its standard error, z, has z² / (1 + z²) as its weight. 1.5 makes up for what the
 * samples of very skewed values miss, whose tail they seldom hold. */
static double sample_skewness(const double *sorted, double n, statistics *of, double *z)
{
  double cubes = 0;
  for (gsize i = 0; i < of->count; i++) {
    double distance = (sorted[i] - of->mean) / of->deviation;
    cubes += distance * distance * distance;
  }
  const double skewness = of->skewness = cubes * n / ((n - 1) * (n - 2));
  *z = skewness / sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  return 1.5 * skewness * *z * *z / (1 + *z * *z);
}

/* Solves Hall's cubic: the t statistic of a skewed sample, over the root of n, whose transformed one is
 * `x`. */
static double untransformed(double x, double skewness, double n)
{
  if (fabs(skewness) < 1e-6) {
    return x;
  }
  return 3 / skewness * (cbrt(1 + skewness * (x - skewness / (6 * n))) - 1);
}

/* Adds the lower and upper bound, and the note. `is_difference`: values of one sign are so by chance. */
static void add_interval(const double *sorted, gboolean is_difference, statistics *of)
{
  double n = (double)of->count, z = 0, skewness = 0, skewness_of_positive = 0;
  double low = student_quantile(CONFIDENCE, n - 1) / sqrt(n), high = -low;
  gboolean is_positive = !is_difference && of->smallest >= 0;
  if (of->count >= FEWEST_SKEWED && of->deviation > 0) {
    skewness = sample_skewness(sorted, n, of, &z);
    /* Positive values whose deviation is not small beside their mean cannot be symmetrical: a lognormal's
     * skewness is three times its coefficient of variation, and more. */
    skewness_of_positive = is_positive ? 3 * of->deviation / of->mean : 0;
  }
  gboolean uses_prior = skewness_of_positive > fabs(skewness);
  double hall_low = untransformed(low, uses_prior ? skewness_of_positive : skewness, n);
  double hall_high = untransformed(high, uses_prior ? skewness_of_positive : skewness, n);
  /* A sample's own skewness may be a single outlier's of symmetrical values: Student's interval stays in. */
  low = uses_prior ? hall_low : fmax(low, hall_low);
  high = uses_prior ? hall_high : fmin(high, hall_high);
  of->lower = fmax(of->mean - low * of->deviation, is_positive ? 0 : -INFINITY);
  of->upper = of->mean - high * of->deviation;
  of->half_width = (low - high) * of->deviation / 2;
  if (of->count < FEWEST_SKEWED) {
    of->coverage_note = "fewer than 6 values cannot show whether they are skewed";
  } else if (of->deviation > 0 && (of->median == of->smallest || of->median == of->largest)) {
    of->coverage_note = "half of the values are equal, and the others are few";
  } else if (of->count < FEWEST_FOR_ANY_SKEWNESS && !uses_prior && fabs(z) > 2) {
    of->coverage_note = "fewer than 16 values, which are skewed: about 90 %";
  }
}

/* Returns whether values resemble the ones next to them, at level 1 %: von Neumann's ratio of their ranks (R.
 * Bartels, "The rank version of von Neumann's ratio test for randomness", J. Am. Statist. Assoc. 77, 1982),
 * in its beta approximation. */
static gboolean are_serially_dependent(const double *values, gsize count)
{
  g_autofree double *ranks = ranks_of(values, count);
  double n = (double)count, steps = 0, squares = 0;
  for (gsize i = 0; i < count; i++) {
    double step = i > 0 ? ranks[i] - ranks[i - 1] : 0, distance = ranks[i] - (n + 1) / 2;
    steps += step * step;
    squares += distance * distance;
  }
  double shape = 5 * n * (n + 1) * (n - 1) * (n - 1) / (2 * (n - 2) * (5 * n * n - 2 * n - 9)) - 0.5;
  return squares > 0 && pbeta(steps / squares / 4, shape, shape, TRUE, FALSE) < 0.01;
}

static statistics statistics_made(const double *values, gsize count, gboolean is_difference)
{
  if (count == 0) {
    return (statistics){.count = 0};
  }
  /* A sum depends on its order in the last bits; results must not. */
  g_autofree double *sorted = g_memdup2(values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_doubles);
  /* The distances from a value in their middle are small where the values are large and close together: few
   * digits are lost, and equal values have exactly themselves as their mean. */
  const double origin = sorted[count / 2];
  double sum = 0;
  for (gsize i = 0; i < count; i++) {
    g_assert(fabs(sorted[i]) <= STATISTICS_VALUE_MAX);
    sum += sorted[i] - origin;
  }
  const double last = (double)(count - 1); /* quantiles are of type 7 of R's quantile() */
  statistics result = {.count = count,
                       .mean = origin + sum / (double)count,
                       .deviation = (double)NAN,
                       .lower = (double)NAN,
                       .upper = (double)NAN,
                       .half_width = (double)NAN,
                       .median = statistics_at_place(sorted, count, 0.5 * last),
                       .lower_quartile = statistics_at_place(sorted, count, 0.25 * last),
                       .upper_quartile = statistics_at_place(sorted, count, 0.75 * last),
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
    add_interval(sorted, is_difference, &result);
  }
  if (count >= FEWEST_SKEWED && are_serially_dependent(values, count)) {
    result.coverage_note = "values of successive seeds resemble each other (Bartels' test, level 1 %)";
  }
  return result;
}

statistics statistics_of(const double *values, gsize count)
{
  return statistics_made(values, count, FALSE);
}

statistics statistics_of_pairs(const double *a, const double *b, gsize count)
{
  g_autofree double *differences = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    differences[i] = a[i] - b[i];
  }
  return statistics_made(differences, count, TRUE);
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

gboolean statistics_are_narrow(const statistics *of, double relative_half_width)
{
  return of->half_width <= relative_half_width / (1 + relative_half_width) * fabs(of->mean);
}

gsize statistics_wanted_count(const double *values, const statistics *of, double relative_half_width,
                              gsize maximum)
{
  gsize look = STATISTICS_FIRST_LOOK;
  if (of->count >= look && statistics_are_narrow(of, relative_half_width)) {
    const statistics before = statistics_of(values, of->count - of->count / 3);
    if ((of->deviation == 0 && of->coverage_note == NULL) ||
        (of->count >= STATISTICS_FEWEST && //
         statistics_are_narrow(&before, relative_half_width))) {
      return of->count;
    }
  }
  while (look <= of->count && look < maximum) {
    look += look / 2;
  }
  return MIN(look, maximum);
}
