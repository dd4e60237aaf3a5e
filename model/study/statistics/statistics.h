/* SPDX-License-Identifier: GPL-2.0-only */
/* Statistics over the seeds of one point. */
#pragma once

#include <glib.h>

/* Squares of larger values would leave the range of a double; no metric comes near. */
#define STATISTICS_VALUE_MAX 1e150

/* Of `count` values. */
typedef struct statistics {
  gsize count; /* 0: nothing else is set */
  double mean;
  double deviation;  /* of the sample (n - 1); NAN when count is 1 */
  double half_width; /* of the two-sided 95 % Student-t interval around the mean; NAN when count is 1 */
  double lower;      /* bounds of the 95 % interval of the mean; NAN when count is 1 */
  double upper;
  const char *coverage_note; /* why that interval covers the mean in less than 93 % of such samples, a static
                                sentence; NULL: it covers in 95 %, about */
  double median;
  double lower_quartile; /* linear between order statistics (R's type 7) */
  double upper_quartile;
  double smallest;
  double largest;
} statistics;

/* The statistics of `count` `values`, each within ±STATISTICS_VALUE_MAX. Their order does not matter, to the
 * last bit. */
statistics statistics_of(const double *values, gsize count);

/* The statistics of the differences a[i] - b[i]: two receivers over the same seeds. */
statistics statistics_of_pairs(const double *a, const double *b, gsize count);

/* Half the width of the two-sided 95 % interval around the difference of two means whose samples have nothing
 * to do with each other: Welch's, the deviations need not be equal. Beside that of statistics_of_pairs() it
 * shows what the common seeds are worth. NAN when a count is below 2. */
double statistics_independent_half_width(const statistics *a, const statistics *b);
