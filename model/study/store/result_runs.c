/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs of a result store: how its rows are written and read. */
#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "study/store/result_store_private.h"

/* In the order in which they are written and read. */
#define RUN_FIELDS                                                                                           \
  "identity, status, message, stderr_tail, engine, host, started, digest, point, exit_code, wall_s, cpu_s,"  \
  " memory_peak_octets"
#define ORIGIN_FIELDS "name, title, text, hash, axes, sets, version, git, libraries"

/* SHA-256 of a text, made valid UTF-8, 64 hexadecimal digits. Free with g_free(). */
static char *hash_of(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, valid, -1);
}

/* The id of `from` in the store; adds it when it is missing. */
static gboolean write_origin(const result_store *store, const provenance *from, gint64 *id, GError **error)
{
  static const char *const sql[] = {
      "INSERT OR IGNORE INTO origins(" ORIGIN_FIELDS ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      "SELECT id FROM origins WHERE (" ORIGIN_FIELDS ") = (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"};
  gboolean good = TRUE;
  for (gsize i = 0; good && i < G_N_ELEMENTS(sql); i++) {
    sqlite3_stmt *statement = store_statement(store, sql[i], error);
    if (statement == NULL) {
      return FALSE;
    }
    for (gsize column = 0; column < PROVENANCE_TEXTS; column++) {
      store_bind_text(statement, (int)column + 1, from->texts[column]);
    }
    int wanted = i == 0 ? SQLITE_DONE : SQLITE_ROW;
    int step = sqlite3_step(statement);
    if (step != wanted) {
      good = step == SQLITE_DONE
                 ? store_damaged(store, error, "the text of an origin does not belong to its hash")
                 : store_failed(store, error);
    } else if (wanted == SQLITE_ROW) {
      *id = sqlite3_column_int64(statement, 0);
    }
    sqlite3_reset(statement);
  }
  return good;
}

/* Deletes what belongs to the run too. Not left to SQLite's foreign keys, which would also look up the run
 * for each row that is written. */
static gboolean delete_run(const result_store *store, const char *identity, GError **error)
{
  static const char *const sql[] = {
      "DELETE FROM parameters WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM metrics WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM distributions WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM quantiles WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM block_maxima WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM runs WHERE identity = ?1",
      /* An origin goes with its last run: without runs it would announce results that do not exist. */
      "DELETE FROM origins WHERE id NOT IN (SELECT origin FROM runs)"};
  gboolean good = TRUE;
  for (gsize i = 0; good && i < G_N_ELEMENTS(sql); i++) {
    sqlite3_stmt *statement = store_statement(store, sql[i], error);
    good = statement != NULL;
    if (good && sqlite3_bind_parameter_count(statement) > 0) {
      store_bind_text(statement, 1, identity);
    }
    good = good && store_step_done(store, statement, error);
  }
  return good;
}

static gboolean write_run(const result_store *store, const provenance *from, const stored_run *run,
                          gint64 origin, gint64 *id, GError **error)
{
  sqlite3_stmt *statement =
      store_statement(store,
                      "INSERT INTO runs(origin, " RUN_FIELDS
                      ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                      error);
  if (statement == NULL) {
    return FALSE;
  }
  g_autofree char *digest = store_run_digest(from, run);
  const char *texts[] = {run->identity, run_status_name(run->status),
                         run->message,  run->stderr_tail,
                         run->engine,   run->host,
                         run->started,  digest};
  sqlite3_bind_int64(statement, 1, origin);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    store_bind_text(statement, (int)i + 2, texts[i]);
  }
  sqlite3_bind_int64(statement, 10, (gint64)run->point);
  sqlite3_bind_int(statement, 11, run->exit_code);
  sqlite3_bind_double(statement, 12, run->wall_s);
  sqlite3_bind_double(statement, 13, run->cpu_s);
  sqlite3_bind_double(statement, 14, run->memory_peak_octets);
  gboolean good = store_step_done(store, statement, error);
  *id = sqlite3_last_insert_rowid(store->database);
  return good;
}

