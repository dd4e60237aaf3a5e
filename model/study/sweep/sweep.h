/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs what a store lacks of the runs of a plan, in other processes, and keeps every result as it comes. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/run_process.h"
#include "study/sweep/sweep_plan.h"

typedef enum sweep_progress_style {
  SWEEP_PROGRESS_NONE,
  SWEEP_PROGRESS_LINES,   /* a line every ten seconds at most */
  SWEEP_PROGRESS_TERMINAL /* one line, redrawn */
} sweep_progress_style;

/* This is whether sweep_counts.points is all there is. */
typedef enum sweep_certainty {
  SWEEP_RUNS_EXACT,
  SWEEP_RUNS_ABOUT,   /* as many as expected: results decide */
  SWEEP_RUNS_AT_LEAST /* nobody knows yet how many more */
} sweep_certainty;

/* The sweep is this far. Work is in seconds of run_cost. */
typedef struct sweep_counts {
  gsize points;  /* of the sweep */
  gsize done;    /* of them, as they should be: run now or before */
  gsize failed;  /* of them, run now */
  guint running; /* runs now */
  guint jobs;    /* runs at once */
  sweep_certainty certainty;
  double elapsed_s;
  double work;      /* of all points */
  double work_done; /* now: of runs that ended, well or not, and what is done of running ones */
  double work_left;
  double pace; /* wall seconds that a second of work took before this sweep; 0: not known */
} sweep_counts;

/* "12 of 60 runs done, 1 failed, 2 running, 23 %, about 83 s left". The share and the time are those of the
 * work. Free with g_free(). */
char *sweep_progress_text(const sweep_counts *counts);

typedef struct sweep_progress {
  FILE *file;
  sweep_progress_style style;
  gint64 printed_us; /* when the last plain line was printed */
} sweep_progress;

/* To be called with the time now, whenever something may have changed. */
void sweep_progress_show(sweep_progress *progress, const sweep_counts *counts, gint64 now_us);

/* Erases the redrawn line before another line is printed, or when the sweep is over. */
void sweep_progress_clear(const sweep_progress *progress);

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
