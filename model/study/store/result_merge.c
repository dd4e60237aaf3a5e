/* SPDX-License-Identifier: GPL-2.0-only */
/* Several result stores become one. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/interruption.h"
#include "base/units.h"
#include "study/store/result_store_private.h"

typedef struct merge {
  result_store *into;
  gboolean mix;
  GPtrArray *origins; /* provenance *: one of each commit, of the first store that has it */
  GHashTable *takers; /* identity → path of the store it was taken from; the others were in `into` before */
  const char *path;   /* of the store being read */
  merge_count *count; /* its */
  const provenance *from;
  const stored_run *run; /* of it, from there, … */
  gboolean stays;        /* … which does not replace the run of `into` */
} merge;

/* Returns whether all runs come from one scenario and program. */

static gboolean check_origins(merge *m, result_store *store, GError **error)
{
  g_autoptr(GPtrArray) found = result_store_provenances(store, error);
  for (guint i = 0; !m->mix && found != NULL && i < found->len; i++) {
    const provenance *from = found->pdata[i];
    gboolean seen = FALSE;
    for (guint k = 0; k < m->origins->len; k++) {
      const provenance *known = m->origins->pdata[k];
      g_autofree char *difference = provenance_difference(known, known->store, from, m->path);
      if (difference != NULL) {
        g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT,
                    "%s: holds runs of %sexpected stores of one scenario and program; --mix joins them "
                    "anyway",
                    m->path, difference);
        return FALSE;
      }
      seen = seen || strcmp(known->git, from->git) == 0;
    }
    if (!seen) {
      provenances_of(m->origins, from)->store = m->path;
    }
  }
  return found != NULL;
}

/* --- Whether two results of one run agree --- */

static char *metric_text(const stored_run *run, metric_id id)
{
  return run->results.metrics.present[id] ? units_format_real(run->results.metrics.value[id])
                                          : g_strdup("none");
}

/* Returns what two runs that did not fail disagree in: "NAME is X (there) and Y (here)"; NULL: nothing.
 * g_free(). */
static char *disagreement(const stored_run *a, const char *there, const stored_run *b, const char *here)
{
  if (a->status != b->status) {
    return g_strdup_printf("status is %s (%s) and %s (%s)", run_status_name(a->status), there,
                           run_status_name(b->status), here);
  }
  if (a->exit_code != b->exit_code) {
    return g_strdup_printf("exit_code is %d (%s) and %d (%s)", a->exit_code, there, b->exit_code, here);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_autofree char *of_a = metric_text(a, id), *of_b = metric_text(b, id);
    if (strcmp(of_a, of_b) != 0 && !metric_row_of(id)->is_of_machine) {
      return g_strdup_printf("%s is %s (%s) and %s (%s)", metric_row_of(id)->name, of_a, there, of_b, here);
    }
  }
  static const char *const parts[RUN_PARTS] = {[RUN_DISTRIBUTIONS] = "distributions",
                                               [RUN_QUANTILES] = "quantiles",
                                               [RUN_BLOCK_MAXIMA] = "block maxima"};
  g_auto(GStrv) of_a = run_part_texts(&a->results), of_b = run_part_texts(&b->results);
  run_part part = RUN_METRICS + 1;
  while (part < RUN_TABLES && strcmp(of_a[part], of_b[part]) == 0) { /* zlib's versions may differ */
    part++;
  }
  return part < RUN_TABLES ? g_strdup_printf("the %s differ (%s, %s)", parts[part], there, here) : NULL;
}

/* --- Joining --- */

/* Returns whether `b` is kept rather than `a`. Any order would do that does not depend on which store is read
 * first. */
