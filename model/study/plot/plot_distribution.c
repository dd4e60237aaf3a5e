/* SPDX-License-Identifier: GPL-2.0-only */
/* This plots how a quantity is distributed: the share of the time the reassembly occupancy is above x; its
 * exceedance, over time and over arriving octets, down to the smallest shares; the share of the payload
 * octets that wait longer than x for Placement and for Delivery; or of the messages that are complete within
 * x. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "study/plot/plot_chart.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"

/* This is what a plot draws of each point, and its texts. */
typedef struct shown_quantity {
  struct {
    distribution_id id;
    const char *name; /* in the legend, where there are several */
  } of[2];
  guint count;          /* of them */
  guint points_max;     /* nobody distinguishes more than eight lines */
  gboolean logarithmic; /* the axis of shares */
  gboolean is_rising;   /* the shares are those up to x, and those above it on a logarithmic axis */
  const char *unit;
  const char *stem; /* of the picture of one run */
  const char *x_label;
  const char *y_label;
  const char *counted; /* what the weights count, which the legend has; NULL: it has not */
  const char *nothing; /* in the picture, when nothing lies above 0 */
  const char *metrics;
} shown_quantity;

static const shown_quantity shown_occupancy = {.of = {{DISTRIBUTION_REASSEMBLY_OCTETS, ""}},
                                               .count = 1,
                                               .points_max = 8,
                                               .unit = "octets",
                                               .stem = "distribution",
                                               .x_label = "reassembly occupancy x",
                                               .y_label = "time with occupancy above x",
                                               .nothing = "no octet was held for reassembly",
                                               .metrics = "buffer.reassembly_octets"};

static const shown_quantity shown_exceedance = {
    .of = {{DISTRIBUTION_REASSEMBLY_OCTETS, "of the time"},
           {DISTRIBUTION_REASSEMBLY_FOUND_OCTETS, "of the arriving octets"}},
    .count = 2,
    .points_max = 4,
    .logarithmic = TRUE,
    .unit = "octets",
    .x_label = "reassembly occupancy B",
    .y_label = "share with occupancy > B",
    .nothing = "no octet was held for reassembly",
    .metrics = "buffer.reassembly_octets"};

static const shown_quantity shown_delays = {
    .of = {{DISTRIBUTION_PLACEMENT_DELAY_S, "placement"}, {DISTRIBUTION_DELIVERY_DELAY_S, "delivery"}},
    .count = 2,
    .points_max = 4,
    .unit = "s",
    .stem = "delays",
    .x_label = "delay x",
    .y_label = "octets that wait longer than x",
    .nothing = "no octet waited",
    .metrics = "delay.placement_s or delay.delivery_s"};

static const shown_quantity shown_completion = {.of = {{DISTRIBUTION_MESSAGE_COMPLETION_S, ""}},
                                                .count = 1,
                                                .points_max = 8,
                                                .is_rising = TRUE,
                                                .unit = "s",
                                                .stem = "completion",
                                                .x_label = "completion time x",
                                                .y_label = "messages complete within x",
                                                .counted = "messages",
                                                .nothing = "no message took any time",
                                                .metrics = "message.completion_s"};

/* This is one line. */
typedef struct share_curve {
  char *label;          /* of its point; "": it is the only one */
  distribution samples; /* not empty */
  guint point;          /* its number: curves of one have a colour */
  guint panel;          /* from 0 */
  guint kind;           /* the quantity's number */
  const char *kind_name;
} share_curve;

static void clear_curve(gpointer data)
{
  share_curve *curve = data;
  g_free(curve->label);
  distribution_clear(&curve->samples);
}

static GArray *new_curves(void)
{
  GArray *curves = g_array_new(FALSE, FALSE, sizeof(share_curve));
  g_array_set_clear_func(curves, clear_curve);
  return curves;
}

/* Adds what `shown` has of point number `point`, called `label`: the samples of all its `runs` (each a const
 * distribution[DISTRIBUTION_COUNT]), unless there are none. */
static void add_curves(GArray *curves, const shown_quantity *shown, guint point, const char *label,
                       const GPtrArray *runs)
{
  for (guint i = 0; i < shown->count; i++) {
    share_curve curve = {.label = g_strdup(label), .point = point, .kind = i, .kind_name = shown->of[i].name};
    for (guint r = 0; r < runs->len; r++) {
      const distribution *of = g_ptr_array_index(runs, r);
      distribution_add(&curve.samples, &of[shown->of[i].id]);
    }
    g_array_append_val(curves, curve);
    if (curve.samples.count == 0) {
      g_array_set_size(curves, curves->len - 1);
    }
  }
}

