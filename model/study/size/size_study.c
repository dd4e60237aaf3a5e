/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_study.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scenario/scenario_axes.h"

enum { SEEDS_DEFAULT = 8 };

/* A value of the key at a point, for which each seed is to be run. */
typedef struct size_request {
  guint point;
  char *text;
  guint64 number;
  gboolean is_searched; /* it is `number` of the search */
  gboolean is_baseline;
} size_request;

struct size_study {
  const char *const *sets;
  const size_question *question;
  GArray *axes; /* scenario_axis: all but the key and the seed; texts are the scenario's */
  GArray *keys; /* scenario_key: theirs */
  char **seeds; /* canonical texts */
  guint seed_count;
  sweep_grid *places; /* the points of the sweep over these */
  GArray *points;     /* size_point */
  GArray *requests;   /* size_request: those of `grid`, in its order */
  GArray *grid_axes;  /* scenario_axis: the requests' keys, and the seed */
  sweep_grid *grid;
};

/* --- The points --- */

static void clear_value(gpointer data)
{
  g_free(((size_value *)data)->text);
}

static void clear_point(gpointer data)
{
  size_point *point = data;
  g_array_unref(point->values);
  g_free(point->baseline);
  g_free(point->first);
}

static void clear_axis(gpointer data)
{
  g_free(((scenario_axis *)data)->values);
}

static void clear_request(gpointer data)
{
  g_free(((size_request *)data)->text);
}

/* `values`, each once. Free with g_strfreev(). */
static char **distinct(char *const *values)
{
  GPtrArray *found = g_ptr_array_new();
  for (; *values != NULL; values++) {
    if (!g_ptr_array_find_with_equal_func(found, *values, g_str_equal, NULL)) {
      g_ptr_array_add(found, g_strdup(*values));
    }
  }
  g_ptr_array_add(found, NULL);
  return (char **)g_ptr_array_free(found, FALSE);
}

/* Takes the seed's axis as the seeds, leaves that of the key out, and keeps the others. */
static gboolean take_axes(size_study *study, const scenario *s, GError **error)
{
  const size_question *question = study->question;
  const scenario_axis *axes;
  const gsize count = scenario_axes(s, &axes);
  g_autofree int *places = g_new(int, count + 1); /* of each axis among those that are kept; -1: it is none */
  for (gsize i = 0; i < count; i++) {
    scenario_axis axis = axes[i];
    const gboolean kept = axis.key != question->key && axis.key != SCENARIO_RUN_SEED;
    const char *name = scenario_key_row_of(axis.key)->name;
    if (axis.key == question->key && !question->replaces_axis) {
      return error_set(error,
                       "%s: the scenario sweeps over '%s' itself; expected a key that is no axis, or --from "
                       "and --to, which replace this one",
                       axis.where, name);
    }
    if (axis.with >= 0 && (!kept || places[axis.with] < 0)) {
      return error_set(error,
                       "%s: axis '%s' moves with '%s', and one of them is searched or the seed; expected "
                       "axes apart from these",
                       axis.where, name, scenario_key_row_of(axes[axis.with].key)->name);
    }
    places[i] = kept ? (int)study->axes->len : -1;
    if (kept) {
      axis.with = axis.with >= 0 ? places[axis.with] : -1;
      g_array_append_val(study->axes, axis);
      g_array_append_val(study->keys, axis.key);
    } else if (axis.key == SCENARIO_RUN_SEED && question->seeds == 0) {
      study->seeds = distinct(axis.values);
    }
  }
  return TRUE;
}

static void number_seeds(size_study *study)
{
  const guint count = study->question->seeds > 0 ? study->question->seeds : SEEDS_DEFAULT;
  study->seeds = g_new0(char *, count + 1);
  for (guint seed = 0; seed < count; seed++) {
    study->seeds[seed] = g_strdup_printf("%u", seed + 1);
  }
}

