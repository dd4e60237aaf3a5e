/* SPDX-License-Identifier: GPL-2.0-only */
/* How a child ended: what it said itself, what the kernel says of it, and which of the two counts. */
#ifndef STUDY_CHILD_OUTCOME_H
#define STUDY_CHILD_OUTCOME_H

#include <glib.h>

#include "base/time_ps.h"
#include "study/sweep/child_record.h"

typedef struct child_outcome {
  child_record *record; /* its summary; NULL: it left none that can be read */
  run_status status;    /* the summary's; RUN_FAILED when there is none, or the exit contradicts it */
  char *message;        /* the summary's, or how the child ended; never NULL */
  char *stderr_tail;    /* the end of what it said, valid UTF-8 in lines; "" */
  char *started;        /* "2026-11-21T10:08:16Z" */
  int exit_code;        /* 128 + signal when a signal ended it */
  int signal;           /* that signal; 0: it exited */
  double wall_s;
  double cpu_s;              /* user and system */
  double memory_peak_octets; /* the most it held at a time */
} child_outcome;

/* What is known of a child that has ended. Everything pointed to stays the caller's. */
typedef struct child_end {
  int wait_status;             /* as wait4() gives it */
  const guint8 *record;        /* what it left as its summary (child_record.h) */
  gsize record_octets;         /* 0: it left none */
  const char *said;            /* the end of its stderr */
  gsize said_octets;           /* of it */
  gboolean said_cut;           /* it said more before */
  const char *stopped_why;     /* the watchdog stopped it, because …; NULL */
  guint64 memory_limit_octets; /* 0: there was none */
  double memory_peak_octets;
} child_end;

/* The outcome of `end`, but for `started` (""), wall_s and cpu_s. Free with child_outcome_free(). */
child_outcome *child_outcome_new(const child_end *end);
void child_outcome_free(child_outcome *outcome);

/* The end of a program's messages as text to keep: valid UTF-8, lines as they were, no other control characters; begins with a whole
 * character when `cut` is true. Free with g_free(). */
char *child_outcome_tail(const char *octets, gsize count, gboolean cut);

#endif
