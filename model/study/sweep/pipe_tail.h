/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process writes into a pipe, read as it comes: the end of it is kept, however much that is. */
#ifndef STUDY_PIPE_TAIL_H
#define STUDY_PIPE_TAIL_H

#include <glib.h>

typedef struct pipe_tail pipe_tail;

/* Opens a pipe that the default main context empties. The last `limit` octets are kept. NULL and `error` (G_UNIX_ERROR) when there is no
 * pipe to be had. Free with pipe_tail_free() (NULL-safe). */
pipe_tail *pipe_tail_new(gsize limit, GError **error);
void pipe_tail_free(pipe_tail *pipe);

/* The end to write into; the pipe's, until pipe_tail_close_writer(), once another process has it. */
int pipe_tail_writer(const pipe_tail *pipe);
void pipe_tail_close_writer(pipe_tail *pipe);

/* Reads what is in the pipe now, at most as much as a pipe can hold: the last words of a process that ended. */
void pipe_tail_drain(pipe_tail *pipe);

/* What was kept, `*length` octets and a NUL; the pipe's. */
const char *pipe_tail_octets(const pipe_tail *pipe, gsize *length);

/* Drops what is in the pipe and what was kept. */
void pipe_tail_clear(pipe_tail *pipe);

/* TRUE when octets were dropped for want of room. */
gboolean pipe_tail_overflowed(const pipe_tail *pipe);

#endif
