/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the points of a grid that a store lacks, each in a process of its own, and keeps every result as it
 * comes. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"
#include "study/sweep/worker_pool.h"

/* The progress of a sweep while it runs: one line that is redrawn on a terminal, a line every ten seconds
 * elsewhere. */

typedef enum sweep_progress_style {
  SWEEP_PROGRESS_NONE,
  SWEEP_PROGRESS_LINES,   /* a line every ten seconds at most */
  SWEEP_PROGRESS_TERMINAL /* one line, redrawn */
} sweep_progress_style;

/* How far the sweep is. */
typedef struct sweep_counts {
  gsize points;         /* of the sweep */
  gsize done;           /* of them, as they should be: run now or before */
  gsize failed;         /* of them, run now */
  gsize run;            /* that ended now, well or not */
  gsize to_run;         /* that were missing when the sweep started */
  guint running;        /* runs now */
  double running_share; /* the sum of what is done of each running one, 0 … 1 */
  guint jobs;           /* runs at once */
  double elapsed_s;
  double known_run_s; /* what a run took before this sweep; 0: not known */
} sweep_counts;

/* "12 of 60 runs done, 1 failed, 2 running, 23 %, about 1:23 left". Free with g_free(). */
char *sweep_progress_text(const sweep_counts *counts);

/* "0:07", "2:05", "1:02:05": minutes and seconds, with hours where there are some. Free with g_free(). */
char *sweep_progress_duration(double seconds);

typedef struct sweep_progress {
  FILE *file;
  sweep_progress_style style;
  gint64 printed_us; /* when the last plain line was printed */
} sweep_progress;

/* To be called with the time now, whenever something may have changed. */
void sweep_progress_show(sweep_progress *progress, const sweep_counts *counts, gint64 now_us);

/* Erases the redrawn line before another line is printed, or when the sweep is over. */
void sweep_progress_clear(const sweep_progress *progress);

/* How to run it. Everything pointed to stays the caller's. */
typedef struct sweep_options {
  guint shard;         /* 1 … shards: this sweep takes each shards-th point */
  guint shards;        /* >= 1 */
  gboolean keep_going; /* runs that fail do not keep others from starting */
  FILE *progress;      /* where `style` is shown */
  sweep_progress_style style;
  FILE *problems; /* a line for each run that fails; NULL: none */
  gsize before;   /* runs of the same study that are done already: progress is that of all … */
  gsize after;    /* … and those that it is expected to need when this sweep is done */
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

/* Runs what `store` lacks or has as failed in `pool`, made of `grid`; what the runs leave does not depend on
 * how many there are at once, nor on other sweeps into the same store. `from` is kept with each run. A run
 * that fails is recorded as such. Unless `keep_going`, no further one starts after it; those in progress
 * continue to their end and are kept.
 *
 * While it runs it handles SIGINT, SIGTERM and SIGHUP, unless they are ignored: no further run starts, those
 * running are stopped and not recorded; a second one kills them. FALSE and `error` when the store fails or no
 * worker can be started: the runs are stopped; what was committed stays. `result` is filled in either way. */
gboolean sweep_run(const sweep_grid *grid, worker_pool *pool, const provenance *from, result_store *store,
                   const sweep_options *options, sweep_result *result, GError **error);
