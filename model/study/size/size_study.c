/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "study/size/size_study_private.h"
#include "study/table/study_keys.h"

enum { SEEDS_DEFAULT = 8, MESSAGES_FACTOR_MAX = 100 };

/* An answer of `--until-losses` is to have what was asked for in its own runs, which others are lengthened
 * by: their numbers differ by chance. */
#define LOSSES_MARGIN 1.2

/* This is of a number of losses that is too small to tell anything from. */
#define LENGTHEN_BLINDLY 8.0

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
  g_free(point->messages_text);
  g_free(point);
}

static void clear_asked(gpointer axis)
{
  g_free(((scenario_axis *)axis)->values);
}

/* Sets `places` and `seeds`: the scenario's own, or as many as are asked for from its first one on. */
static gboolean take_axes(size_study *study, const scenario *s, const char *const *sets, GError **error)
{
  const size_question *question = study->question;
  const scenario_axis *axes, *of_key, *of_seed;
  const gsize count = scenario_axes(s, &axes);
  g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  for (gsize i = 0; i < count; i++) {
    if (axes[i].key == question->axis.key &&
        strcmp(scenario_axis_name(&axes[i]), scenario_axis_name(&question->axis)) != 0) {
      return error_set(error, "%s: axis '%s' is of the list that %s is of; expected no such axis",
                       axes[i].where, scenario_axis_name(&axes[i]), scenario_axis_name(&question->axis));
    }
  }
  if (!sweep_axes_without(axes, count, question->axis.key, "which is searched", others, &of_key, error) ||
      !sweep_axes_without((const scenario_axis *)others->data, others->len, SCENARIO_RUN_SEED,
                          "over which a mean is taken", study->axes, &of_seed, error)) {
    return FALSE;
  }
  gboolean has_messages = question->key == SCENARIO_WORKLOAD_MESSAGES;
  for (guint i = 0; i < study->axes->len; i++) {
    has_messages |= g_array_index(study->axes, scenario_axis, i).key == SCENARIO_WORKLOAD_MESSAGES;
  }
  if (has_messages && question->until_losses > 0) {
    return error_set(error, "--until-losses lengthens workload.messages, %s; expected no --until-losses",
                     question->key == SCENARIO_WORKLOAD_MESSAGES ? "which is searched"
                                                                 : "over which the scenario sweeps");
  }
  char **own_seeds = of_seed != NULL && question->seeds == 0 ? of_seed->values : NULL;
  /* The values that are looked at first are an axis: `where` may depend on them. */
  g_autoptr(GArray) grid = size_search_grid(&question->scope);
  study->tried = g_new0(char *, grid->len + 1);
  for (guint i = 0; i < grid->len; i++) {
    study->tried[i] =
        scenario_axis_range_text(scenario_key_row_of(question->key), g_array_index(grid, guint64, i));
  }
  scenario_axis axis = question->axis;
  axis.values = study->tried;
  g_array_append_val(others, axis); /* of which `of_seed` is one */
  const guint wanted = own_seeds != NULL ? 1 : question->seeds > 0 ? question->seeds : SEEDS_DEFAULT;
  study->places = sweep_grid_new(s, others, sets, wanted, NULL, NULL, error);
  for (guint i = 0; study->places != NULL && own_seeds == NULL && i < wanted; i++) {
    const char *texts[SCENARIO_KEY_COUNT];
    sweep_grid_texts(study->places, i, texts);
    g_ptr_array_add(study->seeds, (gpointer)texts[SCENARIO_RUN_SEED]);
  }
  for (char **seed = own_seeds; seed != NULL && *seed != NULL; seed++) {
    if (!g_ptr_array_find_with_equal_func(study->seeds, *seed, g_str_equal, NULL)) {
      g_ptr_array_add(study->seeds, *seed);
    }
  }
  return study->places != NULL &&
         (study->seeds->len > 1 || question->every_seed ||
          error_set(error, "one seed gives no interval; expected --seeds 2 or more, or --every-seed"));
}

/* Adds a value that is to be run next. */
static size_value *add_due(size_study *study, const size_point *point, guint64 number, char *text)
{
  size_value *value = g_new0(size_value, 1);
  *value = (size_value){.verdict.number = number, .point = point, .text = text};
  g_ptr_array_add(study->due, value);
  return value;
}

