/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/statistics/return_level.h"

#include <math.h>

#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "study/statistics/statistics.h"

/* --- Events --- */

static int compare_descending(const void *a, const void *b)
{
  double value_a = *(const double *)a, value_b = *(const double *)b;
  return (value_a < value_b) - (value_a > value_b);
}

/* Appends the maxima of the blocks of `run` joined to `octets`, appended to `events`. With `decluster`, of
 * those that have a larger one (or the same before them) next to them, 0: the event is counted there. */
static void add_events(const traffic_blocks *run, guint64 octets, gboolean decluster, GArray *events)
{
  const gsize joined = (gsize)(octets / run->block_octets), count = run->count / joined;
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

/* Returns the value of fractional rank `rank` (1: the largest) among `events`, in descending order. */
static double at_rank(const GArray *events, double rank)
{
  const double *values = (const double *)(void *)events->data;
  return statistics_at_place(values, events->len, CLAMP(rank, 1, events->len) - 1);
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
static double fit(const tail *t, return_level *result)
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

/* Returns the level if the tail is exponential. Peaks that bunch just below a step look like those before an
 * end, at which they are the likeliest: an interval that did not admit that there is none would be too sure.
 * Where half of them are equal there is one. */
static double exponential_level(const tail *t)
{
  double excess = 0;
  for (gsize i = 0; i < t->count; i++) {
    excess += (t->values[i] - t->threshold) / (double)t->count;
  }
  gboolean is_atom = t->values[t->count / 2] == t->values[0];
  return is_atom ? t->values[0] : t->threshold + excess * log(t->ratio);
}

enum { TAIL_LEAST = 16, TAIL_NEAR = 32 };

/* Returns level and interval from the tail of `events` above thresholds; the level is exceeded `expected`
 * times as often as the largest of them. Extrapolated, the interval is the widest over thresholds down to a
 * 16th of the events: a tail that has steps, as occupancy in segments has, goes on otherwise from each.
 * FALSE: too few events are above 0. */
static gboolean fit_tails(const GArray *events, double expected, return_level *result)
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
      result->upper = fmax(result->upper, is_fitted ? 0 : exponential_level(&t));
    } else if (t.count > 0 || t.threshold == 0) {
      continue;
    }
    result->level = is_fitted ? result->level : level;
    result->upper = fmax(result->upper, level);
    is_fitted = TRUE;
  }
  return is_fitted;
}

/* The events of all runs, in descending order; the size of their blocks, in `*octets`. Those of a return
 * period of less than 16 blocks are not declustered, since a block may hold several. Free with
 * g_array_unref(). */
static GArray *events_of(const traffic_blocks *runs, gsize count, double period, guint64 *octets)
{
  GArray *events = g_array_new(FALSE, FALSE, sizeof(double));
  *octets = 0;
  for (gsize i = 0; i < count; i++) {
    *octets = MAX(*octets, runs[i].count > 0 ? runs[i].block_octets : 0);
  }
  for (gsize i = 0; i < count; i++) {
    if (runs[i].count > 0 && runs[i].block_octets > 0) {
      add_events(&runs[i], *octets, period >= 16 * (double)*octets, events);
    }
  }
  g_array_sort(events, compare_descending);
  return events;
}

gboolean return_level_of(const traffic_blocks *runs, gsize count, double octets, return_level *result)
{
  guint64 block_octets;
  g_autoptr(GArray) events = events_of(runs, count, octets, &block_octets);
  if (events->len == 0 || octets < (double)block_octets) {
    return FALSE;
  }
  *result = (return_level){.is_extrapolated = (double)events->len * (double)block_octets < octets};
  /* As many blocks exceed the level as hold at least one of events that come once in `octets`. */
  double expected = (double)events->len * -expm1(-(double)block_octets / octets);
  result->lower = at_rank(events, poisson_rank(expected, 0.975, events->len));
  double empirical = at_rank(events, expected + 0.5);
  if (exp(-expected) <= 0.025) { /* the chance that no event exceeds the level */
    result->upper = at_rank(events, poisson_rank(expected, 0.025, events->len));
    result->level = empirical;
    return TRUE;
  }
  gboolean is_fitted = at_rank(events, 1) > 0 && fit_tails(events, expected, result);
  result->level = is_fitted && result->is_extrapolated ? fmax(result->level, empirical) : empirical;
  result->upper = is_fitted ? fmax(result->upper, result->level) : (double)NAN;
  return TRUE;
}
