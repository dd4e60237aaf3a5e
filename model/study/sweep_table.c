#include "study/sweep_table.h"

#include <math.h>
#include <string.h>

#include "study/statistics.h"

GQuark sweep_table_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sweep-table-error");
}

#define CONFIDENCE 0.95

/* Reading. */

static void free_run(gpointer data)
{
  sweep_table_run *run = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run->keys[key]);
  }
  g_free(run);
}

/* What sweep_table_read() collects. */
typedef struct reading {
  sweep_table *table;
  metric_id metric;
  GPtrArray *names;
  GPtrArray *versions;
} reading;

static void add_once(GPtrArray *texts, const char *text)
{
  if (!g_ptr_array_find_with_equal_func(texts, text, g_str_equal, NULL)) {
    g_ptr_array_add(texts, g_strdup(text));
  }
}

static char *join(GPtrArray *texts)
{
  g_ptr_array_add(texts, NULL);
  return g_strjoinv(", ", (char **)texts->pdata);
}

static gboolean visit_run(const stored_scenario *from, const stored_run *run, gpointer data, GError **error)
{
  (void)error;
  reading *r = data;
  if (run->status != RUN_OK || !run->metrics.present[r->metric]) {
    r->table->left_out++;
    return TRUE;
  }
  if (r->table->runs->len == 0) {
    r->table->title = g_strdup(from->title);
    r->table->axes = g_strdup(from->axes);
  }
  add_once(r->names, from->name);
  add_once(r->versions, from->version);
  sweep_table_run *kept = g_new0(sweep_table_run, 1);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    kept->keys[key] = g_strdup(run->keys[key] != NULL ? run->keys[key] : "");
  }
  kept->value = run->metrics.value[r->metric];
  g_ptr_array_add(r->table->runs, kept);
  return TRUE;
}

sweep_table *sweep_table_read(result_store *store, metric_id metric, GError **error)
{
  sweep_table *table = g_new0(sweep_table, 1);
  table->runs = g_ptr_array_new_with_free_func(free_run);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) versions = g_ptr_array_new_with_free_func(g_free);
  reading r = {.table = table, .metric = metric, .names = names, .versions = versions};
  gboolean good = result_store_each(store, visit_run, &r, error);
  if (good && table->runs->len == 0) {
    g_set_error(error, SWEEP_TABLE_ERROR, SWEEP_TABLE_ERROR_EMPTY,
                "nothing to plot: none of the store's %u runs ended ok with a value of %s", table->left_out,
                metric_row_of(metric)->name);
    good = FALSE;
  }
  table->names = join(names);
  table->versions = join(versions);
  if (!good) {
    g_clear_pointer(&table, sweep_table_free);
  }
  return table;
}

void sweep_table_free(sweep_table *table)
{
  if (table == NULL) {
    return;
  }
  g_ptr_array_unref(table->runs);
  g_free(table->title);
  g_free(table->names);
  g_free(table->versions);
  g_free(table->axes);
  g_free(table);
}

/* Grouping. */

static void free_line(gpointer data)
{
  sweep_line *line = data;
  g_free(line->label);
  g_array_unref(line->points);
  g_free(line);
}

/* "MTU 1500 octets" for the keys everybody knows, "mpa.markers = false" for others. */
static char *value_label(scenario_key key, const char *text)
{
  if (key == SCENARIO_PATH_FORWARD_MTU) {
    return g_strdup_printf("MTU %s octets", text);
  }
  g_autofree char *shown = plot_axes_label(key, text);
  return g_strdup_printf("%s = %s", scenario_key_row_of(key)->name, shown);
}

static char *line_label(const sweep_table_run *run, const plot_axes *axes)
{
  GString *label = g_string_new(NULL);
  for (guint i = 0; i < axes->lines->len; i++) {
    scenario_key key = g_array_index(axes->lines, scenario_key, i);
    g_autofree char *part = value_label(key, run->keys[key]);
    g_string_append_printf(label, "%s%s", i > 0 ? ", " : "", part);
  }
  return g_string_free(label, FALSE);
}

static int position_of(const GPtrArray *values, const char *text)
{
  guint position = 0;
  gboolean found = g_ptr_array_find_with_equal_func((GPtrArray *)values, text, g_str_equal, &position);
  g_assert(found);
  return (int)position;
}

/* A run beside where it belongs: first in panel, then in each line key, then on x. */
typedef struct placed_run {
  const sweep_table_run *run;
  GArray *place; /* int */
} placed_run;

