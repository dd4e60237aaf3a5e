/* SPDX-License-Identifier: GPL-2.0-only */
/* The plots of a study that are line charts. */
#include <math.h>
#include <string.h>

#include "study/plot/line_chart.h"
#include "study/plot/study_plot.h"

/* --- Any metric --- */

static gboolean draw_metric(const study_table *table, metric_id metric, const char *stem,
                            const gnuplot_target *target, GError **error)
{
  const metric_row *row = metric_row_of(metric);
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, plot_grouping_x(table), FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, row->name, line_chart_metric, &metric);
  return line_chart_draw(chart, row->name, row->unit, VALUE_SCALE_FITTING, stem, target, error);
}

const study_plot plot_metric = {
    .name = "metric", .sentence = "any metric (--metric NAME) against what varies", .draw = draw_metric};

/* --- The reassembly occupancy --- */

static gboolean draw_peak(const study_table *table, metric_id metric, const char *stem,
                          const gnuplot_target *target, GError **error)
{
  (void)metric;
  const metric_id peak = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, p99 = METRIC_BUFFER_REASSEMBLY_P99_OCTETS;
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, plot_grouping_x(table), FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, "peak", line_chart_metric, &peak);
  line_chart_add(chart, LINE_COMPANION, "p99 of the time", line_chart_metric, &p99);
  return line_chart_draw(chart, "reassembly occupancy", "octets", VALUE_SCALE_FITTING, stem, target, error);
}

const study_plot plot_peak = {
    .name = "peak",
    .sentence = "peak and p99 of the reassembly occupancy against loss, or what else the runs vary",
    .draw = draw_peak};

/* --- Goodput against finite memory: a line at what unlimited memory gives --- */

static void add_unlimited(line_chart *chart)
{
  guint lines = chart->lines->len;
  double unlimited = g_array_index(chart->x.places, double, chart->x.places->len - 1);
  for (guint i = 0; i < lines && chart->x.last_apart; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    const line_point *last = &g_array_index(line->points, line_point, line->points->len - 1);
    if (last->place == unlimited) {
      const double points[] = {chart->x.left, last->of.mean, unlimited, last->of.mean};
      line_chart_add_reference(chart, line->panel, (int)line->style, "the same with unlimited memory", points,
                               2);
    }
  }
}

static gboolean draw_memory(const study_table *table, metric_id metric, const char *stem,
                            const gnuplot_target *target, GError **error)
{
  (void)metric;
  const metric_id goodput = METRIC_GOODPUT_BIT_PER_S;
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, SCENARIO_RECEIVER_MEMORY, TRUE), TRUE);
  line_chart_add(chart, LINE_MAIN, "goodput", line_chart_metric, &goodput);
  add_unlimited(chart);
  return line_chart_draw(chart, "goodput", "bit/s", VALUE_SCALE_FITTING, stem, target, error);
}

static const char *lack_of_memory(const study_table *table)
{
  return plot_grouping_varies(table, SCENARIO_RECEIVER_MEMORY) ? NULL : "runs that vary receiver.memory";
}

const study_plot plot_memory = {.name = "memory",
                                .sentence = "goodput against receiver.memory",
                                .lack = lack_of_memory,
                                .draw = draw_memory};

/* --- How the memory of one RNIC grows with its connections --- */

static const struct {
  metric_id metric;
  const char *label;
} formulas[] = {
    {METRIC_THEORY_BUFFER_TCP_OCTETS, "BufferSizeTCP = K·rate·delay"},
    {METRIC_THEORY_BUFFER_NAF_OCTETS, "BufferSizeNAF = K1·EMSS·n + K2·EMSS"},
    {METRIC_THEORY_BUFFER_AF_OCTETS, "BufferSizeAF = K2·EMSS"},
};

/* A formula along one line of the grouping. */
typedef struct curve {
  guint panel;
  guint line;
  GArray *points; /* double: place, value, place, value … */
} curve;

static void clear_curve(gpointer data)
{
  g_array_unref(((curve *)data)->points);
}

