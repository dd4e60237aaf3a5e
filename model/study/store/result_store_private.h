/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the result store share: the open database, and SQLite's calls with errors that a user
 * understands. For result_*.c and tests alone. */
#pragma once

#include <sqlite3.h>

#include "study/store/result_store.h"

/* The tables of what belongs to a run. */
typedef enum run_table {
  RUN_PARAMETERS,
  RUN_METRICS,
  RUN_DISTRIBUTIONS,
  RUN_QUANTILES,
  RUN_BLOCK_MAXIMA,
  RUN_TABLES
} run_table;

/* A row of such a table. */
typedef struct run_row {
  run_table table;
  const char *name; /* NULL: the table has none */
  const char *text; /* a parameter's value; NULL: there are numbers */
  gsize count;
  double numbers[3];
} run_row;

/* Calls `visit` with each row that `run` has, table by table in the order of their names: another version of
 * this program may have keys and metrics in another order, and SQLite keeps them so. */
typedef void (*run_row_visit)(const run_row *row, gpointer data);
void store_each_row(const stored_run *run, run_row_visit visit, gpointer data);

/* The key, metric, distribution or gauge called `name` in `table`; FALSE when there is none. */
gboolean store_find_name(run_table table, const char *name, gsize *id);

struct result_store {
  sqlite3 *database;
  char *path;
  int wait_ms;            /* how long another process may keep it locked */
  int patience_ms;        /* how long a call waits for that */
  gint64 locked_since_us; /* while one does */
  GHashTable *statements; /* sqlite3_stmt of the texts of store_statement(), by their addresses */
};

/* The same as result_store_open(), with `wait_ms` instead of the usual time to wait for a lock. */
result_store *result_store_open_within(const char *path, result_store_mode mode, int wait_ms, GError **error);

/* Sets `error` to the failure of SQLite's last call, and what a user can do about it. Returns FALSE. */
gboolean store_failed(const result_store *store, GError **error);

/* Sets a RESULT_STORE_ERROR_FOREIGN: "PATH: damaged: …; expected …". Returns FALSE. */
gboolean store_damaged(const result_store *store, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Runs statements that return nothing of interest. */
gboolean store_execute(const result_store *store, const char *sql, GError **error);

/* The prepared statement for `sql`, a constant; NULL and `error` when SQLite refuses it. The store owns it
 * and keeps it until it is closed. Call sqlite3_reset() after use, so that it holds no lock. */
sqlite3_stmt *store_statement(const result_store *store, const char *sql, GError **error);

/* The same, stepped to its first row; NULL and `error` when there is none. */
sqlite3_stmt *store_row(const result_store *store, const char *sql, GError **error);

/* Ends the transaction: keeps it when `good`, drops it otherwise. */
gboolean store_finish(const result_store *store, gboolean good, GError **error);

/* Binds a copy of `text`, made valid UTF-8: other readers stop at anything else. NULL: "". */
void store_bind_text(sqlite3_stmt *statement, int column, const char *text);

/* Runs a statement that returns no row, and readies it for the next bindings. */
gboolean store_step_done(const result_store *store, sqlite3_stmt *statement, GError **error);

/* The column's text, never NULL: another program may have written anything. The statement owns it. */
const char *store_column_text(sqlite3_stmt *statement, int column);

/* SHA-256 over a run and its origin, whose text its hash stands for: all but its point, which moves when a
 * grid grows. 64 hexadecimal digits; g_free(). */
char *store_run_digest(const provenance *from, const stored_run *run);

/* Writes `run`, with where it comes from, within a transaction of the caller; a run of the same identity is
 * replaced. */
gboolean store_put(const result_store *store, const provenance *from, const stored_run *run, GError **error);
