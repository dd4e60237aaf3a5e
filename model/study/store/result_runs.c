/* SPDX-License-Identifier: GPL-2.0-only */
/* This is about the runs of a result store: how its rows are written and read. */
#include <string.h>

#include "base/units.h"
#include "study/store/json_members.h"
#include "study/store/result_store_private.h"

/* They are in the order in which they are written and read. */
#define RUN_FIELDS                                                                                           \
  "identity, status, message, stderr_tail, engine, host, started, digest, parameters, metrics,"              \
  " distributions, quantiles, block_maxima, tables, point, exit_code, wall_s, cpu_s, memory_peak_octets"
#define BASE_FIELDS "base, base_metrics, base_quantiles"
#define ORIGIN_FIELDS "name, title, text, hash, axes, sets, version, git, libraries"

/* What a part of the results is the rest of; BASE_PARTS: it is whole. */
static const base_part base_of[RUN_PARTS] = {[RUN_METRICS] = BASE_METRICS,
                                             [RUN_DISTRIBUTIONS] = BASE_PARTS,
                                             [RUN_QUANTILES] = BASE_QUANTILES,
                                             [RUN_BLOCK_MAXIMA] = BASE_PARTS,
                                             [RUN_TABLES] = BASE_PARTS};

/* Returns the SHA-256 of a text, made valid UTF-8, 64 hexadecimal digits. Free with g_free(). */
static char *hash_of(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, valid, -1);
}

/* Keeps the columns of `row` from `column` on, the base of an origin, and their hash. */
static void use_base(const result_store *store, sqlite3_stmt *row, int column)
{
  origin_base *base = store->base;
  g_autoptr(GChecksum) hash = g_checksum_new(G_CHECKSUM_SHA256);
  gboolean is_another = FALSE;
  for (base_part part = 0; part < BASE_PARTS; part++) {
    const char *text = store_column_text(row, column + (int)part);
    is_another = is_another || g_strcmp0(base->texts[part], text) != 0;
  }
  if (!is_another) {
    return;
  }
  for (base_part part = 0; part < BASE_PARTS; part++) {
    g_free(base->texts[part]);
    base->texts[part] = g_strdup(store_column_text(row, column + (int)part));
    g_checksum_update(hash, (const guchar *)base->texts[part], (gssize)strlen(base->texts[part]) + 1);
  }
  run_identity_clear(base->keys);
  g_free(base->hash);
  base->hash = g_strdup(g_checksum_get_string(hash));
  base->is_read = FALSE;
}

/* Reads them. */
static gboolean read_base(const result_store *store, GError **error)
{
  origin_base *base = store->base;
  base->is_read =
      base->is_read || run_parameters_read(store, base->texts[BASE_PARAMETERS], base->keys, error);
  return base->is_read;
}

/* Returns the id of `from` in the store, whose first run is the base of the others; adds it when it is
 * missing, with the base of `texts`. */
static gboolean write_origin(const result_store *store, const provenance *from,
                             const char *const texts[BASE_PARTS], gint64 *id, GError **error)
{
  sqlite3_stmt *statement = store_statement(
      store,
      "INSERT INTO origins(" ORIGIN_FIELDS ", " BASE_FIELDS
      ", planned) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
      "?9, ?10, ?11, ?12, ?13) ON CONFLICT DO UPDATE SET planned = max(planned, excluded.planned)"
      " RETURNING id, text = ?3, " BASE_FIELDS,
      error);
  if (statement == NULL) {
    return FALSE;
  }
  for (gsize column = 0; column < PROVENANCE_TEXTS; column++) {
    store_bind_text(statement, (int)column + 1, from->texts[column]);
  }
  for (base_part part = 0; part < BASE_PARTS; part++) {
    store_bind_text(statement, PROVENANCE_TEXTS + 1 + (int)part, texts[part]);
  }
  sqlite3_bind_int64(statement, PROVENANCE_TEXTS + 1 + BASE_PARTS, (gint64)from->planned);
  const int step = sqlite3_step(statement);
  *id = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  gboolean good = step == SQLITE_ROW || store_failed(store, error);
  if (good) {
    use_base(store, statement, 2);
    good = sqlite3_column_int(statement, 1) != 0
               ? read_base(store, error)
               : store_damaged(store, error, "the text of an origin does not belong to its hash");
  }
  sqlite3_reset(statement);
  return good;
}

