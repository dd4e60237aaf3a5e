/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "base/html.h"
#include "base/units.h"
#include "measure/warm_up.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/report/report_page.h"
#include "study/table/result_table.h"
#include "study/table/shown_number.h"

/* --- What is tabulated --- */

/* They come with the most informative first. The first one that there is, which the report headlines, is what
 * is not exceeded for 99.9 % of the time: a peak grows with the length of the run. */
static const report_column shown[] = {
    {.heading = "p99.9 occupancy", .name = "buffer.reassembly_p99.9_octets"},
    {.heading = "peak occupancy", .name = "buffer.reassembly_peak_octets"},
    {.heading = "placed directly", .name = "placement.octets_direct/placement.octets"},
    {.heading = "goodput", .name = "goodput_bit_per_s"},
    {.heading = "placement delay", .name = "delay.placement_mean_s", .is_minor = TRUE},
    {.heading = "delivery delay", .name = "delay.delivery_mean_s", .is_minor = TRUE},
    {.heading = "wire efficiency", .name = "efficiency_wire", .is_minor = TRUE},
};

/* This is what is compared in pairs, when it varies. */
static const scenario_key compared[] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS};

static const report_column *column_at(const GArray *columns, guint index)
{
  return &g_array_index(columns, report_column, index);
}

/* Returns what the report is about first: the occupancy; NULL: no run has it. */
static const report_column *headline_of(const report_page *report)
{
  const report_column *first = report->columns->len > 0 ? column_at(report->columns, 0) : NULL;
  return first != NULL && first->quantity.metric == METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS ? first : NULL;
}

/* Points have a ratio of nothing, and pairs no minor quantities. */
static gboolean is_shown(const report_column *column, const result_pairing *pairing)
{
  return pairing != NULL ? !column->is_minor : !column->is_ratio;
}

