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

/* The digest. */

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const named_row *)a)->name, ((const named_row *)b)->name);
}

const store_names *store_names_sorted(void)
{
  static store_names names;
  static gsize sorted;
  if (g_once_init_enter(&sorted)) {
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      names.keys[key] = (named_row){scenario_key_row_of(key)->name, key};
    }
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
      names.metrics[id] = (named_row){metric_row_of(id)->name, id};
    }
    for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
      names.distributions[id] = (named_row){distribution_row_of(id)->name, id};
    }
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      names.gauges[id] = (named_row){gauge_row_of(id)->name, id};
    }
    qsort(names.keys, SCENARIO_KEY_COUNT, sizeof(named_row), compare_names);
    qsort(names.metrics, METRIC_COUNT, sizeof(named_row), compare_names);
    qsort(names.distributions, DISTRIBUTION_COUNT, sizeof(named_row), compare_names);
    qsort(names.gauges, GAUGE_COUNT, sizeof(named_row), compare_names);
    g_once_init_leave(&sorted, 1);
  }
  return &names;
}

gsize store_names_find(const named_row *rows, gsize count, const char *name)
{
  const named_row wanted = {.name = name};
  const named_row *found = bsearch(&wanted, rows, count, sizeof *rows, compare_names);
  return found != NULL ? found->row : count;
}

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

char *store_run_digest(const provenance *from, const stored_run *run)
{
  const store_names *names = store_names_sorted();
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
  for (gsize i = 0; i < SCENARIO_KEY_COUNT; i++) {
    if (run->keys[names->keys[i].row] != NULL) {
      hash_text(digest, names->keys[i].name);
      hash_text(digest, run->keys[names->keys[i].row]);
    }
  }
  for (gsize i = 0; i < METRIC_COUNT; i++) {
    if (run->metrics.present[names->metrics[i].row]) {
      hash_text(digest, names->metrics[i].name);
      hash_real(digest, run->metrics.value[names->metrics[i].row]);
    }
  }
  for (gsize i = 0; i < DISTRIBUTION_COUNT; i++) {
    const distribution *d = &run->distributions[names->distributions[i].row];
    for (gsize bin = 0; bin < d->count; bin++) {
      hash_text(digest, names->distributions[i].name);
      hash_real(digest, d->bins[bin].bound);
      hash_real(digest, d->bins[bin].weight);
    }
  }
  const gauge_results *gauges = &run->gauges;
  const gsize quantiles = gauges->quantiles.count;
  for (gsize i = 0; i < GAUGE_COUNT * quantiles; i++) {
    const named_row *gauge = &names->gauges[i / quantiles];
    hash_text(digest, gauge->name);
    hash_real(digest, gauges->quantiles.parts[i % quantiles] / (QUANTILE_PARTS / 100.0));
    hash_real(digest, gauges->quantiles.values[gauge->row][i % quantiles]);
  }
  for (guint i = 0; gauges->block_maxima != NULL && i < gauges->block_maxima->len; i++) {
    hash_real(digest, (double)gauges->block_octets);
    hash_real(digest, i);
    hash_real(digest, (double)g_array_index(gauges->block_maxima, guint64, i));
  }
  return g_strdup(g_checksum_get_string(digest));
}

/* Writing. */
