/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "measure/warm_up.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/report/html.h"
#include "study/table/study_keys.h"

/* --- Tables of means --- */

/* One in the making. Each line has a cell for each column. */
typedef struct mean_table {
  GArray *columns;  /* text_column */
  GPtrArray *lines; /* GPtrArray *: char * */
} mean_table;

static void add_column(mean_table *table, const char *heading, text_column_kind kind, const char *unit)
{
  const text_column column = {heading, kind, unit};
  g_array_append_val(table->columns, column);
}

/* Adds a cell to the newest line. */
static void add_cell(mean_table *table, char *text)
{
  g_ptr_array_add(g_ptr_array_index(table->lines, table->lines->len - 1), text);
}

/* With the columns `first`, NULL-terminated, how many runs or pairs there are, and how many are flagged. */
static mean_table mean_table_new(const char *const *first, const char *counted)
{
  mean_table table = {g_array_new(FALSE, FALSE, sizeof(text_column)), g_ptr_array_new()};
  for (; *first != NULL; first++) {
    add_column(&table, *first, TEXT_COLUMN_HEADING, NULL);
  }
  add_column(&table, counted, TEXT_COLUMN_NUMBER, NULL);
  add_column(&table, "flagged", TEXT_COLUMN_MARK, NULL);
  return table;
}

/* "" for none. Free with g_free(). */
static char *count_text(gsize count)
{
  return count > 0 ? g_strdup_printf("%zu", count) : g_strdup("");
}

/* Adds to each line the mean of its row of `rows` (result_row) with its interval, which CSV has as measured,
 * in `unit` (NULL: a factor); nothing when there is no mean. */
static gboolean add_means(mean_table *table, report_page *report, const char *heading, const char *unit,
                          const GArray *rows)
{
  double largest = -1;
  for (guint r = 0; r < rows->len; r++) {
    const statistics *of = &g_array_index(rows, result_row, r).of;
    largest = of->count > 0 ? fmax(largest, fabs(of->mean)) : largest;
  }
  if (largest < 0) {
    return FALSE;
  }
  const shown_scale scale = unit != NULL ? shown_scale_for(unit, largest) : (shown_scale){.factor = 1};
  add_column(table, heading, TEXT_COLUMN_NUMBER, scale.unit);
  add_column(table, "", TEXT_COLUMN_INTERVAL, NULL);
  add_column(table, "", TEXT_COLUMN_VALUE, unit);
  add_column(table, "lower", TEXT_COLUMN_VALUE, unit);
  add_column(table, "upper", TEXT_COLUMN_VALUE, unit);
  for (guint r = 0; r < rows->len; r++) {
    GPtrArray *line = g_ptr_array_index(table->lines, r);
    const statistics *of = &g_array_index(rows, result_row, r).of;
    const double values[] = {of->mean, of->lower, of->upper};
    char *mean, *interval;
    report_show_mean(report, of, &scale, &mean, &interval);
    g_ptr_array_add(line, mean);
    g_ptr_array_add(line, interval);
    for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
      gboolean known = of->count > 0 && isfinite(values[i]);
      g_ptr_array_add(line, known ? units_format_real(values[i]) : g_strdup(""));
    }
  }
  return TRUE;
}

/* Appends `table`, which it takes. */
static void append_table(report_page *report, const char *name, const char *caption, const mean_table *table)
{
  g_autoptr(GArray) columns = table->columns;
  g_autoptr(GPtrArray) lines = table->lines, cells = g_ptr_array_new_with_free_func(g_free);
  for (guint r = 0; r < lines->len; r++) {
    g_ptr_array_extend_and_steal(cells, g_ptr_array_index(lines, r));
  }
  html_append_table(report->html, name, caption, (const text_column *)columns->data, columns->len, cells);
}

