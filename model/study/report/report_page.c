/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <math.h>
#include <string.h>

#include "study/plot/plot_runs.h"

const report_quantity report_quantities[REPORT_QUANTITIES] = {
    {"p99.9 occupancy", "buffer.reassembly_p99.9_octets", FALSE},
    {"peak occupancy", "buffer.reassembly_peak_octets", FALSE},
    {"placed directly", "placement.octets_direct/placement.octets", FALSE},
    {"goodput", "goodput_bit_per_s", FALSE},
    {"placement delay", "delay.placement_mean_s", TRUE},
    {"delivery delay", "delay.delivery_mean_s", TRUE},
    {"wire efficiency", "efficiency_wire", TRUE},
};

const scenario_key report_compared[REPORT_COMPARED] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS};

const char *report_unit_of(const result_quantity *quantity)
{
  return quantity->whole == METRIC_COUNT ? metric_row_of(quantity->metric)->unit : "1";
}

statistics report_factor_of(const statistics *logarithm)
{
  statistics factor = *logarithm;
  factor.mean = exp(factor.mean);
  factor.lower = exp(factor.lower);
  factor.upper = exp(factor.upper);
  return factor;
}

void report_page_measure(report_page *report)
{
  for (gsize i = 0; i < REPORT_COMPARED; i++) {
    const scenario_key key = report_compared[i];
    g_autoptr(GPtrArray) values = study_keys_values(report->table->runs, key);
    const guint count = plot_grouping_varies(report->table, key) ? values->len : 0;
    /* Each two values that runs have: first "false", "in-order", then "true", "out-of-order". */
    for (guint k = 0; k < count * count; k++) {
      const char *a = g_ptr_array_index(values, k / count), *b = g_ptr_array_index(values, k % count);
      if (strcmp(a, b) < 0) {
        const result_pairing pairing = {.key = key, .a = g_strdup(a), .b = g_strdup(b)};
        g_array_append_val(report->pairings, pairing);
      }
    }
  }
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    result_quantity *quantity = &report->quantities[i];
    gboolean known = result_quantity_read(report_quantities[i].quantity, quantity, NULL);
    g_assert(known);
    statistics all = result_quantity_statistics(quantity, report->table->runs);
    report->shows[i] =
        all.count > 0 && (!report_quantities[i].only_when_varying || all.largest > all.smallest);
  }
}

static shown_number shown_bound(double bound, double half_width, const shown_scale *scale)
{
  const double least = 10 * fabs(bound);
  return shown_number_of(bound, least > 0 && least < half_width ? least : half_width, scale);
}

void report_show_mean(report_page *report, const statistics *of, const shown_scale *scale, char **mean,
                      char **interval)
{
  gboolean noted = of->count >= 2 && of->coverage_note != NULL;
  if (noted && !g_ptr_array_find(report->notes, of->coverage_note, NULL)) {
    g_ptr_array_add(report->notes, (gpointer)of->coverage_note);
  }
  double half_width = (of->upper - of->lower) / 2;
  g_auto(shown_number) shown = shown_number_of(of->mean, half_width, scale);
  g_auto(shown_number) lower = shown_bound(of->lower, half_width, scale);
  g_auto(shown_number) upper = shown_bound(of->upper, half_width, scale);
  *mean = of->count > 0 ? g_steal_pointer(&shown.value) : g_strdup("");
  *interval = of->count < 2 || isnan(of->lower) ? g_strdup("")
              : isnan(of->upper)                ? g_strdup_printf("%s or more", lower.value)
              : half_width > 0 ? g_strdup_printf("%s to %s%s", lower.value, upper.value, noted ? "*" : "")
                               : g_strdup("±\u00a00");
}
