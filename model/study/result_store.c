#include "study/result_store.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

GQuark result_store_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-result-store-error");
}

/* "iwps": tells our files from other SQLite files. */
#define APPLICATION_ID 0x69777073
#define SCHEMA_VERSION 1

/* How long to wait for another process that writes the same store. */
#define BUSY_TIMEOUT_MS 60000

static const char schema[] =
    "CREATE TABLE meta(id INTEGER PRIMARY KEY, scenario TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT "
    "NULL,"
    " axes TEXT NOT NULL, version TEXT NOT NULL, UNIQUE(scenario, title, text, axes, version));"
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, meta INTEGER NOT NULL "
    "REFERENCES meta(id),"
    " point INTEGER NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL, exit_code INTEGER NOT NULL,"
    " wall_s REAL NOT NULL);"
    "CREATE TABLE parameters(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY(run, key)) WITHOUT ROWID;"
    "CREATE TABLE metrics(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;";

struct result_store {
  sqlite3 *database;
  char *path;
};

static gboolean failed(const result_store *store, GError **error)
{
  int code = sqlite3_errcode(store->database);
  int reason = sqlite3_system_errno(store->database);
  if (code == SQLITE_NOTADB) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: not a result store: not a SQLite database; expected a file that `iwarpsim sweep` wrote",
                store->path);
  } else {
    /* Of a file that is not there SQLite says no more than that it cannot open it. */
    gboolean known = (code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && reason != 0;
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED, "%s: %s%s%s%s", store->path,
                sqlite3_errmsg(store->database), known ? " (" : "", known ? g_strerror(reason) : "",
                known ? ")" : "");
  }
  return FALSE;
}

static gboolean execute(const result_store *store, const char *sql, GError **error)
{
  return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || failed(store, error);
}

static sqlite3_stmt *prepare(const result_store *store, const char *sql, GError **error)
{
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK) {
    failed(store, error);
  }
  return statement;
}

/* Ends the transaction: keeps it when `good`, drops it otherwise. */
static gboolean finish(const result_store *store, gboolean good, GError **error)
{
  good = good && execute(store, "COMMIT", error);
  if (!good) {
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
  }
  return good;
}

static gboolean query_integer(const result_store *store, const char *sql, gint64 *value, GError **error)
{
  sqlite3_stmt *statement = prepare(store, sql, error);
  if (statement == NULL) {
    return FALSE;
  }
  gboolean good = sqlite3_step(statement) == SQLITE_ROW || failed(store, error);
  if (good) {
    *value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return good;
}

/* Opening. */

typedef enum store_kind { KIND_EMPTY, KIND_OURS, KIND_UNKNOWN } store_kind;

static gboolean read_kind(const result_store *store, store_kind *kind, GError **error)
{
  gint64 application, version, tables;
  if (!query_integer(store, "PRAGMA application_id", &application, error) ||
      !query_integer(store, "PRAGMA user_version", &version, error) ||
      !query_integer(store, "SELECT count(*) FROM sqlite_master", &tables, error)) {
    return FALSE;
  }
  if (application == 0 && version == 0 && tables == 0) {
    *kind = KIND_EMPTY;
    return TRUE;
  }
  if (application == APPLICATION_ID && version == SCHEMA_VERSION) {
    *kind = KIND_OURS;
    return TRUE;
  }
  if (application == APPLICATION_ID) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: a result store of schema %" G_GINT64_FORMAT "; expected schema %d", store->path, version,
                SCHEMA_VERSION);
  } else {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: not a result store: another program's SQLite database; expected a file that `iwarpsim "
                "sweep` wrote",
                store->path);
  }
  return FALSE;
}

/* Several sweeps may make the same store at once: looks again inside the transaction. */
static gboolean make_schema(const result_store *store, GError **error)
{
  if (!execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  store_kind kind = KIND_UNKNOWN;
  gboolean good = read_kind(store, &kind, error);
  if (good && kind == KIND_EMPTY) {
    g_autofree char *marks = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                             APPLICATION_ID, SCHEMA_VERSION);
    good = execute(store, schema, error) && execute(store, marks, error);
  }
  return finish(store, good, error);
}