/* Writes `run`, in the place of what the store has of it. */
static gboolean add_run(const result_store *store, const provenance *from, const stored_run *run,
                        GError **error)
{
  gint64 origin = 0;
  g_autofree char *hash = hash_of(from->text);
  g_autofree char *parameters = run_parameters_text(run->keys);
  g_auto(GStrv) parts = run_part_texts(&run->results);
  const char *const whole[BASE_PARTS] = {parameters, parts[RUN_METRICS], parts[RUN_QUANTILES]};
  provenance hashed = *from;
  hashed.hash = hash;
  sqlite3_stmt *statement = store_statement(store,
                                            "INSERT OR REPLACE INTO runs(origin, " RUN_FIELDS
                                            ") VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
                                            " ?14, ?15, ?16, ?17, ?18, ?19, ?20)",
                                            error);
  if (statement == NULL || !write_origin(store, &hashed, whole, &origin, error)) {
    return FALSE;
  }
  enum { FIXED = 9 };
  g_autofree char *own = json_members_without(parameters, store->base->texts[BASE_PARAMETERS]);
  gboolean is_base = own != NULL;
  for (run_part part = 0; part < RUN_PARTS && is_base; part++) {
    if (base_of[part] < BASE_PARTS) {
      g_autofree char *text = parts[part];
      parts[part] = json_members_without(text, store->base->texts[base_of[part]]);
      is_base = parts[part] != NULL;
    }
  }
  if (!is_base) {
    return store_damaged(store, error, "malformed JSON in the base of an origin");
  }
  g_autofree char *sealed = g_strconcat(store->base->hash, own, NULL); /* of which the digest is */
  g_autofree char *digest = store_run_digest(&hashed, run, sealed, (const char *const *)parts);
  const char *texts[FIXED] = {run->identity,
                              run_status_name(run->status),
                              run->message,
                              run->stderr_tail,
                              run->engine,
                              run->host,
                              run->started,
                              digest,
                              own};
  sqlite3_bind_int64(statement, 1, origin);
  for (int i = 0; i < FIXED + RUN_PARTS; i++) {
    store_bind_text(statement, i + 2, i < FIXED ? texts[i] : parts[i - FIXED]);
  }
  sqlite3_bind_int64(statement, FIXED + RUN_PARTS + 2, (gint64)run->point);
  sqlite3_bind_int(statement, FIXED + RUN_PARTS + 3, run->exit_code);
  sqlite3_bind_double(statement, FIXED + RUN_PARTS + 4, run->wall_s);
  sqlite3_bind_double(statement, FIXED + RUN_PARTS + 5, run->cpu_s);
  sqlite3_bind_double(statement, FIXED + RUN_PARTS + 6, run->memory_peak_octets);
  const gboolean good = sqlite3_step(statement) == SQLITE_DONE || store_failed(store, error);
  sqlite3_reset(statement);
  return good;
}

gboolean store_put(const result_store *store, const provenance *from, const stored_run *run, GError **error)
{
  /* An origin goes with its last run: without runs it would announce results that do not exist. */
  return add_run(store, from, run, error) &&
         store_execute(store, "DELETE FROM origins WHERE id NOT IN (SELECT origin FROM runs)", error);
}