/* Gives `point` the values that are looked at first, none of them run. */
static void add_values(size_study *study, size_point *point)
{
  g_autoptr(GArray) grid = size_search_grid(&study->question->scope);
  g_clear_pointer(&point->values, g_ptr_array_unref);
  g_clear_pointer(&point->baseline, value_free);
  point->values = g_ptr_array_new_with_free_func(value_free);
  g_assert(study->tried != NULL); /* of the same grid */
  for (guint i = 0; i < grid->len; i++) {
    const guint64 number = g_array_index(grid, guint64, i);
    g_ptr_array_add(point->values, add_due(study, point, number, g_strdup(study->tried[i])));
  }
}

/* Adds the point of the run at `index` of `places`, with the values that are looked at first. FALSE and
 * `error` when its runs will not have the quantity. */
static gboolean add_point(size_study *study, gsize index, GError **error)
{
  const size_question *question = study->question;
  size_point *point = g_new0(size_point, 1);
  g_autoptr(scenario) s = sweep_grid_scenario(study->places, index);
  sweep_grid_texts(study->places, index, point->texts);
  point->losses = scenario_losses_of(s);
  point->asked = run_events_asked(point->texts);
  point->first_messages = point->messages = g_ascii_strtod(point->texts[SCENARIO_WORKLOAD_MESSAGES], NULL);
  add_values(study, point);
  g_ptr_array_add(study->points, point);
  return result_quantity_check(&question->condition.quantity, s, error);
}

/* Adds an axis of `count` values: the seeds, or what is due. */
static void add_asked(size_study *study, scenario_key key, int with, guint count)
{
  char **values = g_new0(char *, count + 1);
  for (guint i = 0; i < count; i++) {
    const size_value *due = key != SCENARIO_RUN_SEED ? g_ptr_array_index(study->due, i) : NULL;
    values[i] = (char *)(due == NULL                        ? g_ptr_array_index(study->seeds, i)
                         : key == study->question->axis.key ? due->text
                                                            : due->point->texts[key]);
  }
  const scenario_axis *own = &study->question->axis;
  const scenario_axis axis = {.key = key,
                              .name = key == own->key ? own->name : NULL,
                              .with = with,
                              .where = own->where,
                              .values = values};
  g_array_append_val(study->asked, axis);
}

/* Makes a grid of what is due: axes that move in step, and the seeds. */
static gboolean make_grid(size_study *study, GError **error)
{
  const scenario *base = sweep_grid_base(study->places);
  g_clear_pointer(&study->grid, sweep_grid_free);
  g_array_set_size(study->asked, 0);
  add_asked(study, study->question->axis.key, -1, study->due->len);
  for (guint i = 0; i < study->axes->len; i++) {
    add_asked(study, g_array_index(study->axes, scenario_axis, i).key, 0, study->due->len);
  }
  if (study->question->until_losses > 0) {
    add_asked(study, SCENARIO_WORKLOAD_MESSAGES, 0, study->due->len);
  }
  add_asked(study, SCENARIO_RUN_SEED, -1, study->seeds->len);
  study->grid = sweep_grid_new(base, study->asked, NULL, 0, NULL, NULL, error);
  return study->grid != NULL &&
         (sweep_grid_facts_of(study->grid)->left_out == 0 ||
          error_set(error,
                    "%s: 'where' leaves out values of %s; expected a narrower range, with --from and --to",
                    scenario_constraints_origin(base), scenario_axis_name(&study->question->axis)));
}

size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error)
{
  g_autoptr(size_study) study = g_new0(size_study, 1);
  *study = (size_study){.question = question,
                        .points = g_ptr_array_new_with_free_func(point_free),
                        .axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis)),
                        .seeds = g_ptr_array_new(),
                        .due = g_ptr_array_new(),
                        .asked = g_array_new(FALSE, FALSE, sizeof(scenario_axis))};
  g_array_set_clear_func(study->asked, clear_asked);
  if (!take_axes(study, s, sets, error)) {
    return NULL;
  }
  for (gsize i = 0; i < sweep_grid_count(study->places); i += sweep_grid_seeds(study->places)) {
    const char *texts[SCENARIO_KEY_COUNT];
    gboolean is_known = study->points->len > 0; /* it differs from the last point in the key alone */
    sweep_grid_texts(study->places, i, texts);
    for (guint k = 0; is_known && k < study->axes->len; k++) {
      const size_point *last = g_ptr_array_index(study->points, study->points->len - 1);
      const scenario_key key = g_array_index(study->axes, scenario_axis, k).key;
      is_known = strcmp(texts[key], last->texts[key]) == 0;
    }
    if (!is_known && !add_point(study, i, error)) {
      return NULL;
    }
  }
  /* The whole search is checked before anything is run. */
  return make_grid(study, error) ? g_steal_pointer(&study) : NULL;
}

