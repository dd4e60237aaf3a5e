/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the files of the result store share: the open database, and SQLite's calls with errors that a
 * user understands. For result_*.c and tests alone. */
#pragma once

#include <sqlite3.h>

#include "measure/run_parts.h"
#include "study/store/result_store.h"

/* Returns {"KEY":"TEXT",…} of those `keys` that are known. Free with g_free(). */
char *run_parameters_text(char *const keys[SCENARIO_KEY_COUNT]);

/* Sets those `keys` that `text` has to texts of their own, and those that are null in it to NULL. FALSE and
 * `error` when it is no such text. */
gboolean run_parameters_read(const result_store *store, const char *text, char *keys[SCENARIO_KEY_COUNT],
                             GError **error);

/* This is what the first run of an origin has, and its other runs have unless they differ. */
typedef enum base_part { BASE_PARAMETERS, BASE_METRICS, BASE_QUANTILES, BASE_PARTS } base_part;
typedef struct origin_base {
  char *texts[BASE_PARTS]; /* as the store has them; NULL: none was read yet */
  char *hash;              /* SHA-256 of them, with a NUL after each */
  gboolean is_read;
  char *keys[SCENARIO_KEY_COUNT];
} origin_base;

struct result_store {
  sqlite3 *database;
  char *path;
  int wait_ms;            /* how long another process may keep it locked */
  int patience_ms;        /* how long a call waits for that */
  GHashTable *statements; /* sqlite3_stmt of the texts of store_statement(), by their addresses */
  origin_base *base;      /* of the run that was read or written last */
};

/* Does the same as result_store_open(), with `wait_ms` instead of the usual time to wait for a lock. */
result_store *result_store_open_within(const char *path, result_store_mode mode, int wait_ms, GError **error);

/* Sets `error` to the failure of SQLite's last call, and what a user can do about it. Returns FALSE. */
gboolean store_failed(const result_store *store, GError **error);

/* Sets a RESULT_STORE_ERROR_FOREIGN: "PATH: damaged: …; expected …". Returns FALSE. */
gboolean store_damaged(const result_store *store, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Sets a RESULT_STORE_ERROR_FOREIGN: it holds the `what` called `name`, of another version. Returns FALSE. */
gboolean store_unknown(const result_store *store, const char *what, const char *name, GError **error);

/* Runs statements that return nothing of interest. */
gboolean store_execute(const result_store *store, const char *sql, GError **error);

/* Returns the prepared statement for `sql`, a constant; NULL and `error` when SQLite refuses it. The store
 * owns it and keeps it until it is closed. Call sqlite3_reset() after use, so that it holds no lock. */
sqlite3_stmt *store_statement(const result_store *store, const char *sql, GError **error);

/* Returns the same, stepped to its first row; NULL and `error` when there is none. */
sqlite3_stmt *store_row(const result_store *store, const char *sql, GError **error);

/* Ends the transaction: keeps it when `good`, drops it otherwise. */
gboolean store_finish(const result_store *store, gboolean good, GError **error);

/* Binds a copy of `text`, made valid UTF-8: other readers stop at anything else. NULL: "". */
void store_bind_text(sqlite3_stmt *statement, int column, const char *text);

/* Returns the column's text, never NULL: another program may have written anything. The statement owns it. */
const char *store_column_text(sqlite3_stmt *statement, int column);

/* Returns the SHA-256 over a run and its origin, whose text its hash stands for: all but its point, which
 * moves when a grid grows. `parameters` and `parts` (run_part_texts()) stand for its keys and results. 64
 * hexadecimal digits; g_free(). */
char *store_run_digest(const provenance *from, const stored_run *run, const char *parameters,
                       const char *const parts[RUN_PARTS]);

/* Writes `run`, with where it comes from, within a transaction of the caller; a run of the same identity is
 * replaced. */
gboolean store_put(const result_store *store, const provenance *from, const stored_run *run, GError **error);
