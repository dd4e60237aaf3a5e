/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "base/numbers.h"

#define CONFIDENCE 0.95

/* Returns the value that two-sided `confidence` of Student's t with `freedom` degrees stay within. */
static double student_quantile(double confidence, double freedom)
{
  return qt(0.5 + confidence / 2, freedom, TRUE, FALSE);
}

/* Returns the order statistic at `place` (0: the first; linear between whole ones; the last beyond it) of
 * `count` (> 0) values in their order. */
static double at_place(const double *ordered, gsize count, double place)
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
    double cubes = 0;
    for (gsize i = 0; i < of->count; i++) {
      double distance = (sorted[i] - of->mean) / of->deviation;
      cubes += distance * distance * distance;
    }
    /* That of the sample without its bias for normal values (G1), as much of it as is more than chance: G1
     * divided by its standard error, z, has z² / (1 + z²) as its weight. 1.5 makes up for what the samples of
     * very skewed values miss, whose tail they seldom hold. */
    of->skewness = cubes * n / ((n - 1) * (n - 2));
    z = of->skewness / sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
    skewness = 1.5 * of->skewness * z * z / (1 + z * z);
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
                       .median = at_place(sorted, count, 0.5 * last),
                       .lower_quartile = at_place(sorted, count, 0.25 * last),
                       .upper_quartile = at_place(sorted, count, 0.75 * last),
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

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "study/statistics/statistics.h"

/* --- Events --- */

static int compare_descending(const void *a, const void *b)
{
  double value_a = *(const double *)a, value_b = *(const double *)b;
  return (value_a < value_b) - (value_a > value_b);
}

/* Returns the value of fractional rank `rank` (1: the largest) among `events`, in descending order. */
static double at_rank(const GArray *events, double rank)
{
  const double *values = (const double *)(void *)events->data;
  return at_place(values, events->len, CLAMP(rank, 1, events->len) - 1);
}

/* Returns the rank, a fraction too, of the event that a level which `expected` events exceed is above, with
 * `probability`: from so many events on a Poisson variable of that mean has less than 1 - `probability`. At
 * most `most`. */
