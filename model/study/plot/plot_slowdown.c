/* SPDX-License-Identifier: GPL-2.0-only */
/* This plots the slowdown of messages by their size: median and p99 of each size class, a line a point of the
 * study, or, of one point, a line a traffic class; of several of both, classes are panels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scenario/configuration.h"
#include "study/plot/plot_chart.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"

/* Each line is two, of p99 and of the median. */
enum { POINTS_MAX = 5, CLASSES_MAX = 6 };

/* These are the runs of a line, as tables. */
typedef struct slowdown_line {
  const char *label, *class; /* of traffic */
  guint panel, style;        /* both from 0 */
  const GPtrArray *tables;   /* run_table, of its runs */
  guint flagged;             /* of these */
  double processor_sharing;  /* NAN: there is no such line */
} slowdown_line;

/* --- What the runs have --- */

/* Returns the texts of `column` in the rows of the tables, each once, in the order of the first table that
 * has it. Free with g_ptr_array_unref(); the texts are the tables'. */
static GPtrArray *texts_of(const GPtrArray *tables, const char *column)
{
  GPtrArray *texts = g_ptr_array_new();
  for (guint t = 0; t < tables->len; t++) {
    const run_table *table = g_ptr_array_index(tables, t);
    for (guint row = 0; row < table->rows->len; row++) {
      const char *text = run_table_text(table, row, column);
      if (strcmp(text, "all") != 0 && !g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
        g_ptr_array_add(texts, (gpointer)text);
      }
    }
  }
  return texts;
}

static int compare_sizes(gconstpointer a, gconstpointer b)
{
  const uint64_t sizes[] = {result_size_class_octets(*(const char *const *)a),
                            result_size_class_octets(*(const char *const *)b)};
  return (sizes[0] > sizes[1]) - (sizes[0] < sizes[1]);
}

/* Returns the number in `column` of the row of a class and a size class; NAN: there is none. */
static double number_of(const run_table *table, const char *class, const char *size, const char *column)
{
  double number = NAN;
  for (guint row = 0; row < table->rows->len; row++) {
    if (strcmp(run_table_text(table, row, "class"), class) == 0 &&
        strcmp(run_table_text(table, row, "size_class"), size) == 0) {
      number = run_table_number(table, row, column);
    }
  }
  return number;
}

/* Returns the mean slowdown of every size where a link serves all its messages at equal rates; NAN: the run's
 * do not come by chance, or at a load that is too much. */
static double processor_sharing_of(const study_run *run)
{
  g_autoptr(scenario) s = study_run_scenario(run);
  const double load = s != NULL ? configuration_poisson_load(scenario_configuration(s)) : (double)NAN;
  return load < 1 ? 1 / (1 - load) : (double)NAN;
}

/* --- Drawing --- */

/* Appends the line of a quantile, if there is one: for each of `sizes` (char *) the mean of the runs that
 * have it, with its interval; and counts in `*too_few` the sizes whose messages are too few for it. */
static void append_quantile(const slowdown_line *line, gboolean is_median, const GPtrArray *sizes,
                            plot_chart *chart, value_extent *extent, guint *too_few)
{
  const char *name = is_median ? "median" : "p99", *column = is_median ? "slowdown_p50" : "slowdown_p99";
  g_autofree char *called = g_strconcat(name, *line->label != '\0' ? ": " : "", line->label, NULL);
  g_autofree double *values = g_new(double, line->tables->len);
  gboolean begun = FALSE; /* gnuplot does not count a curve without a row */
  for (guint i = 0; i < sizes->len; i++) {
    const char *size = g_ptr_array_index(sizes, i);
    gsize count = 0;
    double messages = 0;
    for (guint t = 0; t < line->tables->len; t++) {
      const run_table *table = g_ptr_array_index(line->tables, t);
      const double value = number_of(table, line->class, size, column);
      messages += fmax(number_of(table, line->class, size, "count"), 0); /* fmax() leaves NAN out */
      values[count] = value;
      count += !isnan(value);
    }
    *too_few += count == 0 && messages > 0;
    if (count == 0) {
      continue;
    }
    if (!begun) {
      plot_chart_add_curve(chart, line->panel, is_median ? "second" : "first", line->style + 1, called,
                           "place_on_x runs mean low high flagged size_class");
      begun = TRUE;
    }
    const statistics of = statistics_of(values, count);
    value_extent_add(extent, of.mean, count > 1 ? of.half_width : (double)NAN);
    g_string_append_printf(chart->data, "%u %zu %.10g %.10g %.10g %u %s\n", i + 1, count, of.mean,
                           count > 1 ? of.lower : (double)NAN, count > 1 ? of.upper : (double)NAN,
                           line->flagged, size);
  }
}