static void make_points(size_study *study)
{
  for (gsize i = 0; i < sweep_grid_count(study->places); i++) {
    size_point point = {.values = g_array_new(FALSE, FALSE, sizeof(size_value)),
                        .baseline = g_new(double, study->seed_count),
                        .first = g_new(double, study->seed_count)};
    g_array_set_clear_func(point.values, clear_value);
    sweep_grid_texts(study->places, i, point.texts);
    for (guint seed = 0; seed < study->seed_count; seed++) {
      point.baseline[seed] = point.first[seed] = (double)NAN;
    }
    g_array_append_val(study->points, point);
  }
}

size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error)
{
  g_autoptr(size_study) study = g_new0(size_study, 1);
  study->sets = sets;
  study->question = question;
  study->axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  study->keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  study->points = g_array_new(FALSE, FALSE, sizeof(size_point));
  study->requests = g_array_new(FALSE, FALSE, sizeof(size_request));
  study->grid_axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  g_array_set_clear_func(study->grid_axes, clear_axis);
  g_array_set_clear_func(study->points, clear_point);
  g_array_set_clear_func(study->requests, clear_request);
  if (!take_axes(study, s, error)) {
    return NULL;
  }
  if (study->seeds == NULL) {
    number_seeds(study);
  }
  study->seed_count = g_strv_length(study->seeds);
  if (study->seed_count < 2 && !question->every_seed) {
    error_set(error, "one seed gives no interval; expected --seeds 2 or more, or --every-seed");
    return NULL;
  }
  study->places =
      sweep_grid_new_of(s, (const scenario_axis *)study->axes->data, study->axes->len, sets, error);
  if (study->places == NULL) {
    return NULL;
  }
  make_points(study);
  return g_steal_pointer(&study);
}

void size_study_free(size_study *study)
{
  if (study == NULL) {
    return;
  }
  sweep_grid_free(study->grid);
  g_array_unref(study->grid_axes);
  g_array_unref(study->requests);
  g_array_unref(study->points);
  sweep_grid_free(study->places);
  g_strfreev(study->seeds);
  g_array_unref(study->keys);
  g_array_unref(study->axes);
  g_free(study);
}

static size_point *point_at(const size_study *study, guint index)
{
  return &g_array_index(study->points, size_point, index);
}

/* --- What is run next --- */

/* What size_search.h takes. Free with g_array_unref(). */
static GArray *verdicts_of(const size_point *point)
{
  GArray *verdicts = g_array_new(FALSE, FALSE, sizeof(size_verdict));
  for (guint i = 0; i < point->values->len; i++) {
    g_array_append_val(verdicts, g_array_index(point->values, size_value, i).verdict);
  }
  return verdicts;
}

static void request_number(size_study *study, guint point, guint64 number)
{
  const size_question *question = study->question;
  size_request request = {.point = point, .number = number, .is_searched = TRUE};
  request.text = scenario_axis_range_text(scenario_key_row_of(question->key), number);
  request.is_baseline = g_strcmp0(request.text, question->condition.baseline) == 0;
  g_array_append_val(study->requests, request);
}

/* At first the whole grid and the baseline, then one number of each point that is not done. */
static void make_requests(size_study *study)
{
  const size_question *question = study->question;
  g_autoptr(GArray) first = size_search_grid(&question->scope);
  g_array_set_size(study->requests, 0);
  for (guint i = 0; i < study->points->len; i++) {
    g_autoptr(GArray) verdicts = verdicts_of(point_at(study, i));
    guint64 number;
    if (verdicts->len > 0) {
      if (size_search_next(&question->scope, verdicts, &number)) {
        request_number(study, i, number);
      }
      continue;
    }
    gboolean has_baseline = question->condition.baseline == NULL;
    for (guint k = 0; k < first->len; k++) {
      request_number(study, i, g_array_index(first, guint64, k));
      has_baseline =
          has_baseline || g_array_index(study->requests, size_request, study->requests->len - 1).is_baseline;
    }
    if (!has_baseline) {
      size_request request = {
          .point = i, .text = g_strdup(question->condition.baseline), .is_baseline = TRUE};
      g_array_append_val(study->requests, request);
    }
  }
}

static void add_axis(size_study *study, scenario_key key, char **values, int with)
{
  const scenario_axis axis = {.key = key, .values = values, .with = with, .where = (char *)"--key"};
  g_array_append_val(study->grid_axes, axis);
}

