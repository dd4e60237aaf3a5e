/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <math.h>

#include "study/plot/plot_runs.h"

const report_quantity report_quantities[REPORT_QUANTITIES] = {
    {"peak occupancy",
     "peak reassembly occupancy",
     {METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, METRIC_COUNT},
     FALSE},
    {"p99 occupancy",
     "99th percentile of the reassembly occupancy",
     {METRIC_BUFFER_REASSEMBLY_P99_OCTETS, METRIC_COUNT},
     FALSE},
    {"placed directly",
     "share of the payload placed directly",
     {METRIC_PLACEMENT_OCTETS_DIRECT, METRIC_PLACEMENT_OCTETS},
     FALSE},
    {"goodput", "goodput", {METRIC_GOODPUT_BIT_PER_S, METRIC_COUNT}, FALSE},
    {"placement delay", "placement delay", {METRIC_DELAY_PLACEMENT_MEAN_S, METRIC_COUNT}, TRUE},
    {"delivery delay", "delivery delay", {METRIC_DELAY_DELIVERY_MEAN_S, METRIC_COUNT}, TRUE},
    {"wire efficiency",
     "wire efficiency of full-size segments",
     {METRIC_EFFICIENCY_WIRE, METRIC_COUNT},
     TRUE},
};

const char *report_quantity_unit(const report_quantity *quantity)
{
  return quantity->of.whole == METRIC_COUNT ? metric_row_of(quantity->of.metric)->unit : "1";
}

/* Each two values of `key` that runs have. */
static void add_pairings(report_page *report, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(report->table->runs, key);
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
    double largest = 0;
    for (guint p = 0; p < report->points->len; p++) {
      statistics of =
          result_quantity_statistics(&quantity->of, g_array_index(report->points, study_point, p).runs);
      largest = of.count > 0 ? MAX(largest, fabs(of.mean)) : largest;
    }
    report->scales[i] = shown_scale_for(report_quantity_unit(quantity), largest);
  }
}
