/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the runs of a sweep or of a search: how many at once, within which limits, and where they come
 * from. */
#pragma once

#include <glib.h>

#include "cli/cli.h"
#include "study/store/provenance.h"
#include "study/sweep/run_process.h"
#include "study/sweep/sweep.h"

/* These are as given on the command line; the entries below fill it in. */
typedef struct cli_runs_options {
  char **sets;
  int jobs;
  gboolean mix;
  char *limit, *stall, *memory;
} cli_runs_options;

/* This stands there before the entries are read: as many runs at once as there are cores, which no -j asks
 * for. */
#define CLI_RUNS_DEFAULT                                                                                     \
  {                                                                                                          \
    .jobs = G_MININT                                                                                         \
  }

/* These are the rows of a GOptionEntry table for `options`, a cli_runs_options. */
#define CLI_RUNS_ENTRIES(options)                                                                            \
  CLI_TEXTS("set", 's', &(options).sets, "override a key that the sweep does not vary", "GROUP.KEY=VALUE"),  \
      CLI_NUMBER("jobs", 'j', &(options).jobs,                                                               \
                 "runs at once (default: one a core); the results do not depend on it"),                     \
      CLI_TEXT("limit", 0, &(options).limit, "stop a run that takes longer (default: no limit)", "TIME"),    \
      CLI_TEXT("stall", 0, &(options).stall,                                                                 \
               "stop a run whose simulated time stands still for so long (default: 60s; 0: never)", "TIME"), \
      CLI_TEXT("memory", 0, &(options).memory, "most data that a run may hold (default: no limit)", "SIZE"), \
      CLI_SWITCH("mix", 0, &(options).mix,                                                                   \
                 "accept a store with runs of another scenario text or program version")

/* Sets in `options` what was given: limits, how many runs at once, how progress is shown; and that runs are
 * simulated. FALSE and `error` when an option is wrong. */
gboolean cli_runs_read(const cli_runs_options *runs, const cli_arguments *arguments, sweep_options *options,
                       GError **error);

/* Returns where the results of `s` go: `given`, or without one results/NAME`suffix`.sqlite. Free with
 * g_free(). */
char *cli_runs_store(const char *given, const scenario *s, const char *suffix);

/* Returns where the runs of `grid` come from. Free with provenance_free(). */
provenance *cli_runs_origin(const sweep_grid *grid, const cli_runs_options *options);

/* Makes those of the runs of `plan` that the store at `path` lacks, as sweep_run(). FALSE and `error` also
 * when the store cannot be made or opened, or (but with --mix) holds runs of another origin. `*store` is
 * open, or NULL: free it with result_store_close(). */
gboolean cli_runs_make(sweep_plan *plan, const cli_runs_options *runs, const char *path,
                       const sweep_options *options, sweep_result *result, result_store **store,
                       GError **error);