void size_study_free(size_study *study)
{
  sweep_grid_free(study->grid);
  g_array_unref(study->asked);
  g_ptr_array_unref(study->due);
  g_ptr_array_unref(study->points);
  sweep_grid_free(study->places);
  g_strfreev(study->tried);
  g_array_unref(study->axes);
  g_ptr_array_unref(study->seeds);
  g_free(study);
}

/* --- What a value is held to, and what an answer rests on --- */

static gboolean meets(const size_study *study, const size_value *value, size_bar bar)
{
  const size_condition *condition = &study->question->condition;
  const double bound = condition->at_most == (bar != SIZE_BAR_FAR) ? value->high : value->low;
  const double slack = bar == SIZE_BAR_NEARLY ? condition->number / size_nearly(condition) : 1;
  return value->not_ok == 0 && value->compared.count > 0 &&
         size_condition_meets(condition, bar == SIZE_BAR_MEAN ? value->compared.mean : bound * slack);
}

guint size_least_by(const size_study *study, const size_point *point, size_bar bar)
{
  guint place = point->values->len;
  while (place > 0 && meets(study, size_value_at(point, place - 1), bar)) {
    place--;
  }
  return place;
}

/* Returns the losses with `value` in all seeds. Those that `drop` lists are the same in each, and count
 * once. */
static double losses_with(const size_study *study, const size_value *value)
{
  const double listed = fmin(value->lost.mean, value->point->losses.listed);
  return round((value->lost.mean - listed) * study->seeds->len + listed);
}

size_evidence size_evidence_of(const size_study *study, const size_point *point)
{
  const guint least = size_search_answer(point->values).least, last = point->values->len - 1;
  const size_value *largest = size_value_at(point, last);
  const size_value *shown =
      largest->measured == NULL ? point->baseline : size_value_at(point, MIN(least, last));
  const size_value *other = least > 0 && least <= last ? size_value_at(point, least - 1) : shown;
  const double expected =
      point->losses.expected * point->messages / point->first_messages * study->seeds->len;
  const double enough = MAX(study->question->until_losses, SIZE_LOSSES_MIN);
  const double own = losses_with(study, shown), losses = fmax(own, losses_with(study, other));
  const gboolean is_exact = expected == 0 && fmax(shown->lost.mean, other->lost.mean) <= point->losses.listed;
  size_evidence evidence = {.shown = shown,
                            .own = own,
                            .losses = losses,
                            .messages = point->messages * enough / fmax(losses, expected),
                            .listed = point->losses.listed,
                            .lacking = METRIC_COUNT,
                            .is_exact = is_exact,
                            .is_enough = is_exact || losses >= enough};
  /* Losses on the way back are counted as none of the payload, and those that are listed may lie there.
   * Beside losses by chance it is not counted which were listed: the length of the run shows how far the list
   * came. */
  const double late = point->first_messages * point->losses.last > point->messages ? point->losses.late : 0;
  const double listed =
      (point->asked & 1) != 0
          ? fmin(fmax(shown->lost.mean, other->lost.mean), point->losses.listed - late)
          : fmax(size_events(shown, METRIC_LOSSES_RANDOM), size_events(other, METRIC_LOSSES_RANDOM)) /
                study->seeds->len;
  if (evidence.is_enough && listed < evidence.listed) {
    const double needed = point->first_messages * point->losses.last;
    evidence.listed = listed;
    evidence.messages = needed > point->messages ? needed : (double)INFINITY;
    evidence.is_enough = FALSE;
  }
  for (metric_id id = METRIC_LOSSES_RANDOM; evidence.is_enough && id <= METRIC_PATH_SEGMENTS_REORDERED;
       id++) {
    const double events = fmax(size_events(shown, id), size_events(other, id));
    if ((point->asked >> (id - METRIC_LOSSES_RANDOM) & 1) != 0 && events < enough) {
      evidence.lacking = id;
      evidence.events = events;
      evidence.messages = point->messages * enough / events;
      evidence.is_enough = FALSE;
    }
  }
  /* That runs do not end ok at the largest value needs no more evidence. */
  evidence.is_enough = evidence.is_enough || (least > last && shown->not_ok > 0);
  return evidence;
}

