/* SPDX-License-Identifier: GPL-2.0-only */
/* The peak of the reassembly memory over two keys at once. */
#include <math.h>

#include "study/plot/chart_page.h"
#include "study/plot/gnuplot_text.h"
#include "study/plot/place_axis.h"
#include "study/plot/plot_grouping.h"
#include "study/plot/plot_heading.h"
#include "study/plot/study_plot.h"
#include "study/plot/value_axis.h"
#include "study/table/shown_text.h"

#define PANELS_MAX 12
#define METRIC METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS

/* Dots of print for a row of cells, which hold two lines of text. */
#define CELL_HEIGHT 120

/* A cell less wide than so many letters of the axes has no text: its colour has to do. */
#define CELL_LETTERS 7

/* A plot in the making. In its grouping, lines are the values on y. */
typedef struct heat_map {
  const study_table *table;
  scenario_key x_key;
  scenario_key y_key;
  plot_grouping groups;
  GPtrArray *x; /* texts */
  GPtrArray *y;
  value_extent extent;
  octet_axis colours;
  plot_counts counts;
} heat_map;

static gboolean is_receiver(scenario_key key)
{
  return key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS;
}

/* The keys for x and y: loss and MTU where they vary, else the first that do, but for the kind of receiver if there are others. FALSE:
 * less than two keys vary. */
static gboolean find_keys(const study_table *table, scenario_key *x, scenario_key *y)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autoptr(GArray) chosen = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  static const scenario_key first[] = {SCENARIO_PATH_FORWARD_LOSS, SCENARIO_PATH_FORWARD_MTU};
  for (gsize f = 0; f < G_N_ELEMENTS(first); f++) {
    if (plot_grouping_varies(table, first[f])) {
      g_array_append_val(chosen, first[f]);
    }
  }
  for (int receivers = 0; receivers <= 1; receivers++) {
    for (guint i = 0; i < keys->len; i++) {
      scenario_key key = g_array_index(keys, scenario_key, i);
      if (key != first[0] && key != first[1] && is_receiver(key) == (receivers == 1)) {
        g_array_append_val(chosen, key);
      }
    }
  }
  if (chosen->len < 2) {
    return FALSE;
  }
  *x = g_array_index(chosen, scenario_key, 0);
  *y = g_array_index(chosen, scenario_key, 1);
  return TRUE;
}

static plot_grouping group(const study_table *table, scenario_key x, scenario_key y)
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
  return plot_grouping_by(table, x, panels, lines);
}

static guint index_in(const GPtrArray *texts, const char *text)
{
  guint index = 0;
  gboolean found = g_ptr_array_find_with_equal_func((GPtrArray *)texts, text, g_str_equal, &index);
  g_assert(found);
  return index;
}

static heat_map make_map(const study_table *table, scenario_key x, scenario_key y)
{
  heat_map map = {.table = table,
                  .x_key = x,
                  .y_key = y,
                  .groups = group(table, x, y),
                  .x = study_keys_values(table->runs, x),
                  .y = study_keys_values(table->runs, y)};
  for (guint i = 0; i < map.groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(map.groups.cells, plot_cell, i);
    statistics of = study_table_statistics(cell->runs, METRIC);
    if (of.count > 0) {
      value_extent_add(&map.extent, of.mean, NAN);
      plot_counts_add(&map.counts, cell->runs);
    }
  }
  map.colours = map.extent.smallest > 0
                    ? octet_axis_for(map.extent.has_zero, map.extent.smallest, map.extent.largest)
                    : octet_axis_linear(0);
  return map;
}

static void clear_map(heat_map *map)
{
  plot_grouping_clear(&map->groups);
  g_ptr_array_unref(map->x);
  g_ptr_array_unref(map->y);
}

/* Data. */

/* Where the colour of `octets` lies between the darkest, 0, and the lightest, 1. */
static double lightness_of(const heat_map *map, double octets)
{
  const octet_axis *axis = &map->colours;
  if (!axis->logarithmic) {
    return octets / axis->top;
  }
  return octets <= axis->bottom ? 0 : log(octets / axis->bottom) / log(axis->top / axis->bottom);
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
  statistics of = study_table_statistics(cell->runs, METRIC);
  if (of.count == 0) {
    return;
  }
  g_autofree char *mean = short_octets(of.mean, 3);
  g_autofree char *half = of.count > 1 ? short_octets(of.half_width, 2) : NULL;
  const study_run *run = g_ptr_array_index(cell->runs, 0);
  g_autofree char *x_text = gnuplot_text_comment(cell->x);
  g_autofree char *y_text = gnuplot_text_comment(run->keys[map->y_key]);
  g_string_append_printf(data, "%u %u %zu %.10g ", index_in(map->x, cell->x),
                         index_in(map->y, run->keys[map->y_key]), of.count, of.mean);
  g_string_append_printf(data, of.count > 1 ? "%.10g" : "NaN", of.half_width);
  g_string_append_printf(data, " %u %.3f \"%s%s\" \"%s%s\" %s, %s\n", cell->flagged,
                         lightness_of(map, of.mean), mean, cell->flagged > 0 ? "*" : "",
                         half != NULL ? "± " : "", half != NULL ? half : "", x_text, y_text);
}

