/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_text.h"

#include <math.h>
#include <string.h>

#include "study/table/shown_number.h"
#include "study/table/study_keys.h"
#include "study/table/text_columns.h"

/* How values of a study are written. */
typedef struct size_words {
  const size_question *question;
  const char *key;   /* its name */
  char *name;        /* of the quantity */
  char *unit;        /* of the quantity, as the table of metrics has it */
  shown_scale scale; /* of the quantity */
  guint seeds;
} size_words;

static const size_value *value_at(const size_point *point, guint index)
{
  return &g_array_index(point->values, size_value, index);
}

static const size_point *point_at(const size_study *study, guint index)
{
  return &g_array_index(size_study_points(study), size_point, index);
}

static size_words words_of(const size_study *study)
{
  const size_question *question = size_study_question(study);
  size_words words = {.question = question,
                      .key = scenario_key_row_of(question->key)->name,
                      .name = result_quantity_name(&question->condition.quantity),
                      .unit = result_quantity_unit(&question->condition.quantity),
                      .seeds = size_study_seeds(study)};
  double largest = 0;
  for (guint i = 0; i < size_study_points(study)->len; i++) {
    const size_point *point = point_at(study, i);
    for (guint k = 0; k < point->values->len; k++) {
      const statistics *of = &value_at(point, k)->of;
      largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
    }
  }
  words.scale = shown_scale_for(words.unit, largest);
  return words;
}

