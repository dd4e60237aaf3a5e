/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the plots of a study that are line charts, each a line_plot: lines with intervals over one axis,
 * in panels; or a map, whose rows of cells are lines. A point is the mean of its runs with the 95 % interval,
 * or, in a chart of skewed data, the median with the quartiles: a symmetric interval would show what no run
 * had. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/table/result_quantity.h"

typedef enum line_look {
  LINE_MAIN,      /* filled points */
  LINE_COMPANION, /* a second quantity of the same runs: the same colour and shape, hollow points, dashed */
  LINE_OWN,       /* the bound of the main line of that style, in its colour */
  LINE_REFERENCE, /* what to compare with: black, no points, no intervals; all others lie over it */
  LINE_LOOKS
} line_look;

typedef struct line_point {
  double place;
  const char *x; /* NULL in a reference */
  statistics of; /* a reference has a mean only */
  guint flagged;
} line_point;

/* This is what is drawn of a point; NAN: no interval. */
typedef struct line_mark {
  double value, low, high;
} line_mark;

typedef struct chart_line {
  guint panel;
  guint style; /* from 0; lines of one style look alike in all panels; a companion has its main line's; the
                  place of a map's row */
  line_look look;
  GArray *points; /* line_point */
} chart_line;

/* This is what is drawn: of the runs, or of the metric that was asked for. */
typedef struct line_quantity {
  const char *name; /* "peak"; NULL: the quantity's */
  result_quantity of;
} line_quantity;

typedef struct line_chart line_chart;

typedef struct line_plot {
  const scenario_key
      *keys; /* of x, the first that varies, up to SCENARIO_KEY_COUNT; NULL: plot_grouping_x() */
  gboolean receivers_as_lines;
  gboolean is_map; /* over two keys, with a mean in each cell */
  gboolean logarithmic_x;
  line_quantity main;
  line_quantity companion;     /* without a name: there is none */
  gboolean companion_above_0;  /* and there is none unless it is above 0 in a run */
  const char *title;           /* what is drawn; NULL: the quantity */
  const char *quantity, *unit; /* of y */
  value_scale scale;
  void (*add_references)(line_chart *chart); /* NULL: none */
} line_plot;

/* This is a chart in the making. */
struct line_chart {
  plot_grouping groups;
  place_axis x;
  place_axis y;          /* of a map; else without texts */
  const char *y_name;    /* of its key */
  value_extent extent;   /* of what is appended to the data */
  plot_counts counts;    /* of the main lines */
  guint shown;           /* points of runs within the parts of the axes that were asked for */
  guint failed;          /* runs that did not end ok, at points that have no mean for it */
  GPtrArray *lines;      /* chart_line * */
  GPtrArray *references; /* char *: labels of the black references, each once; their index is their style */
  line_plot of;          /* for what was asked for */
  gboolean quartiles;    /* points are medians */
  const plot_bound *bound;
  const char *note; /* what the subtitle adds; NULL: nothing */
};