/* The tables of what belongs to a run. All rows of one are written as a JSON object that SQLite takes apart,
 * {"NAME":VALUE,…} or {"NAME":[VALUE,VALUE],…}, where a name may come again: one statement a table takes a
 * third of the time that a statement a row takes. */
static const struct {
  const char *what;
  const char *insert;
  const char *select;
} tables[RUN_TABLES] = {
    [RUN_PARAMETERS] = {"key",
                        "INSERT INTO parameters(run, key, value) SELECT ?1, key, value FROM json_each(?2)",
                        "SELECT key, value FROM parameters WHERE run = ?1"},
    [RUN_METRICS] = {"metric",
                     "INSERT INTO metrics(run, name, value) SELECT ?1, key, value FROM json_each(?2)",
                     "SELECT name, value FROM metrics WHERE run = ?1"},
    [RUN_DISTRIBUTIONS] = {"distribution",
                           "INSERT INTO distributions(run, name, bound, weight) "
                           "SELECT ?1, key, value ->> 0, value ->> 1 FROM json_each(?2)",
                           "SELECT name, bound, weight FROM distributions WHERE run = ?1 "
                           "ORDER BY name, bound"},
    [RUN_QUANTILES] = {"gauge",
                       "INSERT INTO quantiles(run, gauge, percent, value) "
                       "SELECT ?1, key, value ->> 0, value ->> 1 FROM json_each(?2)",
                       "SELECT gauge, percent, value FROM quantiles WHERE run = ?1 ORDER BY gauge, percent"},
    /* Their name is the size of the blocks. */
    [RUN_BLOCK_MAXIMA] = {NULL,
                          "INSERT INTO block_maxima(run, block_octets, maxima) "
                          "SELECT ?1, key, json_group_array(value) FROM json_each(?2) GROUP BY key",
                          "SELECT '', block_octets, value FROM block_maxima, json_each(maxima) "
                          "WHERE run = ?1"}};

static void append_row(const run_row *row, gpointer data)
{
  GString *json = ((GString **)data)[row->table];
  const gboolean is_pair = row->name != NULL && row->count == 2;
  g_string_append(json, json->len > 1 ? "," : "");
  if (row->name != NULL) {
    plain_text_append_json(json, row->name);
  } else {
    g_string_append_printf(json, "\"%.0f\"", row->numbers[0]);
  }
  g_string_append(json, is_pair ? ":[" : ":");
  if (row->text != NULL) {
    plain_text_append_json(json, row->text);
  }
  for (gsize i = row->name != NULL ? 0 : 2; i < row->count; i++) {
    g_autofree char *number = units_format_real(row->numbers[i]);
    g_string_append(json, is_pair && i > 0 ? "," : "");
    g_string_append(json, number);
  }
  g_string_append(json, is_pair ? "]" : "");
}

static gboolean write_rows(const result_store *store, const stored_run *run, gint64 id, GError **error)
{
  GString *json[RUN_TABLES];
  for (run_table table = 0; table < RUN_TABLES; table++) {
    json[table] = g_string_new("{");
  }
  store_each_row(run, append_row, json);
  gboolean good = TRUE;
  for (run_table table = 0; table < RUN_TABLES; table++) {
    sqlite3_stmt *statement = good ? store_statement(store, tables[table].insert, error) : NULL;
    const gsize length = g_string_append_c(json[table], '}')->len;
    char *text = g_string_free(json[table], FALSE);
    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text64(statement, 2, text, length, g_free, SQLITE_UTF8);
    good = statement != NULL && store_step_done(store, statement, error);
  }
  return good;
}

