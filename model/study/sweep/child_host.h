/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that makes runs for a sweep, one after another, as the sweep sees it: `PROGRAM run SCENARIO --set … --quiet --as-child`, which
 * forks for each run (child_server.h). What a run leaves and how far it is stands in shared memory, what it says comes through a pipe:
 * whatever dies leaves nothing behind. */
#ifndef STUDY_CHILD_HOST_H
#define STUDY_CHILD_HOST_H

#include <glib.h>

#include "study/sweep/child_page.h"
#include "study/sweep/child_pipe.h"
#include "study/sweep/child_request.h"

typedef struct child_host child_host;

/* Called from the default main context when the run in hand has ended. `process_ended`: the host is gone too, killed with it or instead
 * of it, and `end` is that of the host, without times; it can be freed only. */
typedef void (*child_host_ended)(const child_end_told *end, gboolean process_ended, gpointer data);

/* Starts `program` on `scenario_path` with the NULL-terminated `sets` ("group.key=value"; NULL: none) for runs with at most `memory_octets`
 * of data each (RLIMIT_DATA; 0: any). It and its runs are killed when this process dies, before this process when memory runs out, and
 * leave no core file; they have no terminal's Ctrl-C of their own, an empty stdin, and their stdout is dropped. NULL and `error`
 * (G_SPAWN_ERROR, G_FILE_ERROR, G_UNIX_ERROR) when it cannot be started. Free with child_host_free(). */
child_host *child_host_start(const char *program, const char *scenario_path, const char *const *sets,
                             guint64 memory_octets, GError **error);

/* Ends the process, and its run if there is one, at once. NULL-safe. */
void child_host_free(child_host *host);

/* Asks for a run with `sets` too, when none is in hand. `ended` is called once. FALSE: the process has ended since its last run, or the
 * request is too long. */
gboolean child_host_request(child_host *host, char *const *sets, child_host_ended ended, gpointer data);

/* Sends `number` to the process and its run. */
void child_host_signal(const child_host *host, int number);

/* Processor time that the run in hand has taken, s; 0: there is none. */
double child_host_cpu_s(const child_host *host);

/* The memory shared with the run, and what the run says; the host's. */
const child_page *child_host_page(const child_host *host);
child_pipe *child_host_said(const child_host *host);

#endif
