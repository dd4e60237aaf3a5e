/* SPDX-License-Identifier: GPL-2.0-only */
/* The peak of the reassembly memory over two keys at once. */
#include <math.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/table/result_quantity.h"
#include "study/table/shown_number.h"

#define PANELS_MAX 12
static const result_quantity peak = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, .whole = METRIC_COUNT};

/* Dots of print for a row of cells, which hold two lines of text. */
#define CELL_HEIGHT 120

/* A cell less wide than so many letters of the axes has no text: its colour has to do. */
#define CELL_LETTERS 7

/* A plot in the making. In its grouping, lines are the values on y. */
typedef struct heat_map {
  plot_grouping groups;
  place_axis x;
  place_axis y;
  value_extent extent;
  plot_axis colours;
  plot_counts counts;
} heat_map;

static void heat_map_clear(heat_map *map)
{
  plot_grouping_clear(&map->groups);
  place_axis_clear(&map->x);
  place_axis_clear(&map->y);
  plot_axis_clear(&map->colours);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(heat_map, heat_map_clear)

/* Loss and MTU come first, the kind of receiver last. */
static int rank_of(scenario_key key)
{
  return key == SCENARIO_PATH_FORWARD_LOSS                              ? 0
         : key == SCENARIO_PATH_FORWARD_MTU                             ? 1
         : key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS ? 3
                                                                        : 2;
}

/* The keys that vary, by rank: the first two are for x and y. scenario_key; free with g_array_unref(). */
static GArray *ranked_keys(const study_table *table)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  GArray *ranked = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  for (int rank = 0; rank <= 3; rank++) {
    for (guint i = 0; i < keys->len; i++) {
      scenario_key key = g_array_index(keys, scenario_key, i);
      if (rank_of(key) == rank) {
        g_array_append_val(ranked, key);
      }
    }
  }
  return ranked;
}

/* Where the colour of `octets` lies between the darkest, 0, and the lightest, 1. */
static double lightness_of(const plot_axis *colours, double octets)
{
  if (!colours->logarithmic) {
    return octets / colours->to;
  }
  return octets <= colours->from ? 0 : log(octets / colours->from) / log(colours->to / colours->from);
}

/* `octets` with few digits. Free with g_free(). */
static char *short_octets(double octets, int digits)
{
  double size = octets >= 1024 ? pow(1024, floor(log2(octets) / 10)) : 1;
  double unit = octets > 0 ? pow(10, floor(log10(octets / size)) - digits + 1) * size : 1;
  return shown_text_octets(round(octets / unit) * unit);
}

static void append_cell(const heat_map *map, const plot_cell *cell, GString *data)
{
  statistics of = result_quantity_statistics(&peak, cell->runs);
  if (of.count == 0) {
    return;
  }
  g_autofree char *mean = short_octets(of.mean, 3);
  g_autofree char *half = of.count > 1 ? short_octets(of.half_width, 2) : NULL;
  const char *y = ((const study_run *)g_ptr_array_index(cell->runs, 0))->keys[map->y.key];
  g_autofree char *x_text = gnuplot_comment(cell->x);
  g_autofree char *y_text = gnuplot_comment(y);
  g_string_append_printf(data, "%u %u %zu %.10g ", place_axis_index(&map->x, cell->x),
                         place_axis_index(&map->y, y), of.count, of.mean);
  g_string_append_printf(data, of.count > 1 ? "%.10g" : "NaN", of.half_width);
  g_string_append_printf(data, " %u %.3f \"%s%s\" \"%s%s\" %s, %s\n", cell->flagged,
                         lightness_of(&map->colours, of.mean), mean, cell->flagged > 0 ? "*" : "",
                         half != NULL ? "± " : "", half != NULL ? half : "", x_text, y_text);
}

