/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of results, a row a point. */
#include "study/report/html_report_private.h"
#include "study/report/html_table.h"

static void add_key_columns(const html_report *report, html_table *table)
{
  for (guint i = 0; i < report->keys->len; i++) {
    scenario_key key = g_array_index(report->keys, scenario_key, i);
    html_table_add_column(table, HTML_COLUMN_HEADING, scenario_key_row_of(key)->name, "");
  }
  if (report->keys->len == 0) {
    html_table_add_column(table, HTML_COLUMN_HEADING, "scenario", "");
  }
}

void html_report_add_keys(const GArray *keys, char *const *texts, html_table *table)
{
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    g_autofree char *shown = study_keys_label(key, texts[key]);
    html_table_add_cell(table, shown);
  }
}

void html_report_add_count(gsize count, html_table *table)
{
  g_autofree char *text = g_strdup_printf("%" G_GSIZE_FORMAT, count);
  html_table_add_cell(table, text);
}

void html_report_add_flagged(guint flagged, html_table *table)
{
  if (flagged > 0) {
    html_report_add_count(flagged, table);
  } else {
    html_table_add_cell(table, "");
  }
}

void html_report_add_mean(const statistics *of, const shown_scale *scale, html_table *table)
{
  if (of->count == 0) {
    html_table_add_cell(table, "");
    html_table_add_cell(table, "");
    return;
  }
  shown_number number = shown_number_of(of->mean, of->half_width, scale);
  html_table_add_cell(table, number.value);
  html_table_add_cell(table, number.half_width);
  shown_number_clear(&number);
}

/* Starts the row of `point` with what is in its key columns. */
static void add_point(const html_report *report, const study_point *point, html_table *table)
{
  const study_run *run = g_ptr_array_index(point->runs, 0);
  html_table_add_row(table, point->flagged > 0);
  html_report_add_keys(report->keys, run->keys, table);
  if (report->keys->len == 0) {
    html_table_add_cell(table, report->table->names);
  }
}

static void add_value(double value, const shown_scale *scale, html_table *table)
{
  g_autofree char *text = shown_number_text(value, scale);
  html_table_add_cell(table, text);
}

/* One row a point, the means of all quantities beside each other. */
static void append_overview(html_report *report)
{
  html_table *table =
      html_table_new("Means over the runs of each point, ± half the width of the 95 % interval (Student t).");
  add_key_columns(report, table);
  html_table_add_column(table, HTML_COLUMN_NUMBER, "runs", "");
  html_table_add_column(table, HTML_COLUMN_MARK, "flagged", "");
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i]) {
      const char *heading = html_report_quantity(i)->heading;
      html_table_add_column(table, HTML_COLUMN_NUMBER, heading, report->scales[i].unit);
      html_table_add_column(table, HTML_COLUMN_HALF_WIDTH, "", "");
    }
  }
  for (guint p = 0; p < report->points->len; p++) {
    const study_point *point = &g_array_index(report->points, study_point, p);
    add_point(report, point, table);
    html_report_add_count(point->runs->len, table);
    html_report_add_flagged(point->flagged, table);
    for (guint i = 0; i < REPORT_QUANTITIES; i++) {
      if (report->shows[i]) {
        statistics of = html_report_statistics(html_report_quantity(i), point->runs);
        html_report_add_mean(&of, &report->scales[i], table);
      }
    }
  }
  html_table_append(table, report->html);
  html_table_free(table);
}

/* One quantity with its spread. */
static void append_spread(html_report *report, guint index)
{
  const report_quantity *quantity = html_report_quantity(index);
  const shown_scale scale = report->scales[index];
  const metric_row *row = metric_row_of(quantity->of.metric);
  g_autofree char *share = quantity->of.whole == METRIC_COUNT
                               ? g_strdup("")
                               : g_strdup_printf(" ÷ %s", metric_row_of(quantity->of.whole)->name);
  g_autofree char *caption = g_strdup_printf("%s%s: %s", row->name, share, row->sentence);
  html_table *table = html_table_new(caption);
  add_key_columns(report, table);
  html_table_add_column(table, HTML_COLUMN_NUMBER, "n", "");
  html_table_add_column(table, HTML_COLUMN_NUMBER, "mean", scale.unit);
  html_table_add_column(table, HTML_COLUMN_HALF_WIDTH, "", "");
  static const char *const headings[] = {"smallest", "lower quartile", "median", "upper quartile", "largest"};
  for (gsize i = 0; i < G_N_ELEMENTS(headings); i++) {
    html_table_add_column(table, HTML_COLUMN_NUMBER, headings[i], scale.unit);
  }
  for (guint p = 0; p < report->points->len; p++) {
    const study_point *point = &g_array_index(report->points, study_point, p);
    statistics of = html_report_statistics(quantity, point->runs);
    const double spread[] = {of.smallest, of.lower_quartile, of.median, of.upper_quartile, of.largest};
    add_point(report, point, table);
    html_report_add_count(of.count, table);
    html_report_add_mean(&of, &scale, table);
    for (gsize i = 0; i < G_N_ELEMENTS(spread) && of.count > 0; i++) {
      add_value(spread[i], &scale, table);
    }
  }
  html_table_append(table, report->html);
  html_table_free(table);
}

void html_report_append_results(html_report *report)
{
  html_report_begin_section(report, "results", "Results");
  g_string_append(report->html, "<div id=\"overview\">\n");
  append_overview(report);
  g_string_append(report->html, "</div>\n<h3>Spread of each quantity</h3>\n");
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i]) {
      const char *heading = html_report_quantity(i)->heading;
      g_string_append_printf(report->html, "<details open><summary>%s</summary>\n", heading);
      append_spread(report, i);
      g_string_append(report->html, "</details>\n");
    }
  }
  g_string_append(report->html, "</section>\n");
}
