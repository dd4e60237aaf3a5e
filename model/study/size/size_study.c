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
  guint64 number; /* of the search; of a baseline 0 */
  char *text;
} size_request;

struct size_study {
  size_findings found;
  const char *const *sets;
  GArray *axes;       /* scenario_axis: the scenario's but for the key's; texts are the scenario's */
  sweep_grid *places; /* the points: their runs with the first seed */
  GArray *requests;   /* size_request: what is run next … */
  GArray *asked;      /* … as axes … */
  sweep_grid *grid;   /* … and as a grid */
  gboolean has_baselines;
  gboolean has_values;
};

static const char *name_of(const scenario_axis *axis)
{
  return scenario_key_row_of(axis->key)->name;
}

static size_point *point_at(const size_study *study, guint index)
{
  return &g_array_index(study->found.points, size_point, index);
}

static size_value *value_at(const size_point *point, guint index)
{
  return &g_array_index(point->values, size_value, index);
}

static const size_request *request_at(const size_study *study, guint index)
{
  return &g_array_index(study->requests, size_request, index);
}

/* --- The points --- */

static void clear_value(gpointer value)
{
  g_free(((size_value *)value)->text);
}

static void clear_point(gpointer point)
{
  g_array_unref(((size_point *)point)->values);
  g_free(((size_point *)point)->baseline);
}

static void clear_request(gpointer request)
{
  g_free(((size_request *)request)->text);
}

static void clear_asked(gpointer axis)
{
  g_free(((scenario_axis *)axis)->values);
}

static GArray *array_of(gsize size, GDestroyNotify clear)
{
  GArray *array = g_array_new(FALSE, TRUE, (guint)size);
  g_array_set_clear_func(array, clear);
  return array;
}

/* Takes the scenario's axes but for the key's, and counts the seeds. */
static gboolean take_axes(size_study *study, const scenario *s, GError **error)
{
  const size_question *question = study->found.question;
  const scenario_axis *axes;
  const int count = (int)scenario_axes(s, &axes);
  int own = count; /* the key's */
  study->found.seeds = question->seeds;
  for (int i = 0; i < count; i++) {
    scenario_axis axis = axes[i];
    if (axis.key == question->key) {
      own = i;
      continue;
    }
    if (axis.with == own) {
      return error_set(error, "%s: axis '%s' moves with '%s', which is searched; expected axes apart from it",
                       axis.where, name_of(&axis), name_of(&axes[own]));
    }
    axis.with -= axis.with > own;
    g_array_append_val(study->axes, axis);
    if (axis.key != SCENARIO_RUN_SEED) {
      g_array_append_val(study->found.keys, axis.key);
    } else if (study->found.seeds == 0) {
      study->found.seeds = g_strv_length(axis.values);
    }
  }
  study->found.seeds = study->found.seeds > 0 ? study->found.seeds : SEEDS_DEFAULT;
  if (study->found.seeds == 1 && !question->every_seed) {
    return error_set(error, "one seed gives no interval; expected --seeds 2 or more, or --every-seed");
  }
  return own == count || question->replaces_axis ||
         error_set(error,
                   "%s: the scenario sweeps over '%s' itself; expected a key that is no axis, or --from and "
                   "--to, which replace this one",
                   axes[own].where, name_of(&axes[own]));
}

size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error)
{
  g_autoptr(size_study) study = g_new0(size_study, 1);
  *study = (size_study){.found.question = question,
                        .sets = sets,
                        .found.keys = array_of(sizeof(scenario_key), NULL),
                        .found.points = array_of(sizeof(size_point), clear_point),
                        .axes = array_of(sizeof(scenario_axis), NULL),
                        .requests = array_of(sizeof(size_request), clear_request),
                        .asked = array_of(sizeof(scenario_axis), clear_asked)};
  if (!take_axes(study, s, error)) {
    return NULL;
  }
  study->places = sweep_grid_new(s, study->axes, sets, 1, NULL, NULL, error);
  for (gsize i = 0; study->places != NULL && i < sweep_grid_count(study->places); i++) {
    size_point point = {.values = array_of(sizeof(size_value), clear_value),
                        .baseline = g_new(double, study->found.seeds)};
    sweep_grid_texts(study->places, i, point.texts);
    g_array_append_val(study->found.points, point);
  }
  /* The whole search is checked before anything is run: what comes after the baselines. */
  study->has_baselines = TRUE;
  if (study->places == NULL || size_study_next(study, error) == NULL) {
    return NULL;
  }
  study->has_baselines = FALSE;
  return g_steal_pointer(&study);
}

