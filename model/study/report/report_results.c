/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_results.h"

#include <math.h>

#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/report/report_cells.h"
#include "study/table/study_keys.h"

/* --- A row a point --- */

/* Columns of rows that name values of `keys`: text_column. */
static GArray *columns_by(const GArray *keys)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    const text_column column = {scenario_key_row_of(key)->name, TEXT_COLUMN_HEADING, NULL};
    g_array_append_val(columns, column);
  }
  return columns;
}

/* The same of rows a point; of no keys they name scenarios. */
static GArray *columns_by_point(const report_page *report)
{
  static const text_column name = {"scenario", TEXT_COLUMN_HEADING, NULL};
  GArray *columns = columns_by(report->keys);
  return columns->len > 0 ? columns : g_array_append_vals(columns, &name, 1);
}

static void add_keys(GPtrArray *cells, const GArray *keys, const study_run *run)
{
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    g_ptr_array_add(cells, study_keys_label(key, run->keys[key]));
  }
}

static void add_point(GPtrArray *cells, const report_page *report, const study_point *point)
{
  add_keys(cells, report->keys, g_ptr_array_index(point->runs, 0));
  if (report->keys->len == 0) {
    g_ptr_array_add(cells, g_strdup(report->table->names));
  }
}

static void append_table(report_page *report, const char *name, const char *caption, const GArray *columns,
                         GPtrArray *cells)
{
  html_append_table(report->html, name, caption, (const text_column *)columns->data, columns->len, cells);
}

/* What a table of points has a column for. */
typedef struct point_quantity {
  const char *heading;
  result_quantity of;
} point_quantity;

/* The level exceeded once in so much traffic, for which engineers build. */
#define RETURN_OCTETS 1073741824.0

static gboolean has_return_levels(const report_page *report)
{
  return_level level;
  gboolean has = FALSE;
  for (guint p = 0; p < report->points->len; p++) {
    has =
        has || result_return_level(g_array_index(report->points, study_point, p).runs, RETURN_OCTETS, &level);
  }
  return has;
}

/* The return level of a point, and how much traffic it is made of. */
static void add_return_level(report_page *report, const study_point *point, const shown_scale *scale,
                             GPtrArray *cells)
{
  return_level level;
  statistics of = {.count = 0};
  g_autofree char *traffic = g_strdup("");
  if (result_return_level(point->runs, RETURN_OCTETS, &level)) {
    g_autofree char *octets = shown_text_octets(level.traffic_octets);
    of = (statistics){
        .count = point->runs->len, .mean = level.level, .lower = level.lower, .upper = level.upper};
    g_free(traffic);
    traffic = g_strconcat(octets, level.is_extrapolated ? ": extrapolated" : "", NULL);
  }
  report_add_mean(cells, report, &of, scale);
  g_ptr_array_add(cells, g_steal_pointer(&traffic));
}

/* One row a point, the means of `quantities` (point_quantity) beside each other, and with `levels` the return
 * level of the occupancy, of which the last quantity is the peak. */
static void append_points(report_page *report, const char *name, const char *caption,
                          const GArray *quantities, gboolean levels)
{
  g_autoptr(GArray) columns = columns_by_point(report);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  g_autofree shown_scale *scales = g_new(shown_scale, quantities->len);
  report_add_count_columns(columns, "runs");
  for (guint q = 0; q < quantities->len; q++) {
    const point_quantity *quantity = &g_array_index(quantities, point_quantity, q);
    scales[q] = report_scale_of(report, &quantity->of);
    report_add_mean_column(columns, quantity->heading, &scales[q], report_unit_of(&quantity->of));
  }
  if (levels) {
    const text_column traffic = {"seen in", TEXT_COLUMN_TEXT, "traffic"};
    report_add_mean_column(columns, "once in 1 GiB", &scales[quantities->len - 1], "octets");
    g_array_append_val(columns, traffic);
  }
  for (guint p = 0; p < report->points->len; p++) {
    const study_point *point = &g_array_index(report->points, study_point, p);
    add_point(cells, report, point);
    report_add_counts(cells, point->runs->len, point->flagged);
    for (guint q = 0; q < quantities->len; q++) {
      statistics of =
          result_quantity_statistics(&g_array_index(quantities, point_quantity, q).of, point->runs);
      report_add_mean(cells, report, &of, &scales[q]);
    }
    if (levels) {
      add_return_level(report, point, &scales[quantities->len - 1], cells);
    }
  }
  append_table(report, name, caption, columns, cells);
}

static void append_overview(report_page *report)
{
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(point_quantity));
  for (guint q = 0; q < REPORT_QUANTITIES; q++) {
    const point_quantity quantity = {report_quantities[q].heading, report_quantities[q].of};
    if (report->shows[q]) {
      g_array_append_val(quantities, quantity);
    }
  }
  g_autofree char *keys = report_keys_words(report);
  g_autofree char *caption =
      g_strdup_printf("Means of %u run%s at %u point%s%s%s, with their 95 %% intervals.",
                      report->table->runs->len, report->table->runs->len == 1 ? "" : "s", report->points->len,
                      report->points->len == 1 ? "" : "s", *keys != '\0' ? ", by " : "", keys);
  append_points(report, "overview", caption, quantities, FALSE);
}