static const share_curve *curve_at(const GArray *curves, guint i)
{
  return &g_array_index(curves, share_curve, i);
}

/* Returns what its samples reach to. */
static double end_of(const share_curve *curve)
{
  return curve->samples.bins[curve->samples.count - 1].bound;
}

/* --- Drawing --- */

/* From this ratio between the curves' ends on x is logarithmic in octets, beginning at this part of the
 * shortest one's. */
#define FAR_APART 6.0
#define SHORTEST_SHOWN 32

/* A tail below this share does not show on a linear axis; so little of it is shown. */
#define TAIL_SHARE 0.02
#define SMALLEST_SHARE 1e-5

static void append_share(double x, double above, gboolean rising, GString *data)
{
  g_string_append_printf(data, "%.10g %.10g\n", x, rising ? 1 - above : above);
}

/* Appends the curves, and the legend: each point has a colour, each quantity a dash; in a terminal each curve
 * a letter. */
static void append_curves(const GArray *curves, const shown_quantity *shown, gboolean rising, double from,
                          plot_chart *chart)
{
  gboolean pairs = shown->count > 1;
  g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *columns = g_strdup_printf("x (%s), share %s x", shown->unit, rising ? "up to" : "above");
  for (guint i = 0; i < curves->len; i++) {
    const share_curve *curve = curve_at(curves, i);
    g_autofree char *name =
        g_strconcat(curve->kind_name, pairs && *curve->label != '\0' ? ": " : "", curve->label, NULL);
    plot_chart_add_curve(chart, curve->panel,
                         !pairs             ? "only"
                         : curve->kind == 0 ? "first"
                                            : "second",
                         curve->point + 1, name, columns);
    /* The share before and after each bound: a step has an edge. What lies before `from`, where the axis
     * begins, has none. */
    const distribution *d = &curve->samples;
    double total = distribution_weight(d), above = total;
    gboolean begun = FALSE;
    for (size_t k = 0; k < d->count; k++) {
      if (!begun && d->bins[k].bound > from) {
        append_share(from, above / total, rising, chart->data);
        begun = TRUE;
      }
      if (begun) {
        append_share(d->bins[k].bound, above / total, rising, chart->data);
      }
      above = k + 1 < d->count ? above - d->bins[k].weight : 0; /* what rounding leaves is no share */
      append_share(d->bins[k].bound, above / total, rising, chart->data);
    }
    if (curve->point == labels->len) {
      g_autofree char *count = shown->counted != NULL && chart->panels == NULL
                                   ? g_strdup_printf("%s%.0f %s", *curve->label != '\0' ? ": " : "", total,
                                                     units_counted(total, shown->counted))
                                   : g_strdup("");
      g_ptr_array_add(labels,
                      g_strconcat(curve->label, count, end_of(curve) == 0 ? " (0 throughout)" : "", NULL));
    }
  }
  plot_chart_add_lines_legend(chart, labels, shown->of[0].name, pairs ? shown->of[1].name : NULL);
}

