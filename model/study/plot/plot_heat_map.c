/* SPDX-License-Identifier: GPL-2.0-only */
/* The peak of the reassembly memory, or another quantity, over two keys at once. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/table/result_quantity.h"
#include "study/table/shown_number.h"

#define PANELS_MAX 12
static const result_quantity reassembly_peak = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                                .whole = METRIC_COUNT};

/* In a cell of runs that have no value. */
#define NO_VALUE "\u00d7"

/* Dots of print for a row of cells, which hold two lines of text. */
#define CELL_HEIGHT 120

/* A cell less wide than so many letters of the axes has no text: its colour has to do. */
#define CELL_LETTERS 7

/* A plot in the making. In its grouping, lines are the values on y. */
typedef struct heat_map {
  const result_quantity *quantity;
  char *unit;
  plot_grouping groups;
  place_axis x;
  place_axis y;
  plot_axis colours;
  plot_counts counts;
} heat_map;

static void heat_map_clear(heat_map *map)
{
  plot_grouping_clear(&map->groups);
  place_axis_clear(&map->x);
  place_axis_clear(&map->y);
  plot_axis_clear(&map->colours);
  g_free(map->unit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(heat_map, heat_map_clear)

/* The keys that vary, those for x and y first: loss and MTU, and last the kind of receiver. scenario_key;
 * free with g_array_unref(). */
static GArray *ranked_keys(const study_table *table)
{
  enum { LOSS, MTU, OTHER, RECEIVER, RANKS };
  g_autoptr(GArray) keys = study_table_keys(table);
  GArray *ranked = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  for (int rank = LOSS; rank < RANKS; rank++) {
    for (guint i = 0; i < keys->len; i++) {
      scenario_key key = g_array_index(keys, scenario_key, i);
      int of = key == SCENARIO_PATH_FORWARD_LOSS                              ? LOSS
               : key == SCENARIO_PATH_FORWARD_MTU                             ? MTU
               : key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS ? RECEIVER
                                                                              : OTHER;
      g_array_append_vals(ranked, &key, of == rank ? 1 : 0);
    }
  }
  return ranked;
}

/* Where the colour of `value` lies between the darkest, 0, and the lightest, 1. */
static double lightness_of(const plot_axis *colours, double value)
{
  return colours->base == 0       ? (value - colours->from) / (colours->to - colours->from)
         : value <= colours->from ? 0
                                  : log(value / colours->from) / log(colours->to / colours->from);
}

/* `value` with few digits. Free with g_free(). */
static char *short_text(const heat_map *map, double value, int digits)
{
  gboolean octets = strcmp(map->unit, "octets") == 0 && value >= 0;
  double size = octets && value >= 1024 ? pow(1024, floor(log2(value) / 10)) : 1;
  double unit = value != 0 ? pow(10, floor(log10(fabs(value) / size)) - digits + 1) * size : 1;
  double rounded = round(value / unit) * unit;
  return octets ? shown_text_octets(rounded)
                : g_strdup_printf("%.*g", digits, value / map->colours.unit_size);
}

/* "± 1.7 KiB", or of one that is not symmetric "0–15 KiB"; "" without one. Free with g_free(). */
static char *interval_text(const heat_map *map, const statistics *of)
{
  double below = of->mean - of->lower, above = of->upper - of->mean;
  if (of->count < 2) {
    return g_strdup("");
  }
  g_autofree char *half = short_text(map, above, 2), *low = short_text(map, of->lower, 2);
  g_autofree char *high = short_text(map, of->upper, 2);
  const char *unit = strchr(low, ' ');
  if (unit != NULL && g_str_has_suffix(high, unit)) {
    low[unit - low] = '\0';
  }
  return fabs(above - below) <= 0.01 * above ? g_strconcat("± ", half, NULL)
                                             : g_strconcat(low, "–", high, NULL);
}

/* The mean in a cell, with an asterisk if it is `flagged`; where there is little room of few `digits`, its
 * unit one letter: "126K". Free with g_free(). */
static char *mean_text(const heat_map *map, double mean, gboolean flagged, int digits, gboolean is_short)
{
  g_autofree char *number = short_text(map, mean, digits);
  char *unit = strchr(number, ' ');
  if (unit != NULL && is_short) {
    unit[0] = unit[1];
    unit[1] = '\0';
  }
  return g_strconcat(number, flagged ? "*" : "", NULL);
}

static void append_cell(const heat_map *map, const plot_cell *cell, GString *data)
{
  const char *y = ((const study_run *)g_ptr_array_index(cell->runs, 0))->keys[map->y.key];
  statistics of = result_quantity_statistics(map->quantity, cell->runs);
  g_string_append_printf(data, "%u %u %zu ", place_axis_index(&map->x, cell->x), place_axis_index(&map->y, y),
                         of.count);
  if (of.count == 0) {
    g_string_append_printf(data, "NaN NaN NaN 0 1 \"%s\" \"\" %s %s\n", NO_VALUE, NO_VALUE, NO_VALUE);
    return;
  }
  const gboolean flagged = cell->flagged > 0;
  g_autofree char *mean = mean_text(map, of.mean, flagged, 3, FALSE), *interval = interval_text(map, &of);
  g_autofree char *shorter = mean_text(map, of.mean, flagged, 3, TRUE);
  g_autofree char *shortest = mean_text(map, of.mean, flagged, 1, TRUE);
  g_autofree char *x_text = gnuplot_comment(cell->x), *y_text = gnuplot_comment(y);
  g_string_append_printf(data, of.count > 1 ? "%.10g %.10g %.10g" : "%.10g NaN NaN", of.mean, of.lower,
                         of.upper);
  g_string_append_printf(data, " %u %.3f \"%s\" \"%s\" %s %s %s, %s\n", cell->flagged,
                         lightness_of(&map->colours, of.mean), mean, interval, shorter, shortest, x_text,
                         y_text);
}

/* The keys of x and y: those that were asked for, and of the others the first two. FALSE and `error` when
 * there are none. */
static gboolean choose_keys(const study_table *table, const plot_request *request, scenario_key *x,
                            scenario_key *y, GError **error)
{
  g_autoptr(GArray) keys = ranked_keys(table);
  *x = request->x != NULL ? *request->x : SCENARIO_KEY_COUNT;
  *y = request->series != NULL ? g_array_index(request->series, scenario_key, 0) : SCENARIO_KEY_COUNT;
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    gboolean taken = key == *x || key == *y || study_keys_have(request->panels, key);
    if (!taken && *x == SCENARIO_KEY_COUNT) {
      *x = key;
    } else if (!taken && *y == SCENARIO_KEY_COUNT) {
      *y = key;
    }
  }
  if (request->series != NULL && request->series->len > 1) {
    return error_set(error, "a heat map has one key on y; expected --series with one key");
  }
  return *y < SCENARIO_KEY_COUNT ||
         error_set(error, "a heat map needs two keys that vary beside those of --panel");
}

/* Draws what it has now, the quantity called `name`. */
static gboolean draw_map(heat_map *map, const study_table *table, const char *name,
                         const plot_request *request, const char *stem, const gnuplot_target *target,
                         GError **error)
{
  const char *x_key = scenario_key_row_of(map->x.key)->name, *y_key = scenario_key_row_of(map->y.key)->name;
  g_autofree char *subtitle = plot_runs_subtitle(table, &map->counts, FALSE, "asterisk");
  g_autofree char *what =
      g_strdup_printf("%s over %s and %s", name, place_axis_words(map->x.key), place_axis_words(map->y.key));
  g_autofree char *metric = result_quantity_name(map->quantity);
  g_autofree char *quantity = g_strdup_printf("%s, unit %s", metric, map->unit);
  g_auto(plot_chart) chart = plot_chart_new("heat-map", target, request, what, subtitle, quantity);
  chart.panels = map->groups.panels;
  chart.x = place_axis_drawn(&map->x);
  chart.y = place_axis_drawn(&map->y);
  chart.colour_box = target->format != GNUPLOT_TERM;
  chart.panel_letters = CELL_LETTERS * map->x.texts->len;
  chart.panel_height = CELL_HEIGHT * map->y.texts->len;
  gnuplot_set_number(chart.variables, "cell_letters", CELL_LETTERS);
  plot_axis_append(&map->colours, "cb", chart.variables);
  for (guint panel = 0; panel < map->groups.panels->len; panel++) {
    g_autofree char *title = gnuplot_comment(g_ptr_array_index(map->groups.panels, panel));
    g_string_append_printf(chart.data,
                           "# %s\n# column row runs mean low high flagged lightness shown shown_interval "
                           "shorter shortest %s, %s\n",
                           title, x_key, y_key);
    for (guint i = 0; i < map->groups.cells->len; i++) {
      const plot_cell *cell = &g_array_index(map->groups.cells, plot_cell, i);
      if (cell->panel == panel) {
        append_cell(map, cell, chart.data);
      }
    }
    g_string_append(chart.data, "\n\n");
  }
  return plot_chart_draw(&chart, stem, error);
}

/* Means over two keys: a panel for each combination of the others, 12 at most; in each cell the mean, half
 * the width of its 95 % interval, and an asterisk when it has flagged runs. Colours are those of viridis: the
 * lighter the more, in grey too. */
static gboolean draw_heat_map(const study_table *table, G_GNUC_UNUSED const study_plot *plot,
                              const plot_request *request, const char *stem, const gnuplot_target *target,
                              GError **error)
{
  scenario_key x, y;
  if (!choose_keys(table, request, &x, &y, error)) {
    return FALSE;
  }
  g_autoptr(GArray) rows = g_array_append_val(g_array_new(FALSE, FALSE, sizeof(scenario_key)), y);
  const plot_request grouped = {.series = rows, .panels = NULL};
  g_auto(heat_map) map = {.quantity = request->quantity != NULL ? request->quantity : &reassembly_peak};
  if (!plot_grouping_make(table, x, &grouped, FALSE, &map.groups, error)) {
    return FALSE;
  }
  g_autofree char *name = result_quantity_name(map.quantity), *words = result_quantity_words(map.quantity);
  map.unit = result_quantity_unit(map.quantity);
  map.x = place_axis_of_cells(table->runs, x);
  map.y = place_axis_of_cells(table->runs, y);
  value_extent extent = {0};
  map.counts.words = map.quantity->given != NULL ? map.quantity->given->words : NULL;
  for (guint i = 0; i < map.groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(map.groups.cells, plot_cell, i);
    statistics of = result_quantity_statistics(map.quantity, cell->runs);
    if (of.count > 0) {
      value_extent_add(&extent, of.mean, NAN);
      plot_counts_add(&map.counts, cell->runs);
      map.counts.unsteady += result_quantity_unsteady(map.quantity, cell->runs);
    } else {
      map.counts.empty = NO_VALUE;
    }
  }
  map.colours =
      plot_axis_of_values(&extent, request->quantity != NULL ? words : "peak", map.unit, VALUE_SCALE_FITTING);
  guint panels = map.groups.panels->len;
  return (map.counts.runs > 0 || error_set(error, "nothing to draw: no run has a value of %s", name)) &&
         (panels <= PANELS_MAX ||
          error_set(error,
                    "a heat map of %s and %s needs %u panels for the other keys; %d is the most that can be "
                    "read: --where leaves fewer",
                    scenario_key_row_of(x)->name, scenario_key_row_of(y)->name, panels, PANELS_MAX)) &&
         draw_map(&map, table, request->quantity != NULL ? words : "peak of the reassembly occupancy",
                  request, stem, target, error);
}

static gboolean has_keys(const study_table *table, G_GNUC_UNUSED const study_plot *plot)
{
  g_autoptr(GArray) keys = ranked_keys(table);
  return keys->len >= 2;
}

const study_plot plot_heat_map = {
    .name = "heat-map",
    .sentence = "peak of the reassembly occupancy, or --metric, over two keys, such as loss and MTU",
    .takes_keys = TRUE,
    .has = has_keys,
    .needs = "two keys that vary",
    .draw = draw_heat_map};