char *size_evidence_lacking(const size_study *study, const size_point *point, const size_evidence *evidence)
{
  const guint seeds = study->seeds->len;
  g_autofree char *losses =
      g_strdup_printf("%.0f %s", evidence->losses, units_counted(evidence->losses, "losses"));
  g_autofree char *what =
      evidence->lacking < METRIC_COUNT
          ? g_strdup_printf("%s is %.0f", metric_row_of(evidence->lacking)->name, evidence->events)
      : evidence->listed < point->losses.listed
          ? g_strdup_printf("%.0f of %.0f listed losses", evidence->listed, point->losses.listed)
          : g_steal_pointer(&losses);
  return g_strdup_printf("%s in %u %s", what, seeds, units_counted(seeds, "seeds"));
}

char *size_point_label(const size_study *study, const size_point *point)
{
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < study->axes->len; k++) {
    const scenario_key key = g_array_index(study->axes, scenario_axis, k).key;
    g_autofree char *label = study_label_of(key, scenario_key_row_of(key)->name, point->texts[key]);
    g_string_append_printf(text, "%s%s", label, k + 1 < study->axes->len ? ", " : ": ");
  }
  return g_string_free(text, FALSE);
}

/* --- The search --- */

const sweep_grid *size_study_next(size_study *study, GError **error)
{
  const size_question *question = study->question;
  g_ptr_array_set_size(study->due, 0);
  /* At first what the others are compared with; then the whole grid, then a number of each point that is not
   * done. */
  for (guint i = 0; i < study->points->len; i++) {
    size_point *point = g_ptr_array_index(study->points, i);
    guint64 number;
    guint place;
    if (question->condition.baseline != NULL && point->baseline == NULL) {
      point->baseline = add_due(study, point, 0, g_strdup(question->condition.baseline));
    } else if (size_value_at(point, 0)->measured == NULL && !point->is_given_up) {
      g_ptr_array_extend(study->due, point->values, NULL, NULL);
    } else if (!point->is_given_up &&
               (place = size_search_next(&study->question->scope, point->values, &number)) > 0) {
      char *text = scenario_axis_range_text(scenario_key_row_of(question->key), number);
      g_ptr_array_insert(point->values, (gint)place, add_due(study, point, number, text));
    }
  }
  return study->due->len > 0 && make_grid(study, error) ? study->grid : NULL;
}

/* This is a run's value, NAN where it has none, what the path lost of its payload, and whether it ended
 * ok. */
typedef struct size_reading {
  const result_quantity *quantity;
  const scenario_losses *losses;
  double value, lost;
  metric_values *all; /* of the seeds read so far */
  gboolean ok;
} size_reading;

static double count_of(const metric_values *metrics, metric_id id)
{
  return metrics->present[id] ? metrics->value[id] : 0;
}

static gboolean read_run(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                         G_GNUC_UNUSED GError **error)
{
  size_reading *reading = data;
  const metric_values *metrics = &run->results.metrics;
  reading->ok = run->status == RUN_OK;
  reading->value = result_quantity_of_stored(reading->quantity, run);
  for (metric_id id = METRIC_LOSSES_RANDOM; id <= METRIC_PATH_SEGMENTS_REORDERED; id++) {
    reading->all->value[id] += count_of(metrics, id);
  }
  /* A lost ACK is no evidence. Lost payload is sent again, and neither had come nor was refused; and none is
   * lost by chance where that is the lot of ACKs alone. */
  double lost = count_of(metrics, METRIC_PATH_PACKETS_LOST);
  double again =
      count_of(metrics, METRIC_TCP_RETRANSMISSIONS) - count_of(metrics, METRIC_TCP_SPURIOUS_RETRANSMISSIONS);
  for (metric_id id = METRIC_REFUSED_MEMORY; id <= METRIC_REFUSED_RANGES; id++) {
    again -= count_of(metrics, id);
  }
  if (reading->losses->expected == 0 && reading->losses->listed == 0) {
    lost -= count_of(metrics, METRIC_LOSSES_RANDOM) + count_of(metrics, METRIC_LOSSES_DAMAGED);
  }
  reading->lost =
      metrics->present[METRIC_TCP_SPURIOUS_RETRANSMISSIONS] ? CLAMP(again, 0, MAX(lost, 0)) : lost;
  return TRUE;
}

