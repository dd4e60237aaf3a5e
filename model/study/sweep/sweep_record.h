/* SPDX-License-Identifier: GPL-2.0-only */
/* A run as a sweep keeps it: what was asked for, and what its child came to. */
#ifndef STUDY_SWEEP_RECORD_H
#define STUDY_SWEEP_RECORD_H

#include "study/store/result_store.h"
#include "study/sweep/child_outcome.h"
#include "study/sweep/sweep_grid.h"

typedef struct sweep_record {
  stored_run run; /* its texts are the record's, the keys' those of the grid */
  child_outcome *outcome;
} sweep_record;

/* The record of point `point`, taking `outcome`, of a run on `host`. Its keys are those of the grid; a child that ran others (the file may have changed
 * under us) failed. Free with sweep_record_free(); `grid` and `host` must outlive it. */
sweep_record *sweep_record_new(const sweep_grid *grid, gsize point, const char *host, child_outcome *outcome);
void sweep_record_free(sweep_record *record);

#endif
