/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_results.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/table/study_keys.h"

/* --- Plots, each with a caption and the values that it shows --- */

/* The page's pixels for one of the picture: plots are at most 2102 wide, and their text, 36 high, has one
 * size in all, a little above the page's. */
#define PIXELS_PER_PIXEL 0.5

/* For browsers without DejaVu Sans, which gnuplot names alone. */
#define PICTURE_STYLE                                                                                        \
  "<style>text{font-family:'DejaVu Sans',Verdana,'Segoe UI',system-ui,sans-serif}"                           \
  "image{image-rendering:pixelated}</style>"

/* Where the smallest and the largest value are: " The medians lie between 1.4 KiB
 * (CURVE, 0) and 146 KiB (CURVE, 1%)."; nothing of shares, which lie between 0 and 1. */
static char *range_of(const plot_values *values, const shown_scale *scale)
{
  const plot_value *least = NULL, *most = NULL;
  for (guint i = 0; i < values->all->len; i++) {
    const plot_value *value = &g_array_index(values->all, plot_value, i);
    if (value->of.count == 0) {
      continue;
    }
    least = least == NULL || value->of.mean < least->of.mean ? value : least;
    most = most == NULL || value->of.mean > most->of.mean ? value : most;
  }
  if (least == NULL || least->of.mean == most->of.mean || strcmp(values->name, "share") == 0) {
    return g_strdup("");
  }
  g_autofree char *from = shown_number_text(least->of.mean, scale),
                  *to = shown_number_text(most->of.mean, scale);
  return g_strdup_printf(" The %ss lie between %s %s (%s%s%s) and %s %s (%s%s%s).", values->name, from,
                         scale->unit, least->curve, *least->curve != '\0' ? ", " : "", least->place, to,
                         scale->unit, most->curve, *most->curve != '\0' ? ", " : "", most->place);
}

/* What the plot shows, closed until it is opened. */
static void append_values(report_page *report, const plot_values *values, const shown_scale *scale,
                          guint number)
{
  const text_column curve = {"curve", TEXT_COLUMN_HEADING, NULL},
                    place = {values->place, TEXT_COLUMN_HEADING, NULL};
  gboolean named = FALSE, counted = strcmp(values->name, "share") != 0;
  for (guint i = 0; i < values->all->len; i++) {
    named = named || *g_array_index(values->all, plot_value, i).curve != '\0';
  }
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  g_array_append_vals(columns, &curve, named ? 1 : 0);
  g_array_append_val(columns, place);
  if (counted) {
    report_add_count_columns(columns, "runs");
  }
  report_add_mean_column(columns, values->name, scale, values->unit);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < values->all->len; i++) {
    const plot_value *value = &g_array_index(values->all, plot_value, i);
    if (named) {
      g_ptr_array_add(cells, g_strdup(value->curve));
    }
    g_ptr_array_add(cells, g_strdup(value->place));
    if (counted) {
      report_add_counts(cells, value->of.count, value->flagged);
    }
    statistics of = value->of;
    of.count = MAX(of.count, 1);
    report_add_mean(cells, report, &of, scale);
  }
  g_autofree char *name = g_strdup_printf("figure-%u", number);
  g_autofree char *caption = g_strdup_printf("What Figure %u shows.", number);
  g_string_append(report->html, "<details><summary>Values</summary>\n");
  html_append_table(report->html, name, caption, (const text_column *)columns->data, columns->len, cells);
  g_string_append(report->html, "</details>\n");
}

/* Appends the plot. In an <img> a browser runs no script of a picture and fetches nothing for it
 * (HTML, 4.8.3; SVG Integration, secure static mode): what gnuplot wrote can stay as it is. */