/* What the report is about first: the first quantity of the occupancy that there is; NULL: there is none. */
static const result_quantity *headline_of(const report_page *report)
{
  return report->shows[0] ? &report->quantities[0] : report->shows[1] ? &report->quantities[1] : NULL;
}

static const char *headline_name(const report_page *report)
{
  return report_quantities[report->shows[0] ? 0 : 1].heading;
}

/* --- Plots, each with a caption --- */

/* The page's pixels for one of the picture: plots are at most 673 wide, and their text, 11.5 high, has one
 * size in all, a little above the page's. */
#define PIXELS_PER_PIXEL 1.5625

/* Of a picture that a phone shows whole: a column of a paper. */
#define NARROW_DOTS 1004

/* For browsers without DejaVu Sans, which gnuplot names alone. */
#define PICTURE_STYLE                                                                                        \
  "<style>text{font-family:'DejaVu Sans',Verdana,'Segoe UI',system-ui,sans-serif}"                           \
  "image{image-rendering:pixelated}</style>"

/* Draws the plot `width` dots wide (0: as suits it). Its SVG for a data: URL, and its width in pixels, and
 * what it draws (NULL: not asked for). */
static char *draw_picture(const report_page *report, const study_plot *plot, double width, char **title,
                          guint *pixels, GError **error)
{
  static const char box[] = "viewBox=\"0 0 ";
  g_autofree char *picture = NULL;
  const gnuplot_target target = {.format = GNUPLOT_SVG, .picture = &picture};
  const gboolean of_occupancy = plot == &plot_peak || plot == &plot_heat_map;
  const plot_request request = {
      .drawn_title = title, .width = width, .quantity = of_occupancy ? headline_of(report) : NULL};
  if (!study_plot_draw(report->table, plot, &request, "figure", &target, error)) {
    return NULL;
  }
  *pixels =
      (guint)round((double)g_ascii_strtoull(strstr(picture, box) + strlen(box), NULL, 10) * PIXELS_PER_PIXEL);
  g_autoptr(GString) svg = g_string_new(picture);
  g_string_replace(svg, "</svg>", PICTURE_STYLE "</svg>", 1);
  return g_base64_encode((const guchar *)svg->str, svg->len);
}

/* Appends the plot, and a narrow one for phones. In an <img> a browser runs no script of a picture and
 * fetches nothing for it (HTML, 4.8.3; SVG Integration, secure static mode): what gnuplot wrote can stay as
 * it is. */
static gboolean append_figure(report_page *report, const study_plot *plot, guint number, GError **error)
{
  guint pixels = 0, narrow_pixels = 0;
  g_autofree char *title = NULL;
  g_autofree char *wide = draw_picture(report, plot, 0, &title, &pixels, error);
  g_autofree char *narrow =
      wide != NULL ? draw_picture(report, plot, NARROW_DOTS, NULL, &narrow_pixels, NULL) : NULL;
  if (wide == NULL) {
    return FALSE;
  }
  g_autofree char *name = g_strdup_printf("Figure %u. %s.", number, title);
  html_append(report->html,
              "<figure id=\"figure-%u\">\n<picture>\n"
              "<source media=\"(max-width:44rem)\" srcset=\"data:image/svg+xml;base64,%s\">\n"
              "<img width=\"%u\" alt=\"%s\" src=\"data:image/svg+xml;base64,%s\">\n</picture>\n"
              "<figcaption>%s</figcaption>\n</figure>\n",
              number, narrow != NULL ? narrow : wide, pixels, name, wide, name);
  return TRUE;
}

void report_append_plots(report_page *report)
{
  g_autoptr(GPtrArray) plots = study_plots_for(report->table);
  /* All of them draw the reassembly occupancy, which is not measured where nothing is lost (measure.from). */
  for (guint i = 0; headline_of(report) != NULL && report->error == NULL && i < plots->len; i++) {
    const study_plot *plot = g_ptr_array_index(plots, i);
    if (append_figure(report, plot, report->figures + 1, &report->error)) {
      report->figures++;
    } else if (report->error->domain == IWARPSIM_ERROR) {
      html_append(report->html, "<p class=\"note\">The plot %s is left out: %s.</p>\n", plot->name,
                  report->error->message);
      g_clear_error(&report->error);
    }
  }
}

