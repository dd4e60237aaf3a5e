/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "study/store/result_store_private.h"

/* "iwps": tells our files from other SQLite files. */
#define APPLICATION_ID 0x69777073
#define SCHEMA_VERSION 2

/* docs/store.md describes it. Whoever changes it raises SCHEMA_VERSION. */
static const char schema[] =
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT "
    "NULL,"
    " hash TEXT NOT NULL, axes TEXT NOT NULL, sets TEXT NOT NULL, version TEXT NOT NULL, git TEXT NOT NULL,"
    " libraries TEXT NOT NULL, UNIQUE(hash, name, title, axes, sets, version, git, libraries));"

    "CREATE TABLE runs(id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE,"
    " origin INTEGER NOT NULL REFERENCES origins(id), point INTEGER NOT NULL, status TEXT NOT NULL,"
    " message TEXT NOT NULL, exit_code INTEGER NOT NULL, stderr_tail TEXT NOT NULL, engine TEXT NOT NULL,"
    " host TEXT NOT NULL, started TEXT NOT NULL, wall_s REAL NOT NULL, cpu_s REAL NOT NULL,"
    " memory_peak_octets REAL NOT NULL, digest TEXT NOT NULL);"
    "CREATE INDEX runs_by_origin ON runs(origin);"

    "CREATE TABLE parameters(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY(run, key)) WITHOUT ROWID;"
    "CREATE TABLE metrics(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE, name TEXT NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID;"
    "CREATE TABLE distributions(run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, bound REAL NOT NULL, weight REAL NOT NULL, PRIMARY KEY(run, name, bound))"
    " WITHOUT ROWID;"

    "CREATE VIEW results AS SELECT runs.id AS run, origins.name AS scenario, runs.point, runs.status,"
    " metrics.name AS metric, metrics.value FROM runs JOIN origins ON origins.id = runs.origin"
    " JOIN metrics ON metrics.run = runs.id;"
    "CREATE VIEW provenance AS SELECT runs.id AS run, origins.name AS scenario, runs.point, runs.status,"
    " origins.hash, origins.version, origins.git, origins.libraries, runs.engine, runs.host, runs.started,"
    " runs.wall_s, runs.cpu_s, runs.memory_peak_octets FROM runs JOIN origins ON origins.id = runs.origin;";

typedef enum store_kind { KIND_EMPTY, KIND_OURS } store_kind;

/* The version of the program that wrote a store of another schema: " by iwarpsim 0.1.0", "" when that cannot be told. g_free(). */
static char *writer_of(const result_store *store, gint64 version)
{
  const char *sql =
      version < SCHEMA_VERSION ? "SELECT max(version) FROM meta" : "SELECT max(version) FROM origins";
  sqlite3_stmt *statement = store_prepare(store, sql, NULL);
  char *writer = NULL;
  if (statement != NULL && sqlite3_step(statement) == SQLITE_ROW &&
      *store_column_text(statement, 0) != '\0') {
    g_autofree char *valid = g_utf8_make_valid(store_column_text(statement, 0), -1);
    writer = g_strdup_printf(" by iwarpsim %.40s", valid);
  }
  sqlite3_finalize(statement);
  return writer != NULL ? writer : g_strdup("");
}

static gboolean refuse_schema(const result_store *store, gint64 version, GError **error)
{
  g_autofree char *writer = writer_of(store, version);
  g_set_error(
      error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
      "%s: a result store of schema %" G_GINT64_FORMAT
      ", written%s; expected schema %d: read it with %s iwarpsim, or run the sweep again into another "
      "--store FILE",
      store->path, version, writer, SCHEMA_VERSION, version < SCHEMA_VERSION ? "that older" : "a newer");
  return FALSE;
}

/* Tells a store of ours from an empty database; anything else is refused. */
/* Inside a transaction, and the tables first: from then on all three are of one moment, though another sweep may be making the store. */
static gboolean read_kind(const result_store *store, store_kind *kind, GError **error)
{
  gint64 application, version, tables;
  if (!store_query_integer(store, "SELECT count(*) FROM sqlite_master", &tables, error) ||
      !store_query_integer(store, "PRAGMA application_id", &application, error) ||
      !store_query_integer(store, "PRAGMA user_version", &version, error)) {
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
    return refuse_schema(store, version, error);
  }
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
              "%s: not a result store: another program's SQLite database; expected a file that `iwarpsim "
              "sweep` wrote",
              store->path);
  return FALSE;
}

/* Several sweeps may make the same store at once: looks again inside the transaction. */
static gboolean make_schema(const result_store *store, GError **error)
{
  if (!store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  store_kind kind = KIND_OURS;
  gboolean good = read_kind(store, &kind, error);
  if (good && kind == KIND_EMPTY) {
    g_autofree char *marks = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d",
                                             APPLICATION_ID, SCHEMA_VERSION);
    good = store_execute(store, schema, error) && store_execute(store, marks, error);
  }
  return store_finish(store, good, error);
}

gboolean store_check_schema(const result_store *store, result_store_mode mode, GError **error)
{
  store_kind kind = KIND_OURS;
  if (!store_execute(store, "BEGIN", error) || !store_finish(store, read_kind(store, &kind, error), error)) {
    return FALSE;
  }
  if (kind == KIND_EMPTY && mode == RESULT_STORE_READ) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
                "%s: not a result store: an empty file; expected a file that `iwarpsim sweep` wrote",
                store->path);
    return FALSE;
  }
  return kind == KIND_OURS || make_schema(store, error);
}