void report_page_measure(report_page *report)
{
  for (gsize i = 0; i < G_N_ELEMENTS(compared); i++) {
    const scenario_key key = compared[i];
    g_autoptr(GPtrArray) values = study_keys_values(report->table->runs, key);
    const guint count = plot_grouping_varies(report->table, key) ? values->len : 0;
    /* Each two values that runs have: first "false", "in-order", then "true", "out-of-order". */
    for (guint k = 0; k < count * count; k++) {
      const char *a = g_ptr_array_index(values, k / count), *b = g_ptr_array_index(values, k % count);
      if (strcmp(a, b) < 0) {
        const result_pairing pairing = {.key = key, .a = a, .b = b};
        g_array_append_val(report->pairings, pairing);
      }
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS(shown); i++) {
    report_column column = shown[i];
    gboolean known = result_quantity_read(column.name, &column.quantity, NULL);
    g_assert(known);
    statistics all = result_quantity_statistics(&column.quantity, report->table->runs);
    if (all.count > 0 && (!column.is_minor || all.largest > all.smallest)) {
      g_array_append_val(report->columns, column);
    }
  }
  if (headline_of(report) != NULL) {
    const report_column ratio = {
        .heading = "ratio", .is_ratio = TRUE, .quantity = headline_of(report)->quantity};
    g_array_append_val(report->columns, ratio);
  }
}

/* Returns the rows of the table for `column`: result_row. Free with g_array_unref(). */
static GArray *rows_of(const report_page *report, const report_column *column, const result_pairing *pairing)
{
  GArray *rows = result_rows_of(report->table, &column->quantity, pairing);
  for (guint r = 0; column->is_ratio && r < rows->len; r++) {
    result_row *row = &g_array_index(rows, result_row, r);
    row->of = row->log_ratio; /* and its mean and interval as a factor, which is all that is shown */
    row->of.mean = exp(row->of.mean);
    row->of.lower = exp(row->of.lower);
    row->of.upper = exp(row->of.upper);
  }
  return rows;
}

/* Returns "" of a factor. Free with g_free(). */
static char *unit_of(const report_column *column)
{
  return column->is_ratio ? g_strdup("") : result_quantity_unit(&column->quantity);
}

/* Returns the one largest in size; below 0: there is no mean. */
static double largest_mean(const GArray *rows)
{
  double largest = -1;
  for (guint r = 0; r < rows->len; r++) {
    const statistics *of = &g_array_index(rows, result_row, r).of;
    largest = of->count > 0 ? fmax(largest, fabs(of->mean)) : largest;
  }
  return largest;
}

/* --- Means --- */

static char *shown_bound(double bound, double half_width, const shown_scale *scale)
{
  const double least = 10 * fabs(bound);
  return shown_number_of(bound, least > 0 && least < half_width ? least : half_width, scale);
}

/* Appends a cell with a mean, the unit of `scale` (which may be "") and the mean's 95 % interval with the
 * same number of decimals: "145.4" and "142.9 to 148.0", "± 0" when the interval has no width, "142.9 or
 * more" without an upper bound; without an interval of one value, and nothing of none. A bound that is not 0
 * has as many decimals as show that. An asterisk follows an interval that has a coverage note, which is added
 * to `notes`, a tilde a mean that is extrapolated. */
static void append_mean(report_page *report, const result_row *row, const shown_scale *scale, GString *html)
{
  const statistics *of = &row->of;
  const gboolean noted = of->count >= 2 && of->coverage_note != NULL;
  const double half_width = (of->upper - of->lower) / 2;
  g_autofree char *mean = shown_number_of(of->mean, half_width, scale);
  g_autofree char *lower = shown_bound(of->lower, half_width, scale);
  g_autofree char *upper = shown_bound(of->upper, half_width, scale);
  if (noted && !g_ptr_array_find(report->notes, of->coverage_note, NULL)) {
    g_ptr_array_add(report->notes, (gpointer)of->coverage_note);
  }
  g_string_append(html, "<td class=\"number\">");
  if (of->count > 0) {
    html_append(html, "%s%s%s%s", mean, row->of.is_extrapolated ? "~" : "", *scale->unit != '\0' ? " " : "",
                scale->unit);
  }
  if (of->count >= 2 && isnan(of->upper) && !isnan(of->lower)) {
    html_append(html, " <small>%s or more</small>", lower);
  } else if (of->count >= 2 && half_width > 0) {
    html_append(html, " <small>%s to %s%s</small>", lower, upper, noted ? "*" : "");
  } else if (of->count >= 2 && !isnan(of->lower)) {
    g_string_append(html, " <small>±\u00a00</small>");
  }
  g_string_append(html, "</td>");
}

/* Returns a link that saves what `iwarpsim table` writes of these columns as NAME.csv, its texts guarded
 * against spreadsheets. Free with g_free(). */
static char *link_to_csv(const report_page *report, const char *name, const result_pairing *pairing,
                         const GArray *columns)
{
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  for (guint i = 0; i < columns->len; i++) {
    const report_column *column = column_at(columns, i);
    g_array_append_vals(quantities, &column->quantity,
                        !column->is_ratio && is_shown(column, pairing) ? 1 : 0);
  }
  const result_request request = {.table = report->table,
                                  .quantities = quantities,
                                  .pairing = pairing,
                                  .exclude = report->options->exclude,
                                  .is_guarded = TRUE};
  g_autofree char *csv = result_table_csv(&request);
  g_autofree char *octets = g_base64_encode((const guchar *)csv, strlen(csv));
  GString *html = g_string_new(NULL);
  html_append(html, "<a download=\"%s.csv\" href=\"data:text/csv;charset=utf-8;base64,%s\">CSV</a>", name,
              octets);
  return g_string_free(html, FALSE);
}

/* Appends the table called `name` of the means of those `columns` (report_column) that have any, a row a
 * point, or the pairs of one; nothing when none has. */
static void append_means(report_page *report, const char *name, const char *caption,
                         const result_pairing *pairing, const GArray *columns)
{
  g_autoptr(GString) head = g_string_new(NULL), body = g_string_new(NULL);
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autoptr(GArray) scales = g_array_new(FALSE, FALSE, sizeof(shown_scale));
  g_autoptr(GPtrArray) means = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  g_string_append(head, keys->len == 0 ? "<th>scenario</th>" : "");
  for (guint k = 0; k < keys->len; k++) {
    html_append(head, "<th>%s</th>",
                study_keys_name(g_array_index(keys, scenario_key, k), report->table->axes));
  }
  html_append(head, "<th class=\"number\">%s</th>", pairing != NULL ? "pairs" : "runs");
  g_string_append(head, report->table->flagged > 0 ? "<th class=\"number\">flagged</th>" : "");
  for (guint i = 0; i < columns->len; i++) {
    const report_column *column = column_at(columns, i);
    g_autoptr(GArray) rows = rows_of(report, column, pairing);
    g_autofree char *unit = unit_of(column);
    shown_scale scale = shown_scale_for(unit, largest_mean(rows));
    if (largest_mean(rows) >= 0 && is_shown(column, pairing)) {
      html_append(head, "<th class=\"number\">%s <span class=\"unit\">%s</span></th>", column->heading,
                  scale.unit);
      scale.unit = ""; /* it is in the heading alone */
      g_array_append_val(scales, scale);
      g_ptr_array_add(means, g_steal_pointer(&rows));
    }
  }
  if (means->len == 0) {
    return;
  }
  const GArray *places = g_ptr_array_index(means, 0); /* and how many runs or pairs the first mean is of */
  for (guint r = 0; r < places->len; r++) {
    const result_row *first = &g_array_index(places, result_row, r);
    g_string_append(body, "<tr>");
    for (guint k = 0; k < keys->len; k++) {
      const scenario_key key = g_array_index(keys, scenario_key, k);
      g_autofree char *label = study_keys_label(key, first->first->keys[key]);
      html_append(body, "<th scope=\"row\">%s</th>", label);
    }
    html_append(body, keys->len == 0 ? "<th scope=\"row\">%s</th>" : "%s",
                keys->len == 0 ? report->table->names : "");
    html_append(body, "<td class=\"number\">%u</td>", (guint)first->of.count);
    if (report->table->flagged > 0) {
      g_autofree char *flagged = first->flagged > 0 ? g_strdup_printf("%u", first->flagged) : g_strdup("");
      html_append(body, "<td class=\"number flagged\">%s</td>", flagged);
    }
    for (guint i = 0; i < means->len; i++) {
      const result_row *row = &g_array_index((GArray *)g_ptr_array_index(means, i), result_row, r);
      append_mean(report, row, &g_array_index(scales, shown_scale, i), body);
    }
    g_string_append(body, "</tr>\n");
  }
  g_autofree char *link = link_to_csv(report, name, pairing, columns);
  html_append_table(report->html, caption, link, head->str, body->str);
}

void report_append_results(report_page *report)
{
  static const report_column tails[] = {
      {.heading = "median", .name = "buffer.reassembly_p50_octets"},
      {.heading = "p90", .name = "buffer.reassembly_p90_octets"},
      {.heading = "p99", .name = "buffer.reassembly_p99_octets"},
      {.heading = "p99.9", .name = "buffer.reassembly_p99.9_octets"},
      {.heading = "p99.99", .name = "buffer.reassembly_p99.99_octets"},
      {.heading = "peak", .name = "buffer.reassembly_peak_octets"},
      {.heading = "once in 1 GiB", .name = "buffer.reassembly_peak_octets"}};
  const guint runs = report->table->runs->len, points = report->points->len;
  g_autofree char *seeds = study_table_seeds(report->table);
  g_autofree char *caption =
      g_strdup_printf("Means of %u %s, %s, at %u %s, with their 95 %% intervals.", runs,
                      units_counted(runs, "runs"), seeds, points, units_counted(points, "points"));
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(report_column));
  g_autoptr(GArray) losses = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  append_means(report, "overview", caption, NULL, report->columns);
  if (headline_of(report) != NULL) {
    for (gsize i = 0; i < G_N_ELEMENTS(tails); i++) {
      report_column tail = tails[i];
      result_quantity_read(tail.name, &tail.quantity, NULL);
      if (i + 1 == G_N_ELEMENTS(tails)) {
        tail.quantity.return_period = "1GiB";
        tail.quantity.return_octets = 1 << 30;
      }
      g_array_append_val(columns, tail);
    }
    g_string_append(report->html, "<details><summary>tails of the occupancy</summary>\n");
    append_means(
        report, "tails",
        "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, the peak, and the "
        "level exceeded once in 1 GiB of traffic, from all seeds together.",
        NULL, columns);
    g_string_append(report->html, "</details>\n");
  }
  result_quantity_add_losses(losses, report->table->runs);
  g_array_set_size(columns, 0);
  for (guint i = 0; i < losses->len; i++) {
    const result_quantity *quantity = &g_array_index(losses, result_quantity, i);
    const report_column loss = {.heading = metric_row_of(quantity->metric)->name, .quantity = *quantity};
    g_array_append_val(columns, loss);
  }
  if (losses->len > 0) {
    g_string_append(report->html, "<details><summary>losses and refusals</summary>\n");
    append_means(report, "losses",
                 "Packets that the path lost, and segments that the receiver refused, by cause.", NULL,
                 columns);
    g_string_append(report->html, "</details>\n");
  }
  report_append_messages(report);
  report_append_graph(report);
}

