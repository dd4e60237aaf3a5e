/* One run as a child process: `PROGRAM run SCENARIO --set … --out FOLDER --quiet`. ns-3 keeps one
 * simulator a process and may abort it, so a sweep never runs in itself (design.md, Parts we take). */
#ifndef STUDY_CHILD_RUN_H
#define STUDY_CHILD_RUN_H

#include <glib.h>

#include "sim/summary.h"

typedef struct child_run child_run;

/* How a child ended. */
typedef struct child_outcome {
  summary_record *summary; /* NULL: it left none that can be read */
  run_status status;       /* the summary's; RUN_FAILED when there is none, or the exit contradicts it */
  char *message;           /* the summary's, or how the child ended and the end of its stderr; never NULL */
  int exit_code;           /* 128 + signal when a signal ended it */
  int signal;              /* that signal; 0: it exited */
  double wall_s;
} child_outcome;

/* Called once, from the default main context. `outcome` is the child_run's; the child_run frees itself
 * after the call. */
typedef void (*child_run_ended)(child_run *child, const child_outcome *outcome, gpointer data);

/* Starts `program` on `scenario_path` with the NULL-terminated `sets` ("group.key=value"), in a temporary
 * folder that goes away with the child. The child is killed when this process dies, has no terminal's
 * Ctrl-C of its own, an empty stdin, and its stdout is dropped. NULL and `error` (G_SPAWN_ERROR,
 * G_FILE_ERROR) when it cannot be started. */
child_run *child_run_start(const char *program, const char *scenario_path, char *const *sets,
                           child_run_ended ended, gpointer data, GError **error);

/* Sends it `signal`. */
void child_run_signal(const child_run *child, int signal);

#endif
