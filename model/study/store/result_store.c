/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/result_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interruption.h"
#include "base/plain_text.h"
#include "study/store/result_store_private.h"

/* This is how long to wait for another process that has the store locked. A commit takes milliseconds, a
 * merge of many stores longer. A reader can be started again at once; a sweep would lose a run. */
#define READ_WAIT_MS 10000
#define WRITE_WAIT_MS 60000
#define LOCK_STEP_MS 10

/* This is "iwps": marks our files among SQLite files. */
#define APPLICATION_ID 0x69777073
#define SCHEMA_VERSION 6

/* Stores before it had one origin, in `meta`. */
#define FIRST_WITH_ORIGINS 2

#define MARK_VERSION "PRAGMA user_version = " G_STRINGIFY(SCHEMA_VERSION)

/* The members of the `own` JSON of each run, and those of its origin's `base` that it does not have. */
#define MEMBERS_VIEW(view, name, value, own, base, as)                                                       \
  "CREATE VIEW " view " AS SELECT runs.id AS run, own.key AS " name ", own.value" as " AS " value            \
  " FROM runs, json_each(" own ") AS own WHERE own.type <> 'null'"                                           \
  " UNION ALL SELECT runs.id, its.key, its.value" as " FROM runs JOIN origins ON origins.id = runs.origin,"  \
  " json_each(" base ") AS its WHERE its.key NOT IN (SELECT own.key FROM json_each(" own ") AS own);"

/* It is described in docs/store.md. Raise SCHEMA_VERSION with every change. */
static const char schema[] =
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT "
    "NULL,"
    " hash TEXT NOT NULL, axes TEXT NOT NULL, sets TEXT NOT NULL, version TEXT NOT NULL, git TEXT NOT NULL,"
    " libraries TEXT NOT NULL, base TEXT NOT NULL, base_metrics TEXT NOT NULL, base_quantiles TEXT NOT NULL,"
    " planned INTEGER NOT NULL,"
    " UNIQUE(hash, name, title, axes, sets, version, git, libraries));"

    /* Long texts come last: what is before them is found without reading them. */
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,"
    " origin INTEGER NOT NULL REFERENCES origins(id), point INTEGER NOT NULL, status TEXT NOT NULL,"
    " message TEXT NOT NULL, exit_code INTEGER NOT NULL, stderr_tail TEXT NOT NULL, engine TEXT NOT NULL,"
    " host TEXT NOT NULL, started TEXT NOT NULL, wall_s REAL NOT NULL, cpu_s REAL NOT NULL,"
    " memory_peak_octets REAL NOT NULL, digest TEXT NOT NULL, parameters TEXT NOT NULL, metrics TEXT NOT "
    "NULL,"
    " quantiles TEXT NOT NULL, block_maxima TEXT NOT NULL, distributions TEXT NOT NULL,"
    " tables TEXT NOT NULL);"
    "CREATE INDEX runs_by_origin ON runs(origin);"

    /* What differs from the base, and the rest of the base. JSON functions are no part of a view: SQLite does
     * not run them in a schema that it does not trust. */
    MEMBERS_VIEW("parameters", "key", "value", "runs.parameters", "base", "")
        MEMBERS_VIEW("metrics", "name", "value", "runs.metrics", "base_metrics", " + 0.0") MEMBERS_VIEW(
            "gauges", "gauge", "pairs", "runs.quantiles", "base_quantiles",
            "") "CREATE VIEW quantiles AS SELECT run, gauge, one.value + 0.0 AS percent, other.value + 0.0 "
                "AS value"
                " FROM gauges, json_each(pairs) AS pair, json_each(pair.value) AS one, json_each(pair.value) "
                "AS other"
                " WHERE one.key = 0 AND other.key = 1;"
                "CREATE VIEW distributions AS SELECT runs.id AS run, each.key AS name, one.value + 0.0 AS "
                "bound,"
                " other.value + 0.0 AS weight FROM runs, json_each(distributions) AS each, "
                "json_each(each.value) AS bin,"
                " json_each(bin.value) AS one, json_each(bin.value) AS other WHERE one.key = 0 AND other.key "
                "= 1;"
                "CREATE VIEW block_maxima AS SELECT runs.id AS run, CAST(each.key AS INTEGER) AS "
                "block_octets,"
                " each.value AS maxima FROM runs, json_each(block_maxima) AS each;"
                "CREATE VIEW results AS SELECT metrics.run, origins.name AS scenario, runs.point, "
                "runs.status,"
                " metrics.name AS metric, metrics.value FROM metrics JOIN runs ON runs.id = metrics.run"
                " JOIN origins ON origins.id = runs.origin;"
                "CREATE VIEW provenance AS SELECT runs.id AS run, origins.name AS scenario, runs.point, "
                "runs.status,"
                " origins.hash, origins.version, origins.git, origins.libraries, runs.engine, runs.host, "
                "runs.started,"
                " runs.wall_s, runs.cpu_s, runs.memory_peak_octets FROM runs JOIN origins ON origins.id = "
                "runs.origin;"

                "PRAGMA application_id = " G_STRINGIFY(APPLICATION_ID) ";" MARK_VERSION;

