/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics over the seeds of one point, the interval of their mean, and how many seeds make it narrow; and
 * the level that is exceeded once in so much traffic. */
#pragma once

#include <glib.h>

/* Squares of larger values would leave the range of a double; no metric comes near. */
#define STATISTICS_VALUE_MAX 1e150

/* These are of `count` values. */
typedef struct statistics {
  gsize count; /* 0: nothing else is set */
  double mean;
  double deviation; /* of the sample (n - 1); NAN when count is 1 */
  double skewness;  /* of the sample (G1); 0 of fewer than 6 values, and of equal ones */
  /* The two-sided 95 % interval of the mean, which need not lie symmetrically around it; NAN when count is 1.
   * Of values that are all >= 0 it does not go below 0, differences excepted. */
  double lower;
  double upper;
  double half_width; /* half of what lies between them, were there no end at 0 */
  /* Why the interval holds the mean of such values in less than 93 % of samples, a static text to follow
   * "the interval covers less than 95 %: "; NULL: none of the known reasons is seen. */
  const char *coverage_note;
  double median;
  double lower_quartile; /* linear between order statistics (R's type 7) */
  double upper_quartile;
  double smallest;
  double largest;
  gboolean is_extrapolated; /* of a return level: there is less traffic than what it is exceeded once in */
} statistics;

/* This is what all intervals assume and few values cannot show, a sentence for the legend of a table. */
#define STATISTICS_ASSUMPTION                                                                                \
  "Intervals are of independent values, as runs of different seeds are; fewer than 32 values may hide that " \
  "they are not."

/* Returns the statistics of `count` `values`, each within ±STATISTICS_VALUE_MAX, in the order of their seeds.
 * The order does not matter to any number, to the last bit: only `coverage_note` looks at it.
 *
 * The interval: Student's t for less than 6 values; else Hall's transformation of t for skewed values (P.
 * Hall, "On the removal of skewness by transformation", J. R. Statist. Soc. B 54, 1992), with a skewness that
 * docs/decisions.md gives with the coverage it was chosen for. */
statistics statistics_of(const double *values, gsize count);

/* Returns the statistics of the differences a[i] - b[i]: two receivers over the same seeds. */
statistics statistics_of_pairs(const double *a, const double *b, gsize count);

/* Returns half the width of the two-sided 95 % interval around the difference of two means whose samples have
 * nothing to do with each other: Welch's, the deviations need not be equal. Beside that of
 * statistics_of_pairs() it shows what the common seeds are worth. NAN when a count is below 2. */
double statistics_independent_half_width(const statistics *a, const statistics *b);

/* This is for sequential sampling: the interval is looked at after STATISTICS_FIRST_LOOK values and then
 * whenever there are half as many again (8, 12, 18, 27 …, `maximum`). */
enum { STATISTICS_FIRST_LOOK = 8, STATISTICS_FEWEST = 40 };

/* Returns how many values are wanted after a look at `values`, whose statistics are `of`: those that there
 * are when they are all equal, without a `coverage_note`, or at least STATISTICS_FEWEST whose interval is
 * narrow and that of their first two thirds was so too; else the number at the next look, at most `maximum`
 * (>= STATISTICS_FIRST_LOOK). (Y. S. Chow, H. Robbins, "On the asymptotic theory of fixed-width sequential
 * confidence intervals", Ann. Math. Statist. 36, 1965.) Who stops at the first narrow interval stops when the
 * tail happens to be missing: the last third is drawn after that, and 40 values hold more of a tail
 * (docs/decisions.md has the coverage). */
gsize statistics_wanted_count(const double *values, const statistics *of, double relative_half_width,
                              gsize maximum);

/* Returns whether half the interval is at most `relative_half_width` (0.02: 2 %) of the mean's size, and,
 * since the mean is an estimate as well, of what it may be: relative_half_width / (1 + relative_half_width)
 * is compared (A. M. Law, "Simulation Modeling and Analysis", 5th ed., 2015, section 9.4.1). */
gboolean statistics_are_narrow(const statistics *of, double relative_half_width);

/* This is the largest value in each block of traffic of one run, in their order. Sizes of different runs are
 * powers of two times a common one. */
typedef struct traffic_blocks {
  guint64 block_octets;
  const guint64 *maxima;
  gsize count;
} traffic_blocks;

/* Returns the level that `count` `runs`, independent ones of the same point, exceed once in `octets` (> 0) of
 * traffic, on average, as the mean of as many values, of which nothing but its interval is known: the rest is
 * NAN, and so is `upper` where too few blocks have a value above 0 to bound it. Of count 0 when no run has a
 * block, or the blocks are larger than that.
 *
 * Blocks are joined to the largest size, and peaks in neighbouring blocks are one event (runs declustering).
 * Where the traffic of all runs is enough, level and bounds are order statistics, for any distribution, its
 * atoms included: the number of events above the level is a Poisson variable whose mean is the traffic over
 * `octets`. What lies beyond is that of a generalised Pareto distribution fitted to the largest peaks, the
 * bound by profile likelihood (S. Coles, "An Introduction to Statistical Modeling of Extreme Values", 2001,
 * sections 4.3 and 5.3); extrapolated, the widest over several thresholds. */
statistics return_level_of(const traffic_blocks *runs, gsize count, double octets);