static gboolean append_figure(report_page *report, const study_plot *plot, guint number, GError **error)
{
  static const char box[] = "viewBox=\"0 0 ";
  g_autofree char *picture = NULL;
  const gnuplot_target target = {.format = GNUPLOT_SVG, .picture = &picture};
  g_autoptr(plot_values) values = plot_values_new();
  const plot_request request = {.values = values};
  if (!study_plot_draw(report->table, plot, &request, "figure", &target, error)) {
    return FALSE;
  }
  const char *size = strstr(picture, box);
  double width = size != NULL ? g_ascii_strtod(size + strlen(box), NULL) : 0;
  if (!(width > 0)) {
    return error_set(error, "plot %s: gnuplot drew no SVG with a viewBox", plot->name);
  }
  g_autoptr(GString) svg = g_string_new(picture);
  g_string_replace(svg, "</svg>", PICTURE_STYLE "</svg>", 1);
  g_autofree char *octets = g_base64_encode((const guchar *)svg->str, svg->len);
  double largest = 0;
  for (guint i = 0; i < values->all->len; i++) {
    largest = MAX(largest, fabs(g_array_index(values->all, plot_value, i).of.mean));
  }
  const shown_scale scale = shown_scale_for(values->unit, largest);
  g_autofree char *name = g_strdup_printf("Figure %u. %s.", number, values->title);
  g_autofree char *range = range_of(values, &scale);
  html_append(report->html,
              "<figure id=\"figure-%u\">\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
              "aria-label=\"%s\">\n<img width=\"%u\" alt=\"%s\" src=\"data:image/svg+xml;base64,%s\">\n"
              "</div>\n<figcaption>%s%s</figcaption>\n",
              number, name, (guint)round(width * PIXELS_PER_PIXEL), name, octets, name, range);
  append_values(report, values, &scale, number);
  g_string_append(report->html, "</figure>\n");
  return TRUE;
}

void report_append_plots(report_page *report)
{
  g_autoptr(GPtrArray) plots = study_plots_for(report->table);
  for (guint i = 0; report->error == NULL && i < plots->len; i++) {
    append_figure(report, g_ptr_array_index(plots, i), ++report->figures, &report->error);
  }
}

/* --- A row a point, or the pairs of a point --- */

typedef enum mean_kind {
  MEAN_OF_VALUES, /* or of their differences */
  MEAN_OF_RATIOS, /* geometric */
  RETURN_LEVEL    /* a column after it marks what is extrapolated */
} mean_kind;

/* A table of means in the making, none as yet; append_table() takes what is in it. */
typedef struct mean_table {
  const result_pairing *pairing; /* NULL: a row a point; else the pairs of a point */
  GArray *columns;               /* text_column; NULL: none as yet */
  GPtrArray *lines;              /* GPtrArray *: the cells of a row each, char * */
} mean_table;

/* Starts `table`, which gets `rows`, with the values of keys, the number of runs and how many are flagged. */
static void start_table(mean_table *table, const report_page *report, const GArray *rows)
{
  static const text_column names = {"scenario", TEXT_COLUMN_HEADING, NULL};
  g_autoptr(GArray) keys = result_rows_keys(report->table, table->pairing);
  table->columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  table->lines = g_ptr_array_new();
  for (guint k = 0; k < keys->len; k++) {
    const char *name = scenario_key_row_of(g_array_index(keys, scenario_key, k))->name;
    const text_column column = {name, TEXT_COLUMN_HEADING, NULL};
    g_array_append_val(table->columns, column);
  }
  g_array_append_vals(table->columns, &names, keys->len > 0 ? 0 : 1);
  report_add_count_columns(table->columns, table->pairing != NULL ? "pairs" : "runs");
  for (guint r = 0; r < rows->len; r++) {
    const result_row *row = &g_array_index(rows, result_row, r);
    GPtrArray *line = g_ptr_array_new();
    for (guint k = 0; k < keys->len; k++) {
      scenario_key key = g_array_index(keys, scenario_key, k);
      g_ptr_array_add(line, study_keys_label(key, row->first->keys[key]));
    }
    if (keys->len == 0) {
      g_ptr_array_add(line, g_strdup(report->table->names));
    }
    report_add_counts(line, row->of.count, row->flagged);
    g_ptr_array_add(table->lines, line);
  }
}

/* Adds the means of `quantity`, unless there is none. */
static void add_means(mean_table *table, report_page *report, const char *heading, mean_kind kind,
                      const result_quantity *quantity)
{
  static const text_column mark = {"extrapolated", TEXT_COLUMN_TEXT, NULL};
  g_autoptr(GArray) rows = result_rows_of(report->table, quantity, table->pairing);
  double largest = -1;
  for (guint r = 0; r < rows->len; r++) {
    const statistics *of = &g_array_index(rows, result_row, r).of;
    largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
  }
  if (largest < 0) {
    return;
  }
  if (table->columns == NULL) {
    start_table(table, report, rows);
  }
  const char *unit = kind != MEAN_OF_RATIOS ? report_unit_of(quantity) : NULL;
  const shown_scale scale = unit != NULL ? shown_scale_for(unit, largest) : (shown_scale){.factor = 1};
  report_add_mean_column(table->columns, heading, &scale, unit);
  g_array_append_vals(table->columns, &mark, kind == RETURN_LEVEL ? 1 : 0);
  for (guint r = 0; r < rows->len; r++) {
    const result_row *row = &g_array_index(rows, result_row, r);
    const statistics of = kind == MEAN_OF_RATIOS ? report_factor_of(row) : row->of;
    GPtrArray *line = g_ptr_array_index(table->lines, r);
    report_add_mean(line, report, &of, &scale);
    if (kind == RETURN_LEVEL) {
      g_ptr_array_add(line, g_strdup(row->is_extrapolated ? "yes" : ""));
    }
  }
}

