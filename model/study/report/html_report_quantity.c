/* SPDX-License-Identifier: GPL-2.0-only */
/* What a report tabulates, and where in the sweep. */
#include <math.h>

#include "study/report/html_report_private.h"
#include "study/table/study_label.h"

static const report_quantity quantities[REPORT_QUANTITIES] = {
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

const report_quantity *html_report_quantity(guint index)
{
  g_assert(index < REPORT_QUANTITIES);
  return &quantities[index];
}

statistics html_report_statistics(const report_quantity *quantity, const GPtrArray *runs)
{
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < runs->len; i++) {
    double value;
    if (result_quantity_value(&quantity->of, g_ptr_array_index(runs, i), &value)) {
      g_array_append_val(values, value);
    }
  }
  return statistics_of((const double *)(gpointer)values->data, values->len);
}

const char *html_report_unit(const report_quantity *quantity)
{
  return quantity->of.whole == METRIC_COUNT ? metric_row_of(quantity->of.metric)->unit : "1";
}

static double largest_mean(const html_report *report, const report_quantity *quantity)
{
  double largest = 0;
  for (guint i = 0; i < report->points->len; i++) {
    statistics of = html_report_statistics(quantity, g_array_index(report->points, study_point, i).runs);
    largest = of.count > 0 ? MAX(largest, fabs(of.mean)) : largest;
  }
  return largest;
}

void html_report_measure(html_report *report)
{
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    const report_quantity *quantity = &quantities[i];
    statistics all = html_report_statistics(quantity, report->table->runs);
    report->shows[i] = all.count > 0 && (!quantity->only_when_varying || all.largest > all.smallest);
    report->scales[i] = shown_scale_for(html_report_unit(quantity), largest_mean(report, quantity));
  }
}

char *html_report_place(const GArray *keys, char *const *texts)
{
  GString *place = g_string_new(NULL);
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    g_autofree char *label = study_label_of(key, texts[key] != NULL ? texts[key] : "");
    g_string_append_printf(place, "%s%s", place->len > 0 ? ", " : "", label);
  }
  return g_string_free(place, FALSE);
}