static gboolean check_baseline(const size_study *study, const size_value *value, GError **error)
{
  const size_question *question = study->question;
  guint zeros = 0;
  for (guint seed = 0; seed < study->seeds->len; seed++) {
    zeros += value->measured[seed] == 0;
  }
  g_autofree char *name = result_quantity_name(&question->condition.quantity);
  g_autofree char *have_zero = g_strdup_printf("have 0 as %s, of which nothing is a share", name);
  return value->not_ok + zeros == 0 ||
         error_set(error, "%u of %u %s with %s = %s %s; expected a number, or another value after 'of'",
                   value->not_ok > 0 ? value->not_ok : zeros, study->seeds->len,
                   units_counted(study->seeds->len, "runs"), scenario_axis_name(&question->axis), value->text,
                   value->not_ok > 0 ? "did not end ok" : have_zero);
}

/* Makes the runs of `point` longer if those that it has had too few losses, or gives it up. */
static void lengthen(size_study *study, size_point *point, GString *progress)
{
  const size_evidence evidence = size_evidence_of(study, point);
  guint64 number;
  if (evidence.is_enough || point->is_given_up ||
      (size_value_at(point, 0)->measured != NULL &&
       size_search_next(&study->question->scope, point->values, &number) > 0)) {
    return;
  }
  const double most = point->first_messages * MESSAGES_FACTOR_MAX;
  const double wanted = isfinite(evidence.messages) ? evidence.messages : point->messages * LENGTHEN_BLINDLY;
  point->is_given_up = point->messages >= most || wanted > most;
  if (!point->is_given_up) {
    const double longer = ceil(MIN(MAX(wanted * LOSSES_MARGIN, point->messages + 1), most));
    g_autofree char *label = size_point_label(study, point);
    g_autofree char *lacking = size_evidence_lacking(study, point, &evidence);
    g_string_append_printf(progress, "%s%s; next with %.0f messages, %.2g times as long\n", label, lacking,
                           longer, longer / point->messages);
    point->messages = longer;
    g_free(point->messages_text);
    point->texts[SCENARIO_WORKLOAD_MESSAGES] = point->messages_text = g_strdup_printf("%.0f", longer);
    add_values(study, point);
  }
}

gboolean size_study_take(size_study *study, result_store *store, GString *progress, GError **error)
{
  const guint seeds = study->seeds->len;
  g_autofree double *lost = g_new(double, seeds), *compared = g_new(double, seeds);
  for (guint i = 0; i < study->due->len; i++) {
    size_value *value = g_ptr_array_index(study->due, i);
    value->measured = g_new(double, seeds);
    for (guint seed = 0; seed < seeds; seed++) {
      const char *identity = sweep_grid_identity(study->grid, (gsize)i * seeds + seed);
      size_reading reading = {
          &study->question->condition.quantity, &value->point->losses, (double)NAN, 0, &value->all, FALSE};
      if (!result_store_visit_run(store, identity, read_run, &reading, error)) {
        return FALSE;
      }
      value->measured[seed] = reading.value;
      value->not_ok += !reading.ok;
      lost[seed] = reading.lost;
    }
    value->lost = statistics_of(lost, seeds);
    const size_value *baseline = value->point->baseline;
    if (value == baseline) {
      if (!check_baseline(study, value, error)) {
        return FALSE;
      }
      continue;
    }
    gsize count = 0;
    for (guint seed = 0; seed < seeds; seed++) {
      compared[count] = value->measured[seed] / (baseline != NULL ? baseline->measured[seed] : 1);
      count += !isnan(compared[count]);
    }
    value->compared = statistics_of(compared, count);
    value->low = study->question->every_seed ? value->compared.smallest : value->compared.lower;
    value->high = study->question->every_seed ? value->compared.largest : value->compared.upper;
    value->verdict.kept = meets(study, value, SIZE_BAR_BOUND);
  }
  for (guint i = 0; i < study->points->len && study->question->until_losses > 0; i++) {
    lengthen(study, g_ptr_array_index(study->points, i), progress);
  }
  return TRUE;
}
