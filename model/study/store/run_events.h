/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a scenario asks of the path by chance, or every so often, and how often that happened in its
 * runs: what does not vary may rest on nothing of it. */
#pragma once

#include "measure/metric_table.h"
#include "scenario/scenario.h"

/* Fewer events than this, in all runs together, show nothing: the number alone varies by a fifth from one
 * such set of runs to another. */
enum { RUN_EVENTS_MIN = 30 };

/* This is why the interval of equal values is doubtful, as a coverage_note of statistics. */
#define RUN_EVENTS_TOO_FEW                                                                                   \
  "the values are equal, and hardly anything of what the scenario asks of the path happened"

/* Returns the metrics that count what is asked for: a bit of each from METRIC_LOSSES_RANDOM, the lowest, on.
 * `keys` has the canonical texts of all keys. What `drop` lists is not up to chance, and is left out. */
guint32 run_events_asked(const char *const *keys);

/* Returns how often what is `asked` for happened in a run. */
double run_events_in(guint32 asked, const metric_values *metrics);
