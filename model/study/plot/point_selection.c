/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/point_selection.h"

#include <string.h>

#include "study/table/study_label.h"

/* A varying key and those of its values that are shown. */
typedef struct shown_key {
  scenario_key key;
  GPtrArray *values; /* all, in plot order */
  guint shown;       /* how many of them, evenly spread up to the last */
} shown_key;

/* Whether value number `index` of `count` is one of `shown`: the last, the first, and evenly what lies between. */
static gboolean is_shown(guint index, guint count, guint shown)
{
  if (shown == 1) {
    return index + 1 == count;
  }
  for (guint i = 0; i < shown; i++) {
    if (index == (i * (count - 1) + (shown - 1) / 2) / (shown - 1)) {
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean value_is_shown(const shown_key *key, const char *text)
{
  guint index = 0;
  gboolean found = g_ptr_array_find_with_equal_func(key->values, text, g_str_equal, &index);
  return found && is_shown(index, key->values->len, key->shown);
}

static const study_run *first_run(const study_point *point)
{
  return g_ptr_array_index(point->runs, 0);
}

static gboolean point_is_shown(const study_point *point, const GArray *keys)
{
  for (guint i = 0; i < keys->len; i++) {
    const shown_key *key = &g_array_index(keys, shown_key, i);
    if (!value_is_shown(key, first_run(point)->keys[key->key])) {
      return FALSE;
    }
  }
  return TRUE;
}

static guint count_shown(const GArray *points, const GArray *keys)
{
  guint count = 0;
  for (guint i = 0; i < points->len; i++) {
    count += point_is_shown(&g_array_index(points, study_point, i), keys) ? 1 : 0;
  }
  return count;
}

/* The key that can spare a value best: the one that shows most, of several the last; kinds of receiver are what is compared. */
static shown_key *sparest_key(GArray *keys)
{
  shown_key *sparest = NULL;
  for (guint i = 0; i < keys->len; i++) {
    shown_key *key = &g_array_index(keys, shown_key, i);
    gboolean receiver = key->key == SCENARIO_RECEIVER_MODE;
    if (key->shown < 2) {
      continue;
    }
    if (sparest == NULL || sparest->key == SCENARIO_RECEIVER_MODE ||
        (!receiver && key->shown >= sparest->shown)) {
      sparest = key;
    }
  }
  return sparest;
}

/* Values are left out until the points that remain are few enough; those are never none: points whose values are all the last of
 * their keys need not exist when axes move in step, so a step that empties the picture is taken back for good. */
static void leave_out_values(const GArray *points, GArray *keys, guint most)
{
  while (count_shown(points, keys) > most) {
    shown_key *key = sparest_key(keys);
    if (key == NULL) {
      return;
    }
    key->shown--;
    if (count_shown(points, keys) == 0) {
      key->shown++;
      return;
    }
  }
}

static GArray *shown_keys_of(const study_table *table, const GArray *varying)
{
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(shown_key));
  for (guint i = 0; i < varying->len; i++) {
    shown_key key = {.key = g_array_index(varying, scenario_key, i)};
    key.values = study_keys_values(table->runs, key.key);
    key.shown = key.values->len;
    g_array_append_val(keys, key);
  }
  return keys;
}

static char *label_of(const study_point *point, const GArray *keys, gboolean of_one_value)
{
  GString *label = g_string_new(NULL);
  for (guint i = 0; i < keys->len; i++) {
    const shown_key *key = &g_array_index(keys, shown_key, i);
    if ((key->shown == 1) == of_one_value) {
      g_autofree char *words = study_label_of(key->key, first_run(point)->keys[key->key]);
      g_string_append_printf(label, "%s%s", label->len > 0 ? ", " : "", words);
    }
  }
  return g_string_free(label, FALSE);
}

static void free_keys(GArray *keys)
{
  for (guint i = 0; i < keys->len; i++) {
    g_ptr_array_unref(g_array_index(keys, shown_key, i).values);
  }
  g_array_unref(keys);
}

point_selection point_selection_of(const study_table *table, guint most)
{
  g_autoptr(GArray) varying = study_table_keys(table);
  GArray *points = study_table_points(table, varying);
  GArray *keys = shown_keys_of(table, varying);
  point_selection selection = {.of = points->len, .labels = g_ptr_array_new_with_free_func(g_free)};
  leave_out_values(points, keys, most);
  for (guint i = 0; i < points->len;) {
    const study_point *point = &g_array_index(points, study_point, i);
    if (!point_is_shown(point, keys) || i >= most) {
      g_array_remove_index(points, i);
      continue;
    }
    g_ptr_array_add(selection.labels, label_of(point, keys, FALSE));
    i++;
  }
  selection.points = points;
  selection.fixed =
      points->len > 0 ? label_of(&g_array_index(points, study_point, 0), keys, TRUE) : g_strdup("");
  free_keys(keys);
  return selection;
}

void point_selection_clear(point_selection *selection)
{
  g_array_unref(selection->points);
  g_ptr_array_unref(selection->labels);
  g_free(selection->fixed);
}
