/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/run_census.h"

#include <string.h>

static void free_run(gpointer data)
{
  census_run *run = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run->keys[key]);
  }
  g_free(run->message);
  g_free(run->stderr_tail);
  g_free(run);
}

static void free_origin(gpointer data)
{
  census_origin *known = data;
  stored_origin_free(known->origin);
  g_free(known);
}

void run_census_free(run_census *census)
{
  if (census != NULL) {
    g_ptr_array_unref(census->origins);
    g_ptr_array_unref(census->others);
    g_ptr_array_unref(census->hosts);
    g_ptr_array_unref(census->engines);
    g_free(census->first);
    g_free(census->last);
    g_free(census);
  }
}

static void count_origin(run_census *census, const stored_origin *from)
{
  for (guint i = 0; i < census->origins->len; i++) {
    census_origin *known = g_ptr_array_index(census->origins, i);
    if (stored_origin_equal(known->origin, from)) {
      known->count++;
      return;
    }
  }
  census_origin *origin = g_new0(census_origin, 1);
  *origin = (census_origin){.origin = stored_origin_copy(from), .count = 1};
  g_ptr_array_add(census->origins, origin);
}

static void describe(run_census *census, const stored_run *run)
{
  if (run->status == RUN_OK || census->others->len == RUN_CENSUS_DESCRIBED_MAX) {
    return;
  }
  census_run *other = g_new0(census_run, 1);
  other->status = run->status;
  other->exit_code = run->exit_code;
  other->message = g_strdup(run->message);
  other->stderr_tail = g_strdup(run->stderr_tail);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    other->keys[key] = g_strdup(run->keys[key]);
  }
  g_ptr_array_add(census->others, other);
}

static void add_once(GPtrArray *texts, const char *text)
{
  if (text != NULL && *text != '\0' && !g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
    g_ptr_array_add(texts, g_strdup(text));
  }
}

/* Dates are written so that their texts sort as they do. */
static void note_start(run_census *census, const char *started)
{
  if (started == NULL || *started == '\0') {
    return;
  }
  if (census->first == NULL || strcmp(started, census->first) < 0) {
    g_free(census->first);
    census->first = g_strdup(started);
  }
  if (census->last == NULL || strcmp(started, census->last) > 0) {
    g_free(census->last);
    census->last = g_strdup(started);
  }
}

static gboolean count_run(const stored_origin *from, const stored_run *run, gpointer data, GError **error)
{
  (void)error;
  run_census *census = data;
  census->count++;
  census->by_status[run->status]++;
  census->wall_s += run->wall_s;
  census->cpu_s += run->cpu_s;
  census->memory_peak_octets = MAX(census->memory_peak_octets, run->memory_peak_octets);
  count_origin(census, from);
  describe(census, run);
  add_once(census->hosts, run->host);
  add_once(census->engines, run->engine);
  note_start(census, run->started);
  return TRUE;
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

run_census *run_census_read(result_store *store, GError **error)
{
  run_census *census = g_new0(run_census, 1);
  census->origins = g_ptr_array_new_with_free_func(free_origin);
  census->others = g_ptr_array_new_with_free_func(free_run);
  census->hosts = g_ptr_array_new_with_free_func(g_free);
  census->engines = g_ptr_array_new_with_free_func(g_free);
  if (!result_store_each(store, count_run, census, error)) {
    run_census_free(census);
    return NULL;
  }
  g_ptr_array_sort(census->hosts, compare_texts);
  g_ptr_array_sort(census->engines, compare_texts);
  return census;
}
