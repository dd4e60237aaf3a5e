/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/run_identity.h"

#include <stdlib.h>
#include <string.h>

#include "study/store/result_store_private.h"

/* As store_bind_text() writes it, with its closing NUL: no two lists of texts give the same octets, whatever a title holds. */
static void hash_text(GChecksum *hash, const char *text)
{
  const char *given = text != NULL ? text : "";
  g_autofree char *made = g_utf8_validate(given, -1, NULL) ? NULL : g_utf8_make_valid(given, -1);
  const char *valid = made != NULL ? made : given;
  g_checksum_update(hash, (const guchar *)valid, (gssize)strlen(valid) + 1);
}

/* The identity. */

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

static void hash_origin(GChecksum *digest, store_names *names, const provenance *from)
{
  const char *texts[] = {from->name, from->title,    store_names_hash(names, from->text),
                         from->axes, from->sets,     from->version,
                         from->git,  from->libraries};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(digest, texts[i]);
  }
}

static const char *key_name(gsize key)
{
  return scenario_key_row_of((scenario_key)key)->name;
}

static const char *metric_name(gsize metric)
{
  return metric_row_of((metric_id)metric)->name;
}

static const char *distribution_name(gsize id)
{
  return distribution_row_of((distribution_id)id)->name;
}

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const named_row *)a)->name, ((const named_row *)b)->name);
}

static void sort_rows(named_row *rows, gsize count, const char *(*name_of)(gsize))
{
  for (gsize i = 0; i < count; i++) {
    rows[i] = (named_row){name_of(i), i};
  }
  qsort(rows, count, sizeof *rows, compare_names);
}

store_names *store_names_new(void)
{
  store_names *names = g_new0(store_names, 1);
  sort_rows(names->keys, SCENARIO_KEY_COUNT, key_name);
  sort_rows(names->metrics, METRIC_COUNT, metric_name);
  sort_rows(names->distributions, DISTRIBUTION_COUNT, distribution_name);
  return names;
}

void store_names_free(store_names *names)
{
  g_free(names->text);
  g_free(names->hash);
  g_free(names);
}

const char *store_names_hash(store_names *names, const char *text)
{
  const char *given = text != NULL ? text : "";
  if (names->text == NULL || strcmp(names->text, given) != 0) {
    g_autofree char *valid = g_utf8_make_valid(given, -1);
    g_free(names->text);
    g_free(names->hash);
    names->text = g_strdup(given);
    names->hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, valid, -1);
  }
  return names->hash;
}

static void hash_keys(GChecksum *digest, const named_row *rows, const stored_run *run)
{
  for (gsize i = 0; i < SCENARIO_KEY_COUNT; i++) {
    if (run->keys[rows[i].row] != NULL) {
      hash_text(digest, rows[i].name);
      hash_text(digest, run->keys[rows[i].row]);
    }
  }
}

static void hash_metrics(GChecksum *digest, const named_row *rows, const stored_run *run)
{
  for (gsize i = 0; i < METRIC_COUNT; i++) {
    if (run->metrics.present[rows[i].row]) {
      hash_text(digest, rows[i].name);
      hash_real(digest, run->metrics.value[rows[i].row]);
    }
  }
}

static void hash_distributions(GChecksum *digest, const named_row *rows, const stored_run *run)
{
  for (gsize i = 0; i < DISTRIBUTION_COUNT; i++) {
    const distribution *d = &run->distributions[rows[i].row];
    for (gsize bin = 0; bin < d->count; bin++) {
      hash_text(digest, rows[i].name);
      hash_real(digest, d->bins[bin].bound);
      hash_real(digest, d->bins[bin].weight);
    }
  }
}

char *store_run_digest(store_names *names, const provenance *from, const stored_run *run)
{
  g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
  const char *texts[] = {
      run->identity, run_status_name(run->status), run->message, run->stderr_tail, run->engine, run->host,
      run->started};
  hash_origin(digest, names, from);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(digest, texts[i]);
  }
  hash_real(digest, run->exit_code);
  hash_real(digest, run->wall_s);
  hash_real(digest, run->cpu_s);
  hash_real(digest, run->memory_peak_octets);
  hash_keys(digest, names->keys, run);
  hash_metrics(digest, names->metrics, run);
  hash_distributions(digest, names->distributions, run);
  return g_strdup(g_checksum_get_string(digest));
}