G_DEFINE_QUARK(iwarpsim_result_store_error, result_store_error)

/* Errors. */

gboolean store_damaged(const result_store *store, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = plain_text(what, -1, ""); /* what is in a damaged file may have a line's end */
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN, "%s: damaged: %s", store->path, line);
  return FALSE;
}

gboolean store_unknown(const result_store *store, const char *what, const char *name, GError **error)
{
  g_autofree char *shown = plain_text(name, -1, "");
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
              "%s: holds the %s \"%s\", which this version of iwarpsim does not know", store->path, what,
              shown);
  return FALSE;
}

static gboolean not_a_store(const result_store *store, const char *what, GError **error)
{
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
              "%s: not a result store: %s; expected a file that `iwarpsim sweep` wrote", store->path, what);
  return FALSE;
}

/* Returns what a user can do about it; NULL: nothing but SQLite's own words is known. Free with g_free(). */
static char *advice_on(const result_store *store, int code, int reason)
{
  if (code == SQLITE_FULL || (code == SQLITE_IOERR && reason == ENOSPC)) {
    return g_strdup("the disk is full; nothing committed was lost: make room and rerun the command");
  }
  if (code == SQLITE_NOMEM) {
    return g_strdup("out of memory; nothing committed was lost");
  }
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
    return g_strdup_printf("another process has kept it locked for %g s (a sweep, a merge or a database tool "
                           "that is writing); nothing committed was lost: let it end and rerun the command",
                           store->wait_ms / 1000.0);
  }
  if (sqlite3_extended_errcode(store->database) == SQLITE_READONLY_ROLLBACK) {
    return g_strdup_printf(
        "its journal %s-journal, left by a process that was killed, must be rolled back "
        "first, which is not permitted here; expected a file and a folder that may be written: nothing "
        "committed was lost",
        store->path);
  }
  if (sqlite3_extended_errcode(store->database) == SQLITE_READONLY_DBMOVED) {
    return g_strdup(
        "it was removed, renamed or replaced while it was written; expected a file that stays: rerun "
        "the command");
  }
  if (code == SQLITE_READONLY) {
    return g_strdup_printf("it cannot be written (%s); expected a file and a folder that may be written, or "
                           "another one",
                           sqlite3_errmsg(store->database));
  }
  return NULL;
}

gboolean store_failed(const result_store *store, GError **error)
{
  int code = sqlite3_errcode(store->database);
  int reason = sqlite3_system_errno(store->database);
  const char *words = sqlite3_errmsg(store->database);
  g_autofree char *advice = advice_on(store, code, reason);
  if (code == SQLITE_NOTADB) {
    not_a_store(store, "not a SQLite database", error);
  } else if (code == SQLITE_CORRUPT || code == SQLITE_ERROR) {
    /* Our statements are right, so an error in one is due to the file; or, as SQLite has it, to a disk that
     * does not give a page (SQLITE_IOERR_CORRUPTFS). */
    store_damaged(
        store, error,
        "%s; expected the tables as `iwarpsim sweep` made them (docs/store.md), and a disk that can "
        "read all of them",
        words);
  } else if (advice != NULL) {
    gboolean locked = code == SQLITE_BUSY || code == SQLITE_LOCKED;
    g_set_error(error, RESULT_STORE_ERROR, locked ? RESULT_STORE_ERROR_LOCKED : RESULT_STORE_ERROR_FAILED,
                "%s: %s", store->path, advice);
  } else {
    /* Of a missing file SQLite only reports that it cannot open it. */
    gboolean known = (code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && reason != 0;
    int detail = sqlite3_extended_errcode(store->database);
    gboolean is_write =
        code == SQLITE_IOERR && detail >= SQLITE_IOERR_WRITE && detail <= SQLITE_IOERR_TRUNCATE;
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED, "%s: %s%s%s%s; %s", store->path, words,
                known ? " (" : "", known ? g_strerror(reason) : "", known ? ")" : "",
                is_write ? "nothing committed was lost: rerun the command on a disk that works"
                         : "expected a file that `iwarpsim sweep` wrote, or a folder to make it in");
  }
  return FALSE;
}