/* Makes axes of the requests, which move in step, and one of the seeds. */
static void make_grid_axes(size_study *study)
{
  const guint count = study->requests->len;
  g_array_set_size(study->grid_axes, 0);
  for (guint i = 0; i <= study->keys->len; i++) {
    const scenario_key key = i == 0 ? study->question->key : g_array_index(study->keys, scenario_key, i - 1);
    char **values = g_new0(char *, count + 1);
    for (guint k = 0; k < count; k++) {
      const size_request *request = &g_array_index(study->requests, size_request, k);
      values[k] = i == 0 ? request->text : (char *)point_at(study, request->point)->texts[key];
    }
    add_axis(study, key, values, i == 0 ? -1 : 0);
  }
  add_axis(study, SCENARIO_RUN_SEED, g_memdup2(study->seeds, (study->seed_count + 1) * sizeof *study->seeds),
           -1);
}

const sweep_grid *size_study_next(size_study *study, GError **error)
{
  const scenario *base = sweep_grid_base(study->places);
  g_clear_pointer(&study->grid, sweep_grid_free);
  make_requests(study);
  if (study->requests->len == 0) {
    return NULL;
  }
  make_grid_axes(study);
  study->grid = sweep_grid_new_of(base, (const scenario_axis *)study->grid_axes->data, study->grid_axes->len,
                                  study->sets, error);
  if (study->grid != NULL && sweep_grid_facts_of(study->grid)->left_out > 0) {
    g_clear_pointer(&study->grid, sweep_grid_free);
    error_set(error, "%s: 'where' leaves out values of %s; expected --from and --to between which it holds",
              scenario_constraints_origin(base), scenario_key_row_of(study->question->key)->name);
  }
  return study->grid;
}

gsize size_study_left(const size_study *study)
{
  gsize steps = 0;
  for (guint i = 0; i < study->points->len; i++) {
    g_autoptr(GArray) verdicts = verdicts_of(point_at(study, i));
    guint left = size_search_steps(&study->question->scope, verdicts);
    steps += verdicts->len > 0 && left > 0 ? left - 1 : left;
  }
  return steps * study->seed_count;
}

/* --- What they show --- */

/* The runs of `table` by identity (const study_run *). Free with g_hash_table_unref(). */
static GHashTable *runs_of(const study_table *table)
{
  GHashTable *runs = g_hash_table_new(g_str_hash, g_str_equal);
  const GPtrArray *const lists[] = {table->runs, table->all.others};
  for (gsize list = 0; list < G_N_ELEMENTS(lists); list++) {
    for (guint i = 0; i < lists[list]->len; i++) {
      study_run *run = g_ptr_array_index(lists[list], i);
      g_hash_table_insert(runs, run->identity, run);
    }
  }
  return runs;
}

/* The run of request `index` with seed number `seed`; NULL: there is none. */
static const study_run *run_of(const size_study *study, GHashTable *runs, guint index, guint seed)
{
  return g_hash_table_lookup(runs, sweep_grid_identity(study->grid, (gsize)index * study->seed_count + seed));
}

/* The values of request `index`, each seed's, NAN where there is none. Returns how many runs did not end ok.
 */
static guint read_values(const size_study *study, GHashTable *runs, guint index, double *values)
{
  size_point *point = point_at(study, g_array_index(study->requests, size_request, index).point);
  guint not_ok = 0;
  for (guint seed = 0; seed < study->seed_count; seed++) {
    const study_run *run = run_of(study, runs, index, seed);
    const gboolean ok = run != NULL && run->status == RUN_OK;
    not_ok += !ok;
    if (!ok || !result_quantity_value(&study->question->condition.quantity, run, &values[seed])) {
      values[seed] = (double)NAN;
    } else if (isnan(point->first[seed])) {
      point->first[seed] = values[seed];
    } else {
      point->varies = point->varies || values[seed] != point->first[seed];
    }
  }
  return not_ok;
}

/* The statistics of what of `values` is none of NAN, divided by `baseline` (NULL: by nothing). */
static statistics statistics_of_seeds(const double *values, const double *baseline, guint count)
{
  g_autofree double *there = g_new(double, count);
  gsize found = 0;
  for (guint seed = 0; seed < count; seed++) {
    double value = baseline != NULL ? values[seed] / baseline[seed] : values[seed];
    there[found] = value;
    found += !isnan(value);
  }
  return statistics_of(there, found);
}