/* --- A row a point, or the pairs of a point --- */

/* A table of the values of keys, of how many runs or pairs have the first of the quantities that are shown,
 * and of how many are flagged. */
static mean_table table_of(const report_page *report, const result_pairing *pairing)
{
  guint q = 0;
  while (q + 1 < REPORT_QUANTITIES && !report->shows[q]) {
    q++;
  }
  g_autoptr(GArray) rows = result_rows_of(report->table, &report->quantities[q], pairing);
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  const char *names[SCENARIO_KEY_COUNT + 1] = {keys->len == 0 ? "scenario" : NULL};
  for (guint k = 0; k < keys->len; k++) {
    names[k] = scenario_key_row_of(g_array_index(keys, scenario_key, k))->name;
  }
  mean_table table = mean_table_new(names, pairing != NULL ? "pairs" : "runs");
  for (guint r = 0; r < rows->len; r++) {
    const result_row *row = &g_array_index(rows, result_row, r);
    g_ptr_array_add(table.lines, g_ptr_array_new());
    for (guint k = 0; k < keys->len; k++) {
      scenario_key key = g_array_index(keys, scenario_key, k);
      add_cell(&table, study_keys_label(key, row->first->keys[key]));
    }
    if (keys->len == 0) {
      add_cell(&table, g_strdup(report->table->names));
    }
    add_cell(&table, g_strdup_printf("%zu", row->of.count));
    add_cell(&table, count_text(row->flagged));
  }
  return table;
}

/* Adds the mean of `quantity`, or of its differences. */
static void add_quantity(mean_table *table, report_page *report, const result_pairing *pairing,
                         const char *heading, const result_quantity *quantity)
{
  g_autoptr(GArray) rows = result_rows_of(report->table, quantity, pairing);
  add_means(table, report, heading, report_unit_of(quantity), rows);
}

/* What sizes a memory: shares of the time, the peak, and the level exceeded once in so much traffic. */
static void append_tails(report_page *report)
{
  static const char *const tails[][2] = {
      {"median", "buffer.reassembly_p50_octets"},    {"p90", "buffer.reassembly_p90_octets"},
      {"p99", "buffer.reassembly_p99_octets"},       {"p99.9", "buffer.reassembly_p99.9_octets"},
      {"p99.99", "buffer.reassembly_p99.99_octets"}, {"peak", "buffer.reassembly_peak_octets"}};
  static const result_quantity level = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                        .whole = METRIC_COUNT,
                                        .return_period = "1GiB",
                                        .return_octets = 1 << 30};
  if (headline_of(report) == NULL) {
    return;
  }
  mean_table table = table_of(report, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tails); i++) {
    result_quantity quantity;
    if (result_quantity_read(tails[i][1], &quantity, NULL)) {
      add_quantity(&table, report, NULL, tails[i][0], &quantity);
    }
  }
  g_autoptr(GArray) rows = result_rows_of(report->table, &level, NULL);
  if (add_means(&table, report, "once in 1 GiB", report_unit_of(&level), rows)) {
    add_column(&table, "extrapolated", TEXT_COLUMN_TEXT, NULL);
    for (guint r = 0; r < rows->len; r++) {
      gboolean is_extrapolated = g_array_index(rows, result_row, r).is_extrapolated;
      g_ptr_array_add(g_ptr_array_index(table.lines, r), g_strdup(is_extrapolated ? "yes" : ""));
    }
  }
  g_string_append(report->html, "<details><summary>tails of the occupancy</summary>\n");
  append_table(report, "tails",
               "Reassembly occupancy: what is not exceeded for 50, 90, 99 … % of the time, the peak, and the "
               "level exceeded once in 1 GiB of traffic, from all seeds together.",
               &table);
  g_string_append(report->html, "</details>\n");
}

