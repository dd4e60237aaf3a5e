/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run measured, as a session gives it, summaries and stores keep it, and tables read it. */
#pragma once

#include <glib.h>

#include "measure/distribution.h"
#include "measure/gauge.h"
#include "measure/metric_table.h"

/* All-zero: nothing. */
typedef struct run_results {
  metric_values metrics;
  distribution distributions[DISTRIBUTION_COUNT]; /* all-zero: there were no samples */
  gauge_quantiles quantiles;
  /* The largest reassembly occupancy in each block of `block_octets` octets Delivered (block_maxima.h); of
   * guint64. NULL: there was no whole block. */
  uint64_t block_octets;
  GArray *block_maxima;
} run_results;

/* A copy of `from`, which shares the block maxima; free with run_results_clear(). */
run_results run_results_copy(const run_results *from);
void run_results_clear(run_results *results);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_results, run_results_clear)