/* Statements. */

gboolean store_execute(const result_store *store, const char *sql, GError **error)
{
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || store_failed(store, error);
}

sqlite3_stmt *store_statement(const result_store *store, const char *sql, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup(store->statements, sql);
  if (statement != NULL) {
    return statement;
  }
  if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK) {
    store_failed(store, error);
    return NULL;
  }
  g_hash_table_insert(store->statements, (gpointer)sql, statement);
  return statement;
}

sqlite3_stmt *store_row(const result_store *store, const char *sql, GError **error)
{
  sqlite3_stmt *statement = store_statement(store, sql, error);
  if (statement != NULL && sqlite3_step(statement) != SQLITE_ROW) {
    store_failed(store, error);
    sqlite3_reset(statement);
    return NULL;
  }
  return statement;
}

gboolean store_finish(const result_store *store, gboolean good, GError **error)
{
  good = good && store_execute(store, "COMMIT", error);
  if (!good) {
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
  }
  return good;
}

void store_bind_text(sqlite3_stmt *statement, int column, const char *text)
{
  sqlite3_bind_text(statement, column, g_utf8_make_valid(text != NULL ? text : "", -1), -1, g_free);
}

const char *store_column_text(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text != NULL ? text : "";
}

static void finalize(gpointer statement)
{
  sqlite3_finalize(statement);
}

/* --- The schema --- */

static gboolean refuse_schema(const result_store *store, gint64 version, GError **error)
{
  const gboolean older = version < SCHEMA_VERSION;
  g_autofree char *writer = g_strdup(""); /* where that is not known */
  sqlite3_stmt *row = store_row(store,
                                version < FIRST_WITH_ORIGINS ? "SELECT max(version) FROM meta"
                                                             : "SELECT max(version) FROM origins",
                                NULL);
  if (row != NULL && *store_column_text(row, 0) != '\0') {
    g_autofree char *valid = g_utf8_make_valid(store_column_text(row, 0), -1);
    g_free(writer);
    writer = g_strdup_printf(" by iwarpsim %.40s", valid);
  }
  sqlite3_reset(row);
  g_set_error(
      error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
      "%s: a result store of schema %" G_GINT64_FORMAT
      ", written%s; expected schema %d: read it with %s iwarpsim, or run the sweep again into another "
      "--store FILE",
      store->path, version, writer, SCHEMA_VERSION, older ? "that older" : "a newer");
  return FALSE;
}

/* Finds out whether the database is empty or a store of ours; anything else is refused. To be called inside a
 * transaction. The tables are read first: from then on all three values belong to one moment, even while
 * another sweep makes the store. */
static gboolean read_marks(const result_store *store, gboolean *empty, GError **error)
{
  sqlite3_stmt *row = store_row(store,
                                "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version"
                                " FROM pragma_application_id, pragma_user_version",
                                error);
  if (row == NULL) {
    return FALSE;
  }
  const gint64 tables = sqlite3_column_int64(row, 0), application = sqlite3_column_int64(row, 1),
               version = sqlite3_column_int64(row, 2);
  sqlite3_reset(row);
  *empty = application == 0 && version == 0 && tables == 0;
  if (application == APPLICATION_ID) {
    return version == SCHEMA_VERSION || refuse_schema(store, version, error);
  }
  return *empty || not_a_store(store, "another program's SQLite database", error);
}

/* --- Opening --- */

/* Waits as sqlite3_busy_timeout() has it, but for an interruption that waits: who is interrupted does not
 * wait for others. What it has slept counts, not the clock. */
static int wait_for_lock(void *user, int tries)
{
  const result_store *store = user;
  if (interruption_waits() || tries * LOCK_STEP_MS >= store->patience_ms) {
    return FALSE;
  }
  g_usleep(LOCK_STEP_MS * 1000);
  return TRUE;
}