/* Appends `table`, unless it has no means. */
static void append_table(report_page *report, const char *name, const char *caption, const mean_table *table)
{
  g_autoptr(GArray) columns = table->columns;
  g_autoptr(GPtrArray) lines = table->lines, cells = g_ptr_array_new_with_free_func(g_free);
  for (guint r = 0; lines != NULL && r < lines->len; r++) {
    g_ptr_array_extend_and_steal(cells, g_ptr_array_index(lines, r));
  }
  if (columns != NULL) {
    html_append_table(report->html, name, caption, (const text_column *)columns->data, columns->len, cells);
  }
}

/* Adds the quantities that are shown. */
static void add_quantities(mean_table *table, report_page *report)
{
  for (guint q = 0; q < REPORT_QUANTITIES; q++) {
    const report_quantity *quantity = &report_quantities[q];
    if (report->shows[q] && (table->pairing == NULL || !quantity->only_when_varying)) {
      add_means(table, report, quantity->heading, MEAN_OF_VALUES, &report->quantities[q]);
    }
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
  mean_table table = {.pairing = NULL};
  for (gsize i = 0; i < G_N_ELEMENTS(tails); i++) {
    result_quantity quantity;
    if (result_quantity_read(tails[i].name, &quantity, NULL)) {
      add_means(&table, report, tails[i].heading, MEAN_OF_VALUES, &quantity);
    }
  }
  const result_quantity level = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                 .whole = METRIC_COUNT,
                                 .return_period = "1GiB",
                                 .return_octets = 1 << 30};
  add_means(&table, report, "once in 1 GiB", RETURN_LEVEL, &level);
  if (table.columns != NULL) {
    g_string_append(report->html, "<details><summary>tails of the occupancy</summary>\n");
    append_table(
        report, "tails",
        "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, the peak, and the "
        "level exceeded once in 1 GiB of traffic, from all seeds together.",
        &table);
    g_string_append(report->html, "</details>\n");
  }
}

void report_append_results(report_page *report)
{
  const guint runs = report->table->runs->len, points = report->points->len;
  mean_table table = {.pairing = NULL};
  g_autoptr(GPtrArray) names = g_ptr_array_new();
  for (guint i = 0; i < report->keys->len; i++) {
    g_ptr_array_add(names, (gpointer)scenario_key_row_of(g_array_index(report->keys, scenario_key, i))->name);
  }
  g_autofree char *keys = study_table_join(names);
  g_autofree char *caption = g_strdup_printf(
      "Means of %u run%s at %u point%s%s%s, with their 95 %% intervals.", runs, runs == 1 ? "" : "s", points,
      points == 1 ? "" : "s", *keys != '\0' ? ", by " : "", keys);
  add_quantities(&table, report);
  g_string_append(report->html, "<div id=\"overview\">\n");
  append_table(report, "overview", caption, &table);
  g_string_append(report->html, "</div>\n");
  append_tails(report);
}

void report_append_pairs(report_page *report)
{
  for (guint i = 0; i < report->pairings->len; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    mean_table table = {.pairing = pairing};
    add_quantities(&table, report);
    add_means(&table, report, "ratio of peaks", MEAN_OF_RATIOS, &report->quantities[0]);
    g_autofree char *name = g_strdup_printf("differences-%s-%s", pairing->a, pairing->b);
    g_autofree char *caption = g_strdup_printf(
        "%s: %s minus %s, means of the differences between runs that agree in everything else, "
        "the seed too; and the geometric mean of the ratios of their peaks. With 95 %% "
        "intervals.",
        scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b);
    append_table(report, name, caption, &table);
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
    const result_quantity *quantity = &report->quantities[i];
    if (report->shows[i]) {
      html_append(html, "<dt>%s</dt>\n", report_quantities[i].heading);
      append_definition(html, quantity->metric);
      if (quantity->whole != METRIC_COUNT) {
        g_string_append(html, "<dd>divided by</dd>\n");
        append_definition(html, quantity->whole);
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
