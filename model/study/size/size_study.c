/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_study.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "scenario/scenario_axes.h"

enum { SEEDS_DEFAULT = 8 };

struct size_study {
  size_findings found;
  const char *const *sets;
  GArray *axes;       /* scenario_axis: the scenario's but for the key's; texts are the scenario's */
  sweep_grid *places; /* the points: their runs with the first seed */
  GPtrArray *due;     /* size_value *, the points': what is run next … */
  GArray *asked;      /* … as axes … */
  sweep_grid *grid;   /* … and as a grid */
};

static const char *name_of(const scenario_axis *axis)
{
  return scenario_key_row_of(axis->key)->name;
}

/* --- The points --- */

static void value_free(gpointer data)
{
  size_value *value = data;
  if (value != NULL) {
    g_free(value->text);
    g_free(value->measured);
    g_free(value);
  }
}

static void point_free(gpointer data)
{
  size_point *point = data;
  g_ptr_array_unref(point->values);
  value_free(point->baseline);
  g_free(point);
}

static void clear_asked(gpointer axis)
{
  g_free(((scenario_axis *)axis)->values);
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

/* A value that is to be run next. */
static size_value *add_due(size_study *study, const size_point *point, guint64 number, char *text)
{
  size_value *value = g_new0(size_value, 1);
  *value = (size_value){.verdict.number = number, .point = point, .text = text};
  g_ptr_array_add(study->due, value);
  return value;
}

/* The point at `place`, with the values that are looked at first. */
static void add_point(size_study *study, gsize place)
{
  const size_question *question = study->found.question;
  const scenario_key_row *row = scenario_key_row_of(question->key);
  size_point *point = g_new0(size_point, 1);
  g_autoptr(GArray) grid = size_search_grid(&question->scope);
  sweep_grid_texts(study->places, place, point->texts);
  point->values = g_ptr_array_new_with_free_func(value_free);
  for (guint i = 0; i < grid->len; i++) {
    const guint64 number = g_array_index(grid, guint64, i);
    g_ptr_array_add(point->values, add_due(study, point, number, scenario_axis_range_text(row, number)));
  }
  g_ptr_array_add(study->found.points, point);
}

/* Makes a grid of what is due: axes that move in step, and the seeds. */
static gboolean make_grid(size_study *study, GError **error)
{
  const scenario *base = sweep_grid_base(study->places);
  const scenario_key searched = study->found.question->key;
  g_clear_pointer(&study->grid, sweep_grid_free);
  g_array_set_size(study->asked, 0);
  for (guint i = 0; i <= study->found.keys->len; i++) {
    scenario_axis axis = {.key = searched, .with = -1, .where = (char *)"--key"};
    if (i > 0) {
      axis.key = g_array_index(study->found.keys, scenario_key, i - 1);
      axis.with = 0;
    }
    axis.values = g_new0(char *, study->due->len + 1);
    for (guint k = 0; k < study->due->len; k++) {
      const size_value *value = g_ptr_array_index(study->due, k);
      axis.values[k] = i == 0 ? value->text : (char *)value->point->texts[axis.key];
    }
    g_array_append_val(study->asked, axis);
  }
  study->grid = sweep_grid_new(base, study->asked, study->sets, study->found.seeds, NULL, NULL, error);
  return study->grid != NULL &&
         (sweep_grid_facts_of(study->grid)->left_out == 0 ||
          error_set(error,
                    "%s: 'where' leaves out values of %s; expected --from and --to between which it holds",
                    scenario_constraints_origin(base), scenario_key_row_of(searched)->name));
}

size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error)
{
  g_autoptr(size_study) study = g_new0(size_study, 1);
  *study = (size_study){.found.question = question,
                        .sets = sets,
                        .found.keys = g_array_new(FALSE, FALSE, sizeof(scenario_key)),
                        .found.points = g_ptr_array_new_with_free_func(point_free),
                        .axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis)),
                        .due = g_ptr_array_new(),
                        .asked = g_array_new(FALSE, FALSE, sizeof(scenario_axis))};
  g_array_set_clear_func(study->asked, clear_asked);
  if (!take_axes(study, s, error)) {
    return NULL;
  }
  study->places = sweep_grid_new(s, study->axes, sets, 1, NULL, NULL, error);
  for (gsize i = 0; study->places != NULL && i < sweep_grid_count(study->places); i++) {
    add_point(study, i);
  }
  /* The whole search is checked before anything is run. */
  return study->places != NULL && make_grid(study, error) ? g_steal_pointer(&study) : NULL;
}

