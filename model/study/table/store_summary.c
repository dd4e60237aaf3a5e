/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/store_summary.h"

#include <string.h>

static void free_run(gpointer data)
{
  summary_run *run = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run->keys[key]);
  }
  g_free(run->message);
  g_free(run->stderr_tail);
  g_free(run);
}

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
    g_free(totals->first);
    g_free(totals->last);
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

static void describe(store_summary *totals, const stored_run *run)
{
  if (run->status == RUN_OK || totals->others->len == STORE_SUMMARY_DESCRIBED_MAX) {
    return;
  }
  summary_run *other = g_new0(summary_run, 1);
  other->status = run->status;
  other->exit_code = run->exit_code;
  other->message = g_strdup(run->message);
  other->stderr_tail = g_strdup(run->stderr_tail);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    other->keys[key] = g_strdup(run->keys[key]);
  }
  g_ptr_array_add(totals->others, other);
}

static void add_once(GPtrArray *texts, const char *text)
{
  if (text != NULL && *text != '\0' && !g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
    g_ptr_array_add(texts, g_strdup(text));
  }
}

/* Dates are written so that their texts sort as they do. */
static void note_start(store_summary *totals, const char *started)
{
  if (started == NULL || *started == '\0') {
    return;
  }
  if (totals->first == NULL || strcmp(started, totals->first) < 0) {
    g_free(totals->first);
    totals->first = g_strdup(started);
  }
  if (totals->last == NULL || strcmp(started, totals->last) > 0) {
    g_free(totals->last);
    totals->last = g_strdup(started);
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
  describe(totals, run);
  add_once(totals->hosts, run->host);
  add_once(totals->engines, run->engine);
  note_start(totals, run->started);
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
  totals->others = g_ptr_array_new_with_free_func(free_run);
  totals->hosts = g_ptr_array_new_with_free_func(g_free);
  totals->engines = g_ptr_array_new_with_free_func(g_free);
  if (!result_store_each(store, count_run, totals, error)) {
    store_summary_free(totals);
    return NULL;
  }
  g_ptr_array_sort(totals->hosts, compare_texts);
  g_ptr_array_sort(totals->engines, compare_texts);
  return totals;
}
