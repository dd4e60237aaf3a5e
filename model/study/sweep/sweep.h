/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the points of a grid that a store lacks, each in a child process, and keeps every result as it
 * comes. */
#ifndef STUDY_SWEEP_H
#define STUDY_SWEEP_H

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/child_run.h"
#include "study/sweep/sweep_grid.h"
#include "study/sweep/sweep_progress.h"

/* How to run it. Everything pointed to stays the caller's. */
typedef struct sweep_options {
  const char *program;     /* the executable whose `run` makes one point */
  const char *const *sets; /* the --set options the grid was made with; NULL: none */
  guint jobs;              /* children at once, >= 1 */
  guint shard;             /* 1 … shards: this sweep takes each shards-th point */
  guint shards;            /* >= 1 */
  gboolean keep_going;     /* runs that fail do not keep others from starting */
  child_limits limits;     /* of each child */
  FILE *progress;          /* where `style` is told */
  sweep_progress_style style;
  FILE *problems; /* a line for each run that fails; NULL: none */
} sweep_options;

typedef struct sweep_result {
  gsize points;         /* in this shard */
  gsize present;        /* of them, in the store before, or put there by another sweep meanwhile */
  gsize done;           /* run now, and as expected */
  gsize unexpected;     /* run now or before, ended in another way than the scenario expects */
  gsize failed;         /* run now, failed */
  gsize to_go;          /* neither in the store nor failed */
  gboolean stopped;     /* a run failed, or ended otherwise than expected: the rest was not started */
  gboolean interrupted; /* SIGINT, SIGTERM or SIGHUP came: the rest was not started */
} sweep_result;

/* Runs what `store` lacks or has as failed, `options->jobs` children at once; what they leave does not
 * depend on how many, nor on other sweeps into the same store. `from` is kept with each run. A run that fails is recorded as such. Unless
 * `keep_going`, no further one starts behind it; those running end as they like and are kept.
 *
 * While it runs it handles SIGINT, SIGTERM and SIGHUP, unless they are ignored: no further child starts, those running are stopped and not
 * recorded; a second one kills them. FALSE and `error` when the store or a child's start fails: running children are stopped; what
 * was committed stays. `result` is filled in either way. */
gboolean sweep_run(const sweep_grid *grid, const char *scenario_path, const stored_origin *from,
                   result_store *store, const sweep_options *options, sweep_result *result, GError **error);

#endif
