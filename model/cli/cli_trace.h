/* SPDX-License-Identifier: GPL-2.0-only */
/* This is TRACE|DIR: what the commands that read a trace take. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "cli/cli.h"
#include "summary/summary.h"

/* Opens the trace `path` for reading. Where it is the folder of a run: its run.trace, which must have the
 * keys of the summary.json there; without one, a temporary trace, for which the scenario of the summary is
 * run again, with a note and progress on standard error where that takes long, unless `arguments` have
 * --quiet: `times` as long as the run alone, with what the caller does to the trace (cli_progress.h).
 * `*ending` (may be NULL) becomes how that run ended, if not well: "The run ended failed: …", else NULL; free
 * with g_free(). NULL and `error` when `path` cannot be read, when run.trace is of another run, and when the
 * run made again has other metrics than the summary: events of the scenario file, another version. */
FILE *cli_run_trace_open(const char *path, const cli_arguments *arguments, double times, char **ending,
                         GError **error);

/* Returns the scenario of the run that `record` is of, which stands at `path`: by its keys, all of them, or
 * those that a replay has when `of_replay` permits one. NULL and `error` when it is another version's. */
scenario *cli_run_scenario(const summary_record *record, const char *path, gboolean of_replay,
                           GError **error);