/* What was lost and refused, of the causes that any run has. */
static void append_losses(report_page *report)
{
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  result_quantity_add_losses(quantities, report->table->runs);
  if (quantities->len > 0) {
    mean_table table = table_of(report, NULL);
    for (guint i = 0; i < quantities->len; i++) {
      const result_quantity *quantity = &g_array_index(quantities, result_quantity, i);
      add_quantity(&table, report, NULL, metric_row_of(quantity->metric)->name, quantity);
    }
    g_string_append(report->html, "<details><summary>losses and refusals</summary>\n");
    append_table(report, "losses",
                 "Packets that the path lost, and segments that the receiver refused, by cause.", &table);
    g_string_append(report->html, "</details>\n");
  }
}

void report_append_results(report_page *report)
{
  const guint runs = report->table->runs->len, points = report->points->len;
  g_autofree char *seeds = study_table_seeds(report->table);
  g_autofree char *caption =
      g_strdup_printf("Means of %u %s, %s, at %u %s, with their 95 %% intervals.", runs,
                      units_counted(runs, "runs"), seeds, points, units_counted(points, "points"));
  mean_table table = table_of(report, NULL);
  for (guint q = 0; q < REPORT_QUANTITIES; q++) {
    if (report->shows[q]) {
      add_quantity(&table, report, NULL, report_quantities[q].heading, &report->quantities[q]);
    }
  }
  g_string_append(report->html, "<div id=\"overview\">\n");
  append_table(report, "overview", caption, &table);
  g_string_append(report->html, "</div>\n");
  append_tails(report);
  append_losses(report);
}

/* The ratios of the headline's pairs: result_row. Free with g_array_unref(). */
static GArray *ratios_of(const report_page *report, const result_pairing *pairing)
{
  GArray *rows = result_rows_of(report->table, headline_of(report), pairing);
  for (guint r = 0; r < rows->len; r++) {
    result_row *row = &g_array_index(rows, result_row, r);
    row->of = report_factor_of(&row->log_ratio);
  }
  return rows;
}

void report_append_pairs(report_page *report)
{
  for (guint i = 0; i < report->pairings->len; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    mean_table table = table_of(report, pairing);
    for (guint q = 0; q < REPORT_QUANTITIES; q++) {
      if (report->shows[q] && !report_quantities[q].only_when_varying) {
        add_quantity(&table, report, pairing, report_quantities[q].heading, &report->quantities[q]);
      }
    }
    g_autoptr(GArray) ratios = headline_of(report) != NULL ? ratios_of(report, pairing) : NULL;
    if (ratios != NULL) {
      add_means(&table, report, "ratio", NULL, ratios);
    }
    g_autofree char *name = g_strdup_printf("differences-%s-%s", pairing->a, pairing->b);
    g_autofree char *caption = g_strdup_printf(
        "%s: %s minus %s, means of the differences between runs that agree in everything else, the seed too; "
        "and the geometric mean of the ratios of their %s. With 95 %% intervals.",
        scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b, headline_name(report));
    append_table(report, name, caption, &table);
  }
}

/* --- The answer --- */

static gboolean has_means(const GArray *rows)
{
  gboolean has = FALSE;
  for (guint i = 0; i < rows->len; i++) {
    has = has || g_array_index(rows, result_row, i).of.count > 0;
  }
  return has;
}

