/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_results.h"

#include <math.h>

#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/report/report_cells.h"
#include "study/table/study_keys.h"

/* --- A row a point, or the pairs of a point --- */

/* What a table has a column for: the means of rows. */
typedef struct mean_column {
  const char *heading;
  const char *unit;  /* as measured; NULL: none */
  GArray *rows;      /* result_row, those of all columns in the same order */
  gboolean is_ratio; /* the geometric means of ratios, not the differences */
} mean_column;

static void clear_mean_column(gpointer data)
{
  g_array_unref(((mean_column *)data)->rows);
}

/* An array of mean_column, none as yet. Free with g_array_unref(). */
static GArray *mean_columns_new(void)
{
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(mean_column));
  g_array_set_clear_func(columns, clear_mean_column);
  return columns;
}

static void add_quantity(GArray *columns, const report_page *report, const char *heading,
                         const result_quantity *quantity, const result_pairing *pairing)
{
  const mean_column column = {heading, report_unit_of(quantity),
                              result_rows_of(report->table, quantity, pairing), FALSE};
  g_array_append_val(columns, column);
}

/* What suits the means of all rows. */
static shown_scale scale_of(const GArray *rows, const char *unit)
{
  double largest = 0;
  for (guint i = 0; i < rows->len; i++) {
    const statistics *of = &g_array_index(rows, result_row, i).of;
    largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
  }
  return shown_scale_for(unit, largest);
}

/* The columns that name the values of `keys`; of no keys, the scenario: text_column. */
static GArray *columns_by(const GArray *keys)
{
  static const text_column none = {"scenario", TEXT_COLUMN_HEADING, NULL};
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  for (guint i = 0; i < keys->len; i++) {
    const text_column column = {scenario_key_row_of(g_array_index(keys, scenario_key, i))->name,
                                TEXT_COLUMN_HEADING, NULL};
    g_array_append_val(columns, column);
  }
  return g_array_append_vals(columns, &none, keys->len > 0 ? 0 : 1);
}

/* Their cells in `row`. */
static void add_keys(GPtrArray *cells, const report_page *report, const GArray *keys, const result_row *row)
{
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    g_ptr_array_add(cells, study_keys_label(key, row->first->keys[key]));
  }
  if (keys->len == 0) {
    g_ptr_array_add(cells, g_strdup(report->table->names));
  }
}

static void append_table(report_page *report, const char *name, const char *caption, const GArray *columns,
                         GPtrArray *cells)
{
  html_append_table(report->html, name, caption, (const text_column *)columns->data, columns->len, cells);
}

/* The table of `means` (mean_column, at least one), of pairs unless `pairing` is NULL. The last column marks
 * what is extrapolated, if anything is. */
static void append_rows(report_page *report, const char *name, const char *caption,
                        const result_pairing *pairing, const GArray *means)
{
  static const text_column mark = {"extrapolated", TEXT_COLUMN_TEXT, NULL};
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autoptr(GArray) columns = columns_by(keys);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  g_autofree shown_scale *scales = g_new(shown_scale, means->len);
  const mean_column *all = (const mean_column *)means->data, *last = &all[means->len - 1];
  gboolean marks = FALSE;
  report_add_count_columns(columns, pairing != NULL ? "pairs" : "runs");
  for (guint c = 0; c < means->len; c++) {
    scales[c] = all[c].is_ratio ? (shown_scale){.factor = 1} : scale_of(all[c].rows, all[c].unit);
    report_add_mean_column(columns, all[c].heading, &scales[c], all[c].unit);
  }
  for (guint i = 0; i < last->rows->len; i++) {
    marks = marks || g_array_index(last->rows, result_row, i).is_extrapolated;
  }
  g_array_append_vals(columns, &mark, marks ? 1 : 0);
  for (guint i = 0; i < last->rows->len; i++) {
    const result_row *first = &g_array_index(all[0].rows, result_row, i);
    add_keys(cells, report, keys, first);
    report_add_counts(cells, first->of.count, first->flagged);
    for (guint c = 0; c < means->len; c++) {
      const result_row *row = &g_array_index(all[c].rows, result_row, i);
      const statistics of = all[c].is_ratio ? report_factor_of(row) : row->of;
      report_add_mean(cells, report, &of, &scales[c]);
    }
    if (marks) {
      g_ptr_array_add(cells, g_strdup(g_array_index(last->rows, result_row, i).is_extrapolated ? "yes" : ""));
    }
  }
  append_table(report, name, caption, columns, cells);
}

static void append_overview(report_page *report)
{
  g_autoptr(GArray) means = mean_columns_new();
  for (guint q = 0; q < REPORT_QUANTITIES; q++) {
    if (report->shows[q]) {
      add_quantity(means, report, report_quantities[q].heading, &report_quantities[q].of, NULL);
    }
  }
  const guint runs = report->table->runs->len, points = report->points->len;
  g_autofree char *keys = report_keys_words(report);
  g_autofree char *caption = g_strdup_printf(
      "Means of %u run%s at %u point%s%s%s, with their 95 %% intervals.", runs, runs == 1 ? "" : "s", points,
      points == 1 ? "" : "s", *keys != '\0' ? ", by " : "", keys);
  if (means->len > 0) {
    append_rows(report, "overview", caption, NULL, means);
  }
}

