/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs what a store lacks of the runs of a plan, each in a process of its own, and keeps every result as it
 * comes. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/run_process.h"
#include "study/sweep/sweep_plan.h"
#include "study/sweep/sweep_progress.h"

/* It is run this way. Everything pointed to stays the caller's. */
typedef struct sweep_options {
  run_simulate simulate;
  run_limits limits;   /* of each run */
  guint jobs;          /* runs at once; fewer where this machine has no more processes or descriptors */
  gboolean keep_going; /* runs that fail do not keep others from starting */
  FILE *progress;      /* where `style` is shown */
  sweep_progress_style style;
  FILE *problems;   /* a line for each run that fails; NULL: none */
  gsize before;     /* runs of the same study that are done already: progress is that of all */
  gboolean goes_on; /* the study may need more when this sweep is done */
} sweep_options;

typedef struct sweep_result {
  gsize points;     /* runs that were planned */
  gsize present;    /* of them, in the store before, or put there by another sweep meanwhile */
  gsize done;       /* run now, and as expected */
  gsize unexpected; /* run now or before, ended in another way than the scenario expects */
  gsize failed;     /* run now, failed */
  gsize to_go;      /* neither in the store nor failed */
  gboolean stopped; /* a run failed, or ended otherwise than expected: the rest was not started */
  int interrupted;  /* the SIGINT, SIGTERM or SIGHUP that came: the rest was not started; 0: none */
} sweep_result;

/* Runs what `store` lacks or has as failed of `plan`; what the runs leave does not depend on how many there
 * are at once, nor on other sweeps into the same store. `from` is kept with each run. A run that fails is
 * recorded as such. Unless `keep_going`, no further one starts after it; those in progress continue to their
 * end and are kept.
 *
 * While it runs it handles SIGINT, SIGTERM and SIGHUP, unless they are ignored: no further run starts, those
 * running are stopped and not recorded; a second one kills them. FALSE and `error` when the store fails or no
 * run can be started: the runs are stopped; what was committed stays. `result` is filled in either way. */
gboolean sweep_run(sweep_plan *plan, const provenance *from, result_store *store,
                   const sweep_options *options, sweep_result *result, GError **error);
