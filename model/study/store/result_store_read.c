/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "study/store/result_store_private.h"

#define RUN_COLUMNS                                                                                          \
  "SELECT runs.id, identity, point, status, message, exit_code, stderr_tail, engine, host, started, wall_s," \
  " cpu_s, memory_peak_octets, digest, name, title, text, hash, axes, sets, version, git, libraries"         \
  " FROM runs LEFT JOIN origins ON origins.id = runs.origin"

const char *const store_sql_all_runs = RUN_COLUMNS " ORDER BY name, point, identity";
const char *const store_sql_one_run = RUN_COLUMNS " WHERE identity = ?1";

static gboolean unknown(const result_store *store, const char *what, const char *name, GError **error)
{
  g_autofree char *shown = plain_text(name, -1, "");
  g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN,
              "%s: holds the %s \"%s\", which this version of iwarpsim does not know", store->path, what,
              shown);
  return FALSE;
}

/* SQLite keeps text in a column of numbers, and would read it as 0. */
static gboolean is_number(sqlite3_stmt *statement, int column)
{
  int type = sqlite3_column_type(statement, column);
  return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
         isfinite(sqlite3_column_double(statement, column));
}

typedef struct walk walk;

/* One row of what belongs to a run goes into `run`. */
typedef gboolean (*take_row)(const walk *w, sqlite3_stmt *row, stored_run *run, GError **error);

/* What belongs to a run, and what takes its rows. */
enum { DETAILS = 3 };

struct walk {
  const result_store *store;
  sqlite3_stmt *runs;
  sqlite3_stmt *details[DETAILS];
  GHashTable *keys; /* scenario_key by name: each run has all of them */
};

static gboolean take_parameter(const walk *w, sqlite3_stmt *row, stored_run *run, GError **error)
{
  const char *name = store_column_text(row, 0);
  gpointer found;
  if (!g_hash_table_lookup_extended(w->keys, name, NULL, &found)) {
    return unknown(w->store, "key", name, error);
  }
  scenario_key key = (scenario_key)GPOINTER_TO_UINT(found);
  g_free(run->keys[key]);
  run->keys[key] = g_strdup(store_column_text(row, 1));
  return TRUE;
}

static gboolean take_metric(const walk *w, sqlite3_stmt *row, stored_run *run, GError **error)
{
  const char *name = store_column_text(row, 0);
  metric_id metric = metric_find(name);
  if (metric == METRIC_COUNT) {
    return unknown(w->store, "metric", name, error);
  }
  if (!is_number(row, 1)) {
    return store_damaged(w->store, error, "a value of the metric \"%s\" is no number", name);
  }
  metric_values_set(&run->metrics, metric, sqlite3_column_double(row, 1));
  return TRUE;
}

static gboolean take_bin(const walk *w, sqlite3_stmt *row, stored_run *run, GError **error)
{
  const char *name = store_column_text(row, 0);
  distribution_id id = distribution_find(name);
  if (id == DISTRIBUTION_COUNT) {
    return unknown(w->store, "distribution", name, error);
  }
  if (!is_number(row, 1) || !is_number(row, 2) ||
      !distribution_append(&run->distributions[id], sqlite3_column_double(row, 1),
                           sqlite3_column_double(row, 2))) {
    return store_damaged(w->store, error, "a bin of the distribution \"%s\" has no weight or is out of order",
                         name);
  }
  return TRUE;
}

static const struct {
  const char *sql;
  take_row take;
} details[DETAILS] = {
    {"SELECT key, value FROM parameters WHERE run = ?1", take_parameter},
    {"SELECT name, value FROM metrics WHERE run = ?1", take_metric},
    {"SELECT name, bound, weight FROM distributions WHERE run = ?1 ORDER BY name, bound", take_bin},
};

static gboolean read_details(const walk *w, gint64 id, stored_run *run, GError **error)
{
  gboolean good = TRUE;
  for (gsize i = 0; good && i < DETAILS; i++) {
    sqlite3_stmt *statement = w->details[i];
    int step = SQLITE_DONE;
    sqlite3_bind_int64(statement, 1, id);
    while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
      good = details[i].take(w, statement, run, error);
    }
    good = good && (step == SQLITE_DONE || store_failed(w->store, error));
    sqlite3_reset(statement);
  }
  return good;
}

/* Texts are the row's. */
static provenance origin_of(sqlite3_stmt *row, int column)
{
  return (provenance){.name = (char *)store_column_text(row, column),
                      .title = (char *)store_column_text(row, column + 1),
                      .text = (char *)store_column_text(row, column + 2),
                      .hash = (char *)store_column_text(row, column + 3),
                      .axes = (char *)store_column_text(row, column + 4),
                      .sets = (char *)store_column_text(row, column + 5),
                      .version = (char *)store_column_text(row, column + 6),
                      .git = (char *)store_column_text(row, column + 7),
                      .libraries = (char *)store_column_text(row, column + 8)};
}

static stored_run run_of(sqlite3_stmt *row)
{
  return (stored_run){.identity = (char *)store_column_text(row, 1),
                      .point = (guint64)sqlite3_column_int64(row, 2),
                      .status = run_status_find(store_column_text(row, 3)),
                      .message = (char *)store_column_text(row, 4),
                      .exit_code = sqlite3_column_int(row, 5),
                      .stderr_tail = (char *)store_column_text(row, 6),
                      .engine = (char *)store_column_text(row, 7),
                      .host = (char *)store_column_text(row, 8),
                      .started = (char *)store_column_text(row, 9),
                      .wall_s = sqlite3_column_double(row, 10),
                      .cpu_s = sqlite3_column_double(row, 11),
                      .memory_peak_octets = sqlite3_column_double(row, 12)};
}

