/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_grouping.h"

#include "study/table/study_label.h"

static gboolean has_key(const GArray *keys, scenario_key key)
{
  for (guint i = 0; i < keys->len; i++) {
    if (g_array_index(keys, scenario_key, i) == key) {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean plot_grouping_varies(const study_table *table, scenario_key key)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  return has_key(keys, key);
}

scenario_key plot_grouping_x(const study_table *table)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  if (keys->len == 0) {
    return SCENARIO_RUN_SEED;
  }
  return has_key(keys, SCENARIO_PATH_FORWARD_LOSS) ? SCENARIO_PATH_FORWARD_LOSS
                                                   : g_array_index(keys, scenario_key, 0);
}

/* The keys that vary (study_table_keys()) but for `x`; and of them, in `panels` those that say what kind of receiver it is (mode, and
 * markers where both vary), in `lines` the others. Free both with g_array_unref(). */
static void split_keys(const study_table *table, scenario_key x, GArray **panels, GArray **lines)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  gboolean by_mode = x != SCENARIO_RECEIVER_MODE && has_key(keys, SCENARIO_RECEIVER_MODE);
  *panels = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  *lines = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    if (key == x) {
      continue;
    }
    gboolean receiver = by_mode && (key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS);
    g_array_append_val(receiver ? *panels : *lines, key);
  }
}

/* What `run` has for `keys`, joined by commas. */
static char *words_of(const study_run *run, const GArray *keys)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    g_autofree char *part = study_label_of(key, run->keys[key]);
    g_string_append_printf(words, "%s%s", i > 0 ? ", " : "", part);
  }
  return g_string_free(words, FALSE);
}

/* The index of `text` in `texts`, where it is put if need be; takes `text`. */
static guint index_of(GPtrArray *texts, char *text)
{
  guint index;
  if (g_ptr_array_find_with_equal_func(texts, text, g_str_equal, &index)) {
    g_free(text);
    return index;
  }
  g_ptr_array_add(texts, text);
  return texts->len - 1;
}

static void clear_cell(gpointer data)
{
  g_ptr_array_unref(((plot_cell *)data)->runs);
}

static void add_cell(plot_grouping *grouping, const study_point *point, const GArray *panels,
                     const GArray *lines)
{
  const study_run *first = g_ptr_array_index(point->runs, 0);
  plot_cell cell = {.panel = index_of(grouping->panels, words_of(first, panels)),
                    .line = index_of(grouping->lines, words_of(first, lines)),
                    .x = first->keys[grouping->x],
                    .runs = g_ptr_array_ref(point->runs),
                    .flagged = point->flagged};
  g_array_append_val(grouping->cells, cell);
}

plot_grouping plot_grouping_by(const study_table *table, scenario_key x, const GArray *panels,
                               const GArray *lines)
{
  plot_grouping grouping = {.x = x,
                            .panels = g_ptr_array_new_with_free_func(g_free),
                            .lines = g_ptr_array_new_with_free_func(g_free),
                            .cells = g_array_new(FALSE, FALSE, sizeof(plot_cell))};
  g_array_set_clear_func(grouping.cells, clear_cell);
  g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  if (panels->len > 0) {
    g_array_append_vals(keys, panels->data, panels->len);
  }
  if (lines->len > 0) {
    g_array_append_vals(keys, lines->data, lines->len);
  }
  g_array_append_val(keys, x);
  g_autoptr(GArray) points = study_table_points(table, keys);
  for (guint i = 0; i < points->len; i++) {
    add_cell(&grouping, &g_array_index(points, study_point, i), panels, lines);
  }
  return grouping;
}

plot_grouping plot_grouping_of(const study_table *table, scenario_key x, gboolean receivers_as_lines)
{
  GArray *panels, *lines;
  split_keys(table, x, &panels, &lines);
  if (receivers_as_lines && panels->len > 0) {
    g_array_prepend_vals(lines, panels->data, panels->len);
    g_array_set_size(panels, 0);
  }
  plot_grouping grouping = plot_grouping_by(table, x, panels, lines);
  g_array_unref(panels);
  g_array_unref(lines);
  return grouping;
}

void plot_grouping_clear(plot_grouping *grouping)
{
  g_clear_pointer(&grouping->panels, g_ptr_array_unref);
  g_clear_pointer(&grouping->lines, g_ptr_array_unref);
  g_clear_pointer(&grouping->cells, g_array_unref);
}
