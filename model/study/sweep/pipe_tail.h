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

/* Opens a pipe of which the last `limit` octets are kept. FALSE and `error` when none can be had. */
gboolean pipe_tail_open(pipe_tail *p, guint limit, GError **error);
void pipe_tail_close_writer(pipe_tail *p);
void pipe_tail_close(pipe_tail *p);

/* Reads what is in the pipe now, at most as much as a pipe can hold: the last words of a process that ended.
 * A NUL, which does not count, follows what was kept. */
void pipe_tail_drain(pipe_tail *p);

/* Forgets what was kept, and what is in the pipe. */
void pipe_tail_clear(pipe_tail *p);
