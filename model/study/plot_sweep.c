#include "study/plot_sweep.h"

#include <math.h>
#include <string.h>

#include "study/gnuplot_text.h"
#include "study/octet_axis.h"
#include "study/sweep_table.h"

/* As many tics as fit on x with their labels, in all panels together. */
#define X_TICS_MAX 14

/* More lines than a reader tells apart; the page grows by a row of the legend each. */
#define LEGEND_ROWS_MAX 40

/* The x axis: each text has a place on it, in units of the page. */
typedef struct x_axis {
  GPtrArray *texts;
  GArray *places;      /* double, ascending */
  gboolean zero_apart; /* logarithmic with a zero, which is the first place */
  double left;
  double right;
} x_axis;

/* A plot in the making. */
typedef struct sweep_plot {
  const sweep_table *table;
  plot_axes axes;
  GPtrArray *lines;  /* sweep_line * */
  GPtrArray *panels; /* texts; one NULL when there is one panel */
  GPtrArray *labels; /* of the lines, each once: the same style in each panel */
  x_axis x;
  octet_axis y;
  char *file; /* the data's name */
} sweep_plot;

/* Ranges. */

static gboolean numbers_of(const GPtrArray *texts, scenario_key key, double *numbers)
{
  for (guint i = 0; i < texts->len; i++) {
    if (!plot_axes_number(key, g_ptr_array_index(texts, i), &numbers[i])) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Numbers that span a decade go on a logarithmic axis. A zero does not fit on one: it gets a place of its
 * own, two thirds of a decade left of the smallest. */
static void place_numbers(x_axis *x, const double *numbers)
{
  guint count = x->texts->len;
  gboolean has_zero = numbers[0] == 0;
  double smallest = has_zero && count > 1 ? numbers[1] : numbers[0];
  gboolean logarithmic = smallest > 0 && numbers[count - 1] >= smallest * 10 * (1 - 1e-9);
  x->zero_apart = logarithmic && has_zero;
  for (guint i = 0; i < count; i++) {
    double place = logarithmic ? log10(i == 0 && has_zero ? smallest / 4.6 : numbers[i]) : numbers[i];
    g_array_append_val(x->places, place);
  }
}

static x_axis make_x_axis(const sweep_table *table, scenario_key key)
{
  x_axis x = {.texts = plot_axes_values(table->runs, key),
              .places = g_array_new(FALSE, FALSE, sizeof(double))};
  guint count = x.texts->len;
  g_autofree double *numbers = g_new0(double, count);
  if (numbers_of(x.texts, key, numbers)) {
    place_numbers(&x, numbers);
  } else {
    for (guint i = 0; i < count; i++) {
      double place = i;
      g_array_append_val(x.places, place);
    }
  }
  double first = g_array_index(x.places, double, 0), last = g_array_index(x.places, double, count - 1);
  double margin = last > first ? (last - first) * 0.09 : 0.5;
  x.left = first - margin;
  x.right = last + margin;
  return x;
}

static double place_of(const x_axis *x, const char *text)
{
  guint index = 0;
  gboolean found = g_ptr_array_find_with_equal_func(x->texts, text, g_str_equal, &index);
  g_assert(found);
  return g_array_index(x->places, double, index);
}

static octet_axis make_y_axis(const GPtrArray *lines)
{
  double smallest = INFINITY, largest_mean = 0, largest = 0;
  gboolean has_zero = FALSE;
  for (guint i = 0; i < lines->len; i++) {
    const GArray *points = ((const sweep_line *)g_ptr_array_index(lines, i))->points;
    for (guint p = 0; p < points->len; p++) {
      const sweep_point *point = &g_array_index(points, sweep_point, p);
      has_zero = has_zero || point->mean == 0;
      if (point->mean > 0) {
        smallest = MIN(smallest, point->mean);
      }
      largest_mean = MAX(largest_mean, point->mean);
      largest = MAX(largest, point->mean + (isnan(point->half_width) ? 0 : point->half_width));
    }
  }
  if (largest_mean == 0) {
    return octet_axis_linear(largest);
  }
  octet_axis y = octet_axis_for(has_zero, smallest, largest_mean);
  y.top = MAX(y.top, largest * (y.logarithmic ? 1.15 : 1.03));
  return y;
}

static int index_of_text(const GPtrArray *texts, const char *text)
{
  for (guint i = 0; i < texts->len; i++) {
    if (g_strcmp0(g_ptr_array_index(texts, i), text) == 0) {
      return (int)i;
    }
  }
  return -1;
}

static void add_text_once(GPtrArray *texts, const char *text)
{
  if (index_of_text(texts, text) < 0) {
    g_ptr_array_add(texts, (gpointer)text);
  }
}

static sweep_plot make_plot(const sweep_table *table, const char *stem)
{
  sweep_plot plot = {.table = table, .axes = plot_axes_of(table->runs, table->axes)};
  plot.lines = sweep_table_lines(table, &plot.axes);
  plot.panels = g_ptr_array_new();
  plot.labels = g_ptr_array_new();
  for (guint i = 0; i < plot.lines->len; i++) {
    const sweep_line *line = g_ptr_array_index(plot.lines, i);
    add_text_once(plot.panels, line->panel);
    add_text_once(plot.labels, line->label);
  }
  plot.x = make_x_axis(table, (scenario_key)plot.axes.x);
  plot.y = make_y_axis(plot.lines);
  plot.file = g_strdup_printf("%s.dat", stem);
  return plot;
}

static void clear_plot(sweep_plot *plot)
{
  plot_axes_clear(&plot->axes);
  g_ptr_array_unref(plot->lines);
  g_ptr_array_unref(plot->panels);
  g_ptr_array_unref(plot->labels);
  g_ptr_array_unref(plot->x.texts);
  g_array_unref(plot->x.places);
  g_free(plot->file);
}

/* Data. */

/* Lines stand a little beside each other on x, or their intervals would hide one another. */
static double shift_of(const sweep_plot *plot, const sweep_line *line)
{
  int index = index_of_text(plot->labels, line->label);
  double middle = (plot->labels->len - 1) / 2.0;
  double step = MIN(0.012, 0.06 / plot->labels->len) * (plot->x.right - plot->x.left);
  return (index - middle) * step;
}

static void append_line(const sweep_plot *plot, const sweep_line *line, GString *data)
{
  g_autofree char *name = g_strdelimit(g_strdup_printf("%s%s%s", line->panel != NULL ? line->panel : "",
                                                       line->panel != NULL ? ": " : "", line->label),
                                       "\r\n", ' ');
  g_string_append_printf(data, "# %s\n# place_on_x runs mean_octets half_width low high x\n", name);
  for (guint i = 0; i < line->points->len; i++) {
    const sweep_point *point = &g_array_index(line->points, sweep_point, i);
    double place = place_of(&plot->x, point->x);
    g_string_append_printf(data, "%.6f %zu %.10g ", place + shift_of(plot, line), point->count, point->mean);
    if (isnan(point->half_width)) {
      g_string_append(data, "NaN NaN NaN");
    } else {
      g_string_append_printf(data, "%.10g %.10g %.10g", point->half_width, point->mean - point->half_width,
                             point->mean + point->half_width);
    }
    /* gnuplot reads the columns before it only, so its blanks do no harm; a line end would */
    g_autofree char *x = g_strdelimit(g_strdup(point->x), "\r\n", ' ');
    g_string_append_printf(data, " %s\n", x);
    if (plot->x.zero_apart && place == g_array_index(plot->x.places, double, 0)) {
      g_string_append_c(data, '\n'); /* no line across the gap in the axis */
    }
  }
  g_string_append(data, "\n\n");
}

static GString *make_data(const sweep_plot *plot, const char *subtitle)
{
  g_autofree char *title = g_strdelimit(g_strdup(plot->table->title), "\r\n", ' ');
  g_autofree char *rest = g_strdelimit(g_strdup(subtitle), "\r\n", ' ');
  GString *data = g_string_new(NULL);
  g_string_append_printf(data, "# %s\n# %s\n", title, rest);
  for (guint i = 0; i < plot->lines->len; i++) {
    append_line(plot, g_ptr_array_index(plot->lines, i), data);
  }
  return data;
}

/* Script. */

static char *make_subtitle(const sweep_table *table, const GPtrArray *lines)
{
  gsize fewest = G_MAXSIZE, most = 0;
  for (guint i = 0; i < lines->len; i++) {
    const GArray *points = ((const sweep_line *)g_ptr_array_index(lines, i))->points;
    for (guint p = 0; p < points->len; p++) {
      fewest = MIN(fewest, g_array_index(points, sweep_point, p).count);
      most = MAX(most, g_array_index(points, sweep_point, p).count);
    }
  }
  g_autofree char *seeds = sweep_table_seeds(table);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "scenario %s · %s · iwarpsim %s", table->names, seeds, table->versions);
  if (most >= 2 && fewest == most) {
    g_string_append_printf(text, " · mean of %zu runs with 95 %% interval", most);
  } else if (most >= 2) {
    g_string_append_printf(text, " · mean of %zu to %zu runs with 95 %% interval", fewest, most);
  }
  if (table->left_out > 0) {
    g_string_append_printf(text, " · %u runs that did not end ok left out", table->left_out);
  }
  return g_string_free(text, FALSE);
}

static void append_x_axis(const sweep_plot *plot, guint columns, GString *script)
{
  guint every = (plot->x.texts->len * columns + X_TICS_MAX - 1) / X_TICS_MAX;
  g_string_append_printf(script, "set xrange [%.6f:%.6f]\nset xtics (", plot->x.left, plot->x.right);
  for (guint i = 0; i < plot->x.texts->len; i++) {
    const char *text = g_ptr_array_index(plot->x.texts, i);
    g_autofree char *shown = plot_axes_label((scenario_key)plot->axes.x, text);
    g_autofree char *label = gnuplot_text_quote_tic(i % every == 0 ? shown : "");
    g_string_append_printf(script, "%s%s %.6f", i > 0 ? ", " : "", label,
                           g_array_index(plot->x.places, double, i));
  }
  g_string_append(script, ")\n");
  if (plot->x.zero_apart) {
    const double *places = (const double *)(gpointer)plot->x.places->data;
    g_string_append_printf(script, "set label 3 '//' at first %.6f, graph 0 center front\n",
                           (places[0] + places[1]) / 2);
  }

  if (plot->axes.x == SCENARIO_PATH_FORWARD_LOSS) {
    g_string_append(script, "set xlabel 'loss of segments (path.forward.loss)'\n");
  } else if (plot->axes.x == SCENARIO_PATH_FORWARD_MTU) {
    g_string_append(script, "set xlabel 'MTU (octets)'\n");
  } else {
    g_autofree char *name = gnuplot_text_quote(scenario_key_row_of((scenario_key)plot->axes.x)->name);
    g_string_append_printf(script, "set xlabel %s\n", name);
  }
}

/* The lines of one panel; first their intervals, then the points over them. */
static void append_panel_lines(const sweep_plot *plot, const char *panel, GString *script)
{
  g_autofree char *file = gnuplot_text_quote(plot->file);
  const char *separator = "plot ";
  for (int pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < plot->lines->len; i++) {
      const sweep_line *line = g_ptr_array_index(plot->lines, i);
      if (g_strcmp0(line->panel, panel) != 0) {
        continue;
      }
      int style = index_of_text(plot->labels, line->label) + 1;
      if (pass == 0) {
        g_string_append_printf(
            script,
            "%s%s index %u using 1:(drawn($3)):(drawn($5)):(drawn($6)) with yerrorbars linestyle %d "
            "linewidth 0.8 dashtype 1 notitle",
            separator, file, i, style);
      } else {
        g_string_append_printf(script,
                               "%s%s index %u using 1:(drawn($3)) with linespoints linestyle %d notitle",
                               separator, file, i, style);
      }
      separator = ", \\\n     ";
    }
  }
  g_string_append_c(script, '\n');
}