/* What sizes a memory: shares of the time, and the peak. */
static void append_tails(report_page *report)
{
  static const struct {
    const char *heading;
    const char *name;
  } tails[] = {{"median", "buffer.reassembly_p50_octets"},    {"p90", "buffer.reassembly_p90_octets"},
               {"p99", "buffer.reassembly_p99_octets"},       {"p99.9", "buffer.reassembly_p99.9_octets"},
               {"p99.99", "buffer.reassembly_p99.99_octets"}, {"peak", "buffer.reassembly_peak_octets"}};
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(point_quantity));
  for (gsize i = 0; i < G_N_ELEMENTS(tails); i++) {
    point_quantity quantity = {.heading = tails[i].heading};
    if (result_quantity_read(tails[i].name, &quantity.of, NULL) &&
        result_quantity_statistics(&quantity.of, report->table->runs).count > 0) {
      g_array_append_val(quantities, quantity);
    }
  }
  gboolean levels = has_return_levels(report);
  if (quantities->len > 1 || levels) {
    g_string_append(report->html, "<details><summary>tails of the occupancy</summary>\n");
    append_points(
        report, "tails",
        levels ? "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, the peak, "
                 "and the level exceeded once in 1 GiB of traffic, from all seeds together."
               : "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, and the "
                 "peak.",
        quantities, levels);
    g_string_append(report->html, "</details>\n");
  }
}

/* One quantity with its spread. */
static void append_spread(report_page *report, guint index)
{
  static const char *const headings[] = {"smallest", "lower quartile", "median", "upper quartile", "largest"};
  static const text_column counts[] = {{"flagged", TEXT_COLUMN_HIDDEN, NULL},
                                       {"n", TEXT_COLUMN_NUMBER, NULL}};
  const report_quantity *quantity = &report_quantities[index];
  const shown_scale of_all = report_scale_of(report, &quantity->of), *scale = &of_all;
  const char *unit = report_unit_of(&quantity->of);
  g_autoptr(GArray) columns = columns_by_point(report);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  g_array_append_vals(columns, counts, G_N_ELEMENTS(counts));
  report_add_mean_column(columns, "mean", scale, unit);
  for (gsize i = 0; i < G_N_ELEMENTS(headings); i++) {
    const text_column column[] = {{headings[i], TEXT_COLUMN_NUMBER, scale->unit},
                                  {"", TEXT_COLUMN_VALUE, unit}};
    g_array_append_vals(columns, column, G_N_ELEMENTS(column));
  }
  for (guint p = 0; p < report->points->len; p++) {
    const study_point *point = &g_array_index(report->points, study_point, p);
    statistics of = result_quantity_statistics(&quantity->of, point->runs);
    const double spread[] = {of.smallest, of.lower_quartile, of.median, of.upper_quartile, of.largest};
    add_point(cells, report, point);
    g_ptr_array_add(cells, g_strdup_printf("%u", point->flagged));
    g_ptr_array_add(cells, g_strdup_printf("%zu", of.count));
    report_add_mean(cells, report, &of, scale);
    for (gsize i = 0; i < G_N_ELEMENTS(spread); i++) {
      g_ptr_array_add(cells, of.count > 0 ? shown_number_text(spread[i], scale) : g_strdup(""));
      report_add_value(cells, of.count > 0, spread[i]);
    }
  }
  const metric_row *row = metric_row_of(quantity->of.metric);
  gboolean share = quantity->of.whole != METRIC_COUNT;
  g_autofree char *caption =
      g_strdup_printf("%s%s%s: %s", row->name, share ? " ÷ " : "",
                      share ? metric_row_of(quantity->of.whole)->name : "", row->sentence);
  append_table(report, quantity->heading, caption, columns, cells);
}

void report_append_results(report_page *report)
{
  g_string_append(report->html, "<div id=\"overview\">\n");
  append_overview(report);
  g_string_append(report->html, "</div>\n");
  append_tails(report);
  g_string_append(report->html, "<h3>Spread of each quantity</h3>\n");
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i]) {
      html_append(report->html, "<details><summary>%s</summary>\n", report_quantities[i].heading);
      append_spread(report, i);
      g_string_append(report->html, "</details>\n");
    }
  }
}

/* --- Paired differences --- */

/* Of the quantities the first ones, those that are tabulated at all: peak, p99, share placed directly,
 * goodput. */
enum { PAIRED_QUANTITIES = 4 };