static void line_chart_clear(line_chart *chart)
{
  plot_grouping_clear(&chart->groups);
  place_axis_clear(&chart->x);
  place_axis_clear(&chart->y);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(line_chart, line_chart_clear)

/* This is the value of a size that grows. */
static const plot_bound unlimited = {.label = "unlimited", .baseline = "unlimited", .number = 1};

#define METRIC(id)                                                                                           \
  {                                                                                                          \
    .metric = (id), .whole = METRIC_COUNT                                                                    \
  }

/* --- The lines --- */

static void free_line(gpointer data)
{
  chart_line *line = data;
  g_array_unref(line->points);
  g_free(line);
}

static const chart_line *line_at(const GPtrArray *lines, guint index)
{
  return g_ptr_array_index(lines, index);
}

static chart_line *add_line(GPtrArray *lines, guint panel, guint style, line_look look)
{
  chart_line *line = g_new(chart_line, 1);
  *line = (chart_line){panel, style, look, g_array_new(FALSE, FALSE, sizeof(line_point))};
  g_ptr_array_add(lines, line);
  return line;
}

/* This stands in a cell of a map without a value. */
#define NO_VALUE "\u00d7"

/* A cell less wide than so many letters of the axes has no text: its colour has to do. In print a row of
 * cells, which hold two lines of text, has so many dots. */
enum { CELL_LETTERS = 7, CELL_HEIGHT = 120 };

/* Returns the mean of `quantity` over x: a line for each panel and line of the grouping in which a run has
 * it, or, with `all`, in any case. Where a run did not end ok it is NAN: that of the others would mislead. */
static GPtrArray *lines_of(line_chart *chart, const result_quantity *quantity, line_look look, gboolean all)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(free_line);
  chart_line *line = NULL;
  for (guint i = 0; i < chart->groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(chart->groups.cells, plot_cell, i);
    g_autoptr(GPtrArray) runs = g_ptr_array_new();
    g_autofree double *values = g_new(double, cell->runs->len);
    line_point point = {.place =
                            g_array_index(chart->x.drawn.tics, double, place_axis_index(&chart->x, cell->x)),
                        .x = cell->x};
    const study_run *first = g_ptr_array_index(cell->runs, 0);
    guint failed = 0,
          style = chart->of.is_map ? place_axis_index(&chart->y, first->keys[chart->y.key]) : cell->line;
    for (guint r = 0; r < cell->runs->len; r++) {
      const study_run *run = g_ptr_array_index(cell->runs, r);
      failed += run->status != RUN_OK && look < LINE_OWN; /* a formula is known of any run */
      if (result_quantity_value(quantity, &run->results, &values[runs->len])) {
        point.flagged += run->flags != 0 ? 1 : 0;
        g_ptr_array_add(runs, (gpointer)run);
      }
    }
    gboolean continues = line != NULL && line->panel == cell->panel && line->style == style;
    if (!continues) {
      line = all || runs->len > 0 || failed > 0 ? add_line(lines, cell->panel, style, look) : NULL;
    }
    if (line == NULL) {
      continue;
    }
    if (failed > 0 || (chart->of.is_map && runs->len == 0)) {
      chart->counts.empty = failed == 0 ? NO_VALUE : NULL;
      point.of = (statistics){.count = failed, .mean = NAN, .lower = NAN, .upper = NAN};
      g_array_append_val(line->points, point);
      chart->failed += look == LINE_MAIN ? failed : 0;
    } else if (runs->len > 0) {
      point.of = quantity->given != NULL ? result_quantity_statistics(quantity, runs)
                                         : statistics_of(values, runs->len);
      g_array_append_val(line->points, point);
    }
    if (failed == 0 && runs->len > 0 && look == LINE_MAIN) {
      plot_counts_add(&chart->counts, runs);
      chart->counts.unsteady += result_quantity_unsteady(quantity, runs);
    }
  }
  return lines;
}

/* From this distance of mean and median on, in deviations, a line is skewed: of 8 values of an exponential
 * distribution it is 0.27, of a normal one 0. */
#define SKEWED 0.25

/* The median of fewer runs has not much to do with their mean. */
#define QUARTILES_OF 4

/* Returns whether one of `lines` is, on the average of its points, or has an interval that reaches 0 where no
 * value does. */
static gboolean are_skewed(const GPtrArray *lines)
{
  gboolean skewed = FALSE;
  for (guint i = 0; i < lines->len; i++) {
    double sum = 0;
    guint points = 0;
    for (guint k = 0; k < line_at(lines, i)->points->len; k++) {
      const statistics *of = &g_array_index(line_at(lines, i)->points, line_point, k).of;
      skewed = skewed || (of->count > 2 && of->lower <= 0 && of->smallest > 0);
      if (of->count >= QUARTILES_OF && of->deviation > 0) {
        sum += (of->mean - of->median) / of->deviation;
        points++;
      }
    }
    skewed = skewed || fabs(sum) > SKEWED * points;
  }
  return skewed;
}

static line_mark mark_of(const line_chart *chart, const line_point *point)
{
  const statistics *of = &point->of;
  if (of->count < 2 || point->x == NULL) {
    return (line_mark){of->mean, NAN, NAN};
  }
  return chart->quartiles ? (line_mark){of->median, of->lower_quartile, of->upper_quartile}
                          : (line_mark){of->mean, of->lower, of->upper};
}

static void add_point(const chart_line *reference, double place, double value)
{
  const line_point point = {.place = place,
                            .of = {.count = 1, .mean = value, .deviation = NAN, .half_width = NAN}};
  g_array_append_val(reference->points, point);
}

/* A black one called `label`, without points. */
static const chart_line *add_reference(line_chart *chart, guint panel, const char *label)
{
  guint style;
  if (!g_ptr_array_find_with_equal_func(chart->references, label, g_str_equal, &style)) {
    style = chart->references->len;
    g_ptr_array_add(chart->references, g_strdup(label));
  }
  return add_line(chart->lines, panel, style, LINE_REFERENCE);
}