static gboolean same_curve(const curve *a, const curve *b)
{
  return a->points->len == b->points->len &&
         (a->points->len == 0 ||
          memcmp(a->points->data, b->points->data, a->points->len * sizeof(double)) == 0);
}

/* The curves of `metric`: curve, one a line of a panel. */
static GArray *curves_of(const line_chart *chart, metric_id metric)
{
  GArray *curves = g_array_new(FALSE, FALSE, sizeof(curve));
  g_array_set_clear_func(curves, clear_curve);
  for (guint i = 0; i < chart->groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(chart->groups.cells, plot_cell, i);
    const statistics of = study_table_statistics(cell->runs, metric);
    curve *last = curves->len > 0 ? &g_array_index(curves, curve, curves->len - 1) : NULL;
    if (last == NULL || last->panel != cell->panel || last->line != cell->line) {
      const curve next = {cell->panel, cell->line, g_array_new(FALSE, FALSE, sizeof(double))};
      g_array_append_val(curves, next);
      last = &g_array_index(curves, curve, curves->len - 1);
    }
    const double point[] = {line_chart_place(chart, cell->x), of.mean};
    g_array_append_vals(last->points, point, of.count > 0 ? G_N_ELEMENTS(point) : 0);
  }
  return curves;
}

/* Once for lines of a panel that agree in it; called by its name alone when all do. */
static void add_formula(line_chart *chart, metric_id metric, const char *name)
{
  g_autoptr(GArray) curves = curves_of(chart, metric);
  gboolean one = TRUE;
  for (guint i = 1; i < curves->len; i++) {
    one = one && same_curve(&g_array_index(curves, curve, 0), &g_array_index(curves, curve, i));
  }
  for (guint i = 0; i < curves->len; i++) {
    const curve *c = &g_array_index(curves, curve, i);
    gboolean drawn = c->points->len == 0;
    for (guint k = 0; k < i; k++) {
      const curve *before = &g_array_index(curves, curve, k);
      drawn = drawn || (before->panel == c->panel && same_curve(before, c));
    }
    if (!drawn) {
      const char *line = g_ptr_array_index(chart->groups.lines, c->line);
      g_autofree char *label = one ? g_strdup(name) : g_strdup_printf("%s (%s)", name, line);
      line_chart_add_reference(chart, c->panel, -1, label, (const double *)(gpointer)c->points->data,
                               c->points->len / 2);
    }
  }
}

static gboolean processed(const study_table *table)
{
  for (guint i = 0; i < table->runs->len; i++) {
    const metric_values *metrics = &((const study_run *)g_ptr_array_index(table->runs, i))->metrics;
    if (metrics->present[METRIC_BUFFER_PEAK_OCTETS_PROCESSING] &&
        metrics->value[METRIC_BUFFER_PEAK_OCTETS_PROCESSING] > 0) {
      return TRUE;
    }
  }
  return FALSE;
}

/* buffer.reassembly_peak_octets, with buffer.peak_octets.processing beside it where octets were processed, and in each panel the formulas of
 * mpa-01 section 11 as the runs have them (theory.*), once for lines that agree in them. */
static gboolean draw_connections(const study_table *table, metric_id metric, const char *stem,
                                 const gnuplot_target *target, GError **error)
{
  (void)metric;
  const metric_id peak = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS;
  const metric_id processing = METRIC_BUFFER_PEAK_OCTETS_PROCESSING;
  line_chart *chart =
      line_chart_new(table, plot_grouping_of(table, SCENARIO_WORKLOAD_CONNECTIONS, FALSE), TRUE);
  line_chart_add(chart, LINE_MAIN, "reassembly", line_chart_metric, &peak);
  if (processed(table)) {
    line_chart_add(chart, LINE_COMPANION, "processing", line_chart_metric, &processing);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(formulas); i++) {
    add_formula(chart, formulas[i].metric, formulas[i].label);
  }
  return line_chart_draw(chart, "peak occupancy", "octets", VALUE_SCALE_LOGARITHMIC, stem, target, error);
}