void size_study_free(size_study *study)
{
  if (study == NULL) {
    return;
  }
  sweep_grid_free(study->grid);
  g_array_unref(study->asked);
  g_array_unref(study->requests);
  g_array_unref(study->found.points);
  sweep_grid_free(study->places);
  g_array_unref(study->axes);
  g_array_unref(study->found.keys);
  g_free(study);
}

/* --- What is run next --- */

/* What size_search.h takes. Free with g_array_unref(). */
static GArray *verdicts_of(const size_point *point)
{
  GArray *verdicts = g_array_new(FALSE, FALSE, sizeof(size_verdict));
  for (guint i = 0; i < point->values->len; i++) {
    g_array_append_val(verdicts, value_at(point, i)->verdict);
  }
  return verdicts;
}

static void request_number(size_study *study, guint point, guint64 number)
{
  const scenario_key_row *row = scenario_key_row_of(study->found.question->key);
  const size_request request = {point, number, scenario_axis_range_text(row, number)};
  g_array_append_val(study->requests, request);
}

/* At first what the others are compared with; then the whole grid, then a number of each point that is not
 * done. */
static void request_next(size_study *study, guint index)
{
  const size_question *question = study->found.question;
  g_autoptr(GArray) verdicts = verdicts_of(point_at(study, index));
  guint64 number;
  if (!study->has_baselines && question->condition.baseline != NULL) {
    const size_request request = {index, 0, g_strdup(question->condition.baseline)};
    g_array_append_val(study->requests, request);
  } else if (verdicts->len == 0) {
    g_autoptr(GArray) grid = size_search_grid(&question->scope);
    for (guint i = 0; i < grid->len; i++) {
      request_number(study, index, g_array_index(grid, guint64, i));
    }
  } else if (size_search_next(&question->scope, verdicts, &number)) {
    request_number(study, index, number);
  }
}

/* Makes axes of the requests, which move in step. */
static void make_axes(size_study *study)
{
  const guint count = study->requests->len;
  g_array_set_size(study->asked, 0);
  for (guint i = 0; i <= study->found.keys->len; i++) {
    scenario_axis axis = {
        .with = i == 0 ? -1 : 0, .where = (char *)"--key", .values = g_new0(char *, count + 1)};
    axis.key = i == 0 ? study->found.question->key : g_array_index(study->found.keys, scenario_key, i - 1);
    for (guint k = 0; k < count; k++) {
      const size_request *request = request_at(study, k);
      axis.values[k] = i == 0 ? request->text : (char *)point_at(study, request->point)->texts[axis.key];
    }
    g_array_append_val(study->asked, axis);
  }
}

const sweep_grid *size_study_next(size_study *study, GError **error)
{
  const scenario *base = sweep_grid_base(study->places);
  g_clear_pointer(&study->grid, sweep_grid_free);
  g_array_set_size(study->requests, 0);
  for (guint i = 0; i < study->found.points->len; i++) {
    request_next(study, i);
  }
  if (study->requests->len == 0) {
    return NULL;
  }
  make_axes(study);
  study->grid = sweep_grid_new(base, study->asked, study->sets, study->found.seeds, NULL, NULL, error);
  if (study->grid != NULL && sweep_grid_facts_of(study->grid)->left_out > 0) {
    g_clear_pointer(&study->grid, sweep_grid_free);
    error_set(error, "%s: 'where' leaves out values of %s; expected --from and --to between which it holds",
              scenario_constraints_origin(base), scenario_key_row_of(study->found.question->key)->name);
  }
  return study->grid;
}

gsize size_study_left(const size_study *study)
{
  const size_question *question = study->found.question;
  g_autoptr(GArray) grid = size_search_grid(&question->scope);
  const gboolean comes = question->condition.baseline != NULL && !study->has_baselines;
  gsize values = comes ? (gsize)grid->len * study->found.points->len : 0;
  for (guint i = 0; i < study->found.points->len; i++) {
    g_autoptr(GArray) verdicts = verdicts_of(point_at(study, i));
    const guint steps = size_search_steps(&question->scope, verdicts);
    values += verdicts->len > 0 && steps > 0 ? steps - 1 : steps;
  }
  return values * study->found.seeds;
}

/* --- What they show --- */

/* A run's value, NAN where it has none, and whether it ended ok. */
typedef struct size_reading {
  const result_quantity *quantity;
  double value;
  gboolean ok;
} size_reading;

static gboolean read_run(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                         G_GNUC_UNUSED GError **error)
{
  size_reading *reading = data;
  study_run of = {.metrics = run->metrics, .gauges = run->gauges};
  memcpy(of.distributions, run->distributions, sizeof of.distributions);
  reading->ok = run->status == RUN_OK;
  if (!reading->ok || !result_quantity_value(reading->quantity, &of, &reading->value) ||
      fabs(reading->value) > STUDY_TABLE_VALUE_MAX) {
    reading->value = (double)NAN;
  }
  return TRUE;
}