/* How many labels gnuplot puts beside each other: a letter takes about 0.78 pixels for each point of the font, line
 * and gaps take as much as 8 letters. */
static guint legend_columns(const sweep_plot *plot, const gnuplot_page *page)
{
  glong longest = 0;
  for (guint i = 0; i < plot->labels->len; i++) {
    longest = MAX(longest, g_utf8_strlen(g_ptr_array_index(plot->labels, i), -1));
  }
  double label_width = (double)(longest + 8) * 0.78 * page->font_size;
  return (guint)CLAMP(page->width * 0.96 / label_width, 1, 4);
}

/* A strip across the page below the panels, which holds nothing but the legend, of at most `room` entries. */
static void append_legend(const sweep_plot *plot, double height, guint room, GString *script)
{
  if (plot->labels->len == 1 && *(const char *)g_ptr_array_index(plot->labels, 0) == '\0') {
    return;
  }
  guint shown = plot->labels->len <= room ? plot->labels->len : room - 1;
  gnuplot_script_begin_legend(script, height);
  g_string_append(script, "plot ");
  for (guint i = 0; i < shown; i++) {
    g_autofree char *label = gnuplot_text_quote(g_ptr_array_index(plot->labels, i));
    g_string_append_printf(script, "%s2 with linespoints linestyle %u title %s", i > 0 ? ", \\\n     " : "",
                           i + 1, label);
  }
  if (shown < plot->labels->len) {
    g_string_append_printf(script, ", \\\n     keyentry title 'and %u more'", plot->labels->len - shown);
  }
  g_string_append_c(script, '\n');
}

