/* SPDX-License-Identifier: GPL-2.0-only */
/* A run as a sweep keeps it: what was asked for, and how it ended, by its own summary unless its exit contradicts that. */
#ifndef STUDY_SWEEP_RECORD_H
#define STUDY_SWEEP_RECORD_H

#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"
#include "study/sweep/worker_pool.h"

typedef struct sweep_record {
  stored_run run;          /* its texts are the record's; the keys' and the identity are the grid's */
  summary_record *summary; /* NULL: the run left none that can be read */
} sweep_record;

/* The record of point `point`, run on `host`, which ended as `end` reports. Its status is that of its summary; RUN_FAILED when there is none,
 * or the exit contradicts it, and its message then describes how the run ended. Free with sweep_record_free(); `grid` and `host` must outlive
 * it. */
sweep_record *sweep_record_new(const sweep_grid *grid, gsize point, const char *host,
                               const worker_run_end *end);
void sweep_record_free(sweep_record *record);

/* The end of a program's messages as text to keep: valid UTF-8, lines as they were, no other control characters; begins with a whole
 * character when `cut` is true. Free with g_free(). */
char *sweep_record_tail(const char *octets, gsize count, gboolean cut);

#endif