/* --- What to compare with --- */

/* Adds the bound across each main line that has it. */
static void add_bounds(line_chart *chart)
{
  guint lines = chart->lines->len;
  for (guint i = 0; i < lines; i++) {
    const chart_line *line = line_at(chart->lines, i);
    double bound = chart->bound->baseline == NULL ? chart->bound->number : NAN;
    for (guint k = 0; k < line->points->len && chart->bound->baseline != NULL; k++) {
      const line_point *point = &g_array_index(line->points, line_point, k);
      bound = strcmp(point->x, chart->bound->baseline) == 0
                  ? mark_of(chart, point).value * chart->bound->number
                  : bound;
    }
    if (line->look == LINE_MAIN && !isnan(bound)) {
      const chart_line *reference = add_line(chart->lines, line->panel, line->style, LINE_OWN);
      add_point(reference, chart->x.drawn.from, bound);
      add_point(reference, chart->x.drawn.to, bound);
    }
  }
}

/* Returns its places and means as a text, by which curves are compared. Free with g_free(). */
static char *curve_text(const chart_line *line)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < line->points->len; i++) {
    const line_point *point = &g_array_index(line->points, line_point, i);
    g_string_append_printf(text, " %a %a", point->place, point->of.mean);
  }
  return g_string_free(text, FALSE);
}

/* Adds the formulas of mpa-01 section 11 as the runs have them, once for lines of a panel that agree in one;
 * called by its name alone when all do. */
static void add_formulas(line_chart *chart)
{
  static const struct {
    result_quantity of;
    const char *name;
  } formulas[] = {
      {METRIC(METRIC_THEORY_BUFFER_TCP_OCTETS), "BufferSizeTCP = K·rate·delay"},
      {METRIC(METRIC_THEORY_BUFFER_NAF_OCTETS), "BufferSizeNAF = K1·EMSS·n + K2·EMSS"},
      {METRIC(METRIC_THEORY_BUFFER_AF_OCTETS), "BufferSizeAF = K2·EMSS"},
  };
  for (gsize f = 0; f < G_N_ELEMENTS(formulas); f++) {
    g_autoptr(GPtrArray) curves = lines_of(chart, &formulas[f].of, LINE_REFERENCE, TRUE);
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < curves->len; i++) {
      g_hash_table_add(values, curve_text(line_at(curves, i)));
    }
    gboolean one = g_hash_table_size(values) <= 1;
    for (guint i = 0; i < curves->len; i++) {
      const chart_line *curve = line_at(curves, i);
      g_autofree char *text = curve_text(curve);
      gboolean first = g_hash_table_add(seen, g_strdup_printf("%u:%s", curve->panel, text));
      const char *line = g_ptr_array_index(chart->groups.lines, curve->style);
      g_autofree char *label =
          one ? g_strdup(formulas[f].name) : g_strdup_printf("%s (%s)", formulas[f].name, line);
      if (first && curve->points->len > 0) {
        const chart_line *reference = add_reference(chart, curve->panel, label);
        for (guint p = 0; p < curve->points->len; p++) {
          const line_point *point = &g_array_index(curve->points, line_point, p);
          add_point(reference, point->place, point->of.mean);
        }
      }
    }
  }
}

/* mpa-01 section 5 has a marker of 4 octets at every 512th of the stream. */
#define MARKER_SPACING 512.0
#define MARKER_OCTETS 4.0

/* These are the points of the curve that predicts. */
#define CURVE_POINTS 200

/* For boxes whose pieces have one size, the probability that a segment of S octets, cut at a random place of
 * a stream with a marker of 4 octets every 512, holds a whole marker: min(1, (S - 3) / 512), 0 below 4. */
static void add_prediction(line_chart *chart)
{
  const place_axis *x = &chart->x;
  if (x->key != SCENARIO_MIDDLEBOX_CHUNK && x->key != SCENARIO_MIDDLEBOX_SPLIT_SIZE) {
    return;
  }
  chart->note =
      "dashed black: probability that a piece of S octets, cut at a random place, holds a whole marker";
  double first = g_array_index(x->drawn.tics, double, x->first_apart ? 1 : 0);
  double last = g_array_index(x->drawn.tics, double, x->drawn.tics->len - 1);
  for (guint panel = 0; panel < chart->groups.panels->len; panel++) {
    const chart_line *reference = add_reference(chart, panel, "whole marker in S: min(1, (S−3)/512)");
    for (guint i = 0; i < CURVE_POINTS; i++) {
      const double part = (double)i / (CURVE_POINTS - 1);
      double octets = x->drawn.base > 0 ? first * pow(last / first, part) : first + (last - first) * part;
      add_point(reference, octets, CLAMP((octets - (MARKER_OCTETS - 1)) / MARKER_SPACING, 0, 1));
    }
  }
}