static int compare_places(gconstpointer a, gconstpointer b)
{
  const GArray *place_a = ((const placed_run *)a)->place;
  const GArray *place_b = ((const placed_run *)b)->place;
  for (guint i = 0; i < place_a->len; i++) {
    int difference = g_array_index(place_a, int, i) - g_array_index(place_b, int, i);
    if (difference != 0) {
      return difference;
    }
  }
  return 0;
}

static void clear_placed(gpointer data)
{
  g_array_unref(((placed_run *)data)->place);
}

/* The keys that say where a run belongs, in the order of placed_run. */
static GArray *placing_keys(const plot_axes *axes)
{
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  scenario_key panel = (scenario_key)axes->panel, x = (scenario_key)axes->x;
  if (axes->panel != PLOT_AXES_NONE) {
    g_array_append_val(keys, panel);
  }
  g_array_append_vals(keys, axes->lines->data, axes->lines->len);
  g_array_append_val(keys, x);
  return keys;
}

/* All runs, sorted by place. */
static GArray *place_runs(const sweep_table *table, const plot_axes *axes)
{
  g_autoptr(GArray) keys = placing_keys(axes);
  GArray *placed = g_array_new(FALSE, FALSE, sizeof(placed_run));
  g_array_set_clear_func(placed, clear_placed);
  for (guint i = 0; i < table->runs->len; i++) {
    placed_run entry = {.run = g_ptr_array_index(table->runs, i),
                        .place = g_array_new(FALSE, FALSE, sizeof(int))};
    g_array_append_val(placed, entry);
  }
  for (guint k = 0; k < keys->len; k++) {
    scenario_key key = g_array_index(keys, scenario_key, k);
    g_autoptr(GPtrArray) values = plot_axes_values(table->runs, key);
    for (guint i = 0; i < placed->len; i++) {
      const placed_run *entry = &g_array_index(placed, placed_run, i);
      int position = position_of(values, entry->run->keys[key]);
      g_array_append_val(entry->place, position);
    }
  }
  g_array_sort(placed, compare_places);
  return placed;
}

static sweep_point make_point(const GArray *placed, guint first, guint end, const plot_axes *axes)
{
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = first; i < end; i++) {
    g_array_append_val(values, g_array_index(placed, placed_run, i).run->value);
  }
  const double *numbers = (const double *)(gpointer)values->data;
  return (sweep_point){
      .x = g_array_index(placed, placed_run, first).run->keys[axes->x],
      .count = values->len,
      .mean = statistics_mean(numbers, values->len),
      .half_width = values->len >= 2 ? statistics_half_width(numbers, values->len, CONFIDENCE) : (double)NAN};
}

GPtrArray *sweep_table_lines(const sweep_table *table, const plot_axes *axes)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func(free_line);
  g_autoptr(GArray) placed = place_runs(table, axes);
  for (guint first = 0; first < placed->len;) {
    const placed_run *start = &g_array_index(placed, placed_run, first);
    guint end = first;
    while (end < placed->len && compare_places(start, &g_array_index(placed, placed_run, end)) == 0) {
      end++;
    }
    const char *panel = axes->panel == PLOT_AXES_NONE ? NULL : start->run->keys[axes->panel];
    g_autofree char *label = line_label(start->run, axes);
    sweep_line *line = lines->len > 0 ? g_ptr_array_index(lines, lines->len - 1) : NULL;
    if (line == NULL || strcmp(line->label, label) != 0 || g_strcmp0(line->panel, panel) != 0) {
      line = g_new0(sweep_line, 1);
      line->panel = panel;
      line->label = g_steal_pointer(&label);
      line->points = g_array_new(FALSE, FALSE, sizeof(sweep_point));
      g_ptr_array_add(lines, line);
    }
    sweep_point point = make_point(placed, first, end, axes);
    g_array_append_val(line->points, point);
    first = end;
  }
  return lines;
}

char *sweep_table_seeds(const sweep_table *table)
{
  g_autoptr(GPtrArray) seeds = plot_axes_values(table->runs, SCENARIO_RUN_SEED);
  const char *first = g_ptr_array_index(seeds, 0);
  const char *last = g_ptr_array_index(seeds, seeds->len - 1);
  if (seeds->len == 1) {
    return g_strdup_printf("seed %s", first);
  }
  if (g_ascii_strtoull(last, NULL, 10) - g_ascii_strtoull(first, NULL, 10) + 1 == seeds->len) {
    return g_strdup_printf("seeds %s–%s", first, last);
  }
  if (seeds->len > 6) {
    return g_strdup_printf("%u seeds", seeds->len);
  }
  g_ptr_array_add(seeds, NULL);
  g_autofree char *list = g_strjoinv(", ", (char **)seeds->pdata);
  return g_strdup_printf("seeds %s", list);
}
