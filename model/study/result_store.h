/* The result store: one SQLite file with the parameters, metrics and status of many runs. Its tables are
 * described in docs/store.md. */
#ifndef STUDY_RESULT_STORE_H
#define STUDY_RESULT_STORE_H

#include <glib.h>

#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"
#include "sim/summary.h"

typedef struct result_store result_store;

#define RESULT_STORE_ERROR (result_store_error_quark())
GQuark result_store_error_quark(void);
typedef enum result_store_error {
  RESULT_STORE_ERROR_FOREIGN, /* no SQLite file, not one of ours, or of another schema: left as it is */
  RESULT_STORE_ERROR_FAILED   /* SQLite could not: no such file, disk full, locked … */
} result_store_error;

typedef enum result_store_mode {
  RESULT_STORE_READ, /* the file must exist */
  RESULT_STORE_WRITE /* it is made when missing; folders are not */
} result_store_mode;

/* Opens `path`. NULL and `error` on failure. Free with result_store_close() (NULL-safe). Several processes
 * may write one store. */
result_store *result_store_open(const char *path, result_store_mode mode, GError **error);
void result_store_close(result_store *store);

/* The scenario file that runs come from, and the program that ran them. */
typedef struct stored_scenario {
  char *name;
  char *title;
  char *text; /* the file as it was */
  char *axes; /* names of the swept keys, one a line, in file order */
  char *version;
} stored_scenario;

/* One run. */
typedef struct stored_run {
  char *identity; /* run_identity.h */
  guint64 point;  /* its place in the sweep's grid */
  run_status status;
  char *message;
  int exit_code; /* the child's; 128 + the signal that ended it; 0: the run was as expected */
  double wall_s; /* of the child process */
  char *keys[SCENARIO_KEY_COUNT]; /* canonical texts; NULL: the store has none for this key */
  metric_values metrics;
} stored_run;

/* Writes `run`, with the scenario it comes from, in one transaction; a run of the same identity is
 * replaced. */
gboolean result_store_commit(result_store *store, const stored_scenario *from, const stored_run *run,
                             GError **error);

/* What the store knows of a run. */
typedef enum stored_state {
  STORED_MISSING,
  STORED_FAILED,     /* status `failed`: a sweep repeats it */
  STORED_UNEXPECTED, /* ended otherwise than the scenario expects; repeating it changes nothing */
  STORED_DONE
} stored_state;

/* Looks up `count` runs by identity, filling `states`, and notes that identities[i] is now point points[i]
 * of the grid (a grid that grew numbers its points anew). One transaction. */
gboolean result_store_reconcile(result_store *store, const char *const *identities, const guint64 *points,
                                gsize count, stored_state *states, GError **error);

/* Called with each run; both are the store's, until it returns. FALSE and `error` ends the walk. */
typedef gboolean (*result_store_visit)(const stored_scenario *from, const stored_run *run, gpointer data,
                                       GError **error);

/* Visits all runs by scenario name, point, identity: an order that does not depend on when each run ended.
 * FALSE and `error` when the store fails, names a key, metric or status this program does not know, or the
 * visitor says so. */
gboolean result_store_each(result_store *store, result_store_visit visit, gpointer data, GError **error);

#endif