static void append_pairing(report_page *report, const result_pairing *pairing)
{
  GArray *rows[PAIRED_QUANTITIES];
  shown_scale scales[PAIRED_QUANTITIES];
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    const report_quantity *quantity = &report_quantities[q];
    double largest = 0;
    rows[q] = result_rows_of(report->table, &quantity->of, pairing);
    for (guint i = 0; i < rows[q]->len; i++) {
      const statistics *of = &g_array_index(rows[q], result_row, i).of;
      largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
    }
    scales[q] = shown_scale_for(report_unit_of(&quantity->of), largest);
  }
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autofree char *caption =
      g_strdup_printf("%s: %s minus %s, means of the differences between runs that agree in everything else, "
                      "the seed too; and "
                      "the geometric mean of the ratios of their peaks. With 95 %% intervals.",
                      scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b);
  const shown_scale of_factor = {.factor = 1, .unit = NULL};
  g_autofree char *name = g_strdup_printf("differences-%s-%s", pairing->a, pairing->b);
  g_autoptr(GArray) columns = columns_by(keys);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  report_add_count_columns(columns, "pairs");
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    if (report->shows[q]) {
      const report_quantity *quantity = &report_quantities[q];
      report_add_mean_column(columns, quantity->heading, &scales[q], report_unit_of(&quantity->of));
    }
  }
  report_add_mean_column(columns, "ratio of peaks", &of_factor, NULL);
  for (guint i = 0; i < rows[0]->len; i++) {
    const result_row *first = &g_array_index(rows[0], result_row, i);
    add_keys(cells, keys, first->first);
    report_add_counts(cells, first->of.count, first->flagged);
    for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
      if (report->shows[q]) {
        report_add_mean(cells, report, &g_array_index(rows[q], result_row, i).of, &scales[q]);
      }
    }
    statistics factor = report_factor_of(first);
    report_add_mean(cells, report, &factor, &of_factor);
  }
  append_table(report, name, caption, columns, cells);
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    g_array_unref(rows[q]);
  }
}

void report_append_pairs(report_page *report)
{
  for (guint i = 0; i < report->pairings->len; i++) {
    append_pairing(report, &g_array_index(report->pairings, result_pairing, i));
  }
}

/* --- Definitions --- */

static void append_definition(GString *html, metric_id metric)
{
  const metric_row *row = metric_row_of(metric);
  html_append(html, "<dd><code>%s</code> (%s): %s</dd>\n", row->name, row->unit, row->sentence);
}

void report_append_definitions(report_page *report)
{
  static const char *const terms[][2] = {
      {"point", "The runs that agree in all keys but the seed."},
      {"mean", "Over the runs of a point, one for each seed."},
      {"95 % interval",
       "Bounds of the mean: 95 of 100 studies like this one have the mean of ever more seeds "
       "between theirs. ± 0: all runs have the same value. " STATISTICS_ASSUMPTION},
      {"paired difference",
       "The value of one run minus that of the run that differs in one key alone and has "
       "the same seed: what both seeds have in common drops out."},
      {"median, p90, p99 …",
       "The smallest x that the occupancy does not exceed for at least that share of the time."},
      {"once in 1 GiB", "The level that the occupancy exceeds once in 1 GiB Delivered, on average, by the "
                        "largest value in each block of "
                        "the traffic of all seeds; extrapolated: all of it is less than that."},
      {"warm-up test", "Whether the second half of a run differs from the first, at a level of 1 %."},
      {"flagged",
       "A run with time-outs, spurious or lost retransmissions: rare events that may dominate it."}};
  GString *html = report->html;
  g_string_append(html, "<dl>\n");
  for (guint i = 0; i < REPORT_QUANTITIES; i++) {
    const report_quantity *quantity = &report_quantities[i];
    if (report->shows[i]) {
      html_append(html, "<dt>%s</dt>\n", quantity->heading);
      append_definition(html, quantity->of.metric);
      if (quantity->of.whole != METRIC_COUNT) {
        g_string_append(html, "<dd>divided by</dd>\n");
        append_definition(html, quantity->of.whole);
      }
    }
  }
  static const metric_id drawn[] = {METRIC_BUFFER_PEAK_OCTETS_PROCESSING, METRIC_THEORY_BUFFER_TCP_OCTETS,
                                    METRIC_THEORY_BUFFER_NAF_OCTETS, METRIC_THEORY_BUFFER_AF_OCTETS};
  gboolean has_formulas = study_plot_fits(report->table, &plot_connections, NULL);
  for (gsize i = 0; has_formulas && i < G_N_ELEMENTS(drawn); i++) {
    html_append(html, "<dt>%s</dt>\n", metric_row_of(drawn[i])->name);
    append_definition(html, drawn[i]);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(terms); i++) {
    html_append(html, "<dt>%s</dt><dd>%s</dd>\n", terms[i][0], terms[i][1]);
  }
  for (guint i = 0; i < report->notes->len; i++) {
    html_append(html, "<dt>*</dt><dd>The interval covers less than 95 %%: %s.</dd>\n",
                (const char *)g_ptr_array_index(report->notes, i));
  }
  g_string_append(html, "</dl>\n");
}
