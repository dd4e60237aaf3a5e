/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario becomes a session, runs, becomes results. */
#pragma once

#include <glib.h>

#include "platform/run_engine.h"
#include "scenario/scenario.h"
#include "session/session.h"

typedef struct simulation_options {
  const char *directory; /* where occupancy.csv and captures go; must exist. NULL: no files are written */
  gboolean capture;      /* sender.pcap and receiver.pcap, or h3.pcap of each host of measure.hosts */
  FILE *trace;           /* opened; a trace of what happens goes there. NULL: none */
  session_progress_function
      progress; /* called with how far the run is, as session_on_progress() does; NULL: none */
  void *progress_user;
} simulation_options;

/* Runs `s`, which scenario_check() has passed, to its end and fills `result`, which
 * session_result_clear() clears. Returns FALSE and sets
 * `error` when the engine could not be made or a file not be written; a run that fails its own checks
 * returns TRUE with its status. ns-3 keeps one simulator a process: one run at a time. */
gboolean simulation_run(const scenario *s, const simulation_options *options, session_result *result,
                        GError **error);

/* Returns what a trace of a run of `s` names: scenario, seed, version and the keys, as JSON. Free with
 * g_free(). */
char *simulation_trace_about(const scenario *s);

/* Returns a trace of a run on `clock` into `file` that names `about`: trace_new(). */
trace *simulation_trace_new(const char *about, FILE *file, const engine *clock);

/* Opens DIRECTORY/NAME, a series as occupancy.csv is, of a run of `c`, and writes its first line, which names
 * scenario, seed and version. NULL and `error` when that fails. simulation_close_series() closes it; FALSE
 * and `error` when not all of it was written. */
FILE *simulation_open_series(const configuration *c, const char *directory, const char *name, GError **error);
gboolean simulation_close_series(FILE *series, const char *directory, GError **error);
