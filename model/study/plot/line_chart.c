/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/line_chart.h"

#include <math.h>
#include <string.h>

#include "study/plot/plot_chart.h"
#include "study/plot/study_plot.h"

static void free_line(gpointer data)
{
  chart_line *line = data;
  g_free(line->label);
  g_free(line->quantity);
  g_array_unref(line->points);
  g_free(line);
}

line_chart *line_chart_new(const study_table *table, plot_grouping groups, gboolean logarithmic_x)
{
  line_chart *chart = g_new0(line_chart, 1);
  chart->table = table;
  chart->groups = groups;
  chart->x = place_axis_of(table->runs, groups.x, logarithmic_x);
  chart->lines = g_ptr_array_new_with_free_func(free_line);
  chart->references = g_ptr_array_new_with_free_func(g_free);
  return chart;
}

double line_chart_metric(const study_run *run, gconstpointer data)
{
  metric_id metric = *(const metric_id *)data;
  return run->metrics.present[metric] ? run->metrics.value[metric] : NAN;
}

static chart_line *add_line(line_chart *chart, guint panel, guint style, line_look look, const char *label,
                            const char *quantity)
{
  chart_line *line = g_new0(chart_line, 1);
  *line = (chart_line){.panel = panel,
                       .style = style,
                       .look = look,
                       .label = g_strdup(label),
                       .quantity = g_strdup(quantity),
                       .points = g_array_new(FALSE, FALSE, sizeof(line_point))};
  g_ptr_array_add(chart->lines, line);
  return line;
}

/* The runs of `cell` that have the value; `values`, with room for all runs, receives theirs. */
static GPtrArray *runs_with(const plot_cell *cell, line_value value, gconstpointer data, double *values)
{
  GPtrArray *runs = g_ptr_array_new();
  for (guint i = 0; i < cell->runs->len; i++) {
    double number = value(g_ptr_array_index(cell->runs, i), data);
    if (isfinite(number)) {
      values[runs->len] = number;
      g_ptr_array_add(runs, g_ptr_array_index(cell->runs, i));
    }
  }
  return runs;
}

static void add_point(line_chart *chart, chart_line *line, const plot_cell *cell, const GPtrArray *runs,
                      const double *values)
{
  guint flagged = 0;
  for (guint i = 0; i < runs->len; i++) {
    flagged += ((const study_run *)g_ptr_array_index(runs, i))->flags != 0 ? 1 : 0;
  }
  line_point point = {.place = line_chart_place(chart, cell->x),
                      .x = cell->x,
                      .of = statistics_of(values, runs->len),
                      .flagged = flagged};
  g_array_append_val(line->points, point);
  value_extent_add(&chart->extent, point.of.mean, point.of.half_width);
  if (line->look == LINE_MAIN) {
    plot_counts_add(&chart->counts, runs);
  }
}

void line_chart_add(line_chart *chart, line_look look, const char *quantity, line_value value,
                    gconstpointer data)
{
  g_assert(look != LINE_REFERENCE);
  char **name = look == LINE_MAIN ? &chart->main : &chart->companion;
  g_assert(*name == NULL);
  *name = g_strdup(quantity);
  chart_line *line = NULL;
  for (guint i = 0; i < chart->groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(chart->groups.cells, plot_cell, i);
    double *values = g_new(double, cell->runs->len);
    g_autoptr(GPtrArray) runs = runs_with(cell, value, data, values);
    gboolean continues = line != NULL && line->panel == cell->panel && line->style == cell->line;
    if (runs->len > 0 && !continues) {
      line = add_line(chart, cell->panel, cell->line, look,
                      g_ptr_array_index(chart->groups.lines, cell->line), quantity);
    }
    if (runs->len > 0) {
      add_point(chart, line, cell, runs, values);
    }
    g_free(values);
  }
}

double line_chart_place(const line_chart *chart, const char *x)
{
  return g_array_index(chart->x.places, double, place_axis_index(&chart->x, x));
}

