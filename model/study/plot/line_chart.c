/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/line_chart.h"

#include <math.h>
#include <string.h>

#include "study/plot/chart_page.h"
#include "study/plot/gnuplot_text.h"
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

void line_chart_free(line_chart *chart)
{
  plot_grouping_clear(&chart->groups);
  place_axis_clear(&chart->x);
  g_ptr_array_unref(chart->lines);
  g_ptr_array_unref(chart->references);
  g_free(chart->main);
  g_free(chart->companion);
  g_free(chart);
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
  line_point point = {.place = g_array_index(chart->x.places, double, place_axis_index(&chart->x, cell->x)),
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

static guint reference_style(line_chart *chart, const char *label)
{
  guint index;
  if (!g_ptr_array_find_with_equal_func(chart->references, label, g_str_equal, &index)) {
    index = chart->references->len;
    g_ptr_array_add(chart->references, g_strdup(label));
  }
  return index;
}

void line_chart_add_reference(line_chart *chart, guint panel, int of_line, const char *label,
                              const double *places, const double *values, guint count)
{
  guint style = of_line >= 0 ? (guint)of_line : reference_style(chart, label);
  chart_line *line = add_line(chart, panel, style, LINE_REFERENCE, label, label);
  line->of_line = of_line >= 0;
  chart->has_reference_of_line = chart->has_reference_of_line || line->of_line;
  for (guint i = 0; i < count; i++) {
    line_point point = {
        .place = places[i],
        .of = {.count = 1, .mean = values[i], .deviation = NAN, .half_width = NAN},
    };
    g_array_append_val(line->points, point);
    value_extent_add(&chart->extent, values[i], NAN);
  }
}

/* Data. */

/* Lines stand a little beside each other on x, or their intervals would hide one another. */
static double shift_of(const line_chart *chart, const chart_line *line)
{
  guint count = chart->groups.lines->len;
  double step = MIN(0.012, 0.06 / count) * (chart->x.right - chart->x.left);
  return line->look == LINE_REFERENCE ? 0 : (line->style - (count - 1) / 2.0) * step;
}

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
  g_autofree char *x = gnuplot_text_comment(point->x != NULL ? point->x : "-");
  g_string_append_printf(data, " %u %s\n", point->flagged, x);
}

static void append_line_data(const line_chart *chart, const chart_line *line, GString *data)
{
  g_autofree char *panel = gnuplot_text_comment(g_ptr_array_index(chart->groups.panels, line->panel));
  g_autofree char *label = gnuplot_text_comment(line->label);
  g_string_append_printf(data, "# %s%s%s%s%s\n# place_on_x runs mean half_width low high flagged x\n", panel,
                         *panel != '\0' ? ": " : "", line->look == LINE_REFERENCE ? "" : line->quantity,
                         *label != '\0' && line->look != LINE_REFERENCE ? ": " : "", label);
  const GArray *places = chart->x.places;
  for (guint i = 0; i < line->points->len; i++) {
    const line_point *point = &g_array_index(line->points, line_point, i);
    gboolean is_last = point->x != NULL && point->place == g_array_index(places, double, places->len - 1);
    if (chart->x.last_apart && is_last && i > 0) {
      g_string_append_c(data, '\n'); /* no line across a gap in the axis */
    }
    append_point(point, shift_of(chart, line), data);
    if (chart->x.first_apart && point->x != NULL && point->place == g_array_index(places, double, 0)) {
      g_string_append_c(data, '\n');
    }
  }
  g_string_append(data, "\n\n");
}

static GString *make_data(const line_chart *chart, const char *subtitle, const char *quantity,
                          const char *unit)
{
  GString *data = g_string_new(NULL);
  g_autofree char *shown = g_strdup_printf("%s, unit %s; place_on_x: %s%s", quantity, unit,
                                           scenario_key_row_of(chart->x.key)->name,
                                           chart->x.logarithmic ? ", decimal logarithm" : "");
  plot_heading_append_comments(chart->table, subtitle, shown, data);
  for (guint i = 0; i < chart->lines->len; i++) {
    append_line_data(chart, g_ptr_array_index(chart->lines, i), data);
  }
  return data;
}

/* --- As gnuplot's commands --- */

/* Dots of print: a panel alone, and one among others. */
#define PANEL_HEIGHT 580
#define PANEL_HEIGHT_AMONG 560

/* A chart, its page, and where its styles begin. */
typedef struct drawing {
  const line_chart *chart;
  const value_axis *y;
  const char *quantity;
  const char *file; /* quoted */
  gboolean letters; /* GNUPLOT_TERM */
  gboolean turned;  /* labels of x */
  chart_page page;
  guint companions; /* style of the companion of line 0, less 1 */
  guint references; /* of the black reference 0, less 1 */
} drawing;

static gboolean any_flagged(const line_chart *chart)
{
  return chart->counts.flagged > 0;
}

/* Words have no order that a line between them would mean. */
static const char *points_of(const line_chart *chart)
{
  return chart->x.numeric ? "linespoints" : "points";
}

/* Styles. */

static const char *colour_of(guint style)
{
  static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00"};
  return colours[style % G_N_ELEMENTS(colours)];
}

/* The colour, with points that are filled for what is main and hollow for its companion. In a terminal points are letters. */
static void append_pair_styles(const drawing *d, guint count, GString *script)
{
  static const guint filled[] = {7, 5, 9, 11, 13, 15};
  for (guint i = 0; i < count; i++) {
    guint point = d->letters ? 1 + 2 * i : filled[i % G_N_ELEMENTS(filled)];
    guint hollow = d->letters ? 2 + 2 * i : point - 1;
    g_string_append_printf(
        script,
        "set style line %u linecolor rgb '%s' dashtype 1 linewidth 1.4 pointtype %u pointsize 0.55\n"
        "set style line %u linecolor rgb '%s' dashtype 2 linewidth 1.0 pointtype %u pointsize 0.55\n",
        i + 1, colour_of(i), point, d->companions + i + 1, colour_of(i), hollow);
  }
}

static void append_styles(const drawing *d, GString *script)
{
  static const guint dashes[] = {2, 4, 3, 5};
  guint count = d->chart->groups.lines->len;
  if (d->chart->companion != NULL) {
    append_pair_styles(d, count, script);
  } else {
    gnuplot_script_set_line_styles(script, count);
  }
  for (guint i = 0; i < d->chart->references->len; i++) {
    g_string_append_printf(script, "set style line %u linecolor rgb '%s' dashtype %u linewidth 1.2\n",
                           d->references + i + 1, i % 2 == 0 ? "#000000" : "#606060",
                           dashes[i % G_N_ELEMENTS(dashes)]);
  }
}

/* The lines of a panel: references, then intervals, points over them, and rings around what is flagged. */

typedef enum pass { PASS_REFERENCES, PASS_INTERVALS, PASS_COMPANIONS, PASS_MAIN, PASS_RINGS, PASSES } pass;

static void append_reference(const drawing *d, const chart_line *line, GString *script)
{
  if (line->of_line) {
    g_string_append_printf(script,
                           "using 1:(drawn($3)) with lines linecolor rgb '%s' dashtype 3 linewidth 1 notitle",
                           colour_of(line->style));
  } else {
    g_string_append_printf(script, "using 1:(drawn($3)) with lines linestyle %u notitle",
                           d->references + line->style + 1);
  }
}

static gboolean belongs(const drawing *d, const chart_line *line, pass in)
{
  if (line->look == LINE_REFERENCE) {
    return in == PASS_REFERENCES;
  }
  return in == PASS_INTERVALS || in == (line->look == LINE_MAIN ? PASS_MAIN : PASS_COMPANIONS) ||
         (in == PASS_RINGS && any_flagged(d->chart) && !d->letters);
}

/* In print a line with caps at its ends: gnuplot's (5.4) own bars come with a white box behind the point, which hides short ones. */
static void append_interval(const drawing *d, guint style, GString *script)
{
  g_string_append_printf(
      script,
      d->letters
          ? "using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle %u pointsize 0 notitle"
          : "using 1:(drawn($5)):(0):(drawn($6)-drawn($5)) with vectors heads size screen 0.004,90 "
            "linestyle %u linewidth 0.8 dashtype 1 notitle",
      style);
}

static void append_pass(const drawing *d, const chart_line *line, pass in, GString *script)
{
  guint style = (line->look == LINE_COMPANION ? d->companions : 0) + line->style + 1;
  switch (in) {
  case PASS_REFERENCES:
    append_reference(d, line, script);
    break;
  case PASS_INTERVALS:
    append_interval(d, style, script);
    break;
  case PASS_COMPANIONS:
  case PASS_MAIN:
    g_string_append_printf(script, "using 1:(drawn($3)) with %s linestyle %u notitle", points_of(d->chart),
                           style);
    break;
  case PASS_RINGS:
    g_string_append(script, "using 1:($7 > 0 ? drawn($3) : NaN) with points pointtype 6 pointsize 1.05 "
                            "linewidth 0.7 linecolor rgb '#404040' notitle");
    break;
  case PASSES:
    break;
  }
}

static void append_panel_lines(const drawing *d, guint panel, GString *script)
{
  const char *separator = "plot ";
  for (pass in = 0; in < PASSES; in++) {
    for (guint i = 0; i < d->chart->lines->len; i++) {
      const chart_line *line = g_ptr_array_index(d->chart->lines, i);
      if (line->panel != panel || !belongs(d, line, in)) {
        continue;
      }
      g_string_append_printf(script, "%s%s index %u ", separator, d->file, i);
      append_pass(d, line, in, script);
      separator = ", \\\n     ";
    }
  }
  g_string_append(script, *separator == 'p' ? "plot NaN notitle\n" : "\n");
}

/* Panels. */

static void append_names(const drawing *d, guint panel, GString *script)
{
  g_autofree char *title = gnuplot_text_quote(g_ptr_array_index(d->chart->groups.panels, panel));
  g_autofree char *name = value_axis_name(d->y, d->quantity);
  g_autofree char *quoted_name = gnuplot_text_quote(name);
  gboolean named = chart_page_is_left(&d->page, panel) && !d->letters;
  g_string_append_printf(script, "set title %s offset 0,%s\nset ylabel %s offset %s,0\n", title,
                         d->letters ? "0" : "-0.4", named ? quoted_name : "''",
                         d->y->in_octets ? "1" : "-0.5");
  if (d->letters && panel == 0) { /* terminals write no text upwards */
    g_string_append_printf(script, "set label 3 %s at screen 0.01,%.4f left\n", quoted_name,
                           1 - d->page.name / d->page.page.height);
  }
}

/* A letter of the tics takes 0.78 dots for each point of the font. */
static double letters_of(const chart_page *page)
{
  return page->panel_width / (0.78 * page->page.font_size);
}

static void append_panels(const drawing *d, GString *script)
{
  place_axis_append(&d->chart->x, letters_of(&d->page), d->turned, script);
  for (guint panel = 0; panel < d->chart->groups.panels->len; panel++) {
    chart_page_append_margins(&d->page, panel, script);
    value_axis_append(d->y, chart_page_is_left(&d->page, panel), script);
    append_names(d, panel, script);
    append_panel_lines(d, panel, script);
    if (panel == 0) {
      g_string_append(script, "unset label 1\nunset label 2\nunset label 3\n");
    }
  }
}

/* The legend: how each line looks; what main lines and companions are; the references; the ring. */

static gboolean lines_are_named(const line_chart *chart)
{
  return chart->groups.lines->len > 1 || *(const char *)g_ptr_array_index(chart->groups.lines, 0) != '\0';
}

static void add_entry(GPtrArray *entries, const char *label, const char *with)
{
  g_autofree char *quoted = gnuplot_text_quote(label);
  g_ptr_array_add(entries, g_strdup_printf("keyentry with %s title %s", with, quoted));
}

/* In print grey samples say what is main and what companion; a terminal's letters have to be told one by one. */
static void add_pair_entries(const drawing *d, GPtrArray *entries)
{
  static const char look[] =
      "%s linecolor rgb '#606060' dashtype %u linewidth %s pointtype %u pointsize 0.55";
  g_autofree char *main_look = g_strdup_printf(look, points_of(d->chart), 1U, "1.4", 7U);
  g_autofree char *companion_look = g_strdup_printf(look, points_of(d->chart), 2U, "1.0", 6U);
  add_entry(entries, d->chart->main, main_look);
  add_entry(entries, d->chart->companion, companion_look);
}

static void add_letter_entries(const drawing *d, guint style, GPtrArray *entries)
{
  const char *label = g_ptr_array_index(d->chart->groups.lines, style);
  const char *separator = *label != '\0' ? ", " : "";
  g_autofree char *main_label = g_strconcat(label, separator, d->chart->main, NULL);
  g_autofree char *companion_label = g_strconcat(label, separator, d->chart->companion, NULL);
  g_autofree char *main_look = g_strdup_printf("%s linestyle %u", points_of(d->chart), style + 1);
  g_autofree char *companion_look =
      g_strdup_printf("%s linestyle %u", points_of(d->chart), d->companions + style + 1);
  add_entry(entries, main_label, main_look);
  add_entry(entries, companion_label, companion_look);
}

static void add_line_entries(const drawing *d, GPtrArray *entries)
{
  gboolean pairs = d->chart->companion != NULL;
  for (guint i = 0; i < d->chart->groups.lines->len; i++) {
    if (pairs && d->letters) {
      add_letter_entries(d, i, entries);
    } else if (lines_are_named(d->chart)) {
      g_autofree char *with = g_strdup_printf("%s linestyle %u", points_of(d->chart), i + 1);
      add_entry(entries, g_ptr_array_index(d->chart->groups.lines, i), with);
    }
  }
  if (pairs && !d->letters) {
    add_pair_entries(d, entries);
  }
}

static const char *reference_of_line(const line_chart *chart)
{
  for (guint i = 0; i < chart->lines->len; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    if (line->of_line) {
      return line->label;
    }
  }
  return "";
}

/* Free with g_ptr_array_unref(). */
static GPtrArray *legend_entries(const drawing *d)
{
  const line_chart *chart = d->chart;
  GPtrArray *entries = g_ptr_array_new_with_free_func(g_free);
  add_line_entries(d, entries);
  if (chart->has_reference_of_line) {
    add_entry(entries, reference_of_line(chart), "lines linecolor rgb '#606060' dashtype 3 linewidth 1");
  }
  for (guint i = 0; i < chart->references->len; i++) {
    g_autofree char *with = g_strdup_printf("lines linestyle %u", d->references + i + 1);
    add_entry(entries, g_ptr_array_index(chart->references, i), with);
  }
  if (any_flagged(chart) && !d->letters) {
    add_entry(entries, "with flagged runs",
              "points pointtype 6 pointsize 1.05 linewidth 0.7 linecolor rgb '#404040'");
  }
  return entries;
}

/* Of the labels: what stands between the last two quotes. */
static glong longest_label(const GPtrArray *entries)
{
  glong longest = 0;
  for (guint i = 0; i < entries->len; i++) {
    const char *label = strstr(g_ptr_array_index(entries, i), " title '");
    longest = MAX(longest, g_utf8_strlen(label, -1) - (glong)strlen(" title ''"));
  }
  return longest;
}

static void append_legend(const drawing *d, const GPtrArray *entries, GString *script)
{
  if (entries->len == 0) {
    return;
  }
  guint room = d->page.legend_rows * d->page.legend_columns;
  guint shown = entries->len <= room ? entries->len : room - 1;
  gnuplot_script_begin_legend(script, d->page.legend_height / d->page.page.height);
  g_string_append_printf(script, "set key maxcols %u\nplot ", d->page.legend_columns);
  for (guint i = 0; i < shown; i++) {
    g_string_append_printf(script, "%s, \\\n     ", (const char *)g_ptr_array_index(entries, i));
  }
  if (shown < entries->len) {
    g_string_append_printf(script, "keyentry title 'and %u more', \\\n     ", entries->len - shown);
  }
  g_string_append(script, "2 notitle\n");
}

/* The script that draws `chart` with the data in "STEM.dat", line i of the chart being index i there. Free with g_string_free(). */
static GString *make_script(const line_chart *chart, const value_axis *y, const char *quantity,
                            const char *subtitle, const char *stem, const gnuplot_target *target)
{
  g_autofree char *file_name = g_strdup_printf("%s.dat", stem);
  g_autofree char *file = gnuplot_text_quote(file_name);
  guint count = chart->groups.lines->len;
  drawing d = {.chart = chart,
               .y = y,
               .quantity = quantity,
               .file = file,
               .letters = target->format == GNUPLOT_TERM,
               .companions = count,
               .references = 2 * count};
  g_autoptr(GPtrArray) entries = legend_entries(&d);
  guint panels = chart->groups.panels->len;
  chart_needs needs = {.panels = panels,
                       .titled = panels > 1,
                       .legend_entries = entries->len,
                       .legend_letters = longest_label(entries),
                       .panel_height = panels > 1 ? PANEL_HEIGHT_AMONG : PANEL_HEIGHT,
                       .title = chart->table->title,
                       .subtitle = subtitle};
  d.page = chart_page_of(target, &needs);
  if (!d.letters) { /* how wide a panel is does not depend on what stands below it */
    needs.turned_letters = place_axis_turned_letters(&chart->x, letters_of(&d.page));
    d.turned = needs.turned_letters > 0;
    d.page = chart_page_of(target, &needs);
  }
  double top;
  GString *script =
      gnuplot_script_new(stem, target->format, &d.page.page, chart->table->title, subtitle, &top);
  append_styles(&d, script);
  g_string_append(script, "unset key\nset multiplot\n");
  append_panels(&d, script);
  append_legend(&d, entries, script);
  g_string_append(script, "unset multiplot\n");
  return script;
}

gboolean line_chart_draw(const line_chart *chart, const char *quantity, const char *unit, value_scale scale,
                         const char *stem, const gnuplot_target *target, GError **error)
{
  if (chart->counts.points == 0) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT, "nothing to draw: no run has a value of %s",
                chart->main);
    return FALSE;
  }
  g_autofree char *runs = plot_heading_subtitle(chart->table, &chart->counts,
                                                target->format == GNUPLOT_TERM ? "flagged" : "ringed");
  g_autofree char *subtitle =
      chart->note != NULL ? g_strdup_printf("%s · %s", runs, chart->note) : g_strdup(runs);
  value_axis y = value_axis_of(&chart->extent, unit, scale);
  GString *script = make_script(chart, &y, quantity, subtitle, stem, target);
  GString *data = make_data(chart, subtitle, quantity, unit);
  gboolean good = gnuplot_script_render(script, data, stem, target, error);
  g_string_free(script, TRUE);
  g_string_free(data, TRUE);
  return good;
}