static gboolean prepare_store(const result_store *store, result_store_mode mode, GError **error)
{
  sqlite3_busy_timeout(store->database, BUSY_TIMEOUT_MS);
  store_kind kind = KIND_UNKNOWN;
  if (!read_kind(store, &kind, error)) {
    return FALSE;
  }
  if (kind == KIND_EMPTY && mode == RESULT_STORE_READ) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: not a result store: an empty file; expected a file that `iwarpsim sweep` wrote",
                store->path);
    return FALSE;
  }
  if (kind == KIND_EMPTY && !make_schema(store, error)) {
    return FALSE;
  }
  return mode == RESULT_STORE_READ || execute(store, "PRAGMA foreign_keys = ON", error);
}

result_store *result_store_open(const char *path, result_store_mode mode, GError **error)
{
  int flags = mode == RESULT_STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  /* SQLite takes an empty name and ":memory:" for databases in memory, where results would be lost. */
  g_autofree char *file = g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(".", path, NULL);
  result_store *store = g_new0(result_store, 1);
  store->path = g_strdup(path);
  gboolean good = sqlite3_open_v2(file, &store->database, flags, NULL) == SQLITE_OK || failed(store, error);
  good = good && prepare_store(store, mode, error);
  if (!good) {
    g_clear_pointer(&store, result_store_close);
  }
  return store;
}

void result_store_close(result_store *store)
{
  if (store == NULL) {
    return;
  }
  sqlite3_close(store->database);
  g_free(store->path);
  g_free(store);
}

/* Writing. */

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
  sqlite3_bind_text(statement, column, text, -1, SQLITE_STATIC);
}

/* Runs a statement that returns no row, and readies it for the next bindings. */
static gboolean step_done(const result_store *store, sqlite3_stmt *statement, GError **error)
{
  gboolean good = sqlite3_step(statement) == SQLITE_DONE || failed(store, error);
  sqlite3_reset(statement);
  return good;
}

