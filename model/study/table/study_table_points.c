/* SPDX-License-Identifier: GPL-2.0-only */
/* Grouping the runs of a study_table: points and pairs. */
#include <string.h>

#include "study/table/study_table.h"

/* Places. */

/* Where each run belongs: for each of `keys` the rank of its text, runs beside each other. */
typedef struct placing {
  guint keys;
  guint *ranks;  /* ranks[run * keys + key] */
  guint *order;  /* numbers of the runs, sorted by place, of one place in the table's order */
  guint count;   /* of runs */
  GPtrArray *of; /* the table's runs */
} placing;

/* The rank of each text of `key` in study_keys_values(), plus one: a pointer of 0 is none. */
static GHashTable *ranks_of(const study_table *table, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(table->runs, key);
  GHashTable *ranks = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < values->len; i++) {
    g_hash_table_insert(ranks, g_ptr_array_index(values, i), GUINT_TO_POINTER(i + 1));
  }
  return ranks;
}

static int compare_places(const placing *p, guint a, guint b)
{
  for (guint i = 0; i < p->keys; i++) {
    guint rank_a = p->ranks[(gsize)a * p->keys + i], rank_b = p->ranks[(gsize)b * p->keys + i];
    if (rank_a != rank_b) {
      return rank_a < rank_b ? -1 : 1;
    }
  }
  return 0;
}

static int compare_order(gconstpointer a, gconstpointer b, gpointer data)
{
  guint run_a = *(const guint *)a, run_b = *(const guint *)b;
  int by_place = compare_places(data, run_a, run_b);
  return by_place != 0 ? by_place : (run_a > run_b) - (run_a < run_b);
}

static placing placing_of(const study_table *table, const GArray *keys)
{
  placing p = {.keys = keys->len, .count = table->runs->len, .of = table->runs};
  p.ranks = g_new(guint, (gsize)p.count * p.keys + 1);
  p.order = g_new(guint, p.count);
  for (guint k = 0; k < keys->len; k++) {
    scenario_key key = g_array_index(keys, scenario_key, k);
    g_autoptr(GHashTable) ranks = ranks_of(table, key);
    for (guint i = 0; i < p.count; i++) {
      const study_run *run = g_ptr_array_index(p.of, i);
      p.ranks[(gsize)i * p.keys + k] = GPOINTER_TO_UINT(g_hash_table_lookup(ranks, run->keys[key]));
    }
  }
  for (guint i = 0; i < p.count; i++) {
    p.order[i] = i;
  }
  g_qsort_with_data(p.order, (int)p.count, sizeof *p.order, compare_order, &p);
  return p;
}

static void placing_clear(placing *p)
{
  g_free(p->ranks);
  g_free(p->order);
}

/* Behind the last run of the place at which p->order[first] is. */
static guint end_of_place(const placing *p, guint first)
{
  guint end = first;
  while (end < p->count && compare_places(p, p->order[first], p->order[end]) == 0) {
    end++;
  }
  return end;
}

/* Points. */

static void clear_point(gpointer data)
{
  g_ptr_array_unref(((study_point *)data)->runs);
}

static GArray *new_points(void)
{
  GArray *points = g_array_new(FALSE, TRUE, sizeof(study_point));
  g_array_set_clear_func(points, clear_point);
  return points;
}

static study_point point_of(const placing *p, guint first, guint end)
{
  study_point point = {.runs = g_ptr_array_sized_new(end - first)};
  for (guint i = first; i < end; i++) {
    study_run *run = g_ptr_array_index(p->of, p->order[i]);
    g_ptr_array_add(point.runs, run);
    point.flagged += run->flags != 0 ? 1 : 0;
  }
  return point;
}

GArray *study_table_keys(const study_table *table)
{
  return study_keys_varying(table->runs, table->axes);
}

study_table study_table_with_others(const study_table *table)
{
  study_table whole = *table;
  whole.runs = g_ptr_array_copy(table->runs, NULL, NULL);
  g_ptr_array_set_free_func(whole.runs, NULL);
  for (guint i = 0; table->others != NULL && i < table->others->len; i++) {
    g_ptr_array_add(whole.runs, g_ptr_array_index(table->others, i));
  }
  return whole;
}

/* The key among `keys` that `key` follows; SCENARIO_KEY_COUNT when there is none, or it is one of them. */
static scenario_key leader_of(const study_table *table, const GArray *keys, scenario_key key)
{
  scenario_key leader = SCENARIO_KEY_COUNT;
  for (guint i = keys->len; i-- > 0;) {
    scenario_key other = g_array_index(keys, scenario_key, i);
    if (other == key) {
      return SCENARIO_KEY_COUNT;
    }
    leader = study_keys_follows(table->runs, key, other) ? other : leader;
  }
  return leader;
}

char *study_table_in_step(const study_table *table)
{
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) keys = study_table_keys(table);
  g_auto(GStrv) names = g_strsplit(table->axes, "\n", -1);
  for (gsize i = 0; names[i] != NULL; i++) {
    scenario_key key = scenario_key_find(names[i]);
    gboolean counts = key < SCENARIO_KEY_COUNT && key != SCENARIO_RUN_SEED;
    g_autoptr(GPtrArray) values = counts ? study_keys_values(table->runs, key) : NULL;
    scenario_key leader = counts && values->len > 1 ? leader_of(table, keys, key) : SCENARIO_KEY_COUNT;
    if (leader < SCENARIO_KEY_COUNT) {
      g_string_append_printf(text, "%s%s moves with %s", text->len > 0 ? ", " : "", names[i],
                             scenario_key_row_of(leader)->name);
    }
  }
  return g_string_free(text, FALSE);
}

