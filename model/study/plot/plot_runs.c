/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_runs.h"

#include <string.h>

#include "base/error.h"
#include "study/table/study_keys.h"

/* --- Grouping --- */

gboolean plot_grouping_varies(const study_table *table, scenario_key key)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  return study_keys_have(keys, key);
}

scenario_key plot_grouping_x(const study_table *table, const plot_request *request)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  scenario_key first = SCENARIO_KEY_COUNT, longest = first;
  guint of_first = 1, most = 0, lines = 1;
  for (guint i = keys->len; i-- > 0 && request->x == NULL;) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    gboolean taken = study_keys_have(request->series, key) || study_keys_have(request->panels, key);
    g_autoptr(GPtrArray) values = study_keys_values(table->runs, key);
    lines *= key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS ? 1 : values->len; /* panels */
    if (!taken && first != SCENARIO_PATH_FORWARD_LOSS) {
      first = key;
      of_first = values->len;
    }
    if (!taken && values->len > most) {
      longest = key;
      most = values->len;
    }
  }
  return request->x != NULL ? *request->x : lines > PLOT_LINES_MAX * of_first ? longest : first;
}

char *plot_place_words(const study_table *table, const GArray *keys, char *const *texts)
{
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    const char *name = study_keys_name(key, table->axes);
    const char *text = texts[key] != NULL ? texts[key] : "", *own = study_table_words(table, key, text);
    g_autofree char *part = own != NULL ? g_strdup(own) : study_label_of(key, name, text);
    const char *value = part;
    gboolean named = own == NULL && g_str_has_prefix(part, name);
    value += named ? strlen(name) : 0;
    g_string_append_printf(words, "%s%s%s", i > 0 ? ", " : "",
                           named ? study_table_words(table, key, NULL) : "", value);
  }
  return g_string_free(words, FALSE);
}

/* Returns the index of `text` in `texts`, where it is put if need be; takes `text`. */
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

/* Groups by the keys of panels and lines, and after them that of x in `all`. */
static void group_runs(const study_table *table, scenario_key x, const GArray *panels, const GArray *lines,
                       const GArray *all, plot_grouping *grouping)
{
  g_autoptr(GArray) points = study_table_points(table->runs, all);
  *grouping = (plot_grouping){.panels = g_ptr_array_new_with_free_func(g_free),
                              .lines = g_ptr_array_new_with_free_func(g_free),
                              .cells = g_array_new(FALSE, FALSE, sizeof(plot_cell))};
  g_array_set_clear_func(grouping->cells, clear_cell);
  for (guint i = 0; i < points->len; i++) {
    const study_point *point = &g_array_index(points, study_point, i);
    const study_run *first = g_ptr_array_index(point->runs, 0);
    const plot_cell cell = {.panel = index_of(grouping->panels, plot_place_words(table, panels, first->keys)),
                            .line = index_of(grouping->lines, plot_place_words(table, lines, first->keys)),
                            .x = first->keys[x],
                            .runs = g_ptr_array_ref(point->runs)};
    g_array_append_val(grouping->cells, cell);
  }
}