/* Appends the lines of processor sharing, those of a panel at one height once. */
static void append_processor_sharing(const GArray *lines, guint sizes, plot_chart *chart,
                                     value_extent *extent)
{
  gboolean any = FALSE;
  for (guint i = 0; i < lines->len; i++) {
    const slowdown_line *line = &g_array_index(lines, slowdown_line, i);
    gboolean drawn = isnan(line->processor_sharing);
    for (guint k = 0; k < i; k++) {
      const slowdown_line *before = &g_array_index(lines, slowdown_line, k);
      drawn = drawn || (before->panel == line->panel && before->processor_sharing == line->processor_sharing);
    }
    if (!drawn) {
      any = TRUE;
      plot_chart_add_curve(chart, line->panel, "own", line->style + 1, "processor sharing: 1/(1 − load)",
                           "place_on_x runs value low high flagged size_class");
      g_string_append_printf(chart->data, "0.5 0 %.10g nan nan 0 -\n%.1f 0 %.10g nan nan 0 -\n",
                             line->processor_sharing, sizes + 0.5, line->processor_sharing);
      value_extent_add(extent, line->processor_sharing, NAN);
    }
  }
  if (any) {
    plot_chart_add_legend(chart, "own", 0, "processor sharing: 1/(1 − load)");
  }
}

/* Draws `lines` (slowdown_line), whose tables are in `all`, called `labels` (char *) by their styles. */
static gboolean draw(const GArray *lines, const GPtrArray *labels, const GPtrArray *panels,
                     const GPtrArray *all, const plot_request *request, const char *subtitle,
                     gboolean is_flagged, const char *stem, const gnuplot_target *target, GError **error)
{
  g_autoptr(GPtrArray) sizes = texts_of(all, "size_class");
  g_autoptr(GString) note = g_string_new(subtitle);
  g_ptr_array_sort(sizes, compare_sizes);
  g_auto(plot_chart) chart = plot_chart_new("lines", target, request, "slowdown of messages over their size",
                                            subtitle, "slowdown: time / least time in the empty network");
  value_extent extent = {0};
  guint too_few[2] = {0};
  chart.x = (plot_axis){.name = g_strdup("payload of a message"),
                        .unit_size = 1,
                        .from = 0.5,
                        .to = sizes->len + 0.5,
                        .tics = g_array_new(FALSE, FALSE, sizeof(double)),
                        .labels = g_ptr_array_new_with_free_func(g_free)};
  for (guint i = 0; i < sizes->len; i++) {
    const double place = i + 1;
    g_array_append_val(chart.x.tics, place);
    g_ptr_array_add(chart.x.labels, result_size_class_words(g_ptr_array_index(sizes, i)));
  }
  chart.panels = (GPtrArray *)panels;
  for (guint i = 0; i < lines->len * 2; i++) { /* p99 lies over the medians */
    append_quantile(&g_array_index(lines, slowdown_line, i % lines->len), i < lines->len, sizes, &chart,
                    &extent, &too_few[i < lines->len]);
  }
  if (extent.largest == 0) {
    return error_set(error, "nothing to draw: no message has a slowdown");
  }
  plot_chart_add_lines_legend(&chart, labels, "p99", "median");
  append_processor_sharing(lines, sizes->len, &chart, &extent);
  if (is_flagged && target->format != GNUPLOT_TERM) {
    plot_chart_add_legend(&chart, "ring", 0, "flagged");
  }
  if (too_few[0] > 0) {
    g_string_append(note, " · no p99 of fewer than 100 messages");
  }
  chart.subtitle = *chart.subtitle != '\0' ? note->str : "";
  chart.y = plot_axis_of_values(&extent, "slowdown", "times the ideal", VALUE_SCALE_LOGARITHMIC);
  chart.y.from = 0.9; /* none is less than 1 */
  chart.y = plot_axis_limited(chart.y, &request->y_range);
  gnuplot_set_number(chart.variables, "lines", labels->len);
  gnuplot_set_number(chart.variables, "x_ordered", 1);
  return plot_chart_draw(&chart, stem, error);
}