/* --- Looking up what a sweep still has to run --- */

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
  for (stored_look *look = looks; good && look < looks + count; look++) {
    store_bind_text(statement, 1, look->identity);
    if (renumber) {
      sqlite3_bind_int64(statement, 2, (gint64)look->point);
    }
    const int step = sqlite3_step(statement);
    good = step == SQLITE_ROW || step == SQLITE_DONE || store_failed(store, error);
    look->state = STORED_MISSING;
    look->wall_s = step == SQLITE_ROW ? sqlite3_column_double(statement, 2) : 0;
    if (step == SQLITE_ROW && strcmp(store_column_text(statement, 0), run_status_name(RUN_FAILED)) == 0) {
      look->state = STORED_FAILED;
    } else if (step == SQLITE_ROW) {
      look->state = sqlite3_column_int(statement, 1) == 0 ? STORED_DONE : STORED_UNEXPECTED;
    }
    sqlite3_reset(statement);
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

/* --- Reading --- */

#define RUN_COLUMNS                                                                                          \
  "SELECT " BASE_FIELDS ", planned, " RUN_FIELDS ", " ORIGIN_FIELDS " FROM runs LEFT JOIN origins ON "       \
  "origins.id = runs.origin WHERE "

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

/* Texts are the row's. */
static provenance origin_of(sqlite3_stmt *row, int column)
{
  provenance from = {.planned = 0};
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
  enum { PLANNED = BASE_PARTS, OWN = PLANNED + 9, PARTS, POINT = PARTS + RUN_PARTS, ORIGIN = POINT + 5 };
  provenance from = origin_of(row, ORIGIN);
  from.planned = (guint64)sqlite3_column_int64(row, PLANNED);
  stored_run run = {.identity = (char *)store_column_text(row, PLANNED + 1),
                    .status = run_status_find(store_column_text(row, PLANNED + 2)),
                    .message = (char *)store_column_text(row, PLANNED + 3),
                    .stderr_tail = (char *)store_column_text(row, PLANNED + 4),
                    .engine = (char *)store_column_text(row, PLANNED + 5),
                    .host = (char *)store_column_text(row, PLANNED + 6),
                    .started = (char *)store_column_text(row, PLANNED + 7),
                    .point = (guint64)sqlite3_column_int64(row, POINT),
                    .exit_code = sqlite3_column_int(row, POINT + 1),
                    .wall_s = sqlite3_column_double(row, POINT + 2),
                    .cpu_s = sqlite3_column_double(row, POINT + 3),
                    .memory_peak_octets = sqlite3_column_double(row, POINT + 4)};
  const char *own = store_column_text(row, OWN), *parts[RUN_PARTS];
  if (run.status == RUN_STATUSES) {
    return store_unknown(store, "status", store_column_text(row, PLANNED + 2), error);
  }
  /* SQLite detects a damaged structure, but not a damaged value. */
  use_base(store, row, 0);
  for (run_part part = 0; part < RUN_PARTS; part++) {
    parts[part] = store_column_text(row, PARTS + (int)part);
  }
  g_autofree char *sealed = g_strconcat(store->base->hash, own, NULL);
  g_autofree char *digest = store_run_digest(&from, &run, sealed, parts);
  if (strcmp(digest, store_column_text(row, PLANNED + 8)) != 0) {
    return store_damaged(store, error,
                         "run %.12s (point %" G_GUINT64_FORMAT ") is no longer what was written: its digest "
                         "differs; expected a store that nobody edits",
                         run.identity, run.point);
  }
  gboolean good = read_base(store, error);
  memcpy(run.keys, store->base->keys, sizeof run.keys);
  good = good && run_parameters_read(store, own, run.keys, error);
  for (run_part part = 0; part < RUN_PARTS && good; part++) {
    g_autofree char *unknown = NULL;
    g_autofree char *whole = base_of[part] < BASE_PARTS
                                 ? json_members_with(parts[part], store->base->texts[base_of[part]])
                                 : g_strdup(parts[part]);
    g_autofree char *wrong = run_part_read(&run.results, part, whole != NULL ? whole : "", &unknown);
    good = unknown != NULL ? store_unknown(store, run_part_noun(part), unknown, error)
                           : wrong == NULL || store_damaged(store, error, "%s", wrong);
  }
  good = good && visit(&from, &run, data, error);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run.keys[key] != store->base->keys[key] ? run.keys[key] : NULL);
  }
  run_results_clear(&run.results);
  return good;
}

