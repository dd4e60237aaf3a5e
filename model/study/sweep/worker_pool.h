/* SPDX-License-Identifier: GPL-2.0-only */
/* The workers of a sweep, and the runs in their hands: each is watched, and stopped when it stalls or takes too long. */
#ifndef STUDY_WORKER_POOL_H
#define STUDY_WORKER_POOL_H

#include <glib.h>

#include "study/sweep/sweep_worker.h"

typedef struct worker_pool worker_pool;
typedef struct worker_run worker_run;

/* What a run may take. 0: as much as it likes. */
typedef struct run_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA); beyond, its allocations fail */
} run_limits;

/* All that is known of a run that has ended. */
typedef struct worker_run_end {
  int wait_status;      /* as wait4() gives it */
  const char *summary;  /* what it handed over as its summary, with a NUL */
  gsize summary_octets; /* 0: nothing */
  gboolean summary_cut; /* it was longer; that is its end */
  const char *messages; /* the end of its stderr */
  gsize messages_octets;
  gboolean messages_cut;       /* there was more before */
  const char *stopped_why;     /* the watchdog stopped it, because …; NULL */
  guint64 memory_limit_octets; /* 0: there was none */
  const char *started;         /* "2026-11-21T10:08:16Z" */
  double wall_s;
  double cpu_s;              /* user and system; 0 (not known) when its worker died with it */
  double memory_peak_octets; /* the most it held at a time */
} worker_run_end;

/* Starts workers for the points of `grid`, for up to `jobs` runs at once within `limits`: as many as this machine has the descriptors and
 * processes for. To be called before a store is opened: what this process holds by now counts as memory of each run. `grid` must outlive the
 * pool. NULL and `error` (G_FILE_ERROR, G_UNIX_ERROR) when there is not even one. Free with worker_pool_free(), which ends what it started
 * (NULL-safe). */
worker_pool *worker_pool_new(const sweep_grid *grid, worker_simulate simulate, guint jobs,
                             const run_limits *limits, GError **error);
void worker_pool_free(worker_pool *pool);

/* How many runs at once there are workers for. */
guint worker_pool_places(const worker_pool *pool);

/* A worker that dies is replaced by another, forked from this process, which must then have one thread alone: `settle` is called first, and
 * waits until it has. */
void worker_pool_fork_when(worker_pool *pool, void (*settle)(gpointer data), gpointer data);

/* Called once, from the default main context, whereupon `run` is freed. `end` is valid until another run is started, or this returns. */
typedef void (*worker_run_ended)(worker_run *run, const worker_run_end *end, gpointer data);

/* Starts the run of point `point`. It dies with this process (sweep_worker.h). NULL and `error` (G_FILE_ERROR, G_UNIX_ERROR) when a worker
 * is missing and cannot be forked. */
worker_run *worker_run_start(worker_pool *pool, gsize point, worker_run_ended ended, gpointer data,
                             GError **error);

/* The point it is the run of. */
gsize worker_run_point(const worker_run *run);

/* To be called several times a second: stops a run that stalls or takes too long (its end then has the reason), and kills one that was stopped
 * and does not end. */
void worker_run_watch(worker_run *run);

/* How much of the run is done, 0 … 1. */
double worker_run_share(const worker_run *run);

/* Asks it to end; worker_run_watch() sees to it. */
void worker_run_stop(worker_run *run);

/* Kills it, and its worker. */
void worker_run_kill(worker_run *run);

/* Stop and continue it as Ctrl-Z and `fg` do; what passes meanwhile does not count for its limits. */
void worker_run_pause(worker_run *run);
void worker_run_continue(worker_run *run);

#endif