/* --- Studies --- */

static void free_tables(gpointer tables)
{
  g_ptr_array_unref(tables);
}

static gboolean draw_points(const study_table *table, G_GNUC_UNUSED const study_plot *plot,
                            const plot_request *request, const char *stem, const gnuplot_target *target,
                            GError **error)
{
  g_auto(point_selection) selection = point_selection_of(table, POINTS_MAX);
  g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)run_table_free);
  g_autoptr(GPtrArray) of_points = g_ptr_array_new_with_free_func(free_tables);
  g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(slowdown_line));
  const guint points = selection.points->len;
  plot_counts counts = {0};
  if (request->where != NULL && points < selection.of) {
    return error_set(error, "--where leaves %u points; expected at most %d, which can be told apart",
                     selection.of, POINTS_MAX);
  }
  for (guint i = 0; i < points; i++) {
    const GPtrArray *runs = g_array_index(selection.points, study_point, i).runs;
    GPtrArray *tables = g_ptr_array_new();
    g_ptr_array_add(of_points, tables);
    plot_counts_add(&counts, runs);
    for (guint r = 0; r < runs->len; r++) {
      run_table *one = run_results_table(&((const study_run *)g_ptr_array_index(runs, r))->results, "class");
      if (one != NULL) {
        g_ptr_array_add(all, one);
        g_ptr_array_add(tables, one);
      }
    }
  }
  g_autoptr(GPtrArray) classes = texts_of(all, "class");
  const gboolean of_classes = classes->len > 1, in_panels = of_classes && points > 1;
  g_ptr_array_set_size(classes, (gint)MIN(classes->len, CLASSES_MAX));
  for (guint c = 0; c < (of_classes ? classes->len : 1); c++) {
    for (guint i = 0; i < points; i++) {
      const study_point *point = &g_array_index(selection.points, study_point, i);
      const slowdown_line line = {
          .label = g_ptr_array_index(of_classes && !in_panels ? classes : selection.labels, in_panels    ? i
                                                                                            : of_classes ? c
                                                                                                         : i),
          .class = of_classes ? g_ptr_array_index(classes, c) : "all",
          .panel = in_panels ? c : 0,
          .style = of_classes && !in_panels ? c : i,
          .tables = g_ptr_array_index(of_points, i),
          .flagged = point->flagged,
          .processor_sharing = processor_sharing_of(g_ptr_array_index(point->runs, 0))};
      g_array_append_val(lines, line);
    }
  }
  g_autofree char *of_runs = plot_runs_subtitle(table, &counts, "mean of # each with 95\u00a0% interval",
                                                target->format == GNUPLOT_TERM ? "flagged" : "ringed");
  g_autofree char *choice = g_strdup_printf(" · %u of %u points", points, selection.of);
  g_autofree char *subtitle = g_strconcat(of_runs, *selection.fixed != '\0' ? " · " : "", selection.fixed,
                                          points < selection.of ? choice : NULL, NULL);
  return draw(lines, of_classes && !in_panels ? classes : selection.labels, in_panels ? classes : NULL, all,
              request, subtitle, counts.flagged > 0, stem, target, error);
}

static gboolean has_messages(const study_table *table, G_GNUC_UNUSED const study_plot *plot)
{
  for (guint i = 0; i < table->runs->len; i++) {
    g_autoptr(run_table) of =
        run_results_table(&((const study_run *)g_ptr_array_index(table->runs, i))->results, "class");
    if (of != NULL && !isnan(number_of(of, "all", "all", "slowdown_p50"))) {
      return TRUE;
    }
  }
  return FALSE;
}

const study_plot plot_slowdown = {.name = "slowdown",
                                  .sentence = "median and p99 of the slowdown of messages, by their size",
                                  .needs = "runs that have measured the slowdown of messages",
                                  .has = has_messages,
                                  .draw = draw_points};
