/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "study/store/result_store_private.h"

/* Committing. */

/* The id of `from` in the store; adds it when it is missing. */
static gboolean write_origin(const result_store *store, const provenance *from, gint64 *id, GError **error)
{
  static const char *const sql[] = {
      "INSERT OR IGNORE INTO origins(name, title, text, hash, axes, sets, version, git, libraries)"
      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      "SELECT id FROM origins WHERE name = ?1 AND title = ?2 AND text = ?3 AND hash = ?4 AND axes = ?5"
      " AND sets = ?6 AND version = ?7 AND git = ?8 AND libraries = ?9"};
  const char *hash = store_names_hash(store->names, from->text);
  const char *texts[] = {from->name, from->title,   from->text, hash,           from->axes,
                         from->sets, from->version, from->git,  from->libraries};
  gboolean good = TRUE;
  for (gsize i = 0; good && i < G_N_ELEMENTS(sql); i++) {
    sqlite3_stmt *statement = store_statement(store, sql[i], error);
    if (statement == NULL) {
      return FALSE;
    }
    for (gsize column = 0; column < G_N_ELEMENTS(texts); column++) {
      store_bind_text(statement, (int)column + 1, texts[column]);
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

/* Deletes what belongs to the run too. Not left to SQLite's foreign keys, which would also look up the run for each row that is written. */
static gboolean delete_run(const result_store *store, const char *identity, GError **error)
{
  static const char *const sql[] = {
      "DELETE FROM parameters WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM metrics WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
      "DELETE FROM distributions WHERE run = (SELECT id FROM runs WHERE identity = ?1)",
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
                      "INSERT INTO runs(identity, origin, point, status, message, exit_code, stderr_tail, "
                      "engine, host, started,"
                      " wall_s, cpu_s, memory_peak_octets, digest)"
                      " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
                      error);
  if (statement == NULL) {
    return FALSE;
  }
  g_autofree char *digest = store_run_digest(store->names, from, run);
  store_bind_text(statement, 1, run->identity);
  sqlite3_bind_int64(statement, 2, origin);
  sqlite3_bind_int64(statement, 3, (gint64)run->point);
  store_bind_text(statement, 4, run_status_name(run->status));
  store_bind_text(statement, 5, run->message);
  sqlite3_bind_int(statement, 6, run->exit_code);
  store_bind_text(statement, 7, run->stderr_tail);
  store_bind_text(statement, 8, run->engine);
  store_bind_text(statement, 9, run->host);
  store_bind_text(statement, 10, run->started);
  sqlite3_bind_double(statement, 11, run->wall_s);
  sqlite3_bind_double(statement, 12, run->cpu_s);
  sqlite3_bind_double(statement, 13, run->memory_peak_octets);
  store_bind_text(statement, 14, digest);
  gboolean good = store_step_done(store, statement, error);
  *id = sqlite3_last_insert_rowid(store->database);
  return good;
}

/* What belongs to a run, as JSON texts that SQLite makes rows of: one statement a table takes a third of the time that a statement
 * a row takes. Names come in order, as the tables keep them. */

/* A member's name in `json`, an object that is open: it begins with '{'. */
static GString *append_name(GString *json, const char *name)
{
  g_string_append(json, json->len > 1 ? "," : "");
  plain_text_append_json(json, name);
  return g_string_append_c(json, ':');
}

static void append_real(GString *json, double value)
{
  g_autofree char *number = units_format_real(value);
  g_string_append(json, number);
}

/* {"KEY":"TEXT",…} */
static GString *parameters_json(const store_names *names, const stored_run *run)
{
  GString *json = g_string_new("{");
  for (gsize i = 0; i < SCENARIO_KEY_COUNT; i++) {
    const char *text = run->keys[names->keys[i].row];
    if (text != NULL) {
      plain_text_append_json(append_name(json, names->keys[i].name), text);
    }
  }
  return g_string_append_c(json, '}');
}

/* {"METRIC":VALUE,…} */
static GString *metrics_json(const store_names *names, const stored_run *run)
{
  GString *json = g_string_new("{");
  for (gsize i = 0; i < METRIC_COUNT; i++) {
    if (run->metrics.present[names->metrics[i].row]) {
      append_real(append_name(json, names->metrics[i].name), run->metrics.value[names->metrics[i].row]);
    }
  }
  return g_string_append_c(json, '}');
}

/* {"DISTRIBUTION":{"BOUND":WEIGHT,…},…} */
static GString *distributions_json(const store_names *names, const stored_run *run)
{
  GString *json = g_string_new("{");
  for (gsize i = 0; i < DISTRIBUTION_COUNT; i++) {
    const distribution *d = &run->distributions[names->distributions[i].row];
    append_name(json, names->distributions[i].name);
    for (gsize bin = 0; bin < d->count; bin++) {
      g_string_append(json, bin == 0 ? "{\"" : ",\"");
      append_real(json, d->bins[bin].bound);
      g_string_append(json, "\":");
      append_real(json, d->bins[bin].weight);
    }
    g_string_append(json, d->count > 0 ? "}" : "{}");
  }
  return g_string_append_c(json, '}');
}

static gboolean write_rows(const result_store *store, const stored_run *run, gint64 id, GError **error)
{
  static const struct {
    const char *sql;
    GString *(*json)(const store_names *names, const stored_run *run);
  } tables[] = {
      {"INSERT INTO parameters(run, key, value) SELECT ?1, key, value FROM json_each(?2)", parameters_json},
      {"INSERT INTO metrics(run, name, value) SELECT ?1, key, value FROM json_each(?2)", metrics_json},
      {"INSERT INTO distributions(run, name, bound, weight) SELECT ?1, named.key, bins.key, bins.value"
       " FROM json_each(?2) AS named, json_each(named.value) AS bins",
       distributions_json}};
  gboolean good = TRUE;
  for (gsize i = 0; good && i < G_N_ELEMENTS(tables); i++) {
    sqlite3_stmt *statement = store_statement(store, tables[i].sql, error);
    good = statement != NULL;
    if (good) {
      GString *json = tables[i].json(store->names, run);
      sqlite3_bind_int64(statement, 1, id);
      sqlite3_bind_text64(statement, 2, json->str, json->len, SQLITE_TRANSIENT, SQLITE_UTF8);
      g_string_free(json, TRUE);
      good = store_step_done(store, statement, error);
    }
  }
  return good;
}

/* Writes `run`, which the store does not have. */
static gboolean add_run(const result_store *store, const provenance *from, const stored_run *run,
                        GError **error)
{
  gint64 origin = 0, id = 0;
  return write_origin(store, from, &origin, error) && write_run(store, from, run, origin, &id, error) &&
         write_rows(store, run, id, error);
}

gboolean store_put(const result_store *store, const provenance *from, const stored_run *run, GError **error)
{
  return delete_run(store, run->identity, error) && add_run(store, from, run, error);
}

/* Looking up what a sweep still has to run. */

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
  if (!store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  sqlite3_stmt *statement = store_prepare(
      store, "UPDATE runs SET point = ?2 WHERE identity = ?1 RETURNING status, exit_code", error);
  gboolean good = statement != NULL;
  for (gsize i = 0; good && i < count; i++) {
    store_bind_text(statement, 1, identities[i]);
    sqlite3_bind_int64(statement, 2, (gint64)points[i]);
    int step = sqlite3_step(statement);
    if (step == SQLITE_ROW) {
      states[i] = state_of(store_column_text(statement, 0), sqlite3_column_int(statement, 1));
    } else if (step == SQLITE_DONE) {
      states[i] = STORED_MISSING;
    } else {
      good = store_failed(store, error);
    }
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  return store_finish(store, good, error);
}

gboolean result_store_find(result_store *store, const char *identity, stored_state *state, GError **error)
{
  sqlite3_stmt *statement =
      store_statement(store, "SELECT status, exit_code FROM runs WHERE identity = ?1", error);
  if (statement == NULL) {
    return FALSE;
  }
  store_bind_text(statement, 1, identity);
  int step = sqlite3_step(statement);
  gboolean good = step == SQLITE_ROW || step == SQLITE_DONE || store_failed(store, error);
  *state = step == SQLITE_ROW ? state_of(store_column_text(statement, 0), sqlite3_column_int(statement, 1))
                              : STORED_MISSING;
  sqlite3_reset(statement);
  return good;
}

/* Commits of a sweep. */

static gboolean put_new(result_store *store, const provenance *from, const stored_run *run,
                        stored_state *there, GError **error)
{
  if (!result_store_find(store, run->identity, there, error)) {
    return FALSE;
  }
  switch (*there) {
  case STORED_MISSING:
    return add_run(store, from, run, error);
  case STORED_FAILED:
    return store_put(store, from, run, error);
  case STORED_UNEXPECTED:
  case STORED_DONE:
    break;
  }
  return TRUE;
}

gboolean result_store_commit_new(result_store *store, const provenance *from, const stored_run *const *runs,
                                 gsize count, stored_state *there, GError **error)
{
  if (!store_execute(store, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  gboolean good = TRUE;
  for (gsize i = 0; good && i < count; i++) {
    good = put_new(store, from, runs[i], &there[i], error);
  }
  return store_finish(store, good, error);
}
