/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_study.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "scenario/scenario_axes.h"
#include "study/table/shown_number.h"
#include "study/table/study_keys.h"

enum { SEEDS_DEFAULT = 8, DECIMALS_MAX = 12 };

/* What is known of one value of the key at one point. */
typedef struct size_value {
  size_verdict verdict; /* first: size_search.h takes values as they are */
  const struct size_point *point;
  char *text;          /* canonical */
  double *measured;    /* the quantity in each seed; NAN: it has none. NULL: the runs are still to be made */
  statistics compared; /* the quantity, or its ratio to the baseline's in the same seed */
  guint not_ok;        /* runs that did not end ok: the value does not keep the condition */
} size_value;

/* The runs of a sweep that agree in all but the key and the seed. */
typedef struct size_point {
  const char *texts[SCENARIO_KEY_COUNT]; /* canonical, of all keys; the study's */
  GPtrArray *values;                     /* size_value *, ascending */
  size_value *baseline;                  /* NULL: the condition has none */
} size_point;

struct size_study {
  const size_question *question;
  const char *const *sets;
  GPtrArray *points;  /* size_point * */
  GArray *axes;       /* scenario_axis: the scenario's but for those of the key and the seed */
  char **tried;       /* the values of the key that are looked at first */
  sweep_grid *places; /* the points, each with these values */
  GPtrArray *seeds;   /* const char *: texts, the scenario's or those of `places` */
  GPtrArray *due;     /* size_value *, the points': what is run next … */
  GArray *asked;      /* … as axes … */
  sweep_grid *grid;   /* … and as a grid */
};