/* Adds to a mean occupancy what the delays of the routes alone let a receiver hold, where packets are
 * sprayed. */
static void add_spraying(line_chart *chart)
{
  static const plot_bound of_delays = {.label = "formula: the delays of the routes"};
  const chart_line *line = NULL;
  for (guint i = 0; i < chart->groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(chart->groups.cells, plot_cell, i);
    g_autoptr(scenario) s = study_run_scenario(g_ptr_array_index(cell->runs, 0));
    const double octets = s != NULL ? scenario_spray_octets(s) : (double)NAN;
    if (isnan(octets)) {
      continue;
    }
    if (line == NULL || line->panel != cell->panel || line->style != cell->line) {
      line = add_line(chart->lines, cell->panel, cell->line, LINE_OWN);
      chart->bound = &of_delays;
    }
    add_point(line, g_array_index(chart->x.drawn.tics, double, place_axis_index(&chart->x, cell->x)), octets);
  }
}

/* --- Panels that show the same --- */

/* Panels that are identical, as where all is 0, become one with the titles of all. */
static void join_panels(line_chart *chart)
{
  GPtrArray *titles = chart->groups.panels;
  g_autoptr(GPtrArray) shown = g_ptr_array_new_with_free_func(g_free); /* all that each shows, as a text */
  for (guint panel = 0; panel < titles->len; panel++) {
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < chart->lines->len; i++) {
      const chart_line *line = line_at(chart->lines, i);
      g_autofree char *curve = curve_text(line);
      if (line->panel == panel) {
        g_string_append_printf(text, "%d %u:%s\n", line->look, line->style, curve);
      }
    }
    g_ptr_array_add(shown, g_string_free(text, FALSE));
  }
  for (guint panel = titles->len; panel-- > 1;) {
    guint same;
    g_ptr_array_find_with_equal_func(shown, shown->pdata[panel], g_str_equal, &same); /* it is there itself */
    if (same == panel) {
      continue;
    }
    char *joined = g_strconcat(g_ptr_array_index(titles, same), "; ", g_ptr_array_index(titles, panel), NULL);
    g_free(titles->pdata[same]);
    titles->pdata[same] = joined;
    g_ptr_array_remove_index(titles, panel);
    for (guint i = chart->lines->len; i-- > 0;) {
      chart_line *line = g_ptr_array_index(chart->lines, i);
      if (line->panel == panel) {
        g_ptr_array_remove_index(chart->lines, i);
      } else {
        line->panel -= line->panel > panel;
      }
    }
    chart->note =
        chart->note != NULL ? chart->note : "identical panels are drawn once, with the titles of all";
  }
}

/* --- Drawing --- */

static gboolean is_within(const plot_range *range, double value)
{
  return range->from >= range->to || (value >= range->from && value <= range->to);
}

