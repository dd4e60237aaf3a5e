/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep keeps of runs that have ended, and the queue in which they wait to be committed: the next run
 * starts before the disk has the result of the last one. */
#pragma once

#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"
#include "study/sweep/worker_pool.h"

/* A run on `host` which ended as `end` reports, as a sweep keeps it: what was asked for, and how it ended, by
 * its own summary unless its exit contradicts that. Its status is that of its summary; RUN_FAILED when there
 * is none, or the exit contradicts it, and its message then describes how the run ended. Free with
 * sweep_record_free(); `grid`, which owns the keys and the identity, and `host` must outlive it. */
stored_run *sweep_record_new(const sweep_grid *grid, const char *host, const worker_run_end *end);
void sweep_record_free(stored_run *run);

typedef struct commit_queue commit_queue;

typedef struct commit_queue_events {
  /* `run` is in the store. `there` is what was there of it before: a result that another sweep has put there
   * meanwhile, STORED_DONE or STORED_UNEXPECTED, stays. */
  void (*kept)(const stored_run *run, stored_state there, gpointer data);
  /* The store failed: the queue does nothing more. `error` is the receiver's. */
  void (*failed)(GError *error, gpointer data);
} commit_queue_events;

/* Commits to `store` from the default main context, and calls `events` from there: soon, except that short
 * runs are collected for some time and committed together, so that commits take at most a tenth of the time.
 * While another process has the store locked it tries again, for as long as result_store_wait_ms().
 * Everything pointed to must outlive it. Free with commit_queue_free(), which drops what is left. */
commit_queue *commit_queue_new(result_store *store, const provenance *from, const commit_queue_events *events,
                               gpointer data);
void commit_queue_free(commit_queue *queue);

/* Adds a run made by sweep_record_new(), and takes ownership of it. `kept` is never called from within. */
void commit_queue_add(commit_queue *queue, stored_run *run);

/* No further run is to be expected: what waits is committed at once. */
void commit_queue_flush(commit_queue *queue);

/* Runs that are not in the store yet. */
guint commit_queue_length(const commit_queue *queue);

/* From now on a locked store is waited for no longer than `wait_ms`. */
void commit_queue_hurry(commit_queue *queue, int wait_ms);

/* Forgets what waits. */
void commit_queue_drop(commit_queue *queue);
