/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that makes runs for a sweep, one after another. It is forked from the sweep, and forks for each run: ns-3 keeps one simulator a
 * process and may abort it, so a run never shares a process with anything that must live on. A point's index goes in through a socket; the
 * run's summary comes out as JSON through a pipe, its messages through another, its progress stands in shared memory. Whatever dies leaves
 * nothing behind. */
#ifndef STUDY_SWEEP_WORKER_H
#define STUDY_SWEEP_WORKER_H

#include <glib.h>

#include "base/time_ps.h"
#include "study/store/summary.h"
#include "study/sweep/pipe_tail.h"
#include "study/sweep/sweep_grid.h"

/* The run's side. */

/* Of a run's process, beside the standard ones. */
enum { WORKER_SOCKET_FD = 3, WORKER_SUMMARY_FD = 4 };

typedef struct worker_progress worker_progress;

/* Simulates `s`, in a process of its own, and hands over its summary. Returns the exit code of the process. */
typedef int (*worker_simulate)(scenario *s, worker_progress *progress);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void worker_progress_set(worker_progress *progress, time_ps now, double share);

/* Hands the summary of `s` to the sweep. Once. FALSE and `error` (G_FILE_ERROR) when it cannot be written. */
gboolean worker_write_summary(const summary *page, const scenario *s, GError **error);

/* The sweep's side. */

typedef struct sweep_worker sweep_worker;

/* How a run ended, as the worker that waited for it reports. */
typedef struct worker_end {
  gint64 wall_us;
  gint64 cpu_us; /* user and system */
  gint64 memory_peak_octets;
  int wait_status; /* as wait4() gives it */
} worker_end;

/* Called from the default main context when the run in hand has ended. `died`: the worker is gone too, killed with the run or instead of
 * it; `end` is then the worker's, without times, and the worker can be freed only. */
typedef void (*sweep_worker_ended)(const worker_end *end, gboolean died, gpointer data);

/* Forks a worker for the points of `grid`, whose runs may hold at most `memory_octets` of data each (RLIMIT_DATA; 0: any). This process has
 * one thread alone, and no store open if its memory is not to count as the runs'. The worker and its runs are killed when this process
 * dies, before this process when memory runs out, and leave no core file; a terminal's Ctrl-C does not reach them, stdin is empty, and
 * stdout is dropped. NULL and `error` (G_FILE_ERROR, G_UNIX_ERROR) when it cannot be forked. Free with sweep_worker_free(). */
sweep_worker *sweep_worker_start(const sweep_grid *grid, worker_simulate simulate, guint64 memory_octets,
                                 GError **error);

/* Kills the worker, and its run if there is one. NULL-safe. */
void sweep_worker_free(sweep_worker *worker);

/* Asks for the run of point `point`, when none is in hand. `ended` is called once. FALSE: the worker has died. */
gboolean sweep_worker_request(sweep_worker *worker, guint64 point, sweep_worker_ended ended, gpointer data);

/* Sends `number` to the worker and its run. The worker ignores SIGTERM. */
void sweep_worker_signal(const sweep_worker *worker, int number);

/* How far the run in hand is: simulated time, and the share that is done, 0 … 1. */
time_ps sweep_worker_simulated(const sweep_worker *worker);
double sweep_worker_share(const sweep_worker *worker);

/* What the run in hand, or the last one, has written: its stderr, and its summary; the worker's. */
pipe_tail *sweep_worker_messages(const sweep_worker *worker);
pipe_tail *sweep_worker_summary(const sweep_worker *worker);

#endif