static void append_panel_title(const char *panel, GString *script)
{
  if (panel == NULL) {
    return;
  }
  g_autofree char *text = g_strdup_printf("%s receiver", panel);
  g_autofree char *quoted = gnuplot_text_quote(text);
  g_string_append_printf(script, "set title %s offset 0,-0.4\n", quoted);
}

/* Panels stand side by side under a common y axis. `top` and `bottom` are where they may stand, as
 * fractions of the page. */
static void append_panels(const sweep_plot *plot, double top, double bottom, GString *script)
{
  const double left = 0.115, right = 0.985, gap = 0.025;
  guint columns = plot->panels->len;
  double width = (right - left - gap * (columns - 1)) / columns;
  g_string_append_printf(script, "set tmargin at screen %.4f\nset bmargin at screen %.4f\n", top, bottom);
  append_x_axis(plot, columns, script);
  for (guint column = 0; column < columns; column++) {
    const char *panel = g_ptr_array_index(plot->panels, column);
    double start = left + column * (width + gap);
    g_string_append_printf(script, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n", start,
                           start + width);
    g_string_append(script,
                    column == 0 ? "set ylabel 'peak reassembly occupancy (octets)'\n" : "unset ylabel\n");
    octet_axis_append(&plot->y, column == 0, script);
    append_panel_title(panel, script);
    append_panel_lines(plot, panel, script);
    if (column == 0) {
      g_string_append(script, "unset label 1\nunset label 2\n");
    }
  }
}

