/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <math.h>
#include <string.h>

#include "study/plot/plot_runs.h"

const report_quantity report_quantities[REPORT_QUANTITIES] = {
    {"peak occupancy",
     "peak reassembly occupancy",
     {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, .whole = METRIC_COUNT},
     FALSE},
    {"p99 occupancy",
     "99th percentile of the reassembly occupancy",
     {.metric = METRIC_BUFFER_REASSEMBLY_P99_OCTETS, .whole = METRIC_COUNT},
     FALSE},
    {"placed directly",
     "share of the payload placed directly",
     {.metric = METRIC_PLACEMENT_OCTETS_DIRECT, .whole = METRIC_PLACEMENT_OCTETS},
     FALSE},
    {"goodput", "goodput", {.metric = METRIC_GOODPUT_BIT_PER_S, .whole = METRIC_COUNT}, FALSE},
    {"placement delay",
     "placement delay",
     {.metric = METRIC_DELAY_PLACEMENT_MEAN_S, .whole = METRIC_COUNT},
     TRUE},
    {"delivery delay",
     "delivery delay",
     {.metric = METRIC_DELAY_DELIVERY_MEAN_S, .whole = METRIC_COUNT},
     TRUE},
    {"wire efficiency",
     "wire efficiency of full-size segments",
     {.metric = METRIC_EFFICIENCY_WIRE, .whole = METRIC_COUNT},
     TRUE},
};

const char *report_unit_of(const result_quantity *quantity)
{
  return quantity->whole == METRIC_COUNT ? metric_row_of(quantity->metric)->unit : "1";
}

statistics report_factor_of(const result_row *row)
{
  const statistics *log_ratio = &row->log_ratio;
  return (statistics){.count = log_ratio->count,
                      .mean = exp(log_ratio->mean),
                      .lower = exp(log_ratio->lower),
                      .upper = exp(log_ratio->upper),
                      .coverage_note = log_ratio->coverage_note};
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Each two values of `key` that runs have: first "false", "in-order", then "true", "out-of-order". */
static void add_pairings(report_page *report, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(report->table->runs, key);
  g_ptr_array_sort(values, compare_texts);
  for (guint a = 0; a < values->len; a++) {
    for (guint b = a + 1; b < values->len; b++) {
      const result_pairing pairing = {.key = key,
                                      .a = g_strdup(g_ptr_array_index(values, a)),
                                      .b = g_strdup(g_ptr_array_index(values, b))};
      g_array_append_val(report->pairings, pairing);
    }
  }
}

void report_page_measure(report_page *report)
{
  static const scenario_key compared[] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS};
  for (gsize i = 0; i < G_N_ELEMENTS(compared); i++) {
    if (plot_grouping_varies(report->table, compared[i])) {
      add_pairings(report, compared[i]);
    }
  }
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    const report_quantity *quantity = &report_quantities[i];
    statistics all = result_quantity_statistics(&quantity->of, report->table->runs);
    report->shows[i] = all.count > 0 && (!quantity->only_when_varying || all.largest > all.smallest);
  }
}

/* Whether the `values` of `key` in `runs` are just those that it takes from another key when not given. */
static gboolean is_inherited(const GPtrArray *runs, scenario_key key, const GPtrArray *values)
{
  int from = scenario_key_row_of(key)->inherits;
  g_autoptr(GPtrArray) inherited = from < 0 ? g_ptr_array_new() : study_keys_values(runs, (scenario_key)from);
  gboolean same = values->len == inherited->len;
  for (guint i = 0; same && i < values->len; i++) {
    same = strcmp(g_ptr_array_index(values, i), g_ptr_array_index(inherited, i)) == 0;
  }
  return same;
}

gboolean report_keys_differ(const report_page *report, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
  gboolean is_default = values->len == 1 && strcmp(g_ptr_array_index(values, 0), report->defaults[key]) == 0;
  return values->len > 0 && !is_default && !is_inherited(report->runs, key, values);
}

char *report_keys_words(const report_page *report)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < report->keys->len; i++) {
    g_string_append_printf(words, "%s%s", i > 0 ? ", " : "",
                           scenario_key_row_of(g_array_index(report->keys, scenario_key, i))->name);
  }
  return g_string_free(words, FALSE);
}

char *report_keys_values(const report_page *report, scenario_key key)
{
  enum { SHOWN = 12 };
  g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
  GString *shown = g_string_new(NULL);
  for (guint i = 0; i < values->len; i++) {
    gboolean left_out = values->len > SHOWN && i >= SHOWN - 1 && i + 1 < values->len;
    g_autofree char *label = study_keys_label(key, g_ptr_array_index(values, i));
    if (!left_out) {
      g_string_append_printf(shown, "%s%s", i > 0 ? " · " : "", label);
    } else if (i == SHOWN - 1) {
      g_string_append(shown, " · …");
    }
  }
  return g_string_free(shown, FALSE);
}
