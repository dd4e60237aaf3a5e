/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the result store: one SQLite file with the parameters, metrics, status and provenance of many runs.
 * Its tables are described in docs/store.md. */
#pragma once

#include <glib.h>

#include "measure/run_results.h"
#include "scenario/scenario.h"
#include "study/store/provenance.h"

typedef struct result_store result_store;

#define RESULT_STORE_ERROR (result_store_error_quark())
GQuark result_store_error_quark(void);
typedef enum result_store_error {
  RESULT_STORE_ERROR_FOREIGN,   /* no SQLite file, not one of ours, or of another schema: left as it is */
  RESULT_STORE_ERROR_DIFFERENT, /* it holds runs of another scenario text or program: the message shows the
                                   difference */
  RESULT_STORE_ERROR_CONTRADICTION, /* two stores hold the same run with other results: the message names run
                                       and metric */
  RESULT_STORE_ERROR_LOCKED,        /* another process has kept it locked for too long */
  RESULT_STORE_ERROR_FAILED         /* SQLite failed: no such file, disk full, read-only, damaged … */
} result_store_error;

typedef enum result_store_mode {
  RESULT_STORE_READ, /* the file must exist */
  RESULT_STORE_WRITE /* it is made when missing; folders are not */
} result_store_mode;

/* Opens `path`. NULL and `error` on failure. Free with result_store_close() (NULL-safe). Several processes
 * may write one store; one thread at a time may use this. */
result_store *result_store_open(const char *path, result_store_mode mode, GError **error);
void result_store_close(result_store *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(result_store, result_store_close)

/* --- What makes two runs the same run --- */

/* The canonical texts of all keys of `s`, indexed by scenario_key. `texts` are the caller's, to free with
 * run_identity_clear(). */
void run_identity_texts(const scenario *s, char *texts[SCENARIO_KEY_COUNT]);
void run_identity_clear(char *texts[SCENARIO_KEY_COUNT]);

/* Returns the SHA-256, as 64 hexadecimal digits, over every key name and text; a key whose text is NULL is
 * left out. Free with g_free(). */
char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT]);

/* This is one run. */
typedef struct stored_run {
  char *identity; /* run_identity_of() its keys */
  guint64 point;  /* its place in the sweep's grid */
  run_status status;
  char *message;     /* why it ended so; "" when there is nothing to add */
  int exit_code;     /* the child's; 128 + the signal that ended it; 0: the run was as expected */
  char *stderr_tail; /* the end of the run's stderr; "" */
  char *engine;      /* the one that ran it: "ns3", "native"; "" when it is not known */
  char *host;        /* where */
  char *started;     /* when: "2026-11-21T10:08:16Z" */
  double wall_s;     /* of the child process */
  double cpu_s;      /* user and system together */
  double memory_peak_octets;
  char *keys[SCENARIO_KEY_COUNT]; /* canonical texts; NULL: the store has none for this key */
  run_results results;
} stored_run;

/* From now on each call waits only `wait_ms` before it fails with RESULT_STORE_ERROR_LOCKED. This is for
 * callers that have other work while the store is locked, and that try again for as long in all as calls
 * waited before, which is returned: the error message names the time that they wait at first. */
int result_store_wait_at_most(result_store *store, int wait_ms);

/* Refuses (RESULT_STORE_ERROR_DIFFERENT, with a difference a person can read: the lines of the texts that
 * differ, or both versions) when the store holds runs of an origin with another text, version or git state
 * than `from`. TRUE for an empty store. */
gboolean result_store_check_provenance(result_store *store, const provenance *from, GError **error);

/* This is what the store knows of a run. */
typedef enum stored_state {
  STORED_MISSING,
  STORED_FAILED,     /* status `failed`: a sweep repeats it */
  STORED_UNEXPECTED, /* ended otherwise than the scenario expects; repeating it changes nothing */
  STORED_DONE
} stored_state;

/* Commits `count` runs (>= 1) in one transaction, all or none, which waits for the disk once. A run that
 * another process has put there meanwhile, STORED_DONE or STORED_UNEXPECTED, stays as it is; `there[i]` is
 * what the store had of runs[i]. */
gboolean result_store_commit_new(result_store *store, const provenance *from, const stored_run *const *runs,
                                 gsize count, stored_state *there, GError **error);

/* This is a run that is looked up. */
typedef struct stored_look {
  const char *identity;
  guint64 point;      /* its place in the grid */
  stored_state state; /* what the store has of it … */
  double wall_s;      /* … and the time that it took; 0: it has none */
} stored_look;

/* Looks up `count` runs by identity, filling in state and time. With `renumber` it notes each one's place (a
 * grid that grew numbers its points anew), all in one transaction; else it writes nothing. */
gboolean result_store_look_up(result_store *store, stored_look *looks, gsize count, gboolean renumber,
                              GError **error);

/* Returns the shares of the time that quantiles of any run are of, in `parts` (guint32, parts of
 * QUANTILE_PARTS), ascending. */
gboolean result_store_quantile_parts(result_store *store, GArray *parts, GError **error);

/* This is called with each run; both are the store's, until it returns. FALSE and `error` ends the walk. */
typedef gboolean (*result_store_visit)(const provenance *from, const stored_run *run, gpointer data,
                                       GError **error);

/* Visits all runs by scenario name, point, identity: an order that does not depend on when each run ended.
 * FALSE and `error` when the store fails, names a key, metric, distribution or status this program does not
 * know, or the visitor fails. */
gboolean result_store_each(result_store *store, result_store_visit visit, gpointer data, GError **error);

/* Visits the run of `identity` alone, if the store has it; NULL: all runs, within a transaction of the caller
 * in which result_store_provenances() found nothing wrong. `visit` must not call this function again. */
gboolean result_store_visit_run(const result_store *store, const char *identity, result_store_visit visit,
                                gpointer data, GError **error);

/* Returns where the runs of the store come from (provenances_new()), by scenario name, hash and the
 * rest: an order that does not depend on when each run ended. Free with g_ptr_array_unref(). NULL and `error`
 * when the store fails. */
GPtrArray *result_store_provenances(result_store *store, GError **error);

/* --- Joining stores: the shards of a sweep, or sweeps of several machines --- */

/* This became of the runs of one of the stores that were merged. */
typedef struct merge_count {
  gsize runs;    /* in it */
  gsize taken;   /* of them, new in the joined store, or better than what it had */
  gsize present; /* of them, there already, with the same results */
} merge_count;

/* Adds the runs of the `count` stores at `paths` to `into`, in one transaction: all or nothing. `counts`
 * (count of them) are filled.
 *
 * The outcome does not depend on the order of the stores, and merging again changes nothing. Of a run that
 * several have, one that ended well is kept before one that failed, and of equals the one that started first
 * (then by all else that may differ). Runs that did not fail must have the same status, exit code, metrics
 * (but those that depend on the machine: `wall`, `cpu` or `events` in their names), distributions (theirs
 * likewise), quantiles and block maxima: if not, FALSE and RESULT_STORE_ERROR_CONTRADICTION, with the run and
 * what differs, a metric with both values. Unless `mix`, all runs, those of `into` too, must come from the
 * same scenario text and program: if not, RESULT_STORE_ERROR_DIFFERENT. Other errors are those of the stores.
 */
gboolean result_merge(result_store *into, const char *const *paths, gsize count, gboolean mix,
                      merge_count *counts, GError **error);
