/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace shows of how a run failed, or was terminated: who found what, in which FPDU, who sent that,
 * and whether the path had damaged it. */
#pragma once

#include "explain/prose.h"
#include "trace/trace_reader.h"

typedef struct run_ending {
  gboolean failed;     /* an end did; the first of them: */
  trace_event failure; /* its event */
  char *why;
  trace_event looked_at;  /* the last fpdu_valid or fpdu_invalid before, of whatever end */
  guint64 misses;         /* damaged segments that TCP took as good … */
  trace_event first_miss; /* … and when the first arrived */
} run_ending;

/* Reads `reader`, a new one, to its end. Clear with run_ending_clear() also after FALSE and `error`. */
gboolean run_ending_find(trace_reader *reader, run_ending *ending, GError **error);
void run_ending_clear(run_ending *ending);

/* Reads another one of the same trace, and adds the sentences to `to`. `fault` is what the scenario makes a
 * peer do wrong, as fault.error has it; NULL: nothing. */
gboolean explain_ending(trace_reader *reader, const run_ending *ending, const char *fault, prose *to,
                        GError **error);