void report_append_pairs(report_page *report)
{
  const report_column *headline = headline_of(report);
  for (guint i = 0; i < report->pairings->len; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    g_autofree char *name = g_strdup_printf("differences-%s-%s", pairing->a, pairing->b);
    g_autofree char *caption = g_strdup_printf(
        "%s: %s minus %s, means of the differences between runs that agree in everything else, the seed too; "
        "and the geometric mean of the ratios of their %s. With 95 %% intervals.",
        study_keys_name(pairing->key, report->table->axes), pairing->a, pairing->b,
        headline != NULL ? headline->heading : "occupancy");
    append_means(report, name, caption, pairing, report->columns);
  }
}

/* --- The answer --- */

/* Appends a row of the table of least and most: of the means of `column`, called `what`. */
static void append_extremes(report_page *report, const char *what, const report_column *column,
                            const result_pairing *pairing, GString *html)
{
  const result_row *ends[2] = {NULL, NULL}; /* least, most */
  g_autoptr(GArray) rows = rows_of(report, column, pairing), keys = result_rows_keys(report->table, pairing);
  g_autofree char *unit = unit_of(column);
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count > 0) {
      ends[0] = ends[0] == NULL || row->of.mean < ends[0]->of.mean ? row : ends[0];
      ends[1] = ends[1] == NULL || row->of.mean > ends[1]->of.mean ? row : ends[1];
    }
  }
  html_append(html, ends[0] != NULL ? "<tr><th scope=\"row\">%s</th>" : "%s", ends[0] != NULL ? what : "");
  for (gsize i = 0; i < G_N_ELEMENTS(ends) && ends[0] != NULL; i++) {
    const shown_scale scale = shown_scale_for(unit, ends[i]->of.mean);
    g_autofree char *place = plot_place_words(report->table, keys, ends[i]->first->keys);
    append_mean(report, ends[i], &scale, html);
    html_append(html, "<td>%s</td>", ends[0]->of.mean < ends[1]->of.mean ? place : "everywhere");
  }
  g_string_append(html, ends[0] != NULL ? "</tr>\n" : "");
}