/* Appends it as a curve, and to the extent of y. */
static void append_line(line_chart *chart, const chart_line *line, plot_chart *drawn)
{
  gboolean refers = line->look >= LINE_OWN, is_map = chart->of.is_map,
           pairs = chart->of.companion.name != NULL;
  const char *const looks[LINE_LOOKS] = {is_map  ? "row"
                                         : pairs ? "first"
                                                 : "only",
                                         "second", "own", "reference"};
  const line_quantity *of = line->look == LINE_MAIN ? &chart->of.main : &chart->of.companion;
  const GPtrArray *labels = line->look == LINE_REFERENCE ? chart->references : chart->groups.lines;
  const char *panel = g_ptr_array_index(chart->groups.panels, line->panel);
  g_autofree char *label =
      is_map
          ? study_label_of(chart->y.key, chart->y_name, g_ptr_array_index(chart->y.texts, line->style))
          : g_strdup(line->look == LINE_OWN ? chart->bound->label : g_ptr_array_index(labels, line->style));
  g_autofree char *curve = g_strconcat(panel, *panel != '\0' ? ": " : "", refers ? "" : of->name,
                                       *label != '\0' && !refers ? ": " : "", label, NULL);
  plot_chart_add_curve(drawn, line->panel, looks[line->look], line->style + 1, curve,
                       chart->quartiles ? "place_on_x runs median lower_quartile upper_quartile flagged x"
                                        : "place_on_x runs mean low high flagged x");
  const GArray *places = chart->x.drawn.tics;
  double last = g_array_index(places, double, places->len - 1);
  /* Lines stand a little beside each other on words, or their intervals would hide one another. Beside its
   * number a value would be another one's. */
  guint lines = chart->groups.lines->len;
  double step = MIN(0.012, 0.06 / lines) * (chart->x.drawn.to - chart->x.drawn.from);
  double shift = refers || is_map || chart->x.numeric ? 0 : (line->style - (lines - 1) / 2.0) * step;
  for (guint i = 0; i < line->points->len; i++) {
    const line_point *point = &g_array_index(line->points, line_point, i);
    const line_mark mark = mark_of(chart, point);
    if (!isnan(mark.value)) {
      value_extent_add(&chart->extent, mark.value, is_map ? NAN : mark.high - mark.value);
      chart->shown += !refers && is_within(&drawn->request->x_range, point->place) &&
                      is_within(&drawn->request->y_range, mark.value);
    }
    if (chart->x.last_apart && point->x != NULL && point->place == last && i > 0) {
      g_string_append_c(drawn->data, '\n'); /* no line across a gap in the axis */
    }
    /* gnuplot reads the columns before it only, so its blanks do no harm; a line end would */
    g_autofree char *x = gnuplot_comment(point->x != NULL ? point->x : "-");
    g_string_append_printf(drawn->data, "%.10g %zu %.10g %.10g %.10g %u %s\n", point->place + shift,
                           point->of.count, mark.value, mark.low, mark.high, point->flagged, x);
    if (chart->x.first_apart && point->x != NULL && point->place == g_array_index(places, double, 0)) {
      g_string_append_c(drawn->data, '\n');
    }
  }
}

/* Appends the lines, those below others first, and the legend. */
static void append_lines(line_chart *chart, plot_chart *drawn)
{
  gboolean has[LINE_LOOKS] = {FALSE};
  for (line_look look = LINE_LOOKS; look-- > 0;) {
    for (guint i = 0; i < chart->lines->len; i++) {
      if (line_at(chart->lines, i)->look == look) {
        append_line(chart, line_at(chart->lines, i), drawn);
        has[look] = TRUE;
      }
    }
  }
  if (chart->of.is_map) {
    return;
  }
  plot_chart_add_lines_legend(drawn, chart->groups.lines, chart->of.main.name, chart->of.companion.name);
  if (has[LINE_OWN]) {
    plot_chart_add_legend(drawn, "own", 0, chart->bound->label);
  }
  for (guint i = 0; i < chart->references->len; i++) {
    plot_chart_add_legend(drawn, "reference", i + 1, g_ptr_array_index(chart->references, i));
  }
  if (chart->counts.flagged > 0 && drawn->target->format != GNUPLOT_TERM) {
    plot_chart_add_legend(drawn, "ring", 0, "flagged");
  }
  if (chart->failed > 0) {
    plot_chart_add_legend(drawn, "cross", 0, "runs did not end ok");
  }
}

/* Returns the key of x; SCENARIO_KEY_COUNT: none of them varies. */
static scenario_key key_of_x(const study_table *table, const line_plot *of, const plot_request *request)
{
  const scenario_key *key = request->x == NULL ? of->keys : NULL;
  while (key != NULL && *key < SCENARIO_KEY_COUNT && !plot_grouping_varies(table, *key)) {
    key++;
  }
  return key != NULL ? *key : plot_grouping_x(table, request);
}

static gboolean varies(const study_table *table, const study_plot *plot)
{
  return key_of_x(table, plot->of, &(const plot_request){0}) != SCENARIO_KEY_COUNT;
}

/* Lines and panels beyond these, where they were asked for, are not distinguished: each line has a form of
 * points of its own. */
enum { PANELS_MAX = 12 };

static gboolean check_request(const line_chart *chart, const study_table *table, const plot_request *request,
                              GError **error)
{
  gboolean asked = request->series != NULL || request->panels != NULL;
  guint lines = chart->groups.lines->len, panels = chart->groups.panels->len;
  return (!asked || chart->of.is_map || lines <= PLOT_LINES_MAX ||
          error_set(error,
                    "%u series: at most %d can be told apart; choose among them with --where, or make panels "
                    "of a key",
                    lines, PLOT_LINES_MAX)) &&
         ((!asked && !chart->of.is_map) || panels <= PANELS_MAX ||
          error_set(error, "%u panels: at most %d can be read; choose among them with --where", panels,
                    PANELS_MAX)) &&
         (chart->counts.runs > 0 ||
          error_set(error, "nothing to draw: no run has a value of %s", chart->of.main.name)) &&
         (!request->x_log || chart->x.drawn.base > 0 ||
          error_set(error, "--xlog: %s has no numbers above 0 in these runs",
                    study_keys_name(chart->x.key, table->axes)));
}

