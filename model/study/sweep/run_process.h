/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the run of a point in another process, which is watched, and stopped when it stalls or takes
 * too long.
 *
 * ns-3 keeps one simulator a process and may abort it, so a run never shares a process with anything that
 * must live on: it is forked from the sweep, whose scenario it has. A process makes small runs of engine
 * native one after another, since to be forked and to touch its memory anew costs three times as much as such
 * a run; when it dies, that is the end of the run it is at, and of no other. Its messages go to a file in
 * memory, its progress and its summary stand in memory that both share. Whatever dies leaves nothing running:
 * runs are killed when this process dies, before this process when memory runs out, and leave no core file; a
 * terminal's Ctrl-C does not reach them, stdin is empty, and stdout is dropped. */
#pragma once

#include <glib.h>

#include "base/time_ps.h"
#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"
#include "summary/summary.h"

/* This is the run's side. */

typedef struct run_progress run_progress;

/* Simulates `s`, in a run's process, and hands over how that ended. Returns the exit code of the process, if
 * that ends then. */
typedef int (*run_simulate)(scenario *s, run_progress *progress);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void run_progress_set(run_progress *progress, time_ps now, double share);

/* Hands status, message, engine and results of `left` to the sweep. */
void run_hand_over(run_progress *progress, const summary *left);

/* This is the sweep's side. */

typedef struct run_process run_process;

/* This is what a run may take. 0: as much as it likes. */
typedef struct run_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA), what this process holds by then included; beyond, its
                            allocations fail */
} run_limits;

/* Called once, from the default main context, with what a sweep keeps of the run that has ended: its status
 * and message are those of its summary; RUN_FAILED when there is none, or its exit contradicts it, and the
 * message then describes how it ended. `record`, which is the caller's from then on, is freed with
 * run_record_free(); its keys and identity are the grid's. `run` is freed when this returns, unless it was
 * `ready` for another start. */
typedef void (*run_ended)(run_process *run, stored_run *record, gpointer data);
void run_record_free(stored_run *record);

/* Starts the run of point `point` of `grid`, which must outlive it, within `limits`, from a process of one
 * thread: in the process of `ready`, a run so started whose `run_ended` this is called in, when it can make
 * another, and `ready` is then that one; else, or when `ready` is NULL, in a new one. NULL and `error`
 * (IWARPSIM_ERROR) when this machine has no process or descriptors for it. */
run_process *run_process_start(run_process *ready, const sweep_grid *grid, gsize point, run_simulate simulate,
                               const run_limits *limits, run_ended ended, gpointer data, GError **error);

/* To be called several times a second: forgets messages that will not be kept, stops a run that stalls or
 * takes too long (its end then has the reason), and kills one that was stopped and does not end. */
void run_process_watch(run_process *run);

/* Returns its point, and how much of it is done, 0 … 1. */
gsize run_process_point(const run_process *run);
double run_process_share(const run_process *run);

/* Asks it to end; run_process_watch() asks again, and later kills it. */
void run_process_stop(run_process *run);
void run_process_kill(run_process *run);

/* Stop and continue it as Ctrl-Z and `fg` do; the time in between does not count for its limits. */
void run_process_pause(run_process *run);
void run_process_continue(run_process *run);
