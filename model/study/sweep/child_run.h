/* One run as a child process: `PROGRAM run SCENARIO --set … --quiet --as-child`. ns-3 keeps one simulator a process and may abort it,
 * so a sweep never runs in itself (design.md, Parts we take). The child writes no files: its summary and stderr come through pipes, how
 * far it is through shared memory, so whatever dies leaves nothing behind. */
#ifndef STUDY_CHILD_RUN_H
#define STUDY_CHILD_RUN_H

#include <glib.h>

#include "base/time_ps.h"
#include "study/sweep/child_outcome.h"

typedef struct child_run child_run;

/* What a child may take. 0: as much as it likes. */
typedef struct child_limits {
  double stall_s;        /* of wall time without progress of simulated time */
  double wall_s;         /* of wall time in all */
  guint64 memory_octets; /* of data (RLIMIT_DATA); beyond, its allocations fail */
} child_limits;

/* Called once, from the default main context. `outcome` is the receiver's: child_outcome_free(). The child_run frees itself after the
 * call. */
typedef void (*child_run_ended)(child_run *child, child_outcome *outcome, gpointer data);

/* Starts `program` on `scenario_path` with the NULL-terminated `sets` ("group.key=value"). The child is killed when this process dies,
 * before this process when memory runs out, and leaves no core file; it has no terminal's Ctrl-C of its own, an empty stdin, and its
 * stdout is dropped. NULL and `error` (G_SPAWN_ERROR, G_FILE_ERROR, G_UNIX_ERROR) when it cannot be started. */
child_run *child_run_start(const char *program, const char *scenario_path, char *const *sets,
                           const child_limits *limits, child_run_ended ended, gpointer data, GError **error);

/* To be called several times a second: stops a child that stalls or takes too long (its outcome then says so), and kills one that was
 * stopped a second ago and is still there. */
void child_run_watch(child_run *child);

/* How far it is, 0 … 1. */
double child_run_share(const child_run *child);

/* Asks it to end (SIGTERM). */
void child_run_stop(child_run *child);

/* Ends it (SIGKILL). */
void child_run_kill(const child_run *child);

#endif