gboolean plot_grouping_make(const study_table *table, scenario_key x, const plot_request *request,
                            gboolean receivers_as_lines, plot_grouping *grouping, GError **error)
{
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autoptr(GArray) panels = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_autoptr(GArray) lines = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_autoptr(GArray) taken = g_array_append_val(g_array_new(FALSE, FALSE, sizeof(scenario_key)), x);
  const GArray *const given[] = {request->panels, request->series};
  for (gsize i = 0; i < G_N_ELEMENTS(given); i++) {
    for (guint k = 0; given[i] != NULL && k < given[i]->len; k++) {
      scenario_key key = g_array_index(given[i], scenario_key, k);
      if (study_keys_have(taken, key)) {
        return error_set(error, "%s has two places; expected one of --x, --series and --panel",
                         study_keys_name(key, table->axes));
      }
      g_array_append_val(i == 0 ? panels : lines, key);
      g_array_append_val(taken, key);
    }
  }
  /* The kind of receiver: its mode, and markers where both vary. */
  gboolean by_mode = x != SCENARIO_RECEIVER_MODE && study_keys_have(keys, SCENARIO_RECEIVER_MODE);
  guint first = lines->len;
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    gboolean receiver = by_mode && (key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS);
    gboolean settled = FALSE; /* taken, or moves in step with one that is */
    for (guint k = 0; k < taken->len && !settled; k++) {
      scenario_key other = g_array_index(taken, scenario_key, k);
      settled = key == other || study_keys_follows(table->runs, key, other);
    }
    if (settled) {
      continue;
    }
    if (request->series != NULL && request->panels != NULL) {
      return error_set(error,
                       "%s varies, too; expected it in --series or --panel, or one value of it by --where",
                       study_keys_name(key, table->axes));
    }
    if (request->series != NULL || (request->panels == NULL && receiver && !receivers_as_lines)) {
      g_array_append_val(panels, key);
    } else {
      g_array_insert_val(lines, receiver && receivers_as_lines ? first++ : lines->len, key);
    }
  }
  g_autoptr(GArray) all = g_array_append_vals(g_array_copy(panels), lines->data, lines->len);
  group_runs(table, x, panels, lines, g_array_append_val(all, x), grouping);
  return TRUE;
}

void plot_grouping_clear(plot_grouping *grouping)
{
  g_clear_pointer(&grouping->panels, g_ptr_array_unref);
  g_clear_pointer(&grouping->lines, g_ptr_array_unref);
  g_clear_pointer(&grouping->cells, g_array_unref);
}

/* --- Selection --- */

static char *const *keys_of(const GArray *points, guint index)
{
  return ((const study_run *)g_ptr_array_index(g_array_index(points, study_point, index).runs, 0))->keys;
}

point_selection point_selection_of(const study_table *table, guint most)
{
  g_autoptr(GArray) differing = study_table_keys(table);
  g_autoptr(GArray) fixed = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_autoptr(GPtrArray) runs = g_ptr_array_ref(table->runs);
  GArray *points = study_table_points(runs, differing);
  point_selection selection = {.of = points->len, .labels = g_ptr_array_new_with_free_func(g_free)};
  while (points->len > most && differing->len > 1) {
    /* The key with most values is fixed, of several the last; the kind of receiver, which is what is
     * compared, only when there is no other. */
    guint at = 0, most_values = 0;
    for (guint i = 0; i < differing->len; i++) {
      const scenario_key key = g_array_index(differing, scenario_key, i);
      g_autoptr(GPtrArray) values = study_keys_values(runs, key);
      const gboolean is_receiver = key == SCENARIO_RECEIVER_MODE || key == SCENARIO_MPA_MARKERS;
      const guint count = is_receiver ? 1 : values->len;
      at = count >= most_values ? i : at;
      most_values = MAX(most_values, count);
    }
    const scenario_key key = g_array_index(differing, scenario_key, at);
    g_autoptr(GPtrArray) values = study_keys_values(runs, key);
    GPtrArray *left = g_ptr_array_new();
    for (guint i = 0; i < runs->len; i++) {
      study_run *run = g_ptr_array_index(runs, i);
      if (strcmp(run->keys[key], values->pdata[values->len - 1]) == 0) {
        g_ptr_array_add(left, run);
      }
    }
    g_ptr_array_unref(runs);
    runs = left;
    g_array_append_val(fixed, key);
    g_array_remove_index(differing, at);
    g_array_unref(points);
    points = study_table_points(runs, differing);
  }
  /* Of the values of one key the last, the first, and evenly what lies between. */
  const guint count = points->len, kept = MIN(most, count);
  for (guint i = count, next = kept; i-- > 0;) {
    const guint wanted = kept > 1 ? (next - 1) * (count - 1) / (kept - 1) : count - 1;
    if (next > 0 && i == wanted) {
      next--;
      g_ptr_array_insert(selection.labels, 0, plot_place_words(table, differing, keys_of(points, i)));
    } else {
      g_array_remove_index(points, i);
    }
  }
  selection.points = points;
  selection.fixed = points->len > 0 ? plot_place_words(table, fixed, keys_of(points, 0)) : g_strdup("");
  return selection;
}

