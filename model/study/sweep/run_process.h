/* SPDX-License-Identifier: GPL-2.0-only */
/* The run of a point in a process of its own, which is watched, and stopped when it stalls or takes too long.
 *
 * ns-3 keeps one simulator a process and may abort it, so a run never shares a process with anything that
 * must live on: it is forked from the sweep, whose scenario it has. Its messages go to a file in memory, its
 * progress and its summary stand in memory that both share. Whatever dies leaves nothing running: runs are
 * killed when this process dies, before this process when memory runs out, and leave no core file; a
 * terminal's Ctrl-C does not reach them, stdin is empty, and stdout is dropped. */
#pragma once

#include <glib.h>

#include "base/time_ps.h"
#include "study/store/summary.h"
#include "study/sweep/sweep_grid.h"

/* The run's side. */

typedef struct run_progress run_progress;

/* Simulates `s`, in a process of its own, and hands over how that ended. Returns the exit code of the
 * process. */
typedef int (*run_simulate)(scenario *s, run_progress *progress);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void run_progress_set(run_progress *progress, time_ps now, double share);

/* Hands status, message, engine and results of `left` to the sweep. */
void run_hand_over(run_progress *progress, const summary *left);

/* The sweep's side. */

typedef struct run_process run_process;

/* What a run may take. 0: as much as it likes. */
typedef struct run_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA), what this process holds by then included; beyond, its
                            allocations fail */
} run_limits;

/* The end of what a run wrote to its stderr. */
typedef struct run_messages {
  const char *octets;
  gsize count;
  gboolean cut; /* there was more before */
} run_messages;

/* All that is known of a run that has ended. */
typedef struct ended_run {
  gsize point;
  int wait_status;     /* as wait4() gives it */
  const summary *left; /* what it handed over; NULL: nothing */
  run_messages messages;
  const char *stopped_why;     /* the watchdog stopped it, because …; NULL */
  guint64 memory_limit_octets; /* 0: there was none */
  const char *started;         /* "2026-11-21T10:08:16Z" */
  double wall_s;
  double cpu_s;              /* user and system */
  double memory_peak_octets; /* the most it held at a time, what this process held when it started included */
} ended_run;

/* Called once, from the default main context; `run` is freed, and `end` invalid, when it returns. */
typedef void (*run_ended)(run_process *run, const ended_run *end, gpointer data);

/* Starts the run of point `point` of `grid` within `limits`, from a process of one thread. NULL and `error`
 * (IWARPSIM_ERROR) when this machine has no process or descriptors for it. */
run_process *run_process_start(const sweep_grid *grid, gsize point, run_simulate simulate,
                               const run_limits *limits, run_ended ended, gpointer data, GError **error);

/* To be called several times a second: forgets messages that will not be kept, stops a run that stalls or
 * takes too long (its end then has the reason), and kills one that was stopped and does not end. */
void run_process_watch(run_process *run);

/* Its point, and how much of it is done, 0 … 1. */
gsize run_process_point(const run_process *run);
double run_process_share(const run_process *run);

/* Asks it to end; run_process_watch() asks again, and later kills it. */
void run_process_stop(run_process *run);
void run_process_kill(run_process *run);

/* Stop and continue it as Ctrl-Z and `fg` do; the time in between does not count for its limits. */
void run_process_pause(run_process *run);
void run_process_continue(run_process *run);