void line_chart_add_reference(line_chart *chart, guint panel, int of_line, const char *label,
                              const double *points, guint count)
{
  guint style = (guint)of_line;
  if (of_line < 0 && !g_ptr_array_find_with_equal_func(chart->references, label, g_str_equal, &style)) {
    style = chart->references->len;
    g_ptr_array_add(chart->references, g_strdup(label));
  }
  chart_line *line = add_line(chart, panel, style, LINE_REFERENCE, label, label);
  line->of_line = of_line >= 0;
  for (guint i = 0; i < count; i++) {
    const line_point point = {
        .place = points[2 * i],
        .of = {.count = 1, .mean = points[2 * i + 1], .deviation = NAN, .half_width = NAN},
    };
    g_array_append_val(line->points, point);
    value_extent_add(&chart->extent, point.of.mean, NAN);
  }
}

/* --- Drawing --- */

static void append_point(const line_point *point, double shift, GString *data)
{
  g_string_append_printf(data, "%.6f %zu %.10g ", point->place + shift, point->of.count, point->of.mean);
  if (isnan(point->of.half_width)) {
    g_string_append(data, "NaN NaN NaN");
  } else {
    g_string_append_printf(data, "%.10g %.10g %.10g", point->of.half_width,
                           point->of.mean - point->of.half_width, point->of.mean + point->of.half_width);
  }
  /* gnuplot reads the columns before it only, so its blanks do no harm; a line end would */
  g_autofree char *x = gnuplot_comment(point->x != NULL ? point->x : "-");
  g_string_append_printf(data, " %u %s\n", point->flagged, x);
}

static void append_line_data(const line_chart *chart, const chart_line *line, GString *data)
{
  g_autofree char *panel = gnuplot_comment(g_ptr_array_index(chart->groups.panels, line->panel));
  g_autofree char *label = gnuplot_comment(line->label);
  g_string_append_printf(data, "# %s%s%s%s%s\n# place_on_x runs mean half_width low high flagged x\n", panel,
                         *panel != '\0' ? ": " : "", line->look == LINE_REFERENCE ? "" : line->quantity,
                         *label != '\0' && line->look != LINE_REFERENCE ? ": " : "", label);
  const GArray *places = chart->x.places;
  /* lines stand a little beside each other on x, or their intervals would hide one another */
  guint lines = chart->groups.lines->len;
  double step = MIN(0.012, 0.06 / lines) * (chart->x.right - chart->x.left);
  double shift = line->look == LINE_REFERENCE ? 0 : (line->style - (lines - 1) / 2.0) * step;
  for (guint i = 0; i < line->points->len; i++) {
    const line_point *point = &g_array_index(line->points, line_point, i);
    gboolean is_last = point->x != NULL && point->place == g_array_index(places, double, places->len - 1);
    if (chart->x.last_apart && is_last && i > 0) {
      g_string_append_c(data, '\n'); /* no line across a gap in the axis */
    }
    append_point(point, shift, data);
    if (chart->x.first_apart && point->x != NULL && point->place == g_array_index(places, double, 0)) {
      g_string_append_c(data, '\n');
    }
  }
  g_string_append(data, "\n\n");
}

/* The numbers of the lines of `panel` of this look, as words; `of_line`: references of main lines. Free with g_free(). */
static char *lines_in(const line_chart *chart, guint panel, line_look look, gboolean of_line)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < chart->lines->len; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    if (line->panel == panel && line->look == look && line->of_line == of_line) {
      g_string_append_printf(words, "%s%u", words->len > 0 ? " " : "", i);
    }
  }
  return g_string_free(words, FALSE);
}

/* Variables and data for lines.gp: line i of the chart is index i. */
static void append_lines(const line_chart *chart, plot_chart *drawn)
{
  static const struct {
    const char *name;
    line_look look;
    gboolean of_line;
  } groups[] = {{"main_line", LINE_MAIN, FALSE},
                {"companion_line", LINE_COMPANION, FALSE},
                {"reference_line", LINE_REFERENCE, FALSE},
                {"own_line", LINE_REFERENCE, TRUE}};
  guint count = chart->groups.lines->len;
  g_autoptr(GString) styles = g_string_new(NULL);
  for (guint i = 0; i < chart->lines->len; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    guint before = line->look == LINE_COMPANION                     ? count
                   : line->look == LINE_REFERENCE && !line->of_line ? 2 * count
                                                                    : 0;
    g_string_append_printf(styles, "%s%u", i > 0 ? " " : "", before + line->style + 1);
    append_line_data(chart, line, drawn->data);
  }
  gnuplot_set_text(drawn->variables, "styles", styles->str);
  for (gsize i = 0; i < G_N_ELEMENTS(groups); i++) {
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func(g_free);
    for (guint panel = 0; panel < chart->groups.panels->len; panel++) {
      g_ptr_array_add(lists, lines_in(chart, panel, groups[i].look, groups[i].of_line));
    }
    gnuplot_set_texts(drawn->variables, groups[i].name, lists);
  }
  gnuplot_set_number(drawn->variables, "lines", count);
  gnuplot_set_number(drawn->variables, "references", chart->references->len);
  gnuplot_set_number(drawn->variables, "companions", chart->companion != NULL);
  gnuplot_set_number(drawn->variables, "numeric", chart->x.numeric);
  gnuplot_set_number(drawn->variables, "flagged", chart->counts.flagged > 0);
}