gboolean result_store_visit_run(const result_store *store, const char *identity, result_store_visit visit,
                                gpointer data, GError **error)
{
  /* What is sorted are numbers: the rows are large. */
  g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(gint64));
  sqlite3_stmt *found =
      store_statement(store,
                      identity != NULL ? "SELECT id FROM runs WHERE identity = ?1"
                                       : "SELECT runs.id FROM runs LEFT JOIN origins ON origins.id = "
                                         "runs.origin ORDER BY name, point, identity",
                      error);
  /* A run that its number or its identity does not lead to was lost to damage: a sweep would repeat it. */
  sqlite3_stmt *row =
      found != NULL
          ? store_statement(store,
                            RUN_COLUMNS "runs.id = ?1 AND EXISTS (SELECT 1 FROM runs AS known WHERE "
                                        "known.identity = runs.identity AND +known.id = runs.id)",
                            error)
          : NULL;
  gboolean good = row != NULL;
  if (identity != NULL && good) {
    store_bind_text(found, 1, identity);
  }
  while (next_row(store, found, &good, error)) {
    const gint64 id = sqlite3_column_int64(found, 0);
    g_array_append_val(ids, id);
  }
  for (guint i = 0; i < ids->len && good; i++) {
    guint rows = 0;
    sqlite3_bind_int64(row, 1, g_array_index(ids, gint64, i));
    for (; next_row(store, row, &good, error); rows++) {
      good = visit_run(store, row, visit, data, error);
    }
    good = good && (rows == 1 || store_damaged(store, error,
                                               "its index of runs does not have run %" G_GINT64_FORMAT
                                               "; expected a disk that can read all of it",
                                               g_array_index(ids, gint64, i)));
  }
  return good;
}

GPtrArray *result_store_provenances(result_store *store, GError **error)
{
  g_autoptr(GPtrArray) provenances = provenances_new();
  sqlite3_stmt *row = store_statement(
      store,
      "SELECT (SELECT count(*) FROM runs WHERE origin = origins.id) AS runs, " ORIGIN_FIELDS " FROM origins"
      " ORDER BY name, hash, title, axes, sets, version, git, libraries",
      error);
  gboolean good = row != NULL;
  while (next_row(store, row, &good, error)) {
    const provenance from = origin_of(row, 1);
    g_autofree char *hash = hash_of(from.text);
    provenances_of(provenances, &from)->count = (guint)sqlite3_column_int(row, 0);
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
    const provenance *stored = all->pdata[i];
    g_autofree char *difference = provenance_difference(stored, "stored", from, "now");
    if (difference != NULL) {
      g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT,
                  "%s: holds %u %s of %sexpected the same for all its runs; --mix keeps both in one "
                  "store, --store FILE puts the new runs into another one",
                  store->path, stored->count, units_counted(stored->count, "runs"), difference);
      return FALSE;
    }
  }
  return all != NULL;
}

gboolean result_store_quantile_parts(result_store *store, GArray *parts, GError **error)
{
  sqlite3_stmt *row =
      store_statement(store,
                      "SELECT DISTINCT value ->> 0 AS percent FROM (SELECT quantiles FROM runs UNION SELECT "
                      "base_quantiles FROM"
                      " origins), json_each(quantiles, '$.\"' || ?1 || '\"') ORDER BY percent",
                      error);
  gboolean good = row != NULL;
  store_bind_text(row, 1, gauge_row_of(GAUGE_REASSEMBLY)->name); /* all gauges have the same */
  while (next_row(store, row, &good, error)) {
    const guint32 share = quantile_parts(sqlite3_column_double(row, 0) / 100);
    g_array_append_val(parts, share);
  }
  return good;
}