/* Appends flagged runs, those that did not end ok, and what the warm-up test finds. */
static void append_caveats(report_page *report)
{
  const study_table *table = report->table;
  const guint runs = table->runs->len;
  guint verdicts[WARM_UP_VERDICTS] = {0};
  for (guint i = 0; i < runs; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    verdicts[warm_up_test(run->results.block_maxima).verdict]++;
  }
  const struct {
    guint count, of;
    const char *what;
  } caveats[] = {{table->flagged, runs, "with flagged TCP behaviour"},
                 {table->all.others->len, table->all.count, "that did not end ok"},
                 {verdicts[WARM_UP_DIFFERS], runs, "whose second half differs from the first"},
                 {verdicts[WARM_UP_TOO_SHORT], runs, "too short for the warm-up test"}};
  const char *separator = "<p class=\"note\">To be read with care (<a href=\"#flags\">Flags</a>): ",
             *end = "";
  for (gsize i = 0; i < G_N_ELEMENTS(caveats); i++) {
    if (caveats[i].count > 0) {
      g_string_append_printf(report->html, "%s%u of %u %s %s", separator, caveats[i].count, caveats[i].of,
                             units_counted(caveats[i].of, "runs"), caveats[i].what);
      separator = "; ";
      end = ".</p>\n";
    }
  }
  g_string_append(report->html, end);
}