static GString *make_data(const heat_map *map, const char *subtitle)
{
  GString *data = g_string_new(NULL);
  plot_heading_append_comments(map->table, subtitle, "buffer.reassembly_peak_octets, unit octets", data);
  for (guint panel = 0; panel < map->groups.panels->len; panel++) {
    g_autofree char *name = gnuplot_text_comment(g_ptr_array_index(map->groups.panels, panel));
    g_string_append_printf(
        data, "# %s\n# column row runs mean half_width flagged lightness shown shown_interval %s, %s\n", name,
        scenario_key_row_of(map->x_key)->name, scenario_key_row_of(map->y_key)->name);
    for (guint i = 0; i < map->groups.cells->len; i++) {
      const plot_cell *cell = &g_array_index(map->groups.cells, plot_cell, i);
      if (cell->panel == panel) {
        append_cell(map, cell, data);
      }
    }
    g_string_append(data, "\n\n");
  }
  return data;
}

/* Script. */

static void append_tics(char axis, const GPtrArray *texts, scenario_key key, gboolean labelled,
                        GString *script)
{
  g_string_append_printf(script, "set %crange [-0.5:%.1f]\nset %ctics (", axis, texts->len - 0.5, axis);
  for (guint i = 0; i < texts->len; i++) {
    g_autofree char *label = study_keys_label(key, g_ptr_array_index(texts, i));
    g_autofree char *quoted = gnuplot_text_quote_tic(labelled ? label : "");
    g_string_append_printf(script, "%s%s %u", i > 0 ? ", " : "", quoted, i);
  }
  g_string_append(script, ")\n");
}

/* Nine steps of viridis, whose lightness rises evenly. */
static void append_palette(const heat_map *map, GString *script)
{
  g_string_append(script,
                  "set palette defined (0 '#440154', 1 '#472d7b', 2 '#3b528b', 3 '#2c728e', 4 '#21918c', "
                  "5 '#28ae80', 6 '#5ec962', 7 '#addc30', 8 '#fde725')\n");
  octet_axis_append_to(&map->colours, "cb", TRUE, script);
  g_string_append_printf(script,
                         "set cblabel 'peak (octets)'\n"
                         "colour(v) = v > %.10g ? v : %.10g # what is less has no place on the scale\n",
                         map->colours.bottom, map->colours.bottom);
}

/* White on the darker half, black on the lighter. */
static void append_texts(const char *file, guint panel, const char *column, double up, gboolean letters,
                         guint size, GString *script)
{
  static const struct {
    const char *condition;
    const char *colour;
  } halves[] = {{"$7 < 0.55", "#ffffff"}, {"$7 >= 0.55", "#000000"}};
  for (gsize i = 0; i < G_N_ELEMENTS(halves); i++) {
    g_string_append_printf(
        script,
        ", \\\n     %s index %u using 1:(%s ? $2 + %.2f : NaN):(stringcolumn(%s)) with labels "
        "center font ',%u'%s%s%s notitle",
        file, panel, halves[i].condition, up, column, size, letters ? "" : " textcolor rgb '",
        letters ? "" : halves[i].colour, letters ? "" : "'");
  }
}

