/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/store_summary.h"

#include <string.h>

static void free_origin(gpointer data)
{
  summary_provenance *known = data;
  provenance_free(known->origin);
  g_free(known);
}

void store_summary_free(store_summary *totals)
{
  if (totals != NULL) {
    g_ptr_array_unref(totals->origins);
    g_ptr_array_unref(totals->others);
    g_ptr_array_unref(totals->hosts);
    g_ptr_array_unref(totals->engines);
    g_string_chunk_free(totals->texts);
    g_free(totals);
  }
}

static void count_origin(store_summary *totals, const provenance *from)
{
  for (guint i = 0; i < totals->origins->len; i++) {
    summary_provenance *known = g_ptr_array_index(totals->origins, i);
    if (provenance_equal(known->origin, from)) {
      known->count++;
      return;
    }
  }
  summary_provenance *origin = g_new0(summary_provenance, 1);
  *origin = (summary_provenance){.origin = provenance_copy(from), .count = 1};
  g_ptr_array_add(totals->origins, origin);
}

/* Texts are kept once: runs share most of theirs. */
static char *keep(store_summary *totals, const char *text)
{
  return g_string_chunk_insert_const(totals->texts, text);
}

static void add_once(store_summary *totals, GPtrArray *texts, const char *text)
{
  if (*text != '\0' && !g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
    g_ptr_array_add(texts, keep(totals, text));
  }
}

static gboolean count_run(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  (void)error;
  store_summary *totals = data;
  totals->count++;
  totals->by_status[run->status]++;
  totals->wall_s += run->wall_s;
  totals->cpu_s += run->cpu_s;
  totals->memory_peak_octets = MAX(totals->memory_peak_octets, run->memory_peak_octets);
  count_origin(totals, from);
  add_once(totals, totals->hosts, run->host);
  add_once(totals, totals->engines, run->engine);
  /* Dates are written so that their texts sort as they do. */
  if (*run->started != '\0' && (totals->first == NULL || strcmp(run->started, totals->first) < 0)) {
    totals->first = keep(totals, run->started);
  }
  if (*run->started != '\0' && (totals->last == NULL || strcmp(run->started, totals->last) > 0)) {
    totals->last = keep(totals, run->started);
  }
  if (run->status != RUN_OK && totals->others->len < STORE_SUMMARY_DESCRIBED_MAX) {
    summary_run *other = g_new0(summary_run, 1);
    *other = (summary_run){.status = run->status,
                           .exit_code = run->exit_code,
                           .message = keep(totals, run->message),
                           .stderr_tail = keep(totals, run->stderr_tail)};
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      other->keys[key] = run->keys[key] != NULL ? keep(totals, run->keys[key]) : NULL;
    }
    g_ptr_array_add(totals->others, other);
  }
  return TRUE;
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

store_summary *store_summary_read(result_store *store, GError **error)
{
  store_summary *totals = g_new0(store_summary, 1);
  totals->origins = g_ptr_array_new_with_free_func(free_origin);
  totals->others = g_ptr_array_new_with_free_func(g_free);
  totals->hosts = g_ptr_array_new();
  totals->engines = g_ptr_array_new();
  totals->texts = g_string_chunk_new(4096);
  if (!result_store_each(store, count_run, totals, error)) {
    store_summary_free(totals);
    return NULL;
  }
  g_ptr_array_sort(totals->hosts, compare_texts);
  g_ptr_array_sort(totals->engines, compare_texts);
  return totals;
}