/* How each line looks; what main lines and companions are; the references; the ring. In print grey samples show what is main and what
 * companion; in a terminal each letter needs an entry of its own. */
static void append_legend(const line_chart *chart, gboolean letters, plot_chart *drawn)
{
  const GPtrArray *labels = chart->groups.lines;
  gboolean named = labels->len > 1 || *(const char *)g_ptr_array_index(labels, 0) != '\0';
  for (guint i = 0; i < labels->len; i++) {
    const char *label = g_ptr_array_index(labels, i);
    const char *separator = *label != '\0' ? ", " : "";
    if (chart->companion != NULL && letters) {
      g_autofree char *main = g_strconcat(label, separator, chart->main, NULL);
      g_autofree char *companion = g_strconcat(label, separator, chart->companion, NULL);
      plot_chart_add_legend(drawn, "main", i + 1, main);
      plot_chart_add_legend(drawn, "companion", i + 1, companion);
    } else if (named) {
      plot_chart_add_legend(drawn, "main", i + 1, label);
    }
  }
  if (chart->companion != NULL && !letters) {
    plot_chart_add_legend(drawn, "mains", 0, chart->main);
    plot_chart_add_legend(drawn, "companions", 0, chart->companion);
  }
  for (guint i = 0; i < chart->lines->len; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    if (line->of_line) {
      plot_chart_add_legend(drawn, "own", 0, line->label);
      break;
    }
  }
  for (guint i = 0; i < chart->references->len; i++) {
    plot_chart_add_legend(drawn, "reference", i + 1, g_ptr_array_index(chart->references, i));
  }
  if (chart->counts.flagged > 0 && !letters) {
    plot_chart_add_legend(drawn, "ring", 0, "with flagged runs");
  }
}

static void free_chart(line_chart *chart)
{
  plot_grouping_clear(&chart->groups);
  place_axis_clear(&chart->x);
  g_ptr_array_unref(chart->lines);
  g_ptr_array_unref(chart->references);
  g_free(chart->main);
  g_free(chart->companion);
  g_free(chart);
}

gboolean line_chart_draw(line_chart *chart, const char *quantity, const char *unit, value_scale scale,
                         const char *stem, const gnuplot_target *target, GError **error)
{
  if (chart->counts.points == 0) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT, "nothing to draw: no run has a value of %s",
                chart->main);
    free_chart(chart);
    return FALSE;
  }
  gboolean letters = target->format == GNUPLOT_TERM;
  g_autofree char *runs = plot_runs_subtitle(chart->table, &chart->counts, letters ? "flagged" : "ringed");
  g_autofree char *subtitle =
      chart->note != NULL ? g_strdup_printf("%s · %s", runs, chart->note) : g_strdup(runs);
  g_autofree char *shown = g_strdup_printf("%s, unit %s; place_on_x: %s%s", quantity, unit,
                                           scenario_key_row_of(chart->x.key)->name,
                                           chart->x.logarithmic ? ", decimal logarithm" : "");
  plot_chart drawn = plot_chart_new("lines", target, chart->table->title, subtitle, shown);
  g_ptr_array_extend(drawn.panels, chart->groups.panels, (GCopyFunc)(void (*)(void))g_strdup, NULL);
  drawn.places = &chart->x;
  drawn.y = plot_axis_of_values(&chart->extent, quantity, unit, scale);
  append_lines(chart, &drawn);
  append_legend(chart, letters, &drawn);
  gboolean good = plot_chart_draw(&drawn, stem, error);
  plot_chart_clear(&drawn);
  free_chart(chart);
  return good;
}