void point_selection_clear(point_selection *selection)
{
  g_array_unref(selection->points);
  g_ptr_array_unref(selection->labels);
  g_free(selection->fixed);
}

/* --- The subtitle --- */

void plot_counts_add(plot_counts *counts, const GPtrArray *runs)
{
  counts->fewest = counts->runs == 0 ? runs->len : MIN(counts->fewest, runs->len);
  counts->most = MAX(counts->most, runs->len);
  counts->runs += runs->len;
  for (guint i = 0; i < runs->len; i++) {
    guint flags = ((const study_run *)g_ptr_array_index(runs, i))->flags;
    counts->flagged += flags != 0 ? 1 : 0;
    counts->flags |= flags;
  }
}

/* These mark runs with any of these flags. */
static const char *const flagged_with[] = {
    [STUDY_FLAG_TIMEOUTS] = "timeouts",
    [STUDY_FLAG_SPURIOUS] = "spurious retransmissions",
    [STUDY_FLAG_LOST_RETRANSMISSIONS] = "lost retransmissions",
    [STUDY_FLAG_TIMEOUTS | STUDY_FLAG_SPURIOUS] = "timeouts or spurious retransmissions",
    [STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS] = "timeouts or lost retransmissions",
    [STUDY_FLAG_SPURIOUS | STUDY_FLAG_LOST_RETRANSMISSIONS] = "spurious or lost retransmissions",
    [STUDY_FLAG_TIMEOUTS | STUDY_FLAG_SPURIOUS | STUDY_FLAG_LOST_RETRANSMISSIONS] =
        "timeouts, spurious or lost retransmissions"};

char *plot_runs_subtitle(const study_table *table, const plot_counts *counts, const char *points,
                         const char *mark)
{
  g_autofree char *in_step = study_table_in_step(table), *seeds = study_table_seeds(table);
  g_autofree char *partial = study_table_partial(table);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s%sscenario %s · %s · iwarpsim %s · %u %s", table->title,
                         *table->title != '\0' ? " · " : "", table->names, seeds, table->versions,
                         counts->runs, counts->runs == 1 ? "run" : "runs");
  if (counts->words != NULL) {
    g_string_append_printf(text, " · %s", counts->words);
  } else if (counts->most >= 2) {
    g_autofree char *fewest =
        counts->fewest < counts->most ? g_strdup_printf("%u to ", counts->fewest) : g_strdup("");
    g_autofree char *each = g_strdup_printf("%s%u", fewest, counts->most);
    g_string_append_printf(text, ", %s", points);
    g_string_replace(text, "#", each, 1);
  }
  if (*in_step != '\0') {
    g_string_append_printf(text, " · %s", in_step);
  }
  if (counts->flagged > 0) {
    g_string_append_printf(text, " · %s: %u with %s", mark, counts->flagged, flagged_with[counts->flags]);
  }
  if (counts->empty != NULL) {
    g_string_append_printf(text, " · %s: no value", counts->empty);
  }
  if (counts->unsteady > 0) {
    g_string_append_printf(text, " · %u not steady, or too short to tell", counts->unsteady);
  }
  g_string_append_printf(text, "%s%s", *partial != '\0' ? " · " : "", partial);
  if (table->left_out->len > 0) {
    g_string_append_printf(text, " · %u flagged left out", table->left_out->len);
  }
  if (table->all.others->len > 0) {
    g_string_append_printf(text, " · %u did not end ok", table->all.others->len);
  }
  return g_string_free(text, FALSE);
}
