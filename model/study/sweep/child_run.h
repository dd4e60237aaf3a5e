/* SPDX-License-Identifier: GPL-2.0-only */
/* One run of a sweep: a process of its own, forked by one that makes several, one after another (child_host.h). ns-3 keeps one simulator a
 * process and may abort it, so a sweep never runs in itself (design.md, Parts we take). */
#ifndef STUDY_CHILD_RUN_H
#define STUDY_CHILD_RUN_H

#include <glib.h>

#include "base/time_ps.h"
#include "study/sweep/child_outcome.h"

/* Where runs are made: processes that have loaded the program and the scenario, as many as there were runs at once. */
typedef struct child_pool child_pool;

typedef struct child_run child_run;

/* What a run may take. 0: as much as it likes. */
typedef struct child_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA); beyond, its allocations fail */
} child_limits;

/* Runs of `program` on `scenario_path` with the NULL-terminated `sets` ("group.key=value"; NULL: none), within `limits`. Everything stays
 * the caller's, and must outlive the pool. Starts nothing yet. Free with child_pool_free(), which ends what it started. */
child_pool *child_pool_new(const char *program, const char *scenario_path, const char *const *sets,
                           const child_limits *limits);
void child_pool_free(child_pool *pool);

/* Called once, from the default main context. `outcome` is the receiver's: child_outcome_free(). The child_run frees itself after the
 * call. */
typedef void (*child_run_ended)(child_run *child, child_outcome *outcome, gpointer data);

/* Starts a run with `sets` too. It dies with this process (child_host.h). NULL and `error` (G_SPAWN_ERROR, G_FILE_ERROR, G_UNIX_ERROR)
 * when it cannot be started. */
child_run *child_run_start(child_pool *pool, char *const *sets, child_run_ended ended, gpointer data,
                           GError **error);

/* To be called several times a second: stops a run that stalls or takes too long (its outcome then says so), and kills one that was
 * stopped and does not end. */
void child_run_watch(child_run *child);

/* How much of the run is done, 0 … 1. */
double child_run_share(const child_run *child);

/* Asks it to end; child_run_watch() sees to it. */
void child_run_stop(child_run *child);

/* Ends it. */
void child_run_kill(const child_run *child);

/* Stops and continues it as Ctrl-Z and `fg` do; what passes meanwhile does not count for its limits. */
void child_run_pause(child_run *child);
void child_run_continue(child_run *child);

#endif
