/* SPDX-License-Identifier: GPL-2.0-only */
/* What a child writes into a pipe, read as it comes; the last of it is kept, however much that is. */
#ifndef STUDY_CHILD_PIPE_H
#define STUDY_CHILD_PIPE_H

#include <glib.h>

typedef struct child_pipe child_pipe;

/* A pipe that the default main context empties; of all that comes the last `limit` octets are kept. NULL and `error` (G_UNIX_ERROR) when there is none to be had. Free with
 * child_pipe_free() (NULL-safe). */
child_pipe *child_pipe_new(gsize limit, GError **error);
void child_pipe_free(child_pipe *pipe);

/* The end to write into; the pipe's, until child_pipe_close_writer(), once the child has it. */
int child_pipe_writer(const child_pipe *pipe);
void child_pipe_close_writer(child_pipe *pipe);

/* Takes what is in the pipe now, at most as much as a pipe can hold: the last words of a child that ended. */
void child_pipe_drain(child_pipe *pipe);

/* What was kept, `*length` octets and a NUL; the pipe's. */
const char *child_pipe_octets(const child_pipe *pipe, gsize *length);

/* Forgets what was kept. */
void child_pipe_clear(child_pipe *pipe);

/* TRUE when octets were dropped. */
gboolean child_pipe_overflowed(const child_pipe *pipe);

#endif