/* Writes `run`, which the store does not have. */
static gboolean add_run(const result_store *store, const provenance *from, const stored_run *run,
                        GError **error)
{
  gint64 origin = 0, id = 0;
  g_autofree char *hash = hash_of(from->text);
  provenance hashed = *from;
  hashed.hash = hash;
  return write_origin(store, &hashed, &origin, error) && write_run(store, &hashed, run, origin, &id, error) &&
         write_rows(store, run, id, error);
}

gboolean store_put(const result_store *store, const provenance *from, const stored_run *run, GError **error)
{
  return delete_run(store, run->identity, error) && add_run(store, from, run, error);
}

/* Looking up what a sweep still has to run. */

/* The next row of `statement`, which has status, exit code and wall time, or none; readies it for the next
 * bindings. */
static gboolean read_state(const result_store *store, sqlite3_stmt *statement, stored_look *look,
                           GError **error)
{
  int step = sqlite3_step(statement);
  gboolean good = step == SQLITE_ROW || step == SQLITE_DONE || store_failed(store, error);
  look->state = STORED_MISSING;
  look->wall_s = step == SQLITE_ROW ? sqlite3_column_double(statement, 2) : 0;
  if (step == SQLITE_ROW && strcmp(store_column_text(statement, 0), run_status_name(RUN_FAILED)) == 0) {
    look->state = STORED_FAILED;
  } else if (step == SQLITE_ROW) {
    look->state = sqlite3_column_int(statement, 1) == 0 ? STORED_DONE : STORED_UNEXPECTED;
  }
  sqlite3_reset(statement);
  return good;
}

