/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the level that is exceeded once in so much traffic. */
#pragma once

#include <glib.h>

/* This is the largest value in each block of traffic of one run, in their order. Sizes of different runs are
 * powers of two times a common one. */
typedef struct traffic_blocks {
  guint64 block_octets;
  const guint64 *maxima;
  gsize count;
} traffic_blocks;

/* This is the level exceeded once in so much traffic, on average. */
typedef struct return_level {
  double level;
  double lower;             /* the 95 % interval */
  double upper;             /* NAN: too few blocks have a value above 0 to bound it */
  gboolean is_extrapolated; /* there is less traffic than what the level is exceeded once in */
} return_level;

/* Returns the level that `runs`, independent ones of the same point, exceed once in `octets` (> 0) of
 * traffic; FALSE when none has a block, or the blocks are larger than that.
 *
 * Blocks are joined to the largest size, and peaks in neighbouring blocks are one event (runs declustering).
 * Where the traffic of all runs is enough, level and bounds are order statistics, for any distribution, its
 * atoms included: the number of events above the level is a Poisson variable whose mean is the traffic over
 * `octets`. What lies beyond is that of a generalised Pareto distribution fitted to the largest peaks, the
 * bound by profile likelihood (S. Coles, "An Introduction to Statistical Modeling of Extreme Values", 2001,
 * sections 4.3 and 5.3); extrapolated, the widest over several thresholds. */
gboolean return_level_of(const traffic_blocks *runs, gsize count, double octets, return_level *result);
