/* SPDX-License-Identifier: GPL-2.0-only */
/* Joins result stores: the shards of a sweep, or sweeps of several machines. */
#ifndef STUDY_RESULT_MERGE_H
#define STUDY_RESULT_MERGE_H

#include <glib.h>

#include "study/store/result_store.h"

/* What became of the runs of one of the stores that were merged. */
typedef struct merge_count {
  gsize runs;    /* in it */
  gsize taken;   /* of them, new in the joined store, or better than what it had */
  gsize present; /* of them, there already, with the same results */
} merge_count;

/* Adds the runs of the `count` stores at `paths` to `into`, in one transaction: all or nothing. `counts` (count of them) are filled.
 *
 * The outcome does not depend on the order of the stores, and merging again changes nothing. Of a run that several have, one that
 * ended well is kept before one that failed, and of equals the one that started first (then by all else that may differ). Runs that
 * did not fail must have the same status, exit code, metrics (but those that depend on the machine: `wall`, `cpu` or `events` in
 * their names) and distributions (theirs likewise): if not, FALSE and RESULT_STORE_ERROR_CONTRADICTION, with run, metric and both
 * values. Unless `mix`, all runs, those of `into` too, must come from the same scenario text and program: if not,
 * RESULT_STORE_ERROR_DIFFERENT. Other errors are those of the stores. */
gboolean result_merge(result_store *into, const char *const *paths, gsize count, gboolean mix,
                      merge_count *counts, GError **error);

#endif
