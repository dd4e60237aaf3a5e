/* SPDX-License-Identifier: GPL-2.0-only */
/* This shows how far a run is, on the terminal of the user who started it: one line that is redrawn. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "session/session.h"
#include "study/sweep/sweep_grid.h"

typedef struct cli_progress {
  FILE *file;
  const char *what;  /* what it is at so many seconds of: "simulated time" */
  gint64 started_us; /* of wall time */
  gint64 shown_us;   /* 0: not yet */
  gint64 grown_us;   /* when `share` was last seen to grow; 0: not yet */
  double share;
} cli_progress;

/* Returns that of work that begins now, on standard error. */
cli_progress cli_progress_begin(const char *what);

/* Shows at `now_us` of wall time that `share` of the work is done (below 0: not known), and that it is at
 * `at_s` seconds, unless it is younger than a second or half a second has not
 * passed since the last time. While the share grows, the line has the time left, estimated from the time that
 * the work so far took. A run that has stood still for some seconds may go on at once or never. */
void cli_progress_show(cli_progress *shown, double share, double at_s, gint64 now_us);

/* Does the same of a run or replay; `shown` is a cli_progress: a session_progress_function. */
void cli_progress_of_run(const session_progress *progress, void *shown);

/* Returns the grid of a sweep, as sweep_grid_new(), while its points are checked; with progress when
 * `shows`. */
sweep_grid *cli_progress_grid(const scenario *base, const char *const *sets, guint seeds, gboolean shows,
                              GError **error);

/* Erases the line, where there is one. */
void cli_progress_clear(const cli_progress *shown);

/* This is what runs cost on this machine, before they are made. */

/* Returns the seconds that this machine, as this program was built, takes for a second of run_cost: of a
 * small run, which is made in some 20 ms. */
double cli_cost_pace(void);

/* Returns what runs cost, in words: payload and messages of all connections, segments, time and memory. The
 * time is this machine's from a second on, which takes cli_cost_pace(). Free with g_free(). */
char *cli_cost_text(const run_cost *cost);

/* A trace of a run takes this many times as long as the run alone; to explain this besides, or to plot it;
 * and to make a page of it, with what is explained there. */
#define CLI_COST_TRACED 2.0
#define CLI_COST_EXPLAINED 5.0
#define CLI_COST_TIMELINE 30.0

/* Prints on standard error that `what`, a run of `s` that takes `times` as long with what else is done, will
 * take a second or more, with its cost; nothing of less. */
void cli_cost_announce(const scenario *s, double times, const char *what);
