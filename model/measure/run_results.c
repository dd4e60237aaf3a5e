/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/run_results.h"

run_results run_results_copy(const run_results *from)
{
  run_results copy = *from;
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_copy(&copy.distributions[id], &from->distributions[id]);
  }
  if (copy.block_maxima) {
    g_array_ref(copy.block_maxima);
  }
  return copy;
}

void run_results_clear(run_results *results)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&results->distributions[id]);
  }
  g_clear_pointer(&results->block_maxima, g_array_unref);
  *results = (run_results){.block_maxima = NULL};
}
