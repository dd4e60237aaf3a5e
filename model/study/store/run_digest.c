/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run is known by: its identity, of its parameters, and the digest of all that a store keeps of it. */
#include <stdlib.h>
#include <string.h>

#include "study/store/result_store_private.h"

/* As store_bind_text() writes it, with its closing NUL: no two lists of texts give the same octets, whatever
 * a title holds. */
static void hash_text(GChecksum *hash, const char *text)
{
  const char *given = text != NULL ? text : "";
  g_autofree char *made = g_utf8_validate(given, -1, NULL) ? NULL : g_utf8_make_valid(given, -1);
  const char *valid = made != NULL ? made : given;
  g_checksum_update(hash, (const guchar *)valid, (gssize)strlen(valid) + 1);
}

void run_identity_texts(const scenario *s, char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    texts[key] = scenario_value_text(s, key);
  }
}

void run_identity_clear(char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_clear_pointer(&texts[key], g_free);
  }
}

char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT])
{
  g_autoptr(GChecksum) hash = g_checksum_new(G_CHECKSUM_SHA256);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (texts[key] != NULL) {
      hash_text(hash, scenario_key_row_of(key)->name);
      hash_text(hash, texts[key]);
    }
  }
  return g_strdup(g_checksum_get_string(hash));
}

/* The rows of a run. */

enum { NAMES = SCENARIO_KEY_COUNT + METRIC_COUNT + DISTRIBUTION_COUNT + GAUGE_COUNT };

typedef struct row_name {
  run_table table;
  const char *name;
  gsize id; /* scenario_key, metric_id, distribution_id or gauge_id */
} row_name;

static int compare_names(const void *a, const void *b)
{
  const row_name *name_a = a, *name_b = b;
  return name_a->table != name_b->table ? (int)name_a->table - (int)name_b->table
                                        : strcmp(name_a->name, name_b->name);
}

/* NAMES of them, by table and name. */
static const row_name *sorted_names(void)
{
  static row_name names[NAMES];
  static gsize sorted;
  if (g_once_init_enter(&sorted)) {
    row_name *next = names;
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      *next++ = (row_name){RUN_PARAMETERS, scenario_key_row_of(key)->name, key};
    }
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
      *next++ = (row_name){RUN_METRICS, metric_row_of(id)->name, id};
    }
    for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
      *next++ = (row_name){RUN_DISTRIBUTIONS, distribution_row_of(id)->name, id};
    }
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      *next++ = (row_name){RUN_QUANTILES, gauge_row_of(id)->name, id};
    }
    qsort(names, NAMES, sizeof *names, compare_names);
    g_once_init_leave(&sorted, 1);
  }
  return names;
}

gboolean store_find_name(run_table table, const char *name, gsize *id)
{
  const row_name wanted = {.table = table, .name = name};
  const row_name *found = bsearch(&wanted, sorted_names(), NAMES, sizeof wanted, compare_names);
  *id = found != NULL ? found->id : 0;
  return found != NULL;
}

void store_each_row(const stored_run *run, run_row_visit visit, gpointer data)
{
  const run_results *results = &run->results;
  for (const row_name *of = sorted_names(), *end = of + NAMES; of < end; of++) {
    if (of->table == RUN_PARAMETERS && run->keys[of->id] != NULL) {
      visit(&(run_row){of->table, of->name, run->keys[of->id], 0, {0}}, data);
    }
    if (of->table == RUN_METRICS && results->metrics.present[of->id]) {
      visit(&(run_row){of->table, of->name, NULL, 1, {results->metrics.value[of->id]}}, data);
    }
    const gsize bins = of->table == RUN_DISTRIBUTIONS ? results->distributions[of->id].count : 0;
    for (gsize i = 0; i < bins; i++) {
      const distribution_bin *bin = &results->distributions[of->id].bins[i];
      visit(&(run_row){of->table, of->name, NULL, 2, {bin->bound, bin->weight}}, data);
    }
    for (gsize i = 0; of->table == RUN_QUANTILES && i < results->quantiles.count; i++) {
      const double percent = results->quantiles.parts[i] / (QUANTILE_PARTS / 100.0);
      visit(&(run_row){of->table, of->name, NULL, 2, {percent, results->quantiles.values[of->id][i]}}, data);
    }
  }
  for (guint i = 0; results->block_maxima != NULL && i < results->block_maxima->len; i++) {
    const double maximum = (double)g_array_index(results->block_maxima, guint64, i);
    visit(&(run_row){RUN_BLOCK_MAXIMA, NULL, NULL, 3, {(double)results->block_octets, i, maximum}}, data);
  }
}

/* The digest. */

/* SQLite keeps -0.0 as 0.0. */
static void hash_real(GChecksum *digest, double value)
{
  union {
    double real;
    guint64 bits;
  } number = {.real = value == 0 ? 0 : value};
  guint64 octets = GUINT64_TO_BE(number.bits);
  g_checksum_update(digest, (const guchar *)&octets, sizeof octets);
}

static void hash_row(const run_row *row, gpointer digest)
{
  if (row->name != NULL) {
    hash_text(digest, row->name);
  }
  if (row->text != NULL) {
    hash_text(digest, row->text);
  }
  for (gsize i = 0; i < row->count; i++) {
    hash_real(digest, row->numbers[i]);
  }
}

char *store_run_digest(const provenance *from, const stored_run *run)
{
  g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
  const char *texts[] = {
      from->name,    from->title,      from->hash,      from->axes,    from->sets,
      from->version, from->git,        from->libraries, run->identity, run_status_name(run->status),
      run->message,  run->stderr_tail, run->engine,     run->host,     run->started};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(digest, texts[i]);
  }
  hash_real(digest, run->exit_code);
  hash_real(digest, run->wall_s);
  hash_real(digest, run->cpu_s);
  hash_real(digest, run->memory_peak_octets);
  store_each_row(run, hash_row, digest);
  return g_strdup(g_checksum_get_string(digest));
}
