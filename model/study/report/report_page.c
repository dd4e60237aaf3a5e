/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "study/plot/plot_runs.h"

const report_quantity report_quantities[REPORT_QUANTITIES] = {
    {"peak occupancy", "peak reassembly occupancy", "buffer.reassembly_peak_octets", FALSE},
    {"p99 occupancy", "99th percentile of the reassembly occupancy", "buffer.reassembly_p99_octets", FALSE},
    {"placed directly", "share of the payload placed directly", "placement.octets_direct/placement.octets",
     FALSE},
    {"goodput", "goodput", "goodput_bit_per_s", FALSE},
    {"placement delay", "placement delay", "delay.placement_mean_s", TRUE},
    {"delivery delay", "delivery delay", "delay.delivery_mean_s", TRUE},
    {"wire efficiency", "wire efficiency of full-size segments", "efficiency_wire", TRUE},
};

const char *report_unit_of(const result_quantity *quantity)
{
  return quantity->whole == METRIC_COUNT ? metric_row_of(quantity->metric)->unit : "1";
}

statistics report_factor_of(const result_row *row)
{
  statistics factor = row->log_ratio;
  factor.mean = exp(factor.mean);
  factor.lower = exp(factor.lower);
  factor.upper = exp(factor.upper);
  return factor;
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
    result_quantity *quantity = &report->quantities[i];
    gboolean known = result_quantity_read(report_quantities[i].quantity, quantity, NULL);
    g_assert(known);
    statistics all = result_quantity_statistics(quantity, report->table->runs);
    report->shows[i] =
        all.count > 0 && (!report_quantities[i].only_when_varying || all.largest > all.smallest);
  }
}

/* --- Columns and cells --- */

void report_show_mean(report_page *report, const statistics *of, const shown_scale *scale, char **mean,
                      char **interval)
{
  gboolean noted = of->count >= 2 && of->coverage_note != NULL;
  if (noted && !g_ptr_array_find(report->notes, of->coverage_note, NULL)) {
    g_ptr_array_add(report->notes, (gpointer)of->coverage_note);
  }
  double half_width = (of->upper - of->lower) / 2;
  g_auto(shown_number) shown = shown_number_of(of->mean, half_width, scale);
  g_auto(shown_number) lower = shown_number_of(of->lower, half_width, scale);
  g_auto(shown_number) upper = shown_number_of(of->upper, half_width, scale);
  *mean = of->count > 0 ? g_steal_pointer(&shown.value) : g_strdup("");
  *interval = of->count < 2 || isnan(of->lower) ? g_strdup("")
              : isnan(of->upper)                ? g_strdup_printf("%s or more", lower.value)
              : half_width > 0 ? g_strdup_printf("%s to %s%s", lower.value, upper.value, noted ? "*" : "")
                               : g_strdup("±\u00a00");
}

void report_add_mean_column(GArray *columns, const char *heading, const shown_scale *scale, const char *unit)
{
  const text_column mean[] = {{heading, TEXT_COLUMN_NUMBER, scale->unit},
                              {"", TEXT_COLUMN_INTERVAL, NULL},
                              {"", TEXT_COLUMN_VALUE, unit},
                              {"lower", TEXT_COLUMN_VALUE, unit},
                              {"upper", TEXT_COLUMN_VALUE, unit}};
  g_array_append_vals(columns, mean, G_N_ELEMENTS(mean));
}

void report_add_count_columns(GArray *columns, const char *counted)
{
  const text_column counts[] = {{counted, TEXT_COLUMN_NUMBER, NULL}, {"flagged", TEXT_COLUMN_MARK, NULL}};
  g_array_append_vals(columns, counts, G_N_ELEMENTS(counts));
}

void report_add_counts(GPtrArray *cells, gsize count, guint flagged)
{
  g_ptr_array_add(cells, g_strdup_printf("%zu", count));
  g_ptr_array_add(cells, flagged > 0 ? g_strdup_printf("%u", flagged) : g_strdup(""));
}

void report_add_mean(GPtrArray *cells, report_page *report, const statistics *of, const shown_scale *scale)
{
  const double values[] = {of->mean, of->lower, of->upper};
  char *mean, *interval;
  report_show_mean(report, of, scale, &mean, &interval);
  g_ptr_array_add(cells, mean);
  g_ptr_array_add(cells, interval);
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    gboolean known = of->count > 0 && isfinite(values[i]);
    g_ptr_array_add(cells, known ? units_format_real(values[i]) : g_strdup(""));
  }
}