static void append_data(const heat_map *map, GString *data)
{
  for (guint panel = 0; panel < map->groups.panels->len; panel++) {
    g_autofree char *name = gnuplot_comment(g_ptr_array_index(map->groups.panels, panel));
    g_string_append_printf(
        data, "# %s\n# column row runs mean half_width flagged lightness shown shown_interval %s, %s\n", name,
        scenario_key_row_of(map->x.key)->name, scenario_key_row_of(map->y.key)->name);
    for (guint i = 0; i < map->groups.cells->len; i++) {
      const plot_cell *cell = &g_array_index(map->groups.cells, plot_cell, i);
      if (cell->panel == panel) {
        append_cell(map, cell, data);
      }
    }
    g_string_append(data, "\n\n");
  }
}

/* The map of `table`, without its colours. */
static heat_map make_map(const study_table *table, scenario_key x, scenario_key y)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autoptr(GArray) panels = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    if (key != x && key != y) {
      g_array_append_val(panels, key);
    }
  }
  g_array_append_val(lines, y);
  heat_map map = {.groups = plot_grouping_by(table, x, panels, lines),
                  .x = place_axis_of_cells(table->runs, x),
                  .y = place_axis_of_cells(table->runs, y)};
  for (guint i = 0; i < map.groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(map.groups.cells, plot_cell, i);
    statistics of = result_quantity_statistics(&peak, cell->runs);
    if (of.count > 0) {
      value_extent_add(&map.extent, of.mean, NAN);
      plot_counts_add(&map.counts, cell->runs);
    }
  }
  map.colours = plot_axis_of_values(&map.extent, "peak", "octets", VALUE_SCALE_FITTING);
  return map;
}

/* The means of buffer.reassembly_peak_octets: a panel for each combination of the other keys, 12 at most; in
 * each cell the mean, half the width of its 95 % interval, and an asterisk when it has flagged runs. Colours
 * are those of viridis: the lighter the more, in grey too. */
static gboolean draw_heat_map(const study_table *table, const study_plot *plot, metric_id metric,
                              const char *stem, const gnuplot_target *target, GError **error)
{
  (void)plot, (void)metric;
  g_autoptr(GArray) keys = ranked_keys(table);
  g_assert(keys->len >= 2);
  scenario_key x = g_array_index(keys, scenario_key, 0), y = g_array_index(keys, scenario_key, 1);
  g_auto(heat_map) map = make_map(table, x, y);
  guint panels = map.groups.panels->len;
  if (map.counts.runs == 0) {
    return error_set(error, "nothing to draw: no run has a value of %s", metric_row_of(peak.metric)->name);
  }
  if (panels > PANELS_MAX) {
    return error_set(
        error, "a heat map of %s and %s needs %u panels for the other keys; %d is the most that can be read",
        scenario_key_row_of(x)->name, scenario_key_row_of(y)->name, panels, PANELS_MAX);
  }
  gboolean letters = target->format == GNUPLOT_TERM;
  g_autofree char *runs = plot_runs_subtitle(table, &map.counts, "asterisk");
  g_autofree char *subtitle = g_strconcat("peak of the reassembly occupancy · ", runs, NULL);
  g_auto(plot_chart) chart = plot_chart_new("heat-map", target, table->title, subtitle,
                                            "buffer.reassembly_peak_octets, unit octets");
  chart.panels = map.groups.panels;
  chart.places = &map.x;
  chart.y = place_axis_drawn(&map.y, INFINITY, FALSE);
  chart.colour_box = !letters;
  chart.panel_letters = CELL_LETTERS * map.x.texts->len;
  chart.panel_height = CELL_HEIGHT * map.y.texts->len;
  plot_page page = plot_chart_page(&chart);
  gboolean fits = plot_page_panel_letters(&page) >= chart.panel_letters;
  gnuplot_set_number(chart.variables, "cell_texts", fits && !letters);
  plot_axis_append(&map.colours, "cb", chart.variables);
  append_data(&map, chart.data);
  return plot_chart_draw(&chart, stem, error);
}

static gboolean has_keys(const study_table *table, G_GNUC_UNUSED const study_plot *plot)
{
  g_autoptr(GArray) keys = ranked_keys(table);
  return keys->len >= 2;
}

const study_plot plot_heat_map = {
    .name = "heat-map",
    .sentence = "peak of the reassembly occupancy over two keys that the runs vary, such as loss and MTU",
    .has = has_keys,
    .needs = "two keys that vary",
    .draw = draw_heat_map};