static plot_axis plot_axis_take(plot_axis *axis)
{
  plot_axis taken = *axis;
  *axis = (plot_axis){.name = NULL};
  return taken;
}

/* Draws what it has now. */
static gboolean draw_chart(line_chart *chart, const study_table *table, const plot_request *request,
                           const char *stem, const gnuplot_target *target, GError **error)
{
  const line_plot *of = &chart->of;
  const char *key = study_keys_name(chart->x.key, table->axes);
  const char *mark = of->is_map ? "asterisk" : target->format == GNUPLOT_TERM ? "flagged" : "ringed";
  g_autofree char *runs = plot_runs_subtitle(
      table, &chart->counts,
      chart->quartiles ? "median of # each with quartiles" : "mean of # each with 95\u00a0% interval", mark);
  g_autofree char *subtitle = g_strjoin(" · ", runs, chart->note, NULL);
  g_autofree char *shown = g_strdup_printf("%s, unit %s; place_on_x: %s", of->main.name, of->unit, key);
  g_autofree char *what = g_strjoin("", of->title != NULL ? of->title : of->quantity, " over ",
                                    study_table_words(table, chart->x.key, NULL), of->is_map ? " and " : NULL,
                                    of->is_map ? study_table_words(table, chart->y.key, NULL) : NULL, NULL);
  g_auto(plot_chart) drawn =
      plot_chart_new(of->is_map ? "heat-map" : "lines", target, request, what, subtitle, shown);
  drawn.panels = chart->groups.panels;
  drawn.x_numeric = chart->x.numeric;
  append_lines(chart, &drawn);
  if (request->y_log && strcmp(of->unit, "octets") != 0 &&
      (chart->extent.has_zero || chart->extent.least < 0)) {
    return error_set(error, "--ylog: %s has values that are not above 0", of->main.name);
  }
  chart->x.drawn = plot_axis_limited(chart->x.drawn, &request->x_range);
  const value_scale scale = request->y_log ? VALUE_SCALE_LOGARITHMIC
                            : request->bound != NULL
                                ? VALUE_SCALE_LINEAR /* a bound is a share of what is read */
                                : of->scale;
  g_auto(plot_axis) values = plot_axis_limited(
      plot_axis_of_values(&chart->extent, of->quantity, of->unit, scale), &request->y_range);
  if (chart->shown == 0) {
    return error_set(error, "no value lies within --xrange and --yrange");
  }
  if (of->is_map) {
    drawn.y = plot_axis_take(&chart->y.drawn);
    drawn.colour_box = target->format != GNUPLOT_TERM;
    drawn.panel_letters = CELL_LETTERS * chart->x.texts->len;
    drawn.panel_height = CELL_HEIGHT * chart->y.texts->len;
    gnuplot_set_number(drawn.variables, "cell_letters", CELL_LETTERS);
    gnuplot_set_number(drawn.variables, "octets", strcmp(of->unit, "octets") == 0);
    plot_axis_append(&values, "cb", drawn.variables);
  } else {
    drawn.y = plot_axis_take(&values);
    gnuplot_set_number(drawn.variables, "lines", chart->groups.lines->len);
  }
  drawn.x = plot_axis_take(&chart->x.drawn);
  return plot_chart_draw(&drawn, stem, error);
}

/* Ranks keys by where a key comes among those of a map: loss and MTU first, last the kind of receiver. */
static int compare_ranks(gconstpointer a, gconstpointer b)
{
  int ranks[2];
  for (int i = 0; i < 2; i++) {
    scenario_key key = *(const scenario_key *)(i == 0 ? a : b);
    ranks[i] = key == SCENARIO_PATH_FORWARD_LOSS                              ? 0
               : key == SCENARIO_PATH_FORWARD_MTU                             ? 1
               : key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS ? 3
                                                                              : 2;
  }
  return ranks[0] - ranks[1];
}

/* Chooses the key of x, and of a map that of y, and what they leave as panels and lines. FALSE and `error`
 * when there are none. */