static gboolean prepare_store(result_store *store, result_store_mode mode, GError **error)
{
  gboolean empty = FALSE;
  store->patience_ms = store->wait_ms;
  sqlite3_busy_handler(store->database, wait_for_lock, store);
  /* A damaged schema must not run functions or hide tables. */
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  if (!store_execute(store, "BEGIN", error) ||
      !store_finish(store, read_marks(store, &empty, error), error)) {
    return FALSE;
  }
  if (mode == RESULT_STORE_READ) {
    return empty ? not_a_store(store, "an empty file", error)
                 : store_execute(store, "PRAGMA query_only = ON", error);
  }
  interruption_hold();
  gboolean good = !empty || store_execute(store, "BEGIN IMMEDIATE", error);
  if (empty && good) { /* several sweeps may make the same store at once, so it looks again */
    good = read_marks(store, &empty, error) && (!empty || store_execute(store, schema, error));
    good = store_finish(store, good, error);
  }
  interruption_release();
  /* A rollback journal, not a write-ahead log: the store stays one file that can be copied and read from
   * read-only media, and that works on network file systems, where a log's shared memory does not. EXTRA also
   * waits until the journal's removal is on the disk: after a power failure one that is still there would
   * take the last commit back. It costs milliseconds a run. */
  good = good && store_execute(store, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA", error);
  /* SQLite opens a file that may not be written for reading, and reports that at the first write only: after
   * hours of a sweep. So one write is tried here. It changes nothing, but makes the journal, takes the locks
   * and waits for the disk as every commit does. */
  if (!good || !store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  interruption_hold(); /* the journal would stay */
  good = store_finish(store, store_execute(store, MARK_VERSION, error), error);
  interruption_release();
  return good;
}

/* Opens the file, and sets `error` when that fails. */
static gboolean open_file(result_store *store, result_store_mode mode, GError **error)
{
  /* One thread at a time uses a store. Readers, too, must roll back what a killed writer left half done,
   * where that is permitted; elsewhere SQLITE_OPEN_READWRITE reads only. */
  int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (mode == RESULT_STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
  /* SQLite takes an empty name and ":memory:" for databases in memory, where results would be lost. */
  g_autofree char *file =
      g_path_is_absolute(store->path) ? g_strdup(store->path) : g_build_filename(".", store->path, NULL);
  if (file_kind_of(store->path) == FILE_SCENARIO) { /* also an empty one, which SQLite would take */
    return not_a_store(store, "a scenario", error);
  }
  if (sqlite3_open_v2(file, &store->database, flags, NULL) == SQLITE_OK) {
    return TRUE;
  }
  /* Where a store cannot be made, SQLite tries to read it and then reports that it is missing. */
  g_autofree char *folder = g_path_get_dirname(store->path);
  if (mode == RESULT_STORE_WRITE && !g_file_test(store->path, G_FILE_TEST_EXISTS) &&
      faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) != 0) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED,
                "%s: it cannot be made (%s); expected a folder that may be written", store->path,
                g_strerror(errno));
    return FALSE;
  }
  return store_failed(store, error);
}

result_store *result_store_open_within(const char *path, result_store_mode mode, int wait_ms, GError **error)
{
  result_store *store = g_new0(result_store, 1);
  store->path = g_strdup(path);
  store->wait_ms = wait_ms;
  store->statements = g_hash_table_new_full(NULL, NULL, NULL, finalize);
  store->base = g_new0(origin_base, 1);
  if (!open_file(store, mode, error) || !prepare_store(store, mode, error)) {
    g_clear_pointer(&store, result_store_close);
  }
  return store;
}

result_store *result_store_open(const char *path, result_store_mode mode, GError **error)
{
  return result_store_open_within(path, mode, mode == RESULT_STORE_READ ? READ_WAIT_MS : WRITE_WAIT_MS,
                                  error);
}

int result_store_wait_at_most(result_store *store, int wait_ms)
{
  const int before_ms = store->patience_ms;
  store->patience_ms = wait_ms;
  return before_ms;
}

void result_store_close(result_store *store)
{
  if (store == NULL) {
    return;
  }
  g_hash_table_unref(store->statements);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(store->base->keys[key]);
  }
  for (base_part part = 0; part < BASE_PARTS; part++) {
    g_free(store->base->texts[part]);
  }
  g_free(store->base->hash);
  g_free(store->base);
  sqlite3_close(store->database);
  g_free(store->path);
  g_free(store);
}