static gboolean is_better(const provenance *a_from, const stored_run *a, const provenance *b_from,
                          const stored_run *b)
{
  if ((a->status == RUN_FAILED) != (b->status == RUN_FAILED)) {
    return a->status == RUN_FAILED;
  }
  int order = strcmp(a->started, b->started);
  if (order == 0) {
    g_auto(GStrv) a_parts = run_part_texts(&a->results), b_parts = run_part_texts(&b->results);
    g_autofree char *a_digest = store_run_digest(a_from, a, "", (const char *const *)a_parts);
    g_autofree char *b_digest = store_run_digest(b_from, b, "", (const char *const *)b_parts);
    order = strcmp(a_digest, b_digest);
  }
  return order != 0 ? order > 0 : a->point > b->point;
}

/* Compares the run of `into` with the one being read, of the same identity. */
static gboolean meet_run(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  merge *m = data;
  if (run->status != RUN_FAILED && m->run->status != RUN_FAILED) {
    const char *there = g_hash_table_lookup(m->takers, run->identity);
    g_autofree char *what = disagreement(run, there != NULL ? there : m->into->path, m->run, m->path);
    if (what != NULL) {
      g_autoptr(GString) label =
          g_string_new(NULL); /* "run.seed=3, path.forward.mtu=1500": what the sweep varied */
      g_auto(GStrv) names = g_strsplit(from->axes, "\n", -1);
      for (gsize i = 0; names[i] != NULL; i++) {
        scenario_key key = scenario_key_find(names[i]);
        if (key != SCENARIO_KEY_COUNT && run->keys[key] != NULL) {
          g_string_append_printf(label, ", %s=%s", names[i], run->keys[key]);
        }
      }
      g_set_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_CONTRADICTION,
                  "%s: contradicts what is joined so far: of the run %.12s (%s%s) %s; expected the same "
                  "results of the same run",
                  m->path, run->identity, from->name, label->str, what);
      return FALSE;
    }
  }
  m->stays = !is_better(from, run, m->from, m->run);
  return TRUE;
}

static gboolean join_run(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  merge *m = data;
  if (interruption_waits()) {
    return error_set(error, "%s: interrupted", m->path);
  }
  m->from = from;
  m->run = run;
  m->stays = FALSE;
  if (!result_store_visit_run(m->into, run->identity, meet_run, m, error)) {
    return FALSE;
  }
  m->count->runs++;
  if (m->stays) {
    m->count->present++;
    return TRUE;
  }
  m->count->taken++;
  g_hash_table_insert(m->takers, g_strdup(run->identity), (gpointer)m->path);
  return store_put(m->into, from, run, error);
}

static gboolean join_store(merge *m, GError **error)
{
  GStatBuf here, into;
  if (g_stat(m->path, &here) == 0 && g_stat(m->into->path, &into) == 0 && here.st_dev == into.st_dev &&
      here.st_ino == into.st_ino) {
    /* It need not, and cannot, be read into itself. */
    g_autoptr(GPtrArray) present = result_store_provenances(m->into, error);
    for (guint i = 0; present != NULL && i < present->len; i++) {
      m->count->present += ((const provenance *)present->pdata[i])->count;
    }
    m->count->runs = m->count->present;
    return present != NULL;
  }
  g_autoptr(result_store) store = result_store_open(m->path, RESULT_STORE_READ, error);
  return store != NULL && check_origins(m, store, error) && result_store_each(store, join_run, m, error);
}

gboolean result_merge(result_store *into, const char *const *paths, gsize count, gboolean mix,
                      merge_count *counts, GError **error)
{
  if (!store_execute(into, "BEGIN IMMEDIATE", error)) {
    return FALSE;
  }
  g_autoptr(GPtrArray) origins = provenances_new();
  g_autoptr(GHashTable) takers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  merge m = {.into = into, .mix = mix, .origins = origins, .takers = takers, .path = into->path};
  gboolean good = check_origins(&m, into, error);
  for (gsize i = 0; good && i < count; i++) {
    m.path = paths[i];
    m.count = &counts[i];
    counts[i] = (merge_count){0};
    good = join_store(&m, error);
  }
  return store_finish(into, good, error);
}