/* The statistics of what of `values` is none of NAN, each divided by its `baseline` (NULL: by nothing). */
static statistics statistics_of_seeds(const double *values, const double *baseline, guint count)
{
  g_autofree double *there = g_new(double, count);
  gsize found = 0;
  for (guint seed = 0; seed < count; seed++) {
    there[found] = baseline != NULL ? values[seed] / baseline[seed] : values[seed];
    found += !isnan(there[found]);
  }
  return statistics_of(there, found);
}

static gboolean take_baseline(const size_study *study, const size_request *request, guint not_ok,
                              const double *values, GError **error)
{
  const char *key = scenario_key_row_of(study->found.question->key)->name;
  if (not_ok > 0) {
    return error_set(error,
                     "%u of %u runs with %s = %s did not end ok, and are no measure for others; expected "
                     "another value after 'of'",
                     not_ok, study->found.seeds, key, request->text);
  }
  for (guint seed = 0; seed < study->found.seeds; seed++) {
    if (values[seed] == 0) {
      g_autofree char *name = result_quantity_name(&study->found.question->condition.quantity);
      return error_set(error,
                       "%s is 0 with %s = %s: nothing is a share of that; expected a number, without 'of %s'",
                       name, key, request->text, request->text);
    }
  }
  memcpy(point_at(study, request->point)->baseline, values, study->found.seeds * sizeof *values);
  return TRUE;
}

static void take_value(const size_study *study, const size_request *request, guint not_ok,
                       const double *values)
{
  const size_question *question = study->found.question;
  const gboolean at_most = question->condition.at_most, every = question->every_seed;
  const size_point *point = point_at(study, request->point);
  const double *baseline = question->condition.baseline != NULL ? point->baseline : NULL;
  size_value value = {.verdict.number = request->number, .text = g_strdup(request->text), .not_ok = not_ok};
  value.of = statistics_of_seeds(values, NULL, study->found.seeds);
  value.share = statistics_of_seeds(values, baseline, study->found.seeds);
  const double bound = every     ? at_most ? value.share.largest : value.share.smallest
                       : at_most ? value.share.upper
                                 : value.share.lower;
  value.verdict.kept =
      not_ok == 0 && value.share.count > 0 && size_condition_meets(&question->condition, bound);
  guint place = 0;
  while (place < point->values->len && value_at(point, place)->verdict.number < request->number) {
    place++;
  }
  g_array_insert_val(point->values, place, value);
}

gboolean size_study_take(size_study *study, result_store *store, GError **error)
{
  const size_condition *condition = &study->found.question->condition;
  const gboolean baselines = condition->baseline != NULL && !study->has_baselines;
  g_autofree double *values = g_new(double, study->found.seeds);
  gboolean any_ok = FALSE;
  for (guint i = 0; i < study->requests->len; i++) {
    guint not_ok = 0;
    for (guint seed = 0; seed < study->found.seeds; seed++) {
      const char *identity = sweep_grid_identity(study->grid, (gsize)i * study->found.seeds + seed);
      size_reading reading = {.quantity = &condition->quantity, .value = (double)NAN};
      if (!result_store_visit_run(store, identity, read_run, &reading, error)) {
        return FALSE;
      }
      values[seed] = reading.value;
      not_ok += !reading.ok;
      any_ok = any_ok || reading.ok;
      study->has_values = study->has_values || !isnan(reading.value);
    }
    if (!baselines) {
      take_value(study, request_at(study, i), not_ok, values);
    } else if (!take_baseline(study, request_at(study, i), not_ok, values, error)) {
      return FALSE;
    }
  }
  study->has_baselines = TRUE;
  g_autofree char *name = result_quantity_name(&condition->quantity);
  return study->has_values ||
         error_set(error, "no run %s%s; expected %s", any_ok ? "has " : "ended ok", any_ok ? name : "",
                   any_ok ? "a metric that this scenario has" : "--from and --to within which some do");
}

const size_findings *size_study_findings(const size_study *study)
{
  return &study->found;
}

size_answer size_study_answer(const size_point *point)
{
  g_autoptr(GArray) verdicts = verdicts_of(point);
  return size_search_answer(verdicts);
}

gboolean size_study_varies(const size_point *point)
{
  const statistics *first = &value_at(point, 0)->of;
  gboolean varies = FALSE;
  for (guint i = 1; i < point->values->len; i++) {
    const statistics *of = &value_at(point, i)->of;
    varies = varies || of->count != first->count || of->mean != first->mean ||
             of->smallest != first->smallest || of->largest != first->largest;
  }
  return varies;
}