static gboolean draw(const GArray *curves, const GPtrArray *panels, const shown_quantity *shown,
                     const plot_request *request, const char *subtitle, const char *stem,
                     const gnuplot_target *target, GError **error)
{
  if (curves->len == 0) {
    return error_set(error,
                     "nothing to draw: no run has samples of %s; expected runs of this version of iwarpsim "
                     "that Delivered something",
                     shown->metrics);
  }
  value_extent x = {.smallest = INFINITY}, y = {.smallest = 1, .largest = 1};
  double shortest = INFINITY; /* the end of the curve that reaches least far */
  for (guint i = 0; i < curves->len; i++) {
    const distribution *d = &curve_at(curves, i)->samples;
    double end = end_of(curve_at(curves, i));
    if (end > 0) { /* else nothing of it is seen */
      x.largest = MAX(x.largest, end);
      x.smallest = MIN(x.smallest, d->bins[d->bins[0].bound == 0 ? 1 : 0].bound);
      y.smallest = MIN(y.smallest, d->bins[d->count - 1].weight / distribution_weight(d));
      shortest = MIN(shortest, end);
    }
  }
  gboolean seconds = strcmp(shown->unit, "s") == 0, rising = shown->is_rising && !request->y_log,
           far = !seconds && x.largest >= shortest * FAR_APART;
  gboolean tail = shown->logarithmic || request->y_log || (y.smallest <= TAIL_SHARE && !rising);
  const char *y_label = shown->is_rising && !rising ? "messages that take longer than x" : shown->y_label;
  x.smallest = x.largest == 0 || shown->is_rising
                   ? x.smallest
                   : MAX(x.smallest, seconds ? x.largest / 1e5 : shortest / SHORTEST_SHOWN);
  x.smallest = x.largest == 0 ? 0 : x.smallest;
  y.smallest = MAX(y.smallest, SMALLEST_SHARE);
  g_autofree char *what = g_strconcat(shown->logarithmic ? "" : "share of ", y_label, NULL);
  g_autofree char *quantity = g_strdup_printf("%s, unit %s", y_label, shown->unit);
  g_auto(plot_chart) chart = plot_chart_new("shares", target, request, what, subtitle, quantity);
  chart.x = plot_axis_limited(plot_axis_of_values(&x, shown->x_label, shown->unit,
                                                  far || shown->is_rising || request->x_log
                                                      ? VALUE_SCALE_LOGARITHMIC
                                                  : seconds ? VALUE_SCALE_FITTING
                                                            : VALUE_SCALE_LINEAR),
                              &request->x_range);
  chart.y = plot_axis_limited(
      plot_axis_of_values(&y, y_label, "1", tail ? VALUE_SCALE_LOGARITHMIC : VALUE_SCALE_SHARE),
      &request->y_range);
  chart.panels = (GPtrArray *)panels;
  gnuplot_set_text(chart.variables, "nothing", x.largest == 0 ? shown->nothing : "");
  append_curves(curves, shown, rising, chart.x.from, &chart);
  return plot_chart_draw(&chart, stem, error);
}

/* --- The points of a study --- */

/* Adds to `to` what the table of a run has of a traffic class. */
static void add_class(const run_table *table, const char *class, distribution *to)
{
  distribution of = {.count = 0};
  for (guint row = 0; row < table->rows->len; row++) {
    if (strcmp(run_table_text(table, row, "traffic_class"), class) == 0) {
      distribution_append(&of, run_table_number(table, row, "completion_s"),
                          run_table_number(table, row, "messages"));
    }
  }
  distribution_add(to, &of);
  distribution_clear(&of);
}

/* Adds what the runs of point number `point`, called `label`, have of each traffic class, of which it adds to
 * `classes` (char *) those that are new: of `in_panels` a panel each, else a line each. */
static void add_classes(GArray *curves, guint point, const char *label, const GPtrArray *runs,
                        gboolean in_panels, GPtrArray *classes)
{
  g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func((GDestroyNotify)run_table_free);
  for (guint r = 0; r < runs->len; r++) {
    run_table *table =
        run_results_table(&((const study_run *)g_ptr_array_index(runs, r))->results, "traffic_class");
    for (guint row = 0; table != NULL && row < table->rows->len; row++) {
      const char *class = run_table_text(table, row, "traffic_class");
      if (!g_ptr_array_find_with_equal_func(classes, class, g_str_equal, NULL)) {
        g_ptr_array_add(classes, g_strdup(class));
      }
    }
    g_ptr_array_add(tables, table);
  }
  for (guint c = 0; c < classes->len; c++) {
    const char *class = g_ptr_array_index(classes, c);
    share_curve curve = {.label = g_strdup(in_panels ? label : class),
                         .point = in_panels ? point : c,
                         .panel = in_panels ? c : 0,
                         .kind_name = ""};
    for (guint t = 0; t < tables->len; t++) {
      if (g_ptr_array_index(tables, t) != NULL) {
        add_class(g_ptr_array_index(tables, t), class, &curve.samples);
      }
    }
    g_array_append_val(curves, curve);
    if (curve.samples.count == 0) {
      g_array_set_size(curves, curves->len - 1);
    }
  }
}