static const size_value *value_at(const size_point *point, guint index)
{
  return g_ptr_array_index(point->values, index);
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

/* An axis of the values that are looked at first: `where` may depend on them. */
static void add_tried(size_study *study, GArray *axes)
{
  const scenario_key key = study->question->key;
  g_autoptr(GArray) grid = size_search_grid(&study->question->scope);
  study->tried = g_new0(char *, grid->len + 1);
  for (guint i = 0; i < grid->len; i++) {
    study->tried[i] = scenario_axis_range_text(scenario_key_row_of(key), g_array_index(grid, guint64, i));
  }
  const scenario_axis axis = {.key = key, .with = -1, .where = (char *)"--key", .values = study->tried};
  g_array_append_val(axes, axis);
}

/* Sets `places` and `seeds`: the scenario's own, or as many as are asked for from its first one on. */
static gboolean take_axes(size_study *study, const scenario *s, const char *const *sets, GError **error)
{
  const size_question *question = study->question;
  const scenario_axis *axes, *of_key, *of_seed;
  const gsize count = scenario_axes(s, &axes);
  g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  if (!sweep_axes_without(axes, count, question->key, "which is searched", others, &of_key, error) ||
      !sweep_axes_without((const scenario_axis *)others->data, others->len, SCENARIO_RUN_SEED,
                          "over which a mean is taken", study->axes, &of_seed, error)) {
    return FALSE;
  }
  char **own_seeds = of_seed != NULL && question->seeds == 0 ? of_seed->values : NULL;
  add_tried(study, others); /* of which `of_seed` is one */
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

/* A value that is to be run next. */
static size_value *add_due(size_study *study, const size_point *point, guint64 number, char *text)
{
  size_value *value = g_new0(size_value, 1);
  *value = (size_value){.verdict.number = number, .point = point, .text = text};
  g_ptr_array_add(study->due, value);
  return value;
}

/* Whether the run at `index` of `places` differs from the point that was added last in the key alone. */
static gboolean is_of_last_point(const size_study *study, gsize index)
{
  const char *texts[SCENARIO_KEY_COUNT];
  gboolean same = study->points->len > 0;
  sweep_grid_texts(study->places, index, texts);
  for (guint i = 0; same && i < study->axes->len; i++) {
    const size_point *last = g_ptr_array_index(study->points, study->points->len - 1);
    const scenario_key key = g_array_index(study->axes, scenario_axis, i).key;
    same = strcmp(texts[key], last->texts[key]) == 0;
  }
  return same;
}

/* The point of the run at `index` of `places`, with the values that are looked at first. FALSE and `error`
 * when its runs will not have the quantity. */
static gboolean add_point(size_study *study, gsize index, GError **error)
{
  const size_question *question = study->question;
  size_point *point = g_new0(size_point, 1);
  g_autoptr(GArray) grid = size_search_grid(&question->scope);
  g_autoptr(scenario) s = sweep_grid_scenario(study->places, index);
  sweep_grid_texts(study->places, index, point->texts);
  point->values = g_ptr_array_new_with_free_func(value_free);
  for (guint i = 0; i < grid->len; i++) {
    const guint64 number = g_array_index(grid, guint64, i);
    g_ptr_array_add(point->values, add_due(study, point, number, g_strdup(study->tried[i])));
  }
  g_ptr_array_add(study->points, point);
  return result_quantity_check(&question->condition.quantity, s, error);
}

/* Adds an axis of `count` values: the seeds, or what is due. */
static void add_asked(size_study *study, scenario_key key, int with, guint count)
{
  char **values = g_new0(char *, count + 1);
  for (guint i = 0; i < count; i++) {
    const size_value *due = key != SCENARIO_RUN_SEED ? g_ptr_array_index(study->due, i) : NULL;
    values[i] = (char *)(due == NULL                   ? g_ptr_array_index(study->seeds, i)
                         : key == study->question->key ? due->text
                                                       : due->point->texts[key]);
  }
  const scenario_axis axis = {.key = key, .with = with, .where = (char *)"--key", .values = values};
  g_array_append_val(study->asked, axis);
}

/* Makes a grid of what is due: axes that move in step, and the seeds. */
static gboolean make_grid(size_study *study, GError **error)
{
  const scenario *base = sweep_grid_base(study->places);
  const scenario_key searched = study->question->key;
  g_clear_pointer(&study->grid, sweep_grid_free);
  g_array_set_size(study->asked, 0);
  add_asked(study, searched, -1, study->due->len);
  for (guint i = 0; i < study->axes->len; i++) {
    add_asked(study, g_array_index(study->axes, scenario_axis, i).key, 0, study->due->len);
  }
  add_asked(study, SCENARIO_RUN_SEED, -1, study->seeds->len);
  study->grid = sweep_grid_new(base, study->asked, study->sets, 0, NULL, NULL, error);
  return study->grid != NULL &&
         (sweep_grid_facts_of(study->grid)->left_out == 0 ||
          error_set(error,
                    "%s: 'where' leaves out values of %s; expected a narrower range, with --from and --to",
                    scenario_constraints_origin(base), scenario_key_row_of(searched)->name));
}

size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error)
{
  g_autoptr(size_study) study = g_new0(size_study, 1);
  *study = (size_study){.question = question,
                        .sets = sets,
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
    if (!is_of_last_point(study, i) && !add_point(study, i, error)) {
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
    } else if (value_at(point, 0)->measured == NULL) {
      g_ptr_array_extend(study->due, point->values, NULL, NULL);
    } else if ((place = size_search_next(&question->scope, point->values, &number)) > 0) {
      char *text = scenario_axis_range_text(scenario_key_row_of(question->key), number);
      g_ptr_array_insert(point->values, (gint)place, add_due(study, point, number, text));
    }
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
  const size_question *question = study->question;
  guint zeros = 0;
  for (guint seed = 0; seed < study->seeds->len; seed++) {
    zeros += value->measured[seed] == 0;
  }
  g_autofree char *name = result_quantity_name(&question->condition.quantity);
  g_autofree char *have_zero = g_strdup_printf("have 0 as %s, of which nothing is a share", name);
  return value->not_ok + zeros == 0 ||
         error_set(error, "%u of %u runs with %s = %s %s; expected a number, or another value after 'of'",
                   value->not_ok > 0 ? value->not_ok : zeros, study->seeds->len,
                   scenario_key_row_of(question->key)->name, value->text,
                   value->not_ok > 0 ? "did not end ok" : have_zero);
}

static void judge(const size_study *study, size_value *value)
{
  const size_question *question = study->question;
  const gboolean at_most = question->condition.at_most;
  const size_value *baseline = value->point->baseline;
  g_autofree double *compared = g_new(double, study->seeds->len);
  gsize count = 0;
  for (guint seed = 0; seed < study->seeds->len; seed++) {
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
  const guint seeds = study->seeds->len;
  for (guint i = 0; i < study->due->len; i++) {
    size_value *value = g_ptr_array_index(study->due, i);
    value->measured = g_new(double, seeds);
    for (guint seed = 0; seed < seeds; seed++) {
      const char *identity = sweep_grid_identity(study->grid, (gsize)i * seeds + seed);
      size_reading reading = {&study->question->condition.quantity, (double)NAN, FALSE};
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

/* --- The answers --- */

/* "96 KiB", "2816 octets". Free with g_free(). */
static char *label_of(const size_study *study, const char *text)
{
  g_autofree char *label = study_keys_label(study->question->key, text);
  const gboolean is_bare =
      study->question->scope.binary && strcmp(label, text) == 0 && strspn(text, "123456789") > 0;
  return is_bare ? g_strdup_printf("%s %s", label, units_counted(g_ascii_strtod(text, NULL), "octets"))
                 : g_steal_pointer(&label);
}

/* `value`, with more decimals where those of its interval hide on which side of `limit` it lies. Free with
 * g_free(). */
static char *beside(double value, double half_width, const shown_scale *scale, double limit)
{
  g_auto(shown_number) number = shown_number_of(value, half_width, scale);
  const double exact = value / scale->factor, end = limit / scale->factor;
  char *text = g_steal_pointer(&number.value);
  const char *point = strchr(text, '.');
  for (int decimals = point != NULL ? (int)strlen(point) : 1; decimals <= DECIMALS_MAX; decimals++) {
    const double shown = g_ascii_strtod(text, NULL);
    if ((shown < end) == (exact < end) && (shown > end) == (exact > end)) {
      break;
    }
    g_free(text);
    text = g_strdup_printf("%.*f", decimals, exact);
  }
  return text;
}

/* Appends "96 KiB keeps it", and in parentheses what was measured: "ratio 0.992, 95 % interval 0.990 to
 * 0.994, n = 8". Without `keeps` it "does not", and the bound that misses the condition is named. */
static void append_account(const size_study *study, const size_value *value, const char *keeps, GString *text)
{
  const size_condition *condition = &study->question->condition;
  const gboolean is_ratio = condition->baseline != NULL, every = study->question->every_seed;
  const statistics *of = &value->compared;
  g_autofree char *label = label_of(study, value->text);
  const char *does_not = g_str_has_suffix(label, " octets") ? "do not" : "does not";
  g_string_append_printf(text, "%s %s ", label, keeps != NULL ? keeps : does_not);
  if (value->not_ok > 0) {
    g_string_append_printf(text, "(%u of %u runs did not end ok)", value->not_ok, study->seeds->len);
    return;
  }
  if (of->count == 0) {
    g_string_append(text, "(no run has a value)");
    return;
  }
  g_autofree char *unit = result_quantity_unit(&condition->quantity);
  const shown_scale scale = is_ratio ? (shown_scale){1, ""} : shown_scale_for(unit, fabs(of->mean));
  const double half_width = every || of->count == 1 ? (double)NAN : (of->upper - of->lower) / 2;
  const double low = every ? of->smallest : of->lower, high = every ? of->largest : of->upper;
  g_autofree char *mean = beside(of->mean, half_width, &scale, condition->number);
  g_autofree char *least = beside(low, half_width, &scale, condition->number);
  g_autofree char *most = beside(high, half_width, &scale, condition->number);
  const char *gap = *scale.unit != '\0' ? " " : "";
  g_string_append_printf(text, "(%s %s%s%s", is_ratio ? "ratio" : "mean", mean, gap, scale.unit);
  if (of->count > 1) {
    g_string_append_printf(text, ", %s %s to %s", every ? "from" : "95 % interval", least, most);
  }
  g_string_append_printf(text, ", n = %zu", of->count);
  if (of->count < study->seeds->len) {
    g_string_append_printf(text, " of %u", study->seeds->len);
  }
  if (of->count > 1 && keeps == NULL) {
    const char *const bounds[] = {"lower bound", "upper bound", "least", "largest"};
    g_string_append_printf(text, ": the %s must be %c%s %.10g%s%s", bounds[2 * every + condition->at_most],
                           condition->at_most ? '<' : '>', condition->or_equal ? "=" : "",
                           condition->number / scale.factor, gap, scale.unit);
  }
  g_string_append_c(text, ')');
}

/* Appends what a reader of the answer must know besides. `shown` is the value that it rests on. */
static void append_notes(const size_study *study, const size_point *point, const size_answer *answer,
                         const size_value *shown, GString *text)
{
  const size_question *question = study->question;
  if (answer->until < answer->least) {
    g_autofree char *from = label_of(study, value_at(point, answer->also)->text);
    g_string_append_printf(text, "; every value from %s to ", from);
    append_account(study, value_at(point, answer->until), "keeps it", text);
  } else if (answer->also < answer->least) {
    g_string_append(text, "; not monotone: ");
    append_account(study, value_at(point, answer->also), "keeps it", text);
    g_string_append(text, ", but not all larger values do");
  }
  /* The key makes no difference to the quantity, as far as statistics show. */
  const statistics *first = &value_at(point, 0)->compared;
  gboolean is_constant = first->count > 0;
  for (guint i = 1; i < point->values->len; i++) {
    const statistics *other = &value_at(point, i)->compared;
    is_constant = is_constant && other->mean == first->mean && other->smallest == first->smallest &&
                  other->largest == first->largest;
  }
  if (is_constant) {
    g_autofree char *name = result_quantity_name(&question->condition.quantity);
    g_string_append_printf(text, "; %s does not vary with %s here", name,
                           scenario_key_row_of(question->key)->name);
  }
  const statistics *of = &shown->compared;
  if (!question->every_seed && of->count > 1 && of->deviation > 0 && of->coverage_note != NULL) {
    g_string_append_printf(text, "; the interval covers less than 95 %%: %s", of->coverage_note);
  }
}

static void append_answer(const size_study *study, const size_point *point, GString *text, gboolean *met)
{
  const size_answer answer = size_search_answer(point->values);
  const char *key = scenario_key_row_of(study->question->key)->name;
  const size_value *last = value_at(point, point->values->len - 1), *shown = last;
  g_autofree char *keeps = g_strconcat("keeps ", study->question->condition.text, NULL);
  g_autofree char *from = label_of(study, value_at(point, 0)->text);
  g_autofree char *to = label_of(study, last->text);
  if (answer.least == point->values->len) {
    *met = FALSE;
    g_string_append_printf(text, "no %s from %s to %s %s%s: ", key, from, to, keeps,
                           answer.also < answer.least ? " from there on" : "");
    append_account(study, last, NULL, text);
  } else {
    shown = value_at(point, answer.least);
    g_string_append_printf(text, "%s = ", key);
    append_account(study, shown, keeps, text);
    if (answer.least == 0) {
      g_string_append_printf(text, ", as does every value up to %s", to);
    } else {
      g_string_append(text, "; ");
      append_account(study, value_at(point, answer.least - 1), NULL, text);
    }
  }
  append_notes(study, point, &answer, shown, text);
  g_string_append_c(text, '\n');
}

char *size_study_answers(const size_study *study, gboolean *met)
{
  GString *text = g_string_new(NULL);
  *met = TRUE;
  for (guint i = 0; i < study->points->len; i++) {
    const size_point *point = g_ptr_array_index(study->points, i);
    for (guint k = 0; k < study->axes->len; k++) {
      const scenario_key key = g_array_index(study->axes, scenario_axis, k).key;
      g_autofree char *label = study_label_of(key, point->texts[key]);
      g_string_append_printf(text, "%s%s", label, k + 1 < study->axes->len ? ", " : ": ");
    }
    append_answer(study, point, text, met);
  }
  return g_string_free(text, FALSE);
}
