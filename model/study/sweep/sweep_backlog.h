/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs that have ended and wait to be committed: a child's place is taken by the next one before the disk has its results. */
#ifndef STUDY_SWEEP_BACKLOG_H
#define STUDY_SWEEP_BACKLOG_H

#include "study/store/result_store.h"
#include "study/sweep/sweep_record.h"

typedef struct sweep_backlog sweep_backlog;

typedef struct sweep_backlog_events {
  /* `run` is in the store. `there` is what was there of it before: a result that another sweep has put there meanwhile, STORED_DONE or
   * STORED_UNEXPECTED, stays. */
  void (*kept)(const stored_run *run, stored_state there, gpointer data);
  /* The store failed: the backlog does nothing more. `error` is the receiver's. */
  void (*failed)(GError *error, gpointer data);
} sweep_backlog_events;

/* Commits to `store` from a thread of its own, which waits for the disk while the default main context goes on, and calls `events` from the
 * latter: at once, but where runs are short, those of some time together, so that a tenth of the time goes into commits at most. While
 * another process has the store locked it tries again, for as long as result_store_wait_ms(). Everything pointed to must outlive it; `store`
 * is the backlog's meanwhile. Free with sweep_backlog_free(), which waits for a commit that is under way and drops what is left. */
sweep_backlog *sweep_backlog_new(result_store *store, const stored_origin *from,
                                 const sweep_backlog_events *events, gpointer data);
void sweep_backlog_free(sweep_backlog *backlog);

/* Adds a record, and takes it. `kept` is never called from within. */
void sweep_backlog_add(sweep_backlog *backlog, sweep_record *record);

/* No further record is to be expected: what waits is committed at once. */
void sweep_backlog_flush(sweep_backlog *backlog);

/* Records that are not in the store yet. */
guint sweep_backlog_length(const sweep_backlog *backlog);

/* From now on a locked store is waited for no longer than `wait_ms`. */
void sweep_backlog_hurry(sweep_backlog *backlog, int wait_ms);

/* Forgets what waits; a commit that is under way is not tried again. */
void sweep_backlog_drop(sweep_backlog *backlog);

#endif