void size_study_free(size_study *study)
{
  if (study == NULL) {
    return;
  }
  sweep_grid_free(study->grid);
  g_array_unref(study->asked);
  g_ptr_array_unref(study->due);
  g_ptr_array_unref(study->found.points);
  sweep_grid_free(study->places);
  g_array_unref(study->axes);
  g_array_unref(study->found.keys);
  g_free(study);
}

/* --- The search --- */

/* At first what the others are compared with; then the whole grid, then a number of each point that is not
 * done. */
static void add_next(size_study *study, size_point *point)
{
  const size_question *question = study->found.question;
  const size_value *first = g_ptr_array_index(point->values, 0);
  guint64 number;
  guint place;
  if (question->condition.baseline != NULL && point->baseline == NULL) {
    point->baseline = add_due(study, point, 0, g_strdup(question->condition.baseline));
  } else if (first->measured == NULL) {
    g_ptr_array_extend(study->due, point->values, NULL, NULL);
  } else if ((place = size_search_next(&question->scope, point->values, &number)) > 0) {
    char *text = scenario_axis_range_text(scenario_key_row_of(question->key), number);
    g_ptr_array_insert(point->values, (gint)place, add_due(study, point, number, text));
  }
}

const sweep_grid *size_study_next(size_study *study, GError **error)
{
  g_ptr_array_set_size(study->due, 0);
  for (guint i = 0; i < study->found.points->len; i++) {
    add_next(study, g_ptr_array_index(study->found.points, i));
  }
  return study->due->len > 0 && make_grid(study, error) ? study->grid : NULL;
}

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
  reading->ok = run->status == RUN_OK;
  reading->value = result_quantity_of_stored(reading->quantity, run);
  return TRUE;
}

static gboolean check_baseline(const size_study *study, const size_value *value, GError **error)
{
  const size_question *question = study->found.question;
  guint unusable = value->not_ok;
  for (guint seed = 0; seed < study->found.seeds; seed++) {
    unusable += value->measured[seed] == 0;
  }
  g_autofree char *name = result_quantity_name(&question->condition.quantity);
  return unusable == 0 ||
         error_set(error,
                   "%u of %u runs with %s = %s did not end ok, or have 0 as %s, of which nothing is a share; "
                   "expected a number, or another value after 'of'",
                   unusable, study->found.seeds, scenario_key_row_of(question->key)->name, value->text, name);
}

static void judge(const size_study *study, size_value *value)
{
  const size_question *question = study->found.question;
  const gboolean at_most = question->condition.at_most;
  const size_value *baseline = value->point->baseline;
  g_autofree double *compared = g_new(double, study->found.seeds);
  gsize count = 0;
  for (guint seed = 0; seed < study->found.seeds; seed++) {
    compared[count] = value->measured[seed] / (baseline != NULL ? baseline->measured[seed] : 1);
    count += !isnan(compared[count]);
  }
  const statistics of = statistics_of(compared, count);
  const double least = question->every_seed ? of.smallest : of.lower;
  const double most = question->every_seed ? of.largest : of.upper;
  value->compared = of;
  value->verdict.kept =
      value->not_ok == 0 && count > 0 && size_condition_meets(&question->condition, at_most ? most : least);
}

gboolean size_study_take(size_study *study, result_store *store, GError **error)
{
  const guint seeds = study->found.seeds;
  for (guint i = 0; i < study->due->len; i++) {
    size_value *value = g_ptr_array_index(study->due, i);
    value->measured = g_new(double, seeds);
    for (guint seed = 0; seed < seeds; seed++) {
      const char *identity = sweep_grid_identity(study->grid, (gsize)i * seeds + seed);
      size_reading reading = {&study->found.question->condition.quantity, (double)NAN, FALSE};
      if (!result_store_visit_run(store, identity, read_run, &reading, error)) {
        return FALSE;
      }
      value->measured[seed] = reading.value;
      value->not_ok += !reading.ok;
    }
    if (value != value->point->baseline) {
      judge(study, value);
    } else if (!check_baseline(study, value, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

const size_findings *size_study_findings(const size_study *study)
{
  return &study->found;
}