static gboolean write_scenario(const result_store *store, const stored_scenario *from, gint64 *id,
                               GError **error)
{
  static const char *const sql[] = {
      "INSERT OR IGNORE INTO meta(scenario, title, text, axes, version) VALUES(?1, ?2, ?3, ?4, ?5)",
      "SELECT id FROM meta WHERE scenario = ?1 AND title = ?2 AND text = ?3 AND axes = ?4 AND version = ?5"};
  gboolean good = TRUE;
  for (gsize i = 0; good && i < G_N_ELEMENTS(sql); i++) {
    sqlite3_stmt *statement = prepare(store, sql[i], error);
    if (statement == NULL) {
      return FALSE;
    }
    bind_text(statement, 1, from->name);
    bind_text(statement, 2, from->title);
    bind_text(statement, 3, from->text);
    bind_text(statement, 4, from->axes);
    bind_text(statement, 5, from->version);
    int wanted = i == 0 ? SQLITE_DONE : SQLITE_ROW;
    good = sqlite3_step(statement) == wanted || failed(store, error);
    if (good && wanted == SQLITE_ROW) {
      *id = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
  }
  return good;
}

static gboolean delete_run(const result_store *store, const char *identity, GError **error)
{
  sqlite3_stmt *statement = prepare(store, "DELETE FROM runs WHERE identity = ?1", error);
  if (statement == NULL) {
    return FALSE;
  }
  bind_text(statement, 1, identity);
  gboolean good = step_done(store, statement, error);
  sqlite3_finalize(statement);
  return good;
}

static gboolean write_run(const result_store *store, const stored_run *run, gint64 meta, gint64 *id,
                          GError **error)
{
  sqlite3_stmt *statement =
      prepare(store,
              "INSERT INTO runs(identity, meta, point, status, message, exit_code, wall_s)"
              " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
              error);
  if (statement == NULL) {
    return FALSE;
  }
  bind_text(statement, 1, run->identity);
  sqlite3_bind_int64(statement, 2, meta);
  sqlite3_bind_int64(statement, 3, (gint64)run->point);
  bind_text(statement, 4, run_status_name(run->status));
  bind_text(statement, 5, run->message);
  sqlite3_bind_int(statement, 6, run->exit_code);
  sqlite3_bind_double(statement, 7, run->wall_s);
  gboolean good = step_done(store, statement, error);
  sqlite3_finalize(statement);
  *id = sqlite3_last_insert_rowid(store->database);
  return good;
}

static gboolean write_parameters(const result_store *store, const stored_run *run, gint64 id, GError **error)
{
  sqlite3_stmt *statement =
      prepare(store, "INSERT INTO parameters(run, key, value) VALUES(?1, ?2, ?3)", error);
  gboolean good = statement != NULL;
  for (scenario_key key = 0; good && key < SCENARIO_KEY_COUNT; key++) {
    if (run->keys[key] == NULL) {
      continue;
    }
    sqlite3_bind_int64(statement, 1, id);
    bind_text(statement, 2, scenario_key_row_of(key)->name);
    bind_text(statement, 3, run->keys[key]);
    good = step_done(store, statement, error);
  }
  sqlite3_finalize(statement);
  return good;
}

static gboolean write_metrics(const result_store *store, const stored_run *run, gint64 id, GError **error)
{
  sqlite3_stmt *statement = prepare(store, "INSERT INTO metrics(run, name, value) VALUES(?1, ?2, ?3)", error);
  gboolean good = statement != NULL;
  for (metric_id metric = 0; good && metric < METRIC_COUNT; metric++) {
    if (!run->metrics.present[metric]) {
      continue;
    }
    sqlite3_bind_int64(statement, 1, id);
    bind_text(statement, 2, metric_row_of(metric)->name);
    sqlite3_bind_double(statement, 3, run->metrics.value[metric]);
    good = step_done(store, statement, error);
  }
  sqlite3_finalize(statement);
  return good;
}

gboolean result_store_commit(result_store *store, const stored_scenario *from, const stored_run *run,
                             GError **error)
{
  gint64 meta = 0, id = 0;
  if (!execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  gboolean good = write_scenario(store, from, &meta, error) && delete_run(store, run->identity, error) &&
                  write_run(store, run, meta, &id, error) && write_parameters(store, run, id, error) &&
                  write_metrics(store, run, id, error);
  return finish(store, good, error);
}

/* Looking up. */

/* The column's text, never NULL: a foreign hand may have written anything. */
static const char *column_text(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text != NULL ? text : "";
}

static stored_state state_of(const char *status, int exit_code)
{
  if (strcmp(status, run_status_name(RUN_FAILED)) == 0) {
    return STORED_FAILED;
  }
  return exit_code == 0 ? STORED_DONE : STORED_UNEXPECTED;
}

gboolean result_store_reconcile(result_store *store, const char *const *identities, const guint64 *points,
                                gsize count, stored_state *states, GError **error)
{
  if (!execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  sqlite3_stmt *statement =
      prepare(store, "UPDATE runs SET point = ?2 WHERE identity = ?1 RETURNING status, exit_code", error);
  gboolean good = statement != NULL;
  for (gsize i = 0; good && i < count; i++) {
    bind_text(statement, 1, identities[i]);
    sqlite3_bind_int64(statement, 2, (gint64)points[i]);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) {
      states[i] = state_of(column_text(statement, 0), sqlite3_column_int(statement, 1));
    } else if (step == SQLITE_DONE) {
      states[i] = STORED_MISSING;
    } else {
      good = failed(store, error);
    }
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return finish(store, good, error);
}

/* Reading all. */

static gboolean unknown(const result_store *store, const char *what, const char *name, GError **error)
{
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
              "%s: holds the %s \"%s\", which this version of iwarpsim does not know", store->path, what,
              name);
  return FALSE;
}

static gboolean read_parameters(const result_store *store, sqlite3_stmt *statement, gint64 id,
                                stored_run *run, GError **error)
{
  gboolean good = TRUE;
  int step = SQLITE_DONE;
  sqlite3_bind_int64(statement, 1, id);
  while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = column_text(statement, 0);
    scenario_key key = scenario_key_find(name);
    if (key == SCENARIO_KEY_COUNT) {
      good = unknown(store, "key", name, error);
    } else {
      run->keys[key] = g_strdup(column_text(statement, 1));
    }
  }
  good = good && (step == SQLITE_DONE || failed(store, error));
  sqlite3_reset(statement);
  return good;
}

/* SQLite keeps text in a column of numbers, and reads it as 0. */
static gboolean is_number(sqlite3_stmt *statement, int column)
{
  int type = sqlite3_column_type(statement, column);
  return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
         isfinite(sqlite3_column_double(statement, column));
}

static gboolean read_metrics(const result_store *store, sqlite3_stmt *statement, gint64 id, stored_run *run,
                             GError **error)
{
  gboolean good = TRUE;
  int step = SQLITE_DONE;
  sqlite3_bind_int64(statement, 1, id);
  while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
    const char *name = column_text(statement, 0);
    metric_id metric = metric_find(name);
    if (metric == METRIC_COUNT) {
      good = unknown(store, "metric", name, error);
    } else if (!is_number(statement, 1)) {
      g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                  "%s: damaged: a value of the metric \"%s\" is no number", store->path, name);
      good = FALSE;
    } else {
      metric_values_set(&run->metrics, metric, sqlite3_column_double(statement, 1));
    }
  }
  good = good && (step == SQLITE_DONE || failed(store, error));
  sqlite3_reset(statement);
  return good;
}