/* Draws a line a point of the sweep, the weights of its seeds added. */
static gboolean draw_points(const study_table *table, const study_plot *plot, const plot_request *request,
                            const char *stem, const gnuplot_target *target, GError **error)
{
  const shown_quantity *shown = plot->of;
  g_auto(point_selection) selection = point_selection_of(table, shown->points_max);
  if (request->where != NULL && selection.points->len < selection.of) {
    return error_set(error, "--where leaves %u points; expected at most %u, which can be told apart",
                     selection.of, shown->points_max);
  }
  g_autoptr(GArray) curves = new_curves();
  g_autoptr(GPtrArray) classes =
      g_ptr_array_new_with_free_func(g_free); /* of traffic, where there are several */
  plot_counts counts = {0};
  for (guint i = 0; i < selection.points->len; i++) {
    const GPtrArray *runs = g_array_index(selection.points, study_point, i).runs;
    g_autoptr(GPtrArray) samples = g_ptr_array_new();
    for (guint r = 0; r < runs->len; r++) {
      g_ptr_array_add(samples, ((study_run *)g_ptr_array_index(runs, r))->results.distributions);
    }
    plot_counts_add(&counts, runs);
    if (shown == &shown_completion) {
      add_classes(curves, i, g_ptr_array_index(selection.labels, i), runs, selection.points->len > 1,
                  classes);
    }
    if (classes->len == 0) {
      add_curves(curves, shown, i, g_ptr_array_index(selection.labels, i), samples);
    }
  }
  const gboolean in_panels = classes->len > 0 && selection.points->len > 1;
  for (guint c = 0; in_panels && c < classes->len; c++) { /* the legend has no room for each line's number */
    double messages = 0;
    for (guint i = 0; i < curves->len; i++) {
      messages += curve_at(curves, i)->panel == c ? distribution_weight(&curve_at(curves, i)->samples) : 0;
    }
    char *title = g_strdup_printf("%s: %.0f %s", (const char *)classes->pdata[c], messages,
                                  units_counted(messages, shown->counted));
    g_free(classes->pdata[c]);
    classes->pdata[c] = title;
  }
  g_autofree char *of_runs = plot_runs_subtitle(table, &counts, "each line # together", "flagged");
  g_autofree char *choice = g_strdup_printf(" · %u of %u points", selection.points->len, selection.of);
  g_autofree char *subtitle = g_strconcat(of_runs, *selection.fixed != '\0' ? " · " : "", selection.fixed,
                                          selection.points->len < selection.of ? choice : NULL, NULL);
  return draw(curves, in_panels ? classes : NULL, shown, request, subtitle, stem, target, error);
}

static gboolean has_samples(const study_table *table, const study_plot *plot)
{
  const shown_quantity *shown = plot->of;
  for (guint i = 0; i < table->runs->len; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    for (guint k = 0; k < shown->count; k++) {
      if (run->results.distributions[shown->of[k].id].count > 0) {
        return TRUE;
      }
    }
  }
  return FALSE;
}

#define SHARES_PLOT .has = has_samples, .draw = draw_points, .of

const study_plot plot_distribution = {.name = "distribution",
                                      .sentence = "share of the time with a reassembly occupancy above x",
                                      .needs = "runs with samples of the occupancy",
                                      SHARES_PLOT = &shown_occupancy};

const study_plot plot_exceedance = {
    .name = "exceedance",
    .sentence = "share of the time, and of arriving octets, with a reassembly occupancy > B, log y",
    .needs = "runs with samples of the occupancy",
    SHARES_PLOT = &shown_exceedance};

const study_plot plot_delays = {
    .name = "delays",
    .sentence = "share of the payload that waits longer than x for placement and delivery",
    .needs = "runs with samples of a delay",
    SHARES_PLOT = &shown_delays};

const study_plot plot_completion = {.name = "completion",
                                    .sentence = "share of the messages that are complete within x, log x",
                                    .needs = "runs whose messages were timed",
                                    SHARES_PLOT = &shown_completion};

/* --- One run --- */

gboolean plot_distribution_of_run(const char *run_folder, gboolean delays, const plot_request *request,
                                  const gnuplot_target *target, GError **error)
{
  const shown_quantity *shown = delays ? &shown_delays : &shown_occupancy;
  g_autofree char *path = g_build_filename(run_folder, "summary.json", NULL);
  g_autoptr(summary_record) run = summary_read_json(path, error);
  if (run == NULL) {
    return FALSE;
  }
  g_autoptr(GArray) curves = new_curves();
  g_autoptr(GPtrArray) samples = g_ptr_array_new();
  g_ptr_array_add(samples, run->results.distributions);
  add_curves(curves, shown, 0, "", samples);
  g_autofree char *subtitle = plot_run_subtitle(run);
  return draw(curves, NULL, shown, request, subtitle, shown->stem, target, error);
}