static GString *make_script(const sweep_plot *plot, const char *stem, const char *subtitle,
                            gnuplot_format format)
{
  gboolean wide = plot->panels->len > 1;
  gnuplot_page page = {.width = 1600, .height = wide ? 860 : 980, .font_size = wide ? 21 : 24};
  guint columns = legend_columns(plot, &page);
  guint rows = MIN((plot->labels->len + columns - 1) / columns, LEGEND_ROWS_MAX);
  /* SVG has the higher rows: 1.1 (spacing) * 1.5 * 4/3 (pixels a point) = 2.2 pixels for each point of the font. */
  guint further_rows = (rows - 1) * (page.font_size * 23 / 10);
  /* Fractions of the page with one row; further rows make it higher and nothing else smaller. */
  double scale = (double)page.height / (page.height + further_rows);
  page.height += further_rows;
  double legend = 0.07 * scale + (double)further_rows / page.height;
  double top;
  GString *script = gnuplot_script_new(stem, format, &page, plot->table->title, subtitle, &top);
  if (plot->y.logarithmic) {
    g_string_append_printf(script,
                           "drawn(v) = v > %.10g || v != v ? v : %.10g # no place for less on this axis\n",
                           plot->y.bottom, plot->y.bottom);
  } else {
    g_string_append(
        script, "drawn(v) = v > 0 || v != v ? v : 0 # an occupancy is not negative, whatever its interval\n");
  }
  gnuplot_script_set_line_styles(script, plot->labels->len);
  g_string_append(script, "unset key\nset multiplot\n");
  append_panels(plot, top - (wide ? 0.055 : 0.01) * scale, legend + 0.145 * scale, script);
  append_legend(plot, legend, rows * columns, script);
  g_string_append(script, "unset multiplot\n");
  return script;
}

gboolean plot_sweep(result_store *store, const char *stem, const gnuplot_target *target, GError **error)
{
  sweep_table *table = sweep_table_read(store, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, error);
  if (table == NULL) {
    return FALSE;
  }
  g_autofree char *safe_stem = gnuplot_text_file_stem(stem);
  g_autofree char *name = g_strdup_printf("%s-reassembly-peak", safe_stem);
  sweep_plot plot = make_plot(table, name);
  g_autofree char *subtitle = make_subtitle(table, plot.lines);
  GString *script = make_script(&plot, name, subtitle, target->format);
  GString *data = make_data(&plot, subtitle);
  gboolean good = gnuplot_script_render(script, data, name, target, error);
  g_string_free(script, TRUE);
  g_string_free(data, TRUE);
  clear_plot(&plot);
  sweep_table_free(table);
  return good;
}
