/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_answer.h"

#include <math.h>

#include "study/plot/plot_runs.h"
#include "study/report/html.h"

/* Appends "1234 ± 35 KiB" standing out, in the unit that suits it. */
static void append_number(const statistics *of, const char *unit, GString *html)
{
  const shown_scale scale = shown_scale_for(unit, of->mean);
  g_auto(shown_number) number = shown_number_of(of->mean, of->half_width, &scale);
  const char *between = *number.half_width != '\0' ? " ± " : "";
  html_append(html, "<strong>%s%s%s %s</strong>", number.value, between, number.half_width, scale.unit);
}

/* Appends " (in-order receiver, loss 1%; 8 runs)". */
static void append_place(const report_page *report, const study_point *point, gsize count, GString *html)
{
  const study_run *run = g_ptr_array_index(point->runs, 0);
  g_autofree char *place = plot_place_words(report->keys, run->keys);
  html_append(html, " (%s%s%u run%s)", place, *place != '\0' ? "; " : "", (guint)count,
              count == 1 ? "" : "s");
}

/* Where the mean of a quantity is largest, and where it is smallest. */
static void append_range(report_page *report, const report_quantity *quantity)
{
  GString *html = report->html;
  const char *unit = report_quantity_unit(quantity);
  const study_point *largest = NULL, *smallest = NULL;
  statistics of_largest = {0}, of_smallest = {0};
  for (guint i = 0; i < report->points->len; i++) {
    const study_point *point = &g_array_index(report->points, study_point, i);
    statistics of = result_quantity_statistics(&quantity->of, point->runs);
    if (of.count > 0 && (largest == NULL || of.mean > of_largest.mean)) {
      largest = point;
      of_largest = of;
    }
    if (of.count > 0 && (smallest == NULL || of.mean < of_smallest.mean)) {
      smallest = point;
      of_smallest = of;
    }
  }
  if (largest == NULL) {
    return;
  }
  g_string_append_printf(html, "<li>The mean %s is ", quantity->name);
  append_number(&of_largest, unit, html);
  if (of_largest.mean > of_smallest.mean) {
    append_place(report, largest, of_largest.count, html);
    g_string_append(html, " where it is largest, and ");
    append_number(&of_smallest, unit, html);
    append_place(report, smallest, of_smallest.count, html);
    g_string_append(html, " where it is smallest");
  } else if (report->points->len > 1) {
    g_string_append_printf(html, " at all %u points", report->points->len);
  }
  g_string_append(html, ".</li>\n");
}

/* How the pairs of a pairing come out: where the interval of the difference leaves out 0. */
static void append_verdict(report_page *report, const result_pairing *pairing)
{
  GString *html = report->html;
  const report_quantity *peak = &report_quantities[0];
  g_autoptr(GArray) rows = result_rows_of(report->table, &peak->of, pairing);
  guint points = 0, more = 0, less = 0; /* points with an interval; where the first value is clearly … */
  const result_row *most = NULL;        /* the one with the difference largest in size */
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count >= 2) {
      points++;
      more += row->of.mean > row->of.half_width;
      less += -row->of.mean > row->of.half_width;
      most = most == NULL || fabs(row->of.mean) > fabs(most->of.mean) ? row : most;
    }
  }
  if (most == NULL) {
    return;
  }
  html_append(html,
              "<li>Over the same seeds, the peak is larger with %s %s than with %s at %u of %u point%s and "
              "smaller at %u, going "
              "by 95 %% intervals of the difference that leave out 0.",
              scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b, more, points,
              points == 1 ? "" : "s", less);
  if (more + less > 0) {
    g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
    g_autofree char *place = plot_place_words(keys, most->first->keys);
    g_string_append(html, " It differs most, by ");
    append_number(&most->of, report_quantity_unit(peak), html);
    html_append(html, "%s%s.", *place != '\0' ? ", for " : "", place);
  }
  g_string_append(html, "</li>\n");
}

static void append_caveat(report_page *report)
{
  const study_table *table = report->table;
  guint others = report->totals->count - report->totals->by_status[RUN_OK];
  if (table->flagged == 0 && others == 0) {
    return;
  }
  g_string_append(report->html, "<li>To be read with care: ");
  if (table->flagged > 0) {
    g_string_append_printf(report->html, "%u of the %u runs in these numbers have flagged TCP behaviour",
                           table->flagged, table->runs->len);
  }
  if (others > 0) {
    g_string_append_printf(report->html, "%s%u run%s did not end ok", table->flagged > 0 ? "; " : "", others,
                           others == 1 ? "" : "s");
  }
  g_string_append(report->html, " (<a href=\"#flags\">Flags</a>).</li>\n");
}

void report_append_answer(report_page *report)
{
  if (report->table == NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n", report->empty);
    return;
  }
  g_string_append(report->html, "<ul class=\"answer\">\n");
  append_range(report, &report_quantities[0]);
  for (guint i = 0; i < report->pairings->len; i++) {
    append_verdict(report, &g_array_index(report->pairings, result_pairing, i));
  }
  for (guint i = 2; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i] && !report_quantities[i].only_when_varying) {
      append_range(report, &report_quantities[i]);
    }
  }
  append_caveat(report);
  g_string_append(report->html, "</ul>\n");
}
