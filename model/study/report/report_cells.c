/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_cells.h"

#include <math.h>

#include "base/units.h"

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

void report_add_value(GPtrArray *cells, gboolean known, double value)
{
  g_ptr_array_add(cells, known && isfinite(value) ? units_format_real(value) : g_strdup(""));
}

void report_add_mean(GPtrArray *cells, report_page *report, const statistics *of, const shown_scale *scale)
{
  char *mean, *interval;
  report_show_mean(report, of, scale, &mean, &interval);
  g_ptr_array_add(cells, mean);
  g_ptr_array_add(cells, interval);
  report_add_value(cells, of->count > 0, of->mean);
  report_add_value(cells, of->count > 0, of->lower);
  report_add_value(cells, of->count > 0, of->upper);
}