GArray *study_table_points(const study_table *table, const GArray *keys)
{
  GArray *points = new_points();
  placing p = placing_of(table, keys);
  for (guint first = 0, end; first < p.count; first = end) {
    end = end_of_place(&p, first);
    study_point point = point_of(&p, first, end);
    g_array_append_val(points, point);
  }
  placing_clear(&p);
  return points;
}

statistics study_table_statistics(const GPtrArray *runs, metric_id metric)
{
  g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double));
  for (guint i = 0; i < runs->len; i++) {
    const study_run *run = g_ptr_array_index(runs, i);
    if (run->metrics.present[metric]) {
      g_array_append_val(values, run->metrics.value[metric]);
    }
  }
  return statistics_of((const double *)(gpointer)values->data, values->len);
}

/* Pairs. */

static void clear_pair(gpointer data)
{
  study_pair *pair = data;
  g_ptr_array_unref(pair->runs_a);
  g_ptr_array_unref(pair->runs_b);
}

GArray *study_table_pair_keys(const study_table *table, scenario_key key)
{
  GArray *keys = study_table_keys(table);
  for (guint i = keys->len; i-- > 0;) {
    scenario_key other = g_array_index(keys, scenario_key, i);
    if (other == key ||
        (study_keys_follows(table->runs, key, other) && study_keys_follows(table->runs, other, key))) {
      g_array_remove_index(keys, i);
    }
  }
  return keys;
}

/* What the two runs of a pair agree in, as one text; no value of a key holds the separator. Free with g_free(). */
static char *pairing_text(const study_run *run, const GArray *shared)
{
  GString *text = g_string_new(run->keys[SCENARIO_RUN_SEED]);
  for (guint i = 0; i < shared->len; i++) {
    g_string_append_c(text, '\x1f');
    g_string_append(text, run->keys[g_array_index(shared, scenario_key, i)]);
  }
  return g_string_free(text, FALSE);
}

/* The first run of each pairing text whose `key` is `value` and that has the metric. */
static GHashTable *runs_by_pairing(const study_table *table, const GArray *shared, scenario_key key,
                                   const char *value, metric_id metric)
{
  GHashTable *runs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < table->runs->len; i++) {
    study_run *run = g_ptr_array_index(table->runs, i);
    if (strcmp(run->keys[key], value) == 0 && (metric == METRIC_COUNT || run->metrics.present[metric])) {
      char *text = pairing_text(run, shared);
      if (!g_hash_table_contains(runs, text)) {
        g_hash_table_insert(runs, text, run);
      } else {
        g_free(text);
      }
    }
  }
  return runs;
}

static void set_difference(study_pair *pair, metric_id metric)
{
  gsize count = pair->runs_a->len;
  double *a = g_new(double, count);
  double *b = g_new(double, count);
  for (guint i = 0; i < count; i++) {
    a[i] = ((const study_run *)g_ptr_array_index(pair->runs_a, i))->metrics.value[metric];
    b[i] = ((const study_run *)g_ptr_array_index(pair->runs_b, i))->metrics.value[metric];
  }
  pair->difference = statistics_of_pairs(a, b, count);
  g_free(a);
  g_free(b);
}

/* The runs of `point` that are in both tables. */
static study_pair pair_of(const study_point *point, const GArray *shared, GHashTable *of_a, GHashTable *of_b)
{
  study_pair pair = {.runs_a = g_ptr_array_new(), .runs_b = g_ptr_array_new()};
  for (guint i = 0; i < point->runs->len; i++) {
    study_run *run = g_ptr_array_index(point->runs, i);
    g_autofree char *text = pairing_text(run, shared);
    study_run *other = g_hash_table_lookup(of_b, text);
    if (other != NULL && g_hash_table_lookup(of_a, text) == run) {
      g_ptr_array_add(pair.runs_a, run);
      g_ptr_array_add(pair.runs_b, other);
      pair.flagged += (run->flags | other->flags) != 0 ? 1 : 0;
    }
  }
  return pair;
}

GArray *study_table_pairs(const study_table *table, scenario_key key, const char *a, const char *b,
                          metric_id metric)
{
  GArray *pairs = g_array_new(FALSE, TRUE, sizeof(study_pair));
  g_array_set_clear_func(pairs, clear_pair);
  g_autoptr(GArray) shared = study_table_pair_keys(table, key);
  g_autoptr(GHashTable) of_a = runs_by_pairing(table, shared, key, a, metric);
  g_autoptr(GHashTable) of_b = runs_by_pairing(table, shared, key, b, metric);
  g_autoptr(GArray) points = study_table_points(table, shared);
  for (guint i = 0; i < points->len; i++) {
    study_pair pair = pair_of(&g_array_index(points, study_point, i), shared, of_a, of_b);
    if (pair.runs_a->len == 0) {
      clear_pair(&pair);
      continue;
    }
    pair.first = g_ptr_array_index(pair.runs_a, 0);
    if (metric != METRIC_COUNT) {
      set_difference(&pair, metric);
    }
    g_array_append_val(pairs, pair);
  }
  return pairs;
}