static void append_panel(const heat_map *map, const chart_page *page, guint panel, const char *file,
                         GString *script)
{
  gboolean letters = page->format == GNUPLOT_TERM;
  gboolean left = chart_page_is_left(page, panel);
  g_autofree char *title = gnuplot_text_quote(g_ptr_array_index(map->groups.panels, panel));
  g_autofree char *y_name = place_axis_name(map->y_key);
  g_autofree char *quoted_y = gnuplot_text_quote(left ? y_name : "");
  gboolean boxed = page->columns - 1 == panel % page->columns || panel + 1 == map->groups.panels->len;
  chart_page_append_margins(page, panel, script);
  append_tics('y', map->y, map->y_key, left, script);
  g_string_append_printf(script, "set title %s offset 0,-0.4\nset ylabel %s\nunset colorbox\n", title,
                         quoted_y);
  if (boxed && !letters) {
    chart_page_append_colour_box(page, panel, script);
  }
  g_string_append_printf(script,
                         letters ? "plot NaN notitle"
                                 : "plot %s index %u using 1:2:(0.5):(0.5):(colour($4)) with boxxyerror "
                                   "fillstyle solid 1 noborder linecolor palette notitle",
                         file, panel);
  double letter = 0.78 * page->page.font_size;
  gboolean fits = page->panel_width / map->x->len >= CELL_LETTERS * letter;
  if (fits || letters) {
    append_texts(file, panel, "8", letters ? 0 : 0.17, letters, page->page.font_size * 17 / 20, script);
  }
  if (fits && !letters) {
    append_texts(file, panel, "9", -0.2, letters, page->page.font_size * 14 / 20, script);
  }
  g_string_append_c(script, '\n');
}

static GString *make_script(const heat_map *map, const char *subtitle, const char *stem,
                            const gnuplot_target *target)
{
  guint panels = map->groups.panels->len;
  const chart_needs needs = {.panels = panels,
                             .titled = panels > 1,
                             .colour_box = target->format != GNUPLOT_TERM,
                             .panel_letters = CELL_LETTERS * map->x->len,
                             .panel_height = CELL_HEIGHT * map->y->len,
                             .title = map->table->title,
                             .subtitle = subtitle};
  chart_page page = chart_page_of(target, &needs);
  double top;
  GString *script = gnuplot_script_new(stem, target->format, &page.page, map->table->title, subtitle, &top);
  g_autofree char *file_name = g_strdup_printf("%s.dat", stem);
  g_autofree char *file = gnuplot_text_quote(file_name);
  append_palette(map, script);
  g_string_append(script, "unset key\nunset grid\nset border 0\nset tics scale 0\nset multiplot\n");
  append_tics('x', map->x, map->x_key, TRUE, script);
  g_autofree char *x_name = place_axis_name(map->x_key);
  g_autofree char *quoted_x = gnuplot_text_quote(x_name);
  g_string_append_printf(script, "set xlabel %s\n", quoted_x);
  for (guint panel = 0; panel < panels; panel++) {
    append_panel(map, &page, panel, file, script);
    if (panel == 0) {
      g_string_append(script, "unset label 1\nunset label 2\n");
    }
  }
  g_string_append(script, "unset multiplot\n");
  return script;
}

static gboolean check(const heat_map *map, GError **error)
{
  if (map->counts.points == 0) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT, "nothing to draw: no run has a value of %s",
                metric_row_of(METRIC)->name);
    return FALSE;
  }
  if (map->groups.panels->len > PANELS_MAX) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT,
                "a heat map of %s and %s needs %u panels for the other keys; %d is the most that can be read",
                scenario_key_row_of(map->x_key)->name, scenario_key_row_of(map->y_key)->name,
                map->groups.panels->len, PANELS_MAX);
    return FALSE;
  }
  return TRUE;
}

/* The means of buffer.reassembly_peak_octets: a panel for each combination of the other keys, 12 at most; in each cell the mean, half the
 * width of its 95 % interval, and an asterisk when it has flagged runs. Colours are those of viridis: the lighter the more, in grey too. */
static gboolean draw_heat_map(const study_table *table, metric_id metric, const char *stem,
                              const gnuplot_target *target, GError **error)
{
  (void)metric;
  scenario_key x, y;
  gboolean two = find_keys(table, &x, &y);
  g_assert(two);
  heat_map map = make_map(table, x, y);
  gboolean good = check(&map, error);
  if (good) {
    g_autofree char *who = plot_heading_subtitle(table, &map.counts, "asterisk");
    g_autofree char *subtitle = g_strconcat("peak of the reassembly occupancy · ", who, NULL);
    GString *script = make_script(&map, subtitle, stem, target);
    GString *data = make_data(&map, subtitle);
    good = gnuplot_script_render(script, data, stem, target, error);
    g_string_free(script, TRUE);
    g_string_free(data, TRUE);
  }
  clear_map(&map);
  return good;
}

static const char *lack_of_keys(const study_table *table)
{
  scenario_key x, y;
  return find_keys(table, &x, &y) ? NULL : "two keys that vary";
}

const study_plot plot_heat_map = {
    .name = "heat-map",
    .sentence = "peak of the reassembly occupancy over two keys that the runs vary, such as loss and MTU",
    .lack = lack_of_keys,
    .draw = draw_heat_map};
