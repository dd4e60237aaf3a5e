/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the progress of a sweep while it runs: one line that is redrawn on a terminal, a line every ten
 * seconds elsewhere. */
#pragma once

#include <glib.h>
#include <stdio.h>

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

/* Returns "1.25 million": three digits are more than an estimate knows. Free with g_free(). */
char *sweep_progress_rough(double number);

/* Returns an estimate: "7 s", from two minutes on "2 min", from two hours on "2.1 h". Free with g_free(). */
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