/* A line of the table of least and most: of the means in `rows` (result_row), in `unit` (NULL: a factor). */
static void add_extremes(report_page *report, GPtrArray *cells, char *what, const char *unit,
                         const GArray *rows, const GArray *keys)
{
  const result_row *least = NULL, *most = NULL;
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count > 0) {
      least = least == NULL || row->of.mean < least->of.mean ? row : least;
      most = most == NULL || row->of.mean > most->of.mean ? row : most;
    }
  }
  if (most == NULL) {
    g_free(what);
    return;
  }
  const result_row *const ends[] = {least, most};
  g_ptr_array_add(cells, what);
  for (gsize i = 0; i < G_N_ELEMENTS(ends); i++) {
    const shown_scale scale =
        unit != NULL ? shown_scale_for(unit, ends[i]->of.mean) : (shown_scale){.factor = 1, .unit = ""};
    g_autofree char *mean = NULL;
    char *interval = NULL;
    report_show_mean(report, &ends[i]->of, &scale, &mean, &interval);
    g_ptr_array_add(cells, g_strdup_printf("%s%s%s", mean, *scale.unit != '\0' ? " " : "", scale.unit));
    g_ptr_array_add(cells, interval);
    g_ptr_array_add(cells, least->of.mean < most->of.mean ? plot_place_words(keys, ends[i]->first->keys)
                                                          : g_strdup("everywhere"));
  }
}

/* Flagged runs, those that did not end ok, and what the warm-up test finds. */
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
  static const text_column columns[] = {
      {"quantity", TEXT_COLUMN_HEADING, NULL}, {"least", TEXT_COLUMN_TEXT, NULL},
      {"", TEXT_COLUMN_INTERVAL, NULL},        {"least at", TEXT_COLUMN_TEXT, NULL},
      {"most", TEXT_COLUMN_TEXT, NULL},        {"", TEXT_COLUMN_INTERVAL, NULL},
      {"most at", TEXT_COLUMN_TEXT, NULL}};
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  const result_quantity *headline = headline_of(report);
  if (report->empty != NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n", report->empty);
    return;
  }
  for (guint i = 0; i < report->pairings->len && headline != NULL; i++) {
    const result_pairing *pairing = &g_array_index(report->pairings, result_pairing, i);
    g_autoptr(GArray) ratios = ratios_of(report, pairing), keys = result_rows_keys(report->table, pairing);
    g_autoptr(GArray) differences = result_rows_of(report->table, headline, pairing);
    const gboolean has_ratios = has_means(ratios);
    g_autofree char *a = study_label_of(pairing->key, pairing->a),
                    *b = study_label_of(pairing->key, pairing->b);
    add_extremes(report, cells,
                 g_strdup_printf("%s, %s %s %s", headline_name(report), a, has_ratios ? "/" : "−", b),
                 has_ratios ? NULL : report_unit_of(headline), has_ratios ? ratios : differences, keys);
  }
  for (guint q = 0; q < REPORT_QUANTITIES; q++) {
    if (report->shows[q] && !report_quantities[q].only_when_varying) {
      const result_quantity *quantity = &report->quantities[q];
      g_autoptr(GArray) rows = result_rows_of(report->table, quantity, NULL);
      add_extremes(report, cells, g_strdup(report_quantities[q].heading), report_unit_of(quantity), rows,
                   report->keys);
    }
  }
  html_append_table(
      report->html, "answer",
      "Where the mean of each quantity is least and most, with its 95 % interval. Above, of kinds that are "
      "compared over the same seeds, the geometric mean of the ratios, or, where there are zeros, the mean "
      "difference.",
      columns, G_N_ELEMENTS(columns), cells);
  append_caveats(report);
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
      {"95 % interval", "Bounds of the mean: 95 of 100 studies like this one have the mean of ever more "
                        "seeds between theirs. ± 0: all runs have the same value. " STATISTICS_ASSUMPTION},
      {"paired difference", "The value of one run minus that of the run that differs in one key alone and "
                            "has the same seed: what both seeds have in common drops out."},
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
      if (quantity->parts > 0) {
        html_append(html,
                    "<dd><code>%s</code> (octets): what it does not exceed for 99.9 %% of the time.</dd>\n",
                    report_quantities[i].quantity);
        continue;
      }
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