/* SQLite detects a damaged structure, but not a damaged value. */
static gboolean check_digest(const result_store *store, const provenance *from, const stored_run *run,
                             const char *expected, GError **error)
{
  g_autofree char *digest = store_run_digest(store->names, from, run);
  return strcmp(digest, expected) == 0 ||
         store_damaged(store, error,
                       "run %.12s (point %" G_GUINT64_FORMAT ") is no longer what was written: its digest "
                       "differs; expected a store that nobody edits",
                       run->identity, run->point);
}

static gboolean visit_row(const walk *w, result_store_visit visit, gpointer data, GError **error)
{
  stored_run run = run_of(w->runs);
  provenance from = origin_of(w->runs, 14);
  gboolean good =
      run.status != RUN_STATUSES || unknown(w->store, "status", store_column_text(w->runs, 3), error);
  good = good && read_details(w, sqlite3_column_int64(w->runs, 0), &run, error) &&
         check_digest(w->store, &from, &run, store_column_text(w->runs, 13), error) &&
         visit(&from, &run, data, error);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run.keys[key]);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&run.distributions[id]);
  }
  return good;
}

static gboolean visit_rows(const walk *w, result_store_visit visit, gpointer data, guint *visited,
                           GError **error)
{
  int step;
  while ((step = sqlite3_step(w->runs)) == SQLITE_ROW) {
    if (!visit_row(w, visit, data, error)) {
      return FALSE;
    }
    *visited += 1;
  }
  return step == SQLITE_DONE || store_failed(w->store, error);
}

static GHashTable *keys_by_name(void)
{
  GHashTable *keys = g_hash_table_new(g_str_hash, g_str_equal);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_hash_table_insert(keys, (gpointer)scenario_key_row_of(key)->name, GUINT_TO_POINTER(key));
  }
  return keys;
}

gboolean store_visit(const result_store *store, const char *sql, const char *identity,
                     result_store_visit visit, gpointer data, guint *visited, GError **error)
{
  guint count = 0;
  walk w = {.store = store, .runs = store_prepare(store, sql, error), .keys = keys_by_name()};
  gboolean good = w.runs != NULL;
  for (gsize i = 0; good && i < DETAILS; i++) {
    w.details[i] = store_prepare(store, details[i].sql, error);
    good = w.details[i] != NULL;
  }
  if (good && identity != NULL) {
    store_bind_text(w.runs, 1, identity);
  }
  good = good && visit_rows(&w, visit, data, &count, error);
  sqlite3_finalize(w.runs);
  g_hash_table_unref(w.keys);
  for (gsize i = 0; i < DETAILS; i++) {
    sqlite3_finalize(w.details[i]);
  }
  if (visited != NULL) {
    *visited = count;
  }
  return good;
}

gboolean result_store_each(result_store *store, result_store_visit visit, gpointer data, GError **error)
{
  /* One transaction: a sweep may be writing meanwhile. */
  return store_execute(store, "BEGIN", error) &&
         store_finish(store, store_visit(store, store_sql_all_runs, NULL, visit, data, NULL, error), error);
}

gboolean result_store_each_provenance(result_store *store, result_store_visit_provenance visit, gpointer data,
                                      GError **error)
{
  sqlite3_stmt *statement = store_prepare(
      store,
      "SELECT (SELECT count(*) FROM runs WHERE origin = origins.id) AS runs, name, title, text, hash, axes,"
      " sets, version, git, libraries FROM origins"
      " ORDER BY name, hash, title, axes, sets, version, git, libraries",
      error);
  gboolean good = statement != NULL;
  int step = SQLITE_DONE;
  while (good && (step = sqlite3_step(statement)) == SQLITE_ROW) {
    provenance from = origin_of(statement, 1);
    good =
        strcmp(store_names_hash(store->names, from.text), from.hash) == 0 ||
        store_damaged(store, error, "the text of the scenario '%s' does not belong to its hash", from.name);
    good = good && visit(&from, (gsize)sqlite3_column_int64(statement, 0), data, error);
  }
  good = good && (step == SQLITE_DONE || store_failed(store, error));
  sqlite3_finalize(statement);
  return good;
}

typedef struct comparison {
  const result_store *store;
  const provenance *from;
} comparison;

static gboolean compare(const provenance *stored, gsize runs, gpointer data, GError **error)
{
  const comparison *c = data;
  g_autofree char *difference = provenance_difference(stored, "stored", c->from, "now");
  if (difference != NULL) {
    g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT,
                "%s: holds %zu run%s of %sexpected the same for all its runs; --mix keeps both in one store, "
                "--store FILE puts the new runs into another one",
                c->store->path, runs, runs == 1 ? "" : "s", difference);
  }
  return difference == NULL;
}

gboolean result_store_check_provenance(result_store *store, const provenance *from, GError **error)
{
  comparison c = {store, from};
  return result_store_each_provenance(store, compare, &c, error);
}

gboolean result_store_mean_wall(result_store *store, double *mean_s, gsize *count, GError **error)
{
  sqlite3_stmt *statement = store_prepare(
      store, "SELECT count(*), avg(wall_s) FROM runs WHERE status <> 'failed' AND exit_code = 0", error);
  if (statement == NULL) {
    return FALSE;
  }
  gboolean good = sqlite3_step(statement) == SQLITE_ROW || store_failed(store, error);
  if (good) {
    *count = (gsize)sqlite3_column_int64(statement, 0);
    *mean_s = sqlite3_column_double(statement, 1);
  }
  sqlite3_finalize(statement);
  return good;
}
