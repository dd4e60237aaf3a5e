/* What several seeds of one point say together. */
#ifndef STUDY_STATISTICS_H
#define STUDY_STATISTICS_H

#include <glib.h>

/* The arithmetic mean of `count` (>= 1) finite values. */
double statistics_mean(const double *values, gsize count);

/* Half the width of the two-sided Student-t interval around the mean that covers it with probability
 * `confidence` (inside 0 … 1, for instance 0.95): t(count - 1) · s / √count with the sample deviation s.
 * Needs `count` >= 2: one value says nothing of its spread. */
double statistics_half_width(const double *values, gsize count, double confidence);

#endif
