/* SPDX-License-Identifier: GPL-2.0-only */
/* It is tested here whether the second half of a run differs from the first: the rank-sum test of Wilcoxon,
 * and Mann and Whitney (Mann and Whitney, "On a test of whether one of two random variables is stochastically
 * larger than the other", 1947), on block maxima.
 *
 * The test is of independent values. Neighbouring blocks, which one loss may fill, are not: they are joined,
 * two by two, until their ranks no longer correlate with their neighbours' in either half (less than two
 * standard errors), and what correlation is left widens the variance of the rank sum, as the first term of
 * its series does. */
#pragma once

#include <glib.h>

typedef enum warm_up_verdict {
  WARM_UP_TOO_SHORT, /* fewer than WARM_UP_BLOCKS_MIN blocks are left, or so few differ that no order of them
                        would show anything */
  WARM_UP_STEADY,    /* no difference at WARM_UP_LEVEL */
  WARM_UP_DIFFERS,
  WARM_UP_VERDICTS
} warm_up_verdict;

#define WARM_UP_LEVEL 0.01
enum { WARM_UP_BLOCKS_MIN = 100 };

typedef struct warm_up {
  warm_up_verdict verdict;
  double p;     /* probability of halves that differ as much, if the run is steady; 1 when too short */
  guint blocks; /* that were compared, joined ones as one */
} warm_up;

/* Returns what the test of `maxima` shows (guint64, in order; NULL: none). */
warm_up warm_up_test(const GArray *maxima);

/* "too short to tell" and the like, by warm_up_verdict. */
extern const char *const warm_up_verdicts[];
