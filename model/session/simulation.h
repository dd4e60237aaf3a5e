/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario becomes a session, runs, becomes results. */
#ifndef SESSION_SIMULATION_H
#define SESSION_SIMULATION_H

#include <glib.h>

#include "platform/run_engine.h"
#include "scenario/scenario.h"
#include "session/session.h"

#define SIMULATION_ERROR (simulation_error_quark())
GQuark simulation_error_quark(void);
enum { SIMULATION_ERROR_FILE }; /* a file of the run could not be written: which and why */

typedef struct simulation_options {
  const char *directory; /* where occupancy.csv and captures go; must exist. NULL: no files are written */
  gboolean capture;      /* sender.pcap and receiver.pcap, as --pcap */
  session_progress_function progress; /* told how far the run is, as session_on_progress(); NULL: nobody is */
  void *progress_user;
} simulation_options;

/* What a run came to. */
typedef struct simulation_result {
  run_status status;
  char *message;              /* why; "" for ok. Free with simulation_result_clear() */
  char *terminate_code;       /* RUN_TERMINATED: "Terminate 1/1/01", "MPA error 4" …; else NULL */
  const char *terminate_side; /* the same: "Initiator" or "Responder", who found it; static */
  metric_values metrics;
  distribution distributions[DISTRIBUTION_COUNT]; /* cleared by simulation_result_clear() */
  run_engine engine;
  double window_over_bandwidth_delay; /* receive window / bandwidth-delay product of the main direction */
} simulation_result;

/* Runs `s`, which scenario_check() has passed, to its end and fills `result`. Returns FALSE and sets
 * `error` when the engine could not be made or a file not be written; a run that fails its own checks
 * returns TRUE with its status. ns-3 keeps one simulator a process: one run at a time. */
gboolean simulation_run(const scenario *s, const simulation_options *options, simulation_result *result,
                        GError **error);

/* Runs `run`, a session that is connected, to its end and fills `result` with how that was; `progress` as
 * simulation_options. */
void simulation_run_session(session *run, session_progress_function progress, void *progress_user,
                            simulation_result *result);

/* Opens DIRECTORY/occupancy.csv of a run of `s`, with its first line, which says what is run. NULL and
 * `error` when that fails; the caller closes it. */
FILE *simulation_open_series(const scenario *s, const char *directory, GError **error);

/* Frees what `result` owns. */
void simulation_result_clear(simulation_result *result);

#endif