static gboolean group_runs(line_chart *chart, const study_table *table, const study_plot *plot,
                           const plot_request *request, GError **error)
{
  const line_plot *of = plot->of;
  scenario_key x = key_of_x(table, of, request), y = SCENARIO_KEY_COUNT;
  if (of->is_map) { /* those that were asked for, and of the others the first two */
    g_autoptr(GArray) keys = study_table_keys(table);
    g_array_sort(keys, compare_ranks);
    x = request->x != NULL ? *request->x : SCENARIO_KEY_COUNT;
    y = request->series != NULL ? g_array_index(request->series, scenario_key, 0) : SCENARIO_KEY_COUNT;
    for (guint i = 0; i < keys->len; i++) {
      scenario_key key = g_array_index(keys, scenario_key, i);
      gboolean taken = key == x || key == y || study_keys_have(request->panels, key);
      scenario_key *place = x == SCENARIO_KEY_COUNT ? &x : &y;
      *place = taken || *place != SCENARIO_KEY_COUNT ? *place : key;
    }
    if (request->series != NULL && request->series->len > 1) {
      error_set(error, "a heat map has one key on y; expected --series with one key");
      return FALSE;
    }
    if (y == SCENARIO_KEY_COUNT) {
      error_set(error, "a heat map needs two keys that vary beside those of --panel");
      return FALSE;
    }
  }
  if (x == SCENARIO_KEY_COUNT) {
    error_set(error, "nothing to draw %s over: expected runs that vary a key beside run.seed%s", plot->name,
              request->where != NULL ? " and meet --where" : "");
    return FALSE;
  }
  g_autoptr(GArray) rows = g_array_append_val(g_array_new(FALSE, FALSE, sizeof(scenario_key)), y);
  const plot_request by_row = {.series = rows, .panels = NULL};
  chart->x = of->is_map ? place_axis_of_cells(table, x)
                        : place_axis_of(table, x, of->logarithmic_x || request->x_log);
  if (of->is_map) {
    chart->y = place_axis_of_cells(table, y);
    chart->y_name = study_keys_name(y, table->axes);
  }
  return plot_grouping_make(table, x, of->is_map ? &by_row : request, of->receivers_as_lines, &chart->groups,
                            error);
}

static gboolean draw_lines(const study_table *table, const study_plot *plot, const plot_request *request,
                           const char *stem, const gnuplot_target *target, GError **error)
{
  const line_plot *of = plot->of;
  const result_quantity *asked = request->quantity;
  /* Of a size that is too small, runs do not come to an end: that is a finding. */
  g_autoptr(GPtrArray) all = study_table_with_others(table);
  study_table whole = *table;
  if (key_of_x(table, of, request) == SCENARIO_RECEIVER_MEMORY || request->bound != NULL) {
    whole.runs = all;
    table = &whole;
  }
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(free_line);
  g_autoptr(GPtrArray) references = g_ptr_array_new_with_free_func(g_free);
  g_auto(line_chart) chart = {.lines = lines,
                              .references = references,
                              .y.key = SCENARIO_KEY_COUNT,
                              .of = *of,
                              .bound = request->bound != NULL ? request->bound : &unlimited};
  if (!group_runs(&chart, table, plot, request, error)) {
    return FALSE;
  }
  chart.counts.words = asked != NULL && asked->given != NULL ? asked->given->words : NULL;
  g_autofree char *name = asked != NULL ? result_quantity_name(asked) : NULL;
  g_autofree char *words = asked != NULL ? result_quantity_words(asked) : NULL;
  g_autofree char *unit = asked != NULL ? result_quantity_unit(asked) : NULL;
  if (asked != NULL) {
    chart.of = (line_plot){
        .main = {name, *asked}, .quantity = words, .unit = unit, .scale = of->scale, .is_map = of->is_map};
  } else if (of->companion_above_0 &&
             !(result_quantity_statistics(&of->companion.of, table->runs).largest > 0)) {
    chart.of.companion.name = NULL;
  }
  g_ptr_array_extend_and_steal(lines, lines_of(&chart, &chart.of.main.of, LINE_MAIN, of->is_map));
  chart.quartiles = !of->is_map && are_skewed(lines);
  if (chart.of.companion.name != NULL) {
    g_ptr_array_extend_and_steal(lines, lines_of(&chart, &chart.of.companion.of, LINE_COMPANION, FALSE));
  }
  if (chart.of.add_references != NULL) {
    chart.of.add_references(&chart);
  } else if (asked != NULL && !of->is_map && strcmp(name, "buffer.reassembly_mean_octets") == 0) {
    add_spraying(&chart);
  } else if (!of->is_map) {
    add_bounds(&chart);
  }
  if (!check_request(&chart, table, request, error)) {
    return FALSE;
  }
  join_panels(&chart);
  return draw_chart(&chart, table, request, stem, target, error);
}

