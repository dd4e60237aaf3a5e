/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "study/store/result_store_private.h"
#include "study/store/sha256.h"

/* As store_bind_text() writes it, with its closing NUL: no two lists of texts give the same octets. */
static void hash_text(sha256 *digest, const char *text)
{
  const char *given = text != NULL ? text : "";
  const char *end;
  if (g_utf8_validate(given, -1, &end)) {
    sha256_add(digest, given, (gsize)(end - given) + 1);
    return;
  }
  g_autofree char *valid = g_utf8_make_valid(given, -1);
  sha256_add(digest, valid, strlen(valid) + 1);
}

/* SQLite keeps -0.0 as 0.0. */
static void hash_real(sha256 *digest, double value)
{
  union {
    double real;
    guint64 bits;
  } number = {.real = value == 0 ? 0 : value};
  guint64 octets = GUINT64_TO_BE(number.bits);
  sha256_add(digest, &octets, sizeof octets);
}

static void hash_origin(sha256 *digest, store_names *names, const stored_origin *from)
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
    names->hash = sha256_of_text(valid);
  }
  return names->hash;
}

static void hash_keys(sha256 *digest, const named_row *rows, const stored_run *run)
{
  for (gsize i = 0; i < SCENARIO_KEY_COUNT; i++) {
    if (run->keys[rows[i].row] != NULL) {
      hash_text(digest, rows[i].name);
      hash_text(digest, run->keys[rows[i].row]);
    }
  }
}

static void hash_metrics(sha256 *digest, const named_row *rows, const stored_run *run)
{
  for (gsize i = 0; i < METRIC_COUNT; i++) {
    if (run->metrics.present[rows[i].row]) {
      hash_text(digest, rows[i].name);
      hash_real(digest, run->metrics.value[rows[i].row]);
    }
  }
}

static void hash_distributions(sha256 *digest, const named_row *rows, const stored_run *run)
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

char *store_run_digest(store_names *names, const stored_origin *from, const stored_run *run)
{
  sha256 digest;
  sha256_start(&digest);
  const char *texts[] = {
      run->identity, run_status_name(run->status), run->message, run->stderr_tail, run->engine, run->host,
      run->started};
  hash_origin(&digest, names, from);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(&digest, texts[i]);
  }
  hash_real(&digest, run->exit_code);
  hash_real(&digest, run->wall_s);
  hash_real(&digest, run->cpu_s);
  hash_real(&digest, run->memory_peak_octets);
  hash_keys(&digest, names->keys, run);
  hash_metrics(&digest, names->metrics, run);
  hash_distributions(&digest, names->distributions, run);
  return sha256_end(&digest);
}
