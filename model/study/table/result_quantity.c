/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/result_quantity.h"

#include <string.h>

#include "base/error.h"
#include "scenario/scenario_problem.h"

static gboolean read_metric(const char *name, metric_id *metric, GError **error)
{
  *metric = metric_find(name);
  if (*metric != METRIC_COUNT) {
    return TRUE;
  }
  const char *names[METRIC_COUNT + 1] = {NULL};
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    names[id] = metric_row_of(id)->name;
  }
  const char *nearest = scenario_suggest(name, names);
  g_autofree char *hint = scenario_did_you_mean(nearest);
  return error_set(
      error, "'%s' is no metric; expected one that 'iwarpsim explain metrics' lists, or two joined by '/'%s",
      name, hint);
}

gboolean result_quantity_read(const char *text, result_quantity *quantity, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(text, "/", 2);
  quantity->whole = METRIC_COUNT;
  return read_metric(parts[0] != NULL ? parts[0] : "", &quantity->metric, error) &&
         (parts[0] == NULL || parts[1] == NULL || read_metric(parts[1], &quantity->whole, error));
}

GArray *result_quantity_defaults(void)
{
  static const result_quantity quantities[] = {{METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, METRIC_COUNT},
                                               {METRIC_BUFFER_REASSEMBLY_P99_OCTETS, METRIC_COUNT},
                                               {METRIC_PLACEMENT_OCTETS_DIRECT, METRIC_PLACEMENT_OCTETS},
                                               {METRIC_GOODPUT_BIT_PER_S, METRIC_COUNT},
                                               {METRIC_TCP_TIMEOUTS, METRIC_COUNT}};
  GArray *defaults = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  g_array_append_vals(defaults, quantities, G_N_ELEMENTS(quantities));
  return defaults;
}

char *result_quantity_name(const result_quantity *quantity)
{
  const char *name = metric_row_of(quantity->metric)->name;
  return quantity->whole == METRIC_COUNT
             ? g_strdup(name)
             : g_strdup_printf("%s/%s", name, metric_row_of(quantity->whole)->name);
}

char *result_quantity_unit(const result_quantity *quantity)
{
  const char *unit = metric_row_of(quantity->metric)->unit;
  if (quantity->whole == METRIC_COUNT) {
    return g_strdup(unit);
  }
  const char *of = metric_row_of(quantity->whole)->unit;
  return strcmp(unit, of) == 0 ? g_strdup("1") : g_strdup_printf("%s per %s", unit, of);
}

gboolean result_quantity_value(const result_quantity *quantity, const study_run *run, double *value)
{
  const metric_values *metrics = &run->metrics;
  if (!metrics->present[quantity->metric]) {
    return FALSE;
  }
  *value = metrics->value[quantity->metric];
  if (quantity->whole == METRIC_COUNT) {
    return TRUE;
  }
  if (!metrics->present[quantity->whole] || metrics->value[quantity->whole] == 0) {
    return FALSE;
  }
  *value /= metrics->value[quantity->whole];
  return TRUE;
}

statistics result_quantity_statistics(const result_quantity *quantity, const GPtrArray *runs)
{
  double *values = g_new(double, runs->len);
  gsize count = 0;
  for (guint i = 0; i < runs->len; i++) {
    count += result_quantity_value(quantity, g_ptr_array_index(runs, i), &values[count]) ? 1 : 0;
  }
  statistics of = statistics_of(values, count);
  g_free(values);
  return of;
}