/* --- The plots --- */

#define LINE_PLOT .has = varies, .draw = draw_lines, .takes_keys = TRUE, .of = &(const line_plot)

const study_plot plot_metric = {.name = "metric",
                                .sentence =
                                    "any metric, share or quantile (--metric NAME) against what varies",
                                .needs = "runs that vary a key beside run.seed",
                                LINE_PLOT{.main = {"peak", METRIC(METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)},
                                          .quantity = "reassembly occupancy",
                                          .unit = "octets"}};

const study_plot plot_peak = {
    .name = "peak",
    .sentence = "peak and p99 of the reassembly occupancy against loss, or what else the runs vary",
    .needs = "runs that vary a key beside run.seed",
    LINE_PLOT{.main = {"peak", METRIC(METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)},
              .companion = {"p99", METRIC(METRIC_BUFFER_REASSEMBLY_P99_OCTETS)},
              .title = "peak and p99 of the reassembly occupancy",
              .quantity = "reassembly occupancy",
              .unit = "octets"}};

static gboolean has_two_keys(const study_table *table, G_GNUC_UNUSED const study_plot *plot)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  return keys->len >= 2;
}

/* Means over two keys: a panel for each combination of the others. */
const study_plot plot_heat_map = {
    .name = "heat-map",
    .sentence = "peak of the reassembly occupancy, or --metric, over two keys, such as loss and MTU",
    .needs = "two keys that vary",
    .has = has_two_keys,
    .draw = draw_lines,
    .takes_keys = TRUE,
    .of = &(const line_plot){.is_map = TRUE,
                             .main = {"peak", METRIC(METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)},
                             .title = "peak of the reassembly occupancy",
                             .quantity = "peak",
                             .unit = "octets"}};

const study_plot plot_memory = {
    .name = "memory",
    .sentence = "goodput against receiver.memory",
    .needs = "runs that vary receiver.memory",
    LINE_PLOT{.keys = (const scenario_key[]){SCENARIO_RECEIVER_MEMORY, SCENARIO_KEY_COUNT},
              .receivers_as_lines = TRUE,
              .logarithmic_x = TRUE,
              .main = {"goodput", METRIC(METRIC_GOODPUT_BIT_PER_S)},
              .quantity = "goodput",
              .unit = "bit/s"}};

/* This shows how the memory of one RNIC grows with its connections. */
const study_plot plot_connections = {
    .name = "connections",
    .sentence = "peak occupancy against workload.connections, with the formulas of mpa-01 section 11",
    .needs = "runs that vary workload.connections",
    LINE_PLOT{.keys = (const scenario_key[]){SCENARIO_WORKLOAD_CONNECTIONS, SCENARIO_KEY_COUNT},
              .logarithmic_x = TRUE,
              .main = {"reassembly", METRIC(METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)},
              .companion = {"processing", METRIC(METRIC_BUFFER_PEAK_OCTETS_PROCESSING)},
              .companion_above_0 = TRUE,
              .quantity = "peak occupancy",
              .unit = "octets",
              .scale = VALUE_SCALE_LOGARITHMIC,
              .add_references = add_formulas}};

/* This shows how small a middlebox may cut the stream before FPDUs can no longer be placed at once. */
const study_plot plot_cuts = {
    .name = "cuts",
    .sentence = "fraction placed directly against the size of a middlebox's cuts",
    .needs = "runs that vary middlebox.chunk, .split_size, .random_maximum or .random_minimum",
    LINE_PLOT{.keys = (const scenario_key[]){SCENARIO_MIDDLEBOX_CHUNK, SCENARIO_MIDDLEBOX_SPLIT_SIZE,
                                             SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM,
                                             SCENARIO_MIDDLEBOX_RANDOM_MINIMUM, SCENARIO_KEY_COUNT},
              .main = {"payload placed directly",
                       {.metric = METRIC_PLACEMENT_OCTETS_DIRECT, .whole = METRIC_PLACEMENT_OCTETS}},
              .quantity = "fraction placed directly",
              .unit = "1",
              .scale = VALUE_SCALE_SHARE,
              .add_references = add_prediction}};