gboolean result_store_look_up(result_store *store, stored_look *looks, gsize count, gboolean renumber,
                              GError **error)
{
  if (renumber && !store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  sqlite3_stmt *statement = store_statement(
      store,
      renumber ? "UPDATE runs SET point = ?2 WHERE identity = ?1 RETURNING status, exit_code, wall_s"
               : "SELECT status, exit_code, wall_s FROM runs WHERE identity = ?1",
      error);
  gboolean good = statement != NULL;
  for (gsize i = 0; good && i < count; i++) {
    store_bind_text(statement, 1, looks[i].identity);
    if (renumber) {
      sqlite3_bind_int64(statement, 2, (gint64)looks[i].point);
    }
    good = read_state(store, statement, &looks[i], error);
  }
  return renumber ? store_finish(store, good, error) : good;
}

/* Commits of a sweep. */

gboolean result_store_commit_new(result_store *store, const provenance *from, const stored_run *const *runs,
                                 gsize count, stored_state *there, GError **error)
{
  if (!store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  gboolean good = TRUE;
  for (gsize i = 0; good && i < count; i++) {
    stored_look look = {.identity = runs[i]->identity};
    good = result_store_look_up(store, &look, 1, FALSE, error);
    there[i] = look.state;
    if (good && there[i] == STORED_MISSING) {
      good = add_run(store, from, runs[i], error);
    } else if (good && there[i] == STORED_FAILED) {
      good = store_put(store, from, runs[i], error);
    }
  }
  return store_finish(store, good, error);
}

/* Reading. */

#define RUN_COLUMNS                                                                                          \
  "SELECT runs.id, " RUN_FIELDS ", " ORIGIN_FIELDS " FROM runs LEFT JOIN origins ON origins.id = "           \
  "runs.origin"

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

/* Steps to the next row of a result, while all is `*good`. FALSE when there is none, or the store fails: the
 * statement is then ready for the next bindings. */
static gboolean next_row(const result_store *store, sqlite3_stmt *statement, gboolean *good, GError **error)
{
  int step = *good ? sqlite3_step(statement) : SQLITE_DONE;
  if (step == SQLITE_ROW) {
    return TRUE;
  }
  *good = *good && (step == SQLITE_DONE || store_failed(store, error));
  sqlite3_reset(statement);
  return FALSE;
}

static gboolean add_quantile(gauge_quantiles *of, gsize gauge, double percent, double value)
{
  const uint32_t parts = quantile_parts(percent / 100);
  const gsize place = gauge_quantiles_find(of, parts);
  if (place == QUANTILES_MAX || parts == 0) {
    return FALSE;
  }
  of->count = MAX(of->count, place + 1);
  of->parts[place] = parts;
  of->values[gauge][place] = value;
  return TRUE;
}

/* Adds to `run` what `row` of a table has. */
static gboolean read_row(const result_store *store, run_table table, sqlite3_stmt *row, stored_run *run,
                         GError **error)
{
  const char *name = store_column_text(row, 0);
  const gboolean are_numbers = is_number(row, 1) && (table == RUN_METRICS || is_number(row, 2));
  const double first = sqlite3_column_double(row, 1), second = sqlite3_column_double(row, 2);
  gsize id;
  if (!store_find_name(table, name, &id) && table != RUN_BLOCK_MAXIMA) {
    return unknown(store, tables[table].what, name, error);
  }
  switch (table) {
  case RUN_PARAMETERS:
    g_free(run->keys[id]);
    run->keys[id] = g_strdup(store_column_text(row, 1));
    return TRUE;
  case RUN_METRICS:
    metric_values_set(&run->results.metrics, (metric_id)id, first);
    return are_numbers || store_damaged(store, error, "a value of the metric \"%s\" is no number", name);
  case RUN_DISTRIBUTIONS:
    return (are_numbers && distribution_append(&run->results.distributions[id], first, second)) ||
           store_damaged(store, error, "a bin of the distribution \"%s\" has no weight or is out of order",
                         name);
  case RUN_QUANTILES:
    return (are_numbers && add_quantile(&run->results.quantiles, id, first, second)) ||
           store_damaged(store, error, "a quantile of the gauge \"%s\" has no value or no percentage", name);
  default:
    if (run->results.block_maxima == NULL) {
      run->results.block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
    }
    const guint64 maximum = (guint64)sqlite3_column_int64(row, 2);
    g_array_append_val(run->results.block_maxima, maximum);
    run->results.block_octets = (guint64)sqlite3_column_int64(row, 1);
    return are_numbers || store_damaged(store, error, "a block maximum is no number");
  }
}

/* Texts are the row's. */
static provenance origin_of(sqlite3_stmt *row, int column)
{
  provenance from;
  for (int i = 0; i < PROVENANCE_TEXTS; i++) {
    from.texts[i] = (char *)store_column_text(row, column + i);
  }
  return from;
}

/* Calls `visit` with the run in `row`, of those below; its provenance was checked
 * (result_store_provenances()). */
static gboolean visit_run(const result_store *store, sqlite3_stmt *row, result_store_visit visit,
                          gpointer data, GError **error)
{
  const provenance from = origin_of(row, 14);
  stored_run run = {.identity = (char *)store_column_text(row, 1),
                    .status = run_status_find(store_column_text(row, 2)),
                    .message = (char *)store_column_text(row, 3),
                    .stderr_tail = (char *)store_column_text(row, 4),
                    .engine = (char *)store_column_text(row, 5),
                    .host = (char *)store_column_text(row, 6),
                    .started = (char *)store_column_text(row, 7),
                    .point = (guint64)sqlite3_column_int64(row, 9),
                    .exit_code = sqlite3_column_int(row, 10),
                    .wall_s = sqlite3_column_double(row, 11),
                    .cpu_s = sqlite3_column_double(row, 12),
                    .memory_peak_octets = sqlite3_column_double(row, 13)};
  if (run.status == RUN_STATUSES) {
    return unknown(store, "status", store_column_text(row, 2), error);
  }
  gboolean good = TRUE;
  for (run_table table = 0; good && table < RUN_TABLES; table++) {
    sqlite3_stmt *rows = store_statement(store, tables[table].select, error);
    good = rows != NULL;
    sqlite3_bind_int64(rows, 1, sqlite3_column_int64(row, 0));
    while (next_row(store, rows, &good, error)) {
      good = read_row(store, table, rows, &run, error);
    }
  }
  if (good) {
    /* SQLite detects a damaged structure, but not a damaged value. */
    g_autofree char *digest = store_run_digest(&from, &run);
    good = strcmp(digest, store_column_text(row, 8)) == 0 ||
           store_damaged(store, error,
                         "run %.12s (point %" G_GUINT64_FORMAT ") is no longer what was written: its digest "
                         "differs; expected a store that nobody edits",
                         run.identity, run.point);
  }
  good = good && visit(&from, &run, data, error);
  run_identity_clear(run.keys);
  run_results_clear(&run.results);
  return good;
}

gboolean result_store_visit_run(const result_store *store, const char *identity, result_store_visit visit,
                                gpointer data, GError **error)
{
  sqlite3_stmt *row = store_statement(store,
                                      identity != NULL ? RUN_COLUMNS " WHERE identity = ?1"
                                                       : RUN_COLUMNS " ORDER BY name, point, identity",
                                      error);
  gboolean good = row != NULL;
  if (identity != NULL) {
    store_bind_text(row, 1, identity);
  }
  while (next_row(store, row, &good, error)) {
    good = visit_run(store, row, visit, data, error);
  }
  return good;
}

GPtrArray *result_store_provenances(result_store *store, GError **error)
{
  g_autoptr(GPtrArray) provenances = stored_provenances_new();
  sqlite3_stmt *row = store_statement(
      store,
      "SELECT (SELECT count(*) FROM runs WHERE origin = origins.id) AS runs, " ORIGIN_FIELDS " FROM origins"
      " ORDER BY name, hash, title, axes, sets, version, git, libraries",
      error);
  gboolean good = row != NULL;
  while (next_row(store, row, &good, error)) {
    const provenance from = origin_of(row, 1);
    g_autofree char *hash = hash_of(from.text);
    stored_provenances_of(provenances, &from)->count = (guint)sqlite3_column_int(row, 0);
    good =
        strcmp(hash, from.hash) == 0 ||
        store_damaged(store, error, "the text of the scenario '%s' does not belong to its hash", from.name);
  }
  return good ? g_steal_pointer(&provenances) : NULL;
}

gboolean result_store_each(result_store *store, result_store_visit visit, gpointer data, GError **error)
{
  /* One transaction: a sweep may be writing meanwhile. */
  if (!store_execute(store, "BEGIN", error)) {
    return FALSE;
  }
  g_autoptr(GPtrArray) checked = result_store_provenances(store, error);
  return store_finish(store, checked != NULL && result_store_visit_run(store, NULL, visit, data, error),
                      error);
}

gboolean result_store_check_provenance(result_store *store, const provenance *from, GError **error)
{
  g_autoptr(GPtrArray) all = result_store_provenances(store, error);
  for (guint i = 0; all != NULL && i < all->len; i++) {
    const stored_provenance *stored = all->pdata[i];
    g_autofree char *difference = provenance_difference(stored->origin, "stored", from, "now");
    if (difference != NULL) {
      g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT,
                  "%s: holds %u run%s of %sexpected the same for all its runs; --mix keeps both in one "
                  "store, --store FILE puts the new runs into another one",
                  store->path, stored->count, stored->count == 1 ? "" : "s", difference);
      return FALSE;
    }
  }
  return all != NULL;
}

gboolean result_store_quantile_parts(result_store *store, GArray *parts, GError **error)
{
  sqlite3_stmt *row =
      store_statement(store, "SELECT DISTINCT percent FROM quantiles ORDER BY percent", error);
  gboolean good = row != NULL;
  while (good && next_row(store, row, &good, error)) {
    const guint32 share = quantile_parts(sqlite3_column_double(row, 0) / 100);
    g_array_append_val(parts, share);
  }
  return good;
}
