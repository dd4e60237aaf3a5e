/* SPDX-License-Identifier: GPL-2.0-only */
/* The workers of a sweep, and the runs that they have: each run is watched, and stopped when it stalls or
 * takes too long.
 *
 * A worker is a process that makes runs, one after another. It is forked from the sweep, and forks for each
 * run: ns-3 keeps one simulator a process and may abort it, so a run never shares a process with anything
 * that must live on. A point's index goes in through a socket; the run's messages go to a file in memory, its
 * progress and its summary stand in memory that both share. Whatever dies leaves nothing running: workers
 * and runs are killed when this process dies, before this process when memory runs out, and leave no core
 * file; a terminal's Ctrl-C does not reach them, stdin is empty, and stdout is dropped. */
#pragma once

#include <glib.h>

#include "base/time_ps.h"
#include "study/store/summary.h"
#include "study/sweep/sweep_grid.h"

/* The run's side. */

typedef struct worker_progress worker_progress;

/* Simulates `s`, in a process of its own, and hands over how that ended. Returns the exit code of the
 * process. */
typedef int (*worker_simulate)(scenario *s, worker_progress *progress);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void worker_progress_set(worker_progress *progress, time_ps now, double share);

/* Hands status, message, engine and results of `left` to the sweep. */
void worker_hand_over(worker_progress *progress, const summary *left);

/* The sweep's side. */

typedef struct worker_pool worker_pool;
typedef struct worker worker;

/* What a run may take. 0: as much as it likes. */
typedef struct run_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA); beyond, its allocations fail */
} run_limits;

/* The end of what a run wrote to its stderr. */
typedef struct worker_messages {
  const char *octets;
  gsize count;
  gboolean cut; /* there was more before */
} worker_messages;

/* All that is known of a run that has ended. */
typedef struct worker_run_end {
  gsize point;
  int wait_status;     /* as wait4() gives it */
  const summary *left; /* what it handed over; NULL: nothing */
  worker_messages messages;
  const char *stopped_why;     /* the watchdog stopped it, because …; NULL */
  guint64 memory_limit_octets; /* 0: there was none */
  const char *started;         /* "2026-11-21T10:08:16Z" */
  double wall_s;
  double cpu_s;              /* user and system; 0 (not known) when its worker died with it */
  double memory_peak_octets; /* the most it held at a time */
} worker_run_end;

/* Starts workers for the points of `grid`, for up to `jobs` runs at once within `limits`: as many as this
 * machine has the descriptors and processes for. To be called before a store is opened: what this process
 * holds by now counts as memory of each run. This process has one thread alone. `grid` must outlive the pool.
 * NULL and `error` (IWARPSIM_ERROR, G_UNIX_ERROR) when not even one can be started. Free with
 * worker_pool_free(), which ends what it started (NULL-safe). */
worker_pool *worker_pool_new(const sweep_grid *grid, worker_simulate simulate, guint jobs,
                             const run_limits *limits, GError **error);
void worker_pool_free(worker_pool *pool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(worker_pool, worker_pool_free)

/* How many runs at once there are workers for. */
guint worker_pool_places(const worker_pool *pool);

/* Called once, from the default main context: `w` then has no run, or is freed. `end` is valid until another
 * run is started, or this returns. */
typedef void (*worker_run_ended)(worker *w, const worker_run_end *end, gpointer data);

/* Starts the run of point `point` in an idle worker, or in a new one; the pool owns it. NULL and `error`
 * (IWARPSIM_ERROR, G_UNIX_ERROR) when a worker is missing and cannot be forked. */
worker *worker_pool_run(worker_pool *pool, gsize point, worker_run_ended ended, gpointer data,
                        GError **error);

/* The run that a worker has. */

/* To be called several times a second: forgets messages that will not be kept, stops a run that stalls or
 * takes too long (its end then has the reason), and kills one that was stopped and does not end. */
void worker_watch(worker *w);

/* Its point, and how much of it is done, 0 … 1. */
gsize worker_point(const worker *w);
double worker_share(const worker *w);

/* Asks the run to end; worker_watch() asks again, and later kills it. */
void worker_stop(worker *w);

/* Kills the run, and its worker. */
void worker_kill(worker *w);

/* Stop and continue the run as Ctrl-Z and `fg` do; the time in between does not count for its limits. */
void worker_pause(worker *w);
void worker_continue(worker *w);
