#include <stdlib.h>
#include <string.h>

#include "study/store/result_store_private.h"

/* As store_bind_text() writes it, with its closing NUL: no two lists of texts give the same octets. */
static void hash_text(GChecksum *checksum, const char *text)
{
  const char *given = text != NULL ? text : "";
  const char *end;
  if (g_utf8_validate(given, -1, &end)) {
    g_checksum_update(checksum, (const guchar *)given, end - given + 1);
    return;
  }
  g_autofree char *valid = g_utf8_make_valid(given, -1);
  g_checksum_update(checksum, (const guchar *)valid, (gssize)strlen(valid) + 1);
}

/* SQLite keeps -0.0 as 0.0. */
static void hash_real(GChecksum *checksum, double value)
{
  union {
    double real;
    guint64 bits;
  } number = {.real = value == 0 ? 0 : value};
  guint64 octets = GUINT64_TO_BE(number.bits);
  g_checksum_update(checksum, (const guchar *)&octets, sizeof octets);
}

static void hash_origin(GChecksum *checksum, const stored_origin *from)
{
  g_autofree char *hash = store_text_hash(from->text);
  const char *texts[] = {from->name, from->title,   hash,      from->axes,
                         from->sets, from->version, from->git, from->libraries};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(checksum, texts[i]);
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

typedef struct named_row {
  const char *name;
  gsize row;
} named_row;

static int compare_names(const void *a, const void *b)
{
  return strcmp(((const named_row *)a)->name, ((const named_row *)b)->name);
}

/* The rows of a table by name: another version of this program may have them in another order. g_free(). */
static named_row *rows_by_name(gsize count, const char *(*name_of)(gsize))
{
  named_row *rows = g_new(named_row, count);
  for (gsize i = 0; i < count; i++) {
    rows[i] = (named_row){name_of(i), i};
  }
  qsort(rows, count, sizeof *rows, compare_names);
  return rows;
}

static void hash_keys(GChecksum *checksum, const stored_run *run)
{
  g_autofree named_row *rows = rows_by_name(SCENARIO_KEY_COUNT, key_name);
  for (gsize i = 0; i < SCENARIO_KEY_COUNT; i++) {
    if (run->keys[rows[i].row] != NULL) {
      hash_text(checksum, rows[i].name);
      hash_text(checksum, run->keys[rows[i].row]);
    }
  }
}

static void hash_metrics(GChecksum *checksum, const stored_run *run)
{
  g_autofree named_row *rows = rows_by_name(METRIC_COUNT, metric_name);
  for (gsize i = 0; i < METRIC_COUNT; i++) {
    if (run->metrics.present[rows[i].row]) {
      hash_text(checksum, rows[i].name);
      hash_real(checksum, run->metrics.value[rows[i].row]);
    }
  }
}

static void hash_distributions(GChecksum *checksum, const stored_run *run)
{
  g_autofree named_row *rows = rows_by_name(DISTRIBUTION_COUNT, distribution_name);
  for (gsize i = 0; i < DISTRIBUTION_COUNT; i++) {
    const distribution *d = &run->distributions[rows[i].row];
    for (gsize bin = 0; bin < d->count; bin++) {
      hash_text(checksum, rows[i].name);
      hash_real(checksum, d->bins[bin].bound);
      hash_real(checksum, d->bins[bin].weight);
    }
  }
}

char *store_run_digest(const stored_origin *from, const stored_run *run)
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  const char *texts[] = {
      run->identity, run_status_name(run->status), run->message, run->stderr_tail, run->engine, run->host,
      run->started};
  hash_origin(checksum, from);
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(checksum, texts[i]);
  }
  hash_real(checksum, run->exit_code);
  hash_real(checksum, run->wall_s);
  hash_real(checksum, run->cpu_s);
  hash_real(checksum, run->memory_peak_octets);
  hash_keys(checksum, run);
  hash_metrics(checksum, run);
  hash_distributions(checksum, run);
  return g_strdup(g_checksum_get_string(checksum));
}

char *store_text_hash(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, valid, -1);
}
