/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a run as tables, plots and reports have it in memory. */
#pragma once

#include <glib.h>

#include "measure/run_results.h"
#include "scenario/scenario_keys.h"

/* The values of entries of lists that are axes of the sweep, such as links.far.delay, are keys of runs, too:
 * in the order of the axes, those after SCENARIO_KEY_COUNT, which is none. */
#define STUDY_ENTRIES_MAX 8
#define STUDY_KEYS (SCENARIO_KEY_COUNT + 1 + STUDY_ENTRIES_MAX)

typedef struct study_run {
  char **keys; /* by the key, of STUDY_KEYS, but run.seed: runs that agree in them share them; "" where the
                  store has none; the table's, as all texts here */
  char *seed;
  run_results results;
  run_status status;
  guint flags; /* study_flag */
  int exit_code;
  char *message;
  char *stderr_tail;
} study_run;

/* Returns the text of `key`, also of run.seed; the run's. */
static inline const char *study_run_text(const study_run *run, scenario_key key)
{
  return key == SCENARIO_RUN_SEED ? run->seed : run->keys[key];
}