static double poisson_rank(double expected, double probability, double most)
{
  double low = 0, high = most;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (pgamma(expected, middle, 1, TRUE, FALSE) > 1 - probability) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/* --- The tail beyond the events --- */

/* These are the excesses over a threshold. */
typedef struct tail {
  const double *values; /* events in descending order; the first `count` are above `threshold` */
  gsize count;
  double threshold;
  double ratio; /* how much rarer than the threshold the level is exceeded, > 1 */
} tail;

/* This is the shape of a generalised Pareto distribution: -1 is uniform up to an end, where an atom may be; a
 * memory is finite, so tails much heavier than an exponential one (0) do not occur. */
#define SHAPE_LEAST (-1.0)
#define SHAPE_MOST 0.2

/* Returns the logarithm of the likelihood when the level is `distance` above the threshold. */
static double likelihood(const tail *t, double distance, double shape)
{
  /* Shapes next to 0 are its own: the formulas below would divide by it. */
  double bounded = fabs(shape) < 1e-6 ? 1e-6 : shape;
  double scale = distance * bounded / (pow(t->ratio, bounded) - 1);
  double largest = 1 + bounded * (t->values[0] - t->threshold) / scale;
  if (!(largest > 0)) {
    return -INFINITY; /* beyond the end of a distribution that has one */
  }
  double sum = 0;
  for (gsize i = 0; i < t->count; i++) {
    sum += log1p(bounded * (t->values[i] - t->threshold) / scale);
  }
  return -(double)t->count * log(scale) - (1 + 1 / bounded) * sum;
}

/* 0.618^14 of a range is left: a thousandth. */
enum { SEARCH_STEPS = 14 };

typedef double (*curve_function)(const tail *t, double distance, double x);

/* Returns the largest value of `f` between `low` and `high`, by golden section; where it is, in `*at` (NULL:
 * not wanted). */
static double maximum_of(curve_function f, const tail *t, double distance, double low, double high,
                         double *at)
{
  const double golden = (sqrt(5) - 1) / 2;
  double best = -INFINITY;
  for (int i = 0; i < SEARCH_STEPS; i++) {
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double of_a = f(t, distance, a), of_b = f(t, distance, b);
    /* Where both are impossible, the larger one of the two is nearer to what is not. */
    if (of_a <= of_b) {
      low = a;
    } else {
      high = b;
    }
    best = fmax(best, fmax(of_a, of_b));
  }
  if (at != NULL) {
    *at = (low + high) / 2;
  }
  return best;
}

/* Returns the same with the likeliest shape. `unused`: curve_function has it. */
static double profile(const tail *t, double unused, double distance)
{
  (void)unused;
  return maximum_of(likelihood, t, distance, SHAPE_LEAST, SHAPE_MOST, NULL);
}

/* Returns where, from `inside` to `outside`, the likelihood of the level's distance falls below `least`. */
static double bound_of(const tail *t, double inside, double outside, double least)
{
  for (int i = 0; i < SEARCH_STEPS; i++) {
    double middle = (inside + outside) / 2;
    if (profile(t, 0, middle) > least) {
      inside = middle;
    } else {
      outside = middle;
    }
  }
  return outside;
}

/* Widens the interval of `result` by that of the fit to `t`; the likeliest level. */
static double fit(const tail *t, statistics *result)
{
  double reach = (t->values[0] - t->threshold) * (2 + log(t->ratio)), distance;
  double least = maximum_of(profile, t, 0, reach / 1000, reach, &distance) - qchisq(0.95, 1, TRUE, FALSE) / 2;
  double beyond = 2 * distance;
  while (profile(t, 0, beyond) > least && beyond < 1e6 * distance) {
    beyond *= 2;
  }
  result->lower = fmin(result->lower, t->threshold + bound_of(t, distance, 0, least));
  result->upper = fmax(result->upper, t->threshold + bound_of(t, distance, beyond, least));
  return t->threshold + distance;
}

enum { TAIL_LEAST = 16, TAIL_NEAR = 32 };

/* Returns level and interval from the tail of `events` above thresholds; the level is exceeded `expected`
 * times as often as the largest of them. Extrapolated, the interval is the widest over thresholds down to a
 * 16th of the events: a tail that has steps, as occupancy in segments has, goes on otherwise from each.
 * FALSE: too few events are above 0. */
static gboolean fit_tails(const GArray *events, double expected, statistics *result)
{
  const double *values = (const double *)(void *)events->data;
  gboolean is_fitted = FALSE;
  for (gsize size = result->is_extrapolated ? TAIL_LEAST : TAIL_NEAR;
       size < events->len && !(is_fitted && (!result->is_extrapolated || size > events->len / 16));
       size *= 2) {
    tail t = {.values = values, .count = size, .threshold = values[size]};
    while (t.count > 0 && values[t.count - 1] <= t.threshold) {
      t.count--;
    }
    t.ratio = (double)t.count / expected;
    double level = values[0]; /* of an atom, if that many events have it */
    if (t.count >= TAIL_LEAST / 2 && t.ratio > 1) {
      level = fit(&t, result);
      /* The level if the tail is exponential: peaks that bunch just below a step look like those before an
       * end, at which they are the likeliest, and an interval that did not admit that there is none would be
       * too sure. Where half of them are equal there is one. */
      double excess = 0;
      for (gsize i = 0; i < t.count; i++) {
        excess += (values[i] - t.threshold) / (double)t.count;
      }
      const double exponential =
          values[t.count / 2] == values[0] ? values[0] : t.threshold + excess * log(t.ratio);
      result->upper = fmax(result->upper, is_fitted ? 0 : exponential);
    } else if (t.count > 0 || t.threshold == 0) {
      continue;
    }
    result->mean = is_fitted ? result->mean : level;
    result->upper = fmax(result->upper, level);
    is_fitted = TRUE;
  }
  return is_fitted;
}

/* Returns the events of all runs, in descending order: the maxima of their blocks, joined to the largest
 * size, which is `*octets`. Those that have a larger one (or the same before them) next to them are 0: the
 * event is counted there; but not of a return period of less than 16 blocks, since a block may hold several.
 * Free with g_array_unref(). */
static GArray *events_of(const traffic_blocks *runs, gsize run_count, double period, guint64 *octets)
{
  GArray *events = g_array_new(FALSE, FALSE, sizeof(double));
  *octets = 0;
  for (gsize i = 0; i < run_count; i++) {
    *octets = MAX(*octets, runs[i].count > 0 ? runs[i].block_octets : 0);
  }
  const gboolean decluster = period >= 16 * (double)*octets;
  for (const traffic_blocks *run = runs; run < runs + run_count; run++) {
    if (run->count == 0 || run->block_octets == 0) {
      continue;
    }
    const gsize joined = (gsize)(*octets / run->block_octets), count = run->count / joined;
    g_autofree double *maxima = g_new0(double, count + 2); /* a 0 before and after them */
    for (gsize i = 0; i < count * joined; i++) {
      maxima[i / joined + 1] = fmax(maxima[i / joined + 1], (double)run->maxima[i]);
    }
    for (gsize i = 1; i <= count; i++) {
      gboolean is_part = decluster && (maxima[i - 1] >= maxima[i] || maxima[i + 1] > maxima[i]);
      double event = is_part ? 0 : maxima[i];
      g_array_append_val(events, event);
    }
  }
  g_array_sort(events, compare_descending);
  return events;
}

statistics return_level_of(const traffic_blocks *runs, gsize count, double octets)
{
  guint64 block_octets;
  g_autoptr(GArray) events = events_of(runs, count, octets, &block_octets);
  if (events->len == 0 || octets < (double)block_octets) {
    return (statistics){.count = 0};
  }
  statistics result = {.count = count,
                       .is_extrapolated = (double)events->len * (double)block_octets < octets,
                       .deviation = (double)NAN,
                       .median = (double)NAN,
                       .lower_quartile = (double)NAN,
                       .upper_quartile = (double)NAN,
                       .smallest = (double)NAN,
                       .largest = (double)NAN};
  /* As many blocks exceed the level as hold at least one of events that come once in `octets`. */
  double expected = (double)events->len * -expm1(-(double)block_octets / octets);
  result.lower = at_rank(events, poisson_rank(expected, 0.975, events->len));
  double empirical = at_rank(events, expected + 0.5);
  if (exp(-expected) <= 0.025) { /* the chance that no event exceeds the level */
    result.upper = at_rank(events, poisson_rank(expected, 0.025, events->len));
    result.mean = empirical;
  } else {
    gboolean is_fitted = at_rank(events, 1) > 0 && fit_tails(events, expected, &result);
    result.mean = is_fitted && result.is_extrapolated ? fmax(result.mean, empirical) : empirical;
    result.upper = is_fitted ? fmax(result.upper, result.mean) : (double)NAN;
  }
  result.half_width = (result.upper - result.lower) / 2;
  return result;
}