/* The statements of one walk. */
typedef struct walk {
  sqlite3_stmt *runs;
  sqlite3_stmt *parameters;
  sqlite3_stmt *metrics;
} walk;

static gboolean visit_row(const result_store *store, const walk *statements, result_store_visit visit,
                          gpointer data, GError **error)
{
  sqlite3_stmt *row = statements->runs;
  gint64 id = sqlite3_column_int64(row, 0);
  const char *status = column_text(row, 3);
  stored_run run = {.identity = (char *)column_text(row, 1),
                    .point = (guint64)sqlite3_column_int64(row, 2),
                    .status = run_status_find(status),
                    .message = (char *)column_text(row, 4),
                    .exit_code = sqlite3_column_int(row, 5),
                    .wall_s = sqlite3_column_double(row, 6)};
  stored_scenario from = {.name = (char *)column_text(row, 7),
                          .title = (char *)column_text(row, 8),
                          .text = (char *)column_text(row, 9),
                          .axes = (char *)column_text(row, 10),
                          .version = (char *)column_text(row, 11)};
  if (run.status == RUN_STATUSES) {
    return unknown(store, "status", status, error);
  }
  gboolean good = read_parameters(store, statements->parameters, id, &run, error) &&
                  read_metrics(store, statements->metrics, id, &run, error) &&
                  visit(&from, &run, data, error);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run.keys[key]);
  }
  return good;
}

static gboolean visit_rows(const result_store *store, const walk *statements, result_store_visit visit,
                           gpointer data, GError **error)
{
  if (statements->runs == NULL || statements->parameters == NULL || statements->metrics == NULL) {
    return FALSE;
  }
  int step;
  while ((step = sqlite3_step(statements->runs)) == SQLITE_ROW) {
    if (!visit_row(store, statements, visit, data, error)) {
      return FALSE;
    }
  }
  return step == SQLITE_DONE || failed(store, error);
}

gboolean result_store_each(result_store *store, result_store_visit visit, gpointer data, GError **error)
{
  /* One transaction: a sweep may be writing meanwhile. */
  if (!execute(store, "BEGIN", error)) {
    return FALSE;
  }
  walk statements = {0};
  statements.runs =
      prepare(store,
              "SELECT runs.id, identity, point, status, message, exit_code, wall_s, scenario, title, text,"
              " axes, version FROM runs JOIN meta ON meta.id = runs.meta"
              " ORDER BY scenario, point, identity",
              error);
  if (statements.runs != NULL) {
    statements.parameters = prepare(store, "SELECT key, value FROM parameters WHERE run = ?1", error);
  }
  if (statements.parameters != NULL) {
    statements.metrics = prepare(store, "SELECT name, value FROM metrics WHERE run = ?1", error);
  }
  gboolean good = visit_rows(store, &statements, visit, data, error);
  sqlite3_finalize(statements.runs);
  sqlite3_finalize(statements.parameters);
  sqlite3_finalize(statements.metrics);
  return finish(store, good, error);
}