void report_append_answer(report_page *report)
{
  const report_column *headline = headline_of(report);
  g_autoptr(GString) rows = g_string_new(NULL);
  if (report->empty != NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n", report->empty);
    return;
  }
  for (guint i = 0; i < report->pairings->len && headline != NULL; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    report_column column = *headline;
    column.is_ratio = TRUE;
    g_autoptr(GArray) ratios = rows_of(report, &column, pairing);
    column.is_ratio = largest_mean(ratios) >= 0;
    const char *name = study_keys_name(pairing->key, report->table->axes);
    g_autofree char *a = study_label_of(pairing->key, name, pairing->a),
                    *b = study_label_of(pairing->key, name, pairing->b);
    g_autofree char *what =
        g_strdup_printf("%s, %s %s %s", headline->heading, a, column.is_ratio ? "/" : "−", b);
    append_extremes(report, what, &column, pairing, rows);
  }
  for (guint i = 0; i < report->columns->len; i++) {
    const report_column *column = column_at(report->columns, i);
    if (!column->is_minor && !column->is_ratio) {
      append_extremes(report, column->heading, column, NULL, rows);
    }
  }
  html_append_table(
      report->html,
      "Where the mean of each quantity is least and most, with its 95 % interval. Above, of kinds that are "
      "compared over the same seeds, the geometric mean of the ratios, or, where there are zeros, the mean "
      "difference.",
      "",
      "<th>quantity</th><th class=\"number\">least</th><th>least at</th><th "
      "class=\"number\">most</th><th>most at</th>",
      rows->str);
  append_caveats(report);
}

/* --- Plots, each with a caption --- */

static gboolean draw_plot(const report_page *report, const void *of, const plot_request *request,
                          const gnuplot_target *target, GError **error)
{
  const study_plot *plot = of;
  plot_request asked = *request;
  asked.quantity = plot == &plot_peak || plot == &plot_heat_map ? &headline_of(report)->quantity : NULL;
  return study_plot_draw(report->table, plot, &asked, "figure", target, error);
}

void report_append_plots(report_page *report)
{
  g_autoptr(GPtrArray) plots = headline_of(report) != NULL ? study_plots_for(report->table) : NULL;
  /* All of them draw the reassembly occupancy, which is not measured where nothing is lost (measure.from). */
  for (guint i = 0; plots != NULL && report->error == NULL && i < plots->len; i++) {
    const study_plot *plot = g_ptr_array_index(plots, i);
    report_append_figure(report, plot->name, draw_plot, plot);
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
  static const metric_id drawn[] = {METRIC_BUFFER_PEAK_OCTETS_PROCESSING, METRIC_THEORY_BUFFER_TCP_OCTETS,
                                    METRIC_THEORY_BUFFER_NAF_OCTETS, METRIC_THEORY_BUFFER_AF_OCTETS};
  const gboolean has_formulas =
      report->empty == NULL && study_plot_fits(report->table, &plot_connections, NULL);
  GString *html = report->html;
  for (guint i = 0; i < report->columns->len && !column_at(report->columns, i)->is_ratio; i++) {
    const report_column *column = column_at(report->columns, i);
    html_append(html, "<dt>%s</dt>\n", column->heading);
    if (column->quantity.parts > 0) {
      html_append(html,
                  "<dd><code>%s</code> (octets): what it does not exceed for 99.9 %% of the time.</dd>\n",
                  column->name);
    } else {
      append_definition(html, column->quantity.metric);
    }
    if (column->quantity.whole != METRIC_COUNT) {
      g_string_append(html, "<dd>divided by</dd>\n");
      append_definition(html, column->quantity.whole);
    }
  }
  for (gsize i = 0; has_formulas && i < G_N_ELEMENTS(drawn); i++) {
    html_append(html, "<dt>%s</dt>\n", metric_row_of(drawn[i])->name);
    append_definition(html, drawn[i]);
  }
  html_append(html, "<dt>intervals</dt><dd>%s</dd>\n", STATISTICS_ASSUMPTION);
  for (guint i = 0; i < report->notes->len; i++) {
    html_append(html, "<dt>*</dt><dd>The interval covers less than 95 %%: %s.</dd>\n",
                (const char *)g_ptr_array_index(report->notes, i));
  }
}
