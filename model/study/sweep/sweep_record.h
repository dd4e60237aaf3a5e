/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep keeps of a run that has ended. */
#pragma once

#include "study/store/result_store.h"
#include "study/sweep/run_process.h"
#include "study/sweep/sweep_grid.h"

/* A run on `host` which ended as `end` reports, as a sweep keeps it: what was asked for, and how it ended, by
 * its own summary unless its exit contradicts that. Its status is that of its summary; RUN_FAILED when there
 * is none, or the exit contradicts it, and its message then describes how the run ended. Free with
 * sweep_record_free(); `grid`, which owns the keys and the identity, and `host` must outlive it. */
stored_run *sweep_record_new(const sweep_grid *grid, const char *host, const ended_run *end);
void sweep_record_free(stored_run *run);
