/* SPDX-License-Identifier: GPL-2.0-only */
/* What a process writes into a pipe, read by the default main context as it comes: the end of it is kept,
 * however much that is. */
#pragma once

#include <glib.h>

typedef struct pipe_tail {
  guint limit;
  int reader;
  int writer;          /* -1: closed, since the process that writes has it */
  guint source;        /* 0: all writers are gone */
  GByteArray *kept;    /* NULL: it was not opened */
  gboolean overflowed; /* octets were dropped for want of room */
} pipe_tail;

/* The end of what was written. */
typedef struct pipe_text {
  const char *octets; /* with a NUL */
  gsize count;
  gboolean cut; /* there was more before */
} pipe_text;

/* Opens a pipe of which the last `limit` octets are kept; its address must stay. FALSE and `error`
 * (G_UNIX_ERROR) when none can be had. Close with pipe_tail_close(), which does nothing to a pipe of zeros
 * that was not opened. */
gboolean pipe_tail_open(pipe_tail *p, guint limit, GError **error);
void pipe_tail_close(pipe_tail *p);

/* Once a process that was forked has the writer. */
void pipe_tail_close_writer(pipe_tail *p);

/* Reads what is in the pipe now, at most as much as a pipe can hold: the last words of a process that ended.
 * What was kept stays the pipe's. */
pipe_text pipe_tail_drain(pipe_tail *p);

/* Forgets what was kept, and what is in the pipe. */
void pipe_tail_clear(pipe_tail *p);
