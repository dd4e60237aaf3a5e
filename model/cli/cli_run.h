/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the results that run and replay both write: a folder with summary.json, a page on standard
 * output, an exit code. */
#pragma once

#include <glib.h>

#include "base/new_files.h"
#include "session/simulation.h"
#include "summary/summary.h"

/* This is where the results of a run go. */
typedef struct cli_results {
  char *directory;
  const char *trace; /* where --trace goes; NULL: nowhere. The caller's */
  new_files *files;  /* they are made here first */
} cli_results;

/* This is the row of a GOptionEntry table for `all`, whether every metric is printed. */
#define CLI_RESULTS_ALL(all) CLI_SWITCH("all", 'a', &(all), "print every metric, not only what matters most")

/* Begins results of `s` in `directory`, or, when that is NULL, in results/NAME, which is made when it is
 * missing. End with cli_results_end() also after FALSE and `error`: it cannot be written, or `traced` (may be
 * NULL) is to go where one of the results does. */
gboolean cli_results_begin(cli_results *results, const scenario *s, const char *directory, const char *traced,
                           GError **error);

/* Frees them; what was not put in its place is removed. */
void cli_results_end(cli_results *results);

/* Returns `result` of `s` as a summary, `of` as for cli_results_report(); what the summary points to stays
 * theirs. */
summary cli_results_summary(const scenario *s, const session_result *result, const summary_replay *of);

/* Writes summary.json and puts the results in their places, where they replace those of an earlier run; its
 * captures and its run.trace stay when none were made now, with a note unless `quiet`. Unless `quiet`, prints
 * what matters of it, or, with `all`, the whole summary. `of` is what a replay reports besides (NULL: a run).
 * FALSE and `error` when a file cannot be written; the earlier results are then as they were. */
gboolean cli_results_report(const cli_results *results, const scenario *s, const session_result *result,
                            const summary_replay *of, gboolean quiet, gboolean all, GError **error);

/* Returns the exit code of `command` ("run") by the result and run.expect; when that is not 0, prints why on
 * standard error. */
int cli_results_exit_code(const char *command, const scenario *s, const session_result *result);