static const char *lack_of_connections(const study_table *table)
{
  return plot_grouping_varies(table, SCENARIO_WORKLOAD_CONNECTIONS) ? NULL
                                                                    : "runs that vary workload.connections";
}

const study_plot plot_connections = {
    .name = "connections",
    .sentence = "peak occupancy against workload.connections, with the formulas of mpa-01 section 11",
    .lack = lack_of_connections,
    .draw = draw_connections};

/* --- How small a middlebox may cut the stream before FPDUs can no longer be placed at once --- */

/* mpa-01 section 5: a marker of 4 octets at every 512th of the stream. */
#define MARKER_SPACING 512.0
#define MARKER_OCTETS 4.0

/* Of the curve that predicts. */
#define CURVE_POINTS 200

/* The varying key that sets the size of the middlebox's pieces; SCENARIO_KEY_COUNT: there is none. */
static scenario_key cut_key(const study_table *table)
{
  static const scenario_key keys[] = {SCENARIO_MIDDLEBOX_CHUNK, SCENARIO_MIDDLEBOX_SPLIT_SIZE,
                                      SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM, SCENARIO_MIDDLEBOX_RANDOM_MINIMUM};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (plot_grouping_varies(table, keys[i])) {
      return keys[i];
    }
  }
  return SCENARIO_KEY_COUNT;
}

static double fraction_direct(const study_run *run, gconstpointer unused)
{
  (void)unused;
  const metric_values *metrics = &run->metrics;
  gboolean has = metrics->present[METRIC_PLACEMENT_OCTETS] &&
                 metrics->present[METRIC_PLACEMENT_OCTETS_DIRECT] &&
                 metrics->value[METRIC_PLACEMENT_OCTETS] > 0;
  return has ? metrics->value[METRIC_PLACEMENT_OCTETS_DIRECT] / metrics->value[METRIC_PLACEMENT_OCTETS] : NAN;
}

/* The probability that a segment of S octets, cut at a random place of a stream with a marker of 4 octets every 512, holds a whole marker:
 * min(1, (S - 3) / 512), 0 below 4. */
static void add_prediction(line_chart *chart)
{
  chart->note =
      "dashed black: probability that a piece of S octets, cut at a random place, holds a whole marker";
  const place_axis *x = &chart->x;
  double first = g_array_index(x->places, double, x->first_apart ? 1 : 0);
  double last = g_array_index(x->places, double, x->places->len - 1);
  double points[2 * CURVE_POINTS];
  for (guint i = 0; i < CURVE_POINTS; i++) {
    double place = first + (last - first) * i / (CURVE_POINTS - 1);
    double octets = x->logarithmic ? pow(10, place) : place;
    points[2 * i] = place;
    points[2 * i + 1] = CLAMP((octets - (MARKER_OCTETS - 1)) / MARKER_SPACING, 0, 1);
  }
  for (guint panel = 0; panel < chart->groups.panels->len; panel++) {
    line_chart_add_reference(chart, panel, -1, "whole marker in S: min(1, (S−3)/512)", points, CURVE_POINTS);
  }
}

/* With add_prediction() for boxes whose pieces have one size. */
static gboolean draw_cuts(const study_table *table, metric_id metric, const char *stem,
                          const gnuplot_target *target, GError **error)
{
  (void)metric;
  scenario_key key = cut_key(table);
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, key, FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, "payload placed directly", fraction_direct, NULL);
  if (key == SCENARIO_MIDDLEBOX_CHUNK || key == SCENARIO_MIDDLEBOX_SPLIT_SIZE) {
    add_prediction(chart);
  }
  return line_chart_draw(chart, "fraction placed directly", "1", VALUE_SCALE_SHARE, stem, target, error);
}

static const char *lack_of_cuts(const study_table *table)
{
  return cut_key(table) < SCENARIO_KEY_COUNT
             ? NULL
             : "runs that vary middlebox.chunk, .split_size, .random_maximum or .random_minimum";
}

const study_plot plot_cuts = {.name = "cuts",
                              .sentence = "fraction placed directly against the size of a middlebox's cuts",
                              .lack = lack_of_cuts,
                              .draw = draw_cuts};