static void clear_words(size_words *words)
{
  g_free(words->name);
  g_free(words->unit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(size_words, clear_words)

/* A value of the key: "96 KiB", "1500 octets", "25us". Free with g_free(). */
static char *label_of(const size_words *words, const char *text)
{
  g_autofree char *label = study_keys_label(words->question->key, text);
  const gboolean bare = scenario_key_row_of(words->question->key)->type == SCENARIO_TYPE_SIZE &&
                        label[strspn(label, "0123456789")] == '\0';
  return g_strconcat(label, !bare ? "" : strcmp(label, "1") == 0 ? " octet" : " octets", NULL);
}

/* What a condition compares: the statistics, how they are shown, and the bounds that count. */
typedef struct size_measure {
  const statistics *of;
  shown_scale scale;
  double lower;
  double upper;
  gboolean has_bounds;
  gboolean is_interval; /* of the mean: the bounds are no values of seeds */
} size_measure;

static size_measure measure_of(const size_words *words, const size_value *value)
{
  const gboolean shares = words->question->condition.baseline != NULL, every = words->question->every_seed;
  const statistics *of = shares ? &value->share : &value->of;
  return (size_measure){.of = of,
                        .scale = shares ? (shown_scale){1, "1"} : words->scale,
                        .lower = every ? of->smallest : of->lower,
                        .upper = every ? of->largest : of->upper,
                        .has_bounds = of->count > (every ? 0 : 1),
                        .is_interval = !every && of->count > 1};
}

/* `value` with the digits that an interval carries. Free with g_free(). */
static char *number_of(const size_measure *measure, double value)
{
  const double half_width = measure->is_interval ? (measure->upper - measure->lower) / 2 : (double)NAN;
  g_auto(shown_number) number = shown_number_of(value, half_width, &measure->scale);
  return g_steal_pointer(&number.value);
}

/* "0.990 to 0.994"; "-" without bounds. Free with g_free(). */
static char *bounds_of(const size_measure *measure)
{
  g_autofree char *lower = measure->has_bounds ? number_of(measure, measure->lower) : NULL;
  g_autofree char *upper = measure->has_bounds ? number_of(measure, measure->upper) : NULL;
  return lower != NULL ? g_strdup_printf("%s to %s", lower, upper) : g_strdup("-");
}

/* "ratio 0.992, 95 % interval 0.990 to 0.994, 8 seeds". Free with g_free(). */
static char *account_of(const size_words *words, const size_value *value)
{
  const size_measure measure = measure_of(words, value);
  if (value->not_ok > 0) {
    return g_strdup_printf("%u of %u runs did not end ok", value->not_ok, words->seeds);
  }
  if (measure.of->count == 0) {
    return g_strdup_printf("no run has %s", words->name);
  }
  const gboolean plain = strcmp(measure.scale.unit, "1") == 0, every = words->question->every_seed;
  g_autofree char *mean = number_of(&measure, measure.of->mean);
  g_autofree char *bounds = bounds_of(&measure);
  g_autofree char *between = measure.of->count == 1 ? g_strdup(", ")
                             : every                ? g_strdup_printf(", %s over ", bounds)
                                                    : g_strdup_printf(", 95 %% interval %s, ", bounds);
  return g_strdup_printf("%s %s%s%s%s%zu seed%s", measure.of == &value->share ? "ratio" : "mean", mean,
                         plain ? "" : " ", plain ? "" : measure.scale.unit, between, measure.of->count,
                         measure.of->count == 1 ? "" : "s");
}

static size_answer answer_of(const size_point *point)
{
  g_autoptr(GArray) verdicts = g_array_new(FALSE, FALSE, sizeof(size_verdict));
  for (guint i = 0; i < point->values->len; i++) {
    g_array_append_val(verdicts, value_at(point, i)->verdict);
  }
  return size_search_answer(verdicts);
}

char *size_text_sentence(const size_study *study, const size_point *point)
{
  g_auto(size_words) words = words_of(study);
  const size_answer answer = answer_of(point);
  const char *condition = words.question->condition.text;
  const size_value *first = value_at(point, 0), *last = value_at(point, point->values->len - 1);
  g_autofree char *from = label_of(&words, first->text), *to = label_of(&words, last->text);
  g_autofree char *at_first = account_of(&words, first), *at_last = account_of(&words, last);
  if (answer.outcome == SIZE_ALWAYS) {
    return g_strdup_printf("every %s from %s to %s keeps %s; at %s: %s\n", words.key, from, to, condition,
                           from, at_first);
  }
  if (answer.outcome == SIZE_NEVER) {
    return g_strdup_printf("no %s from %s to %s keeps %s; at %s: %s\n", words.key, from, to, condition, to,
                           at_last);
  }
  const size_value *also = value_at(point, answer.also);
  g_autofree char *also_label = label_of(&words, also->text), *at_also = account_of(&words, also);
  if (answer.outcome == SIZE_BELOW) {
    return g_strdup_printf(
        "no %s from %s to %s above which %s always held: %s keeps it (%s), %s does not (%s)\n", words.key,
        from, to, condition, also_label, at_also, to, at_last);
  }
  const size_value *least = value_at(point, answer.least), *below = least - 1;
  g_autofree char *label = label_of(&words, least->text), *at_least = account_of(&words, least);
  g_autofree char *below_label = label_of(&words, below->text), *at_below = account_of(&words, below);
  g_autofree char *note =
      answer.monotone ? g_strdup("")
                      : g_strdup_printf("It is not monotone: %s keeps it too (%s), larger values do not; %s "
                                        "is the least above which it always held, "
                                        "at %u values up to %s.\n",
                                        also_label, at_also, label, point->values->len - answer.least, to);
  const statistics *of = measure_of(&words, least).of;
  const gboolean warns = of->coverage_note != NULL && of->deviation > 0 && !words.question->every_seed;
  return g_strdup_printf(
      "%s = %s keeps %s (%s); %s does not (%s)\n%s%s%s%s", words.key, label, condition, at_least, below_label,
      at_below, note, warns ? "The interval may cover less than 93 %: " : "", warns ? of->coverage_note : "",
      warns ? "; more seeds (--seeds) make it sure.\n" : "");
}

/* --- Tables --- */

/* Takes `cell`. */
static void add(GPtrArray *cells, char *cell)
{
  g_ptr_array_add(cells, cell);
}

static void add_place(const size_study *study, const size_point *point, GPtrArray *cells)
{
  const GArray *keys = size_study_keys(study);
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    add(cells, study_keys_label(key, point->texts[key]));
  }
}

/* The headings of the points' keys and of `more` (NULL-terminated), above `cells`. */
static char *table_of(const size_study *study, const char *const *more, const GPtrArray *cells)
{
  const GArray *keys = size_study_keys(study);
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  for (guint i = 0; i < keys->len; i++) {
    const text_column column = {scenario_key_row_of(g_array_index(keys, scenario_key, i))->name,
                                TEXT_COLUMN_HEADING, NULL};
    g_array_append_val(columns, column);
  }
  for (gsize i = 0; more[i] != NULL; i++) {
    const text_column column = {more[i], TEXT_COLUMN_NUMBER, NULL};
    g_array_append_val(columns, column);
  }
  text_columns_append((const text_column *)columns->data, columns->len, cells, text);
  return g_string_free(text, FALSE);
}

/* The quantity, its ratio to the baseline where there is one, the bounds that count and how many seeds. */
static void add_measure(const size_words *words, const size_value *value, GPtrArray *cells)
{
  const size_measure measure = measure_of(words, value);
  const gboolean there = measure.of->count > 0, shares = measure.of == &value->share;
  add(cells, there ? shown_number_text(value->of.mean, &words->scale) : g_strdup("-"));
  add(cells, !shares ? g_strdup("") : there ? number_of(&measure, measure.of->mean) : g_strdup("-"));
  add(cells, bounds_of(&measure));
  add(cells, g_strdup_printf("%zu", measure.of->count));
}

static char *heading_of(const size_words *words)
{
  return strcmp(words->scale.unit, "1") == 0 ? g_strdup(words->name)
                                             : g_strdup_printf("%s in %s", words->name, words->scale.unit);
}

static const char *bounds_heading(const size_words *words)
{
  return words->question->every_seed ? "least to largest" : "95 % interval";
}

char *size_text_answers(const size_study *study)
{
  g_auto(size_words) words = words_of(study);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *quantity = heading_of(&words);
  for (guint i = 0; i < size_study_points(study)->len; i++) {
    const size_point *point = point_at(study, i);
    const size_answer answer = answer_of(point);
    const gboolean has_least = answer.outcome == SIZE_FOUND || answer.outcome == SIZE_ALWAYS;
    const size_value *value = value_at(point, has_least ? answer.least : point->values->len - 1);
    g_autofree char *label = label_of(&words, value->text);
    add_place(study, point, cells);
    add(cells, has_least ? g_strdup(label) : g_strdup_printf("not %s", label));
    add_measure(&words, value, cells);
    add(cells, answer.outcome == SIZE_FOUND ? label_of(&words, (value - 1)->text) : g_strdup(""));
    g_autofree char *also =
        answer.also < point->values->len ? label_of(&words, value_at(point, answer.also)->text) : NULL;
    add(cells, !point->varies                  ? g_strdup("does not vary")
               : answer.outcome == SIZE_ALWAYS ? g_strdup("all keep it")
               : answer.outcome == SIZE_NEVER  ? g_strdup("none keeps it")
               : !answer.monotone              ? g_strdup_printf("not monotone: %s keeps it too", also)
                                               : g_strdup(""));
  }
  const char *const more[] = {words.key, quantity,   "ratio", bounds_heading(&words),
                              "n",       "does not", "note",  NULL};
  g_autofree char *table = table_of(study, more, cells);
  return g_strdup_printf("the least %s that keeps %s\n%s", words.key, words.question->condition.text, table);
}

char *size_text_curve(const size_study *study)
{
  g_auto(size_words) words = words_of(study);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *quantity = heading_of(&words);
  for (guint i = 0; i < size_study_points(study)->len; i++) {
    const size_point *point = point_at(study, i);
    for (guint k = 0; k < point->values->len; k++) {
      const size_value *value = value_at(point, k);
      add_place(study, point, cells);
      add(cells, label_of(&words, value->text));
      add_measure(&words, value, cells);
      add(cells, g_strdup(value->verdict.kept ? "yes" : "no"));
      add(cells, value->not_ok > 0
                     ? g_strdup_printf("%u of %u runs did not end ok", value->not_ok, words.seeds)
                     : g_strdup(""));
    }
  }
  const char *const more[] = {words.key, quantity,   "ratio", bounds_heading(&words),
                              "n",       "keeps it", "note",  NULL};
  return table_of(study, more, cells);
}