/* What sizes a memory: shares of the time, the peak, and the level exceeded once in so much traffic. */
static void append_tails(report_page *report)
{
  static const struct {
    const char *heading;
    const char *name;
  } tails[] = {{"median", "buffer.reassembly_p50_octets"},    {"p90", "buffer.reassembly_p90_octets"},
               {"p99", "buffer.reassembly_p99_octets"},       {"p99.9", "buffer.reassembly_p99.9_octets"},
               {"p99.99", "buffer.reassembly_p99.99_octets"}, {"peak", "buffer.reassembly_peak_octets"}};
  g_autoptr(GArray) means = mean_columns_new();
  for (gsize i = 0; i < G_N_ELEMENTS(tails); i++) {
    result_quantity quantity;
    if (result_quantity_read(tails[i].name, &quantity, NULL) &&
        result_quantity_statistics(&quantity, report->table->runs).count > 0) {
      add_quantity(means, report, tails[i].heading, &quantity, NULL);
    }
  }
  const result_quantity level = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                 .whole = METRIC_COUNT,
                                 .return_period = "1GiB",
                                 .return_octets = 1 << 30};
  add_quantity(means, report, "once in 1 GiB", &level, NULL);
  const GArray *levels = g_array_index(means, mean_column, means->len - 1).rows;
  gboolean known = FALSE;
  for (guint i = 0; i < levels->len; i++) {
    known = known || g_array_index(levels, result_row, i).of.count > 0;
  }
  if (means->len > 2 || known) {
    g_string_append(report->html, "<details><summary>tails of the occupancy</summary>\n");
    append_rows(
        report, "tails",
        "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, the peak, and the "
        "level exceeded once in 1 GiB of traffic, from all seeds together.",
        NULL, means);
    g_string_append(report->html, "</details>\n");
  }
}

/* One quantity with its spread. */
static void append_spread(report_page *report, const report_quantity *quantity)
{
  static const char *const headings[] = {"smallest", "lower quartile", "median", "upper quartile", "largest"};
  static const text_column counts[] = {{"flagged", TEXT_COLUMN_HIDDEN, NULL},
                                       {"n", TEXT_COLUMN_NUMBER, NULL}};
  const char *unit = report_unit_of(&quantity->of);
  g_autoptr(GArray) rows = result_rows_of(report->table, &quantity->of, NULL);
  g_autoptr(GArray) keys = result_rows_keys(report->table, NULL);
  g_autoptr(GArray) columns = columns_by(keys);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  const shown_scale scale = scale_of(rows, unit);
  g_array_append_vals(columns, counts, G_N_ELEMENTS(counts));
  report_add_mean_column(columns, "mean", &scale, unit);
  for (gsize i = 0; i < G_N_ELEMENTS(headings); i++) {
    const text_column column[] = {{headings[i], TEXT_COLUMN_NUMBER, scale.unit},
                                  {"", TEXT_COLUMN_VALUE, unit}};
    g_array_append_vals(columns, column, G_N_ELEMENTS(column));
  }
  for (guint r = 0; r < rows->len; r++) {
    const result_row *row = &g_array_index(rows, result_row, r);
    const statistics *of = &row->of;
    const double spread[] = {of->smallest, of->lower_quartile, of->median, of->upper_quartile, of->largest};
    add_keys(cells, report, keys, row);
    g_ptr_array_add(cells, g_strdup_printf("%u", row->flagged));
    g_ptr_array_add(cells, g_strdup_printf("%zu", of->count));
    report_add_mean(cells, report, of, &scale);
    for (gsize i = 0; i < G_N_ELEMENTS(spread); i++) {
      g_ptr_array_add(cells, of->count > 0 ? shown_number_text(spread[i], &scale) : g_strdup(""));
      report_add_value(cells, of->count > 0, spread[i]);
    }
  }
  g_autofree char *name = result_quantity_name(&quantity->of);
  g_autofree char *caption = g_strdup_printf("%s: %s", name, metric_row_of(quantity->of.metric)->sentence);
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
      append_spread(report, &report_quantities[i]);
      g_string_append(report->html, "</details>\n");
    }
  }
}

void report_append_pairs(report_page *report)
{
  enum { PAIRED_QUANTITIES = 4 }; /* the first ones: peak, p99, share placed directly, goodput */
  for (guint i = 0; i < report->pairings->len; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    g_autoptr(GArray) means = mean_columns_new();
    for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
      if (report->shows[q]) {
        add_quantity(means, report, report_quantities[q].heading, &report_quantities[q].of, pairing);
      }
    }
    const mean_column ratio = {"ratio of peaks", NULL,
                               result_rows_of(report->table, &report_quantities[0].of, pairing), TRUE};
    g_array_append_val(means, ratio);
    g_autofree char *name = g_strdup_printf("differences-%s-%s", pairing->a, pairing->b);
    g_autofree char *caption = g_strdup_printf(
        "%s: %s minus %s, means of the differences between runs that agree in everything else, "
        "the seed too; and the geometric mean of the ratios of their peaks. With 95 %% "
        "intervals.",
        scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b);
    append_rows(report, name, caption, pairing, means);
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