static gboolean is_kept(const size_question *question, const size_value *value)
{
  const gboolean at_most = question->condition.at_most;
  const statistics *of = question->condition.baseline != NULL ? &value->share : &value->of;
  if (value->not_ok > 0 || of->count < (question->every_seed ? 1 : 2)) {
    return FALSE;
  }
  double bound = question->every_seed ? at_most ? of->largest : of->smallest
                 : at_most            ? of->upper
                                      : of->lower;
  return size_condition_meets(&question->condition, bound);
}

static void take_value(size_study *study, const size_request *request, guint not_ok, const double *values)
{
  const size_question *question = study->question;
  size_point *point = point_at(study, request->point);
  size_value value = {
      .verdict = {.number = request->number}, .text = g_strdup(request->text), .not_ok = not_ok};
  value.of = statistics_of_seeds(values, NULL, study->seed_count);
  if (question->condition.baseline != NULL) {
    value.share = statistics_of_seeds(values, point->baseline, study->seed_count);
  }
  value.verdict.kept = is_kept(question, &value);
  guint place = 0;
  while (place < point->values->len &&
         g_array_index(point->values, size_value, place).verdict.number < request->number) {
    place++;
  }
  g_array_insert_val(point->values, place, value);
}

static gboolean take_baseline(size_study *study, const size_request *request, guint not_ok,
                              const double *values, GError **error)
{
  const size_question *question = study->question;
  const char *key = scenario_key_row_of(question->key)->name;
  g_autofree char *name = result_quantity_name(&question->condition.quantity);
  if (not_ok > 0) {
    return error_set(error,
                     "%u of %u runs with %s = %s did not end ok: they are no measure for others; expected "
                     "another value to compare with",
                     not_ok, study->seed_count, key, request->text);
  }
  for (guint seed = 0; seed < study->seed_count; seed++) {
    if (values[seed] == 0) {
      return error_set(
          error,
          "%s is 0 with %s = %s, seed %s: nothing is a share of it; expected a number instead of "
          "'%% of %s'",
          name, key, request->text, study->seeds[seed], request->text);
    }
    point_at(study, request->point)->baseline[seed] = values[seed];
  }
  return TRUE;
}

/* Whether some run has the quantity. */
static gboolean is_measured(const size_study *study)
{
  for (guint i = 0; i < study->points->len; i++) {
    for (guint seed = 0; seed < study->seed_count; seed++) {
      if (!isnan(point_at(study, i)->first[seed])) {
        return TRUE;
      }
    }
  }
  return FALSE;
}

gboolean size_study_take(size_study *study, const study_table *table, GError **error)
{
  const guint count = study->seed_count;
  g_autoptr(GHashTable) runs = runs_of(table);
  g_autofree double *values = g_new(double, (gsize)study->requests->len *count + 1);
  g_autofree guint *not_ok = g_new(guint, study->requests->len + 1);
  for (guint i = 0; i < study->requests->len; i++) {
    const size_request *request = &g_array_index(study->requests, size_request, i);
    not_ok[i] = read_values(study, runs, i, values + (gsize)i * count);
    if (request->is_baseline && !take_baseline(study, request, not_ok[i], values + (gsize)i * count, error)) {
      return FALSE;
    }
  }
  for (guint i = 0; i < study->requests->len; i++) {
    const size_request *request = &g_array_index(study->requests, size_request, i);
    if (request->is_searched) {
      take_value(study, request, not_ok[i], values + (gsize)i * count);
    }
  }
  g_autofree char *name = result_quantity_name(&study->question->condition.quantity);
  return is_measured(study) ||
         error_set(error, "no run has %s; expected a metric that this scenario has", name);
}

const size_question *size_study_question(const size_study *study)
{
  return study->question;
}

guint size_study_seeds(const size_study *study)
{
  return study->seed_count;
}

const GArray *size_study_keys(const size_study *study)
{
  return study->keys;
}

const GArray *size_study_points(const size_study *study)
{
  return study->points;
}
