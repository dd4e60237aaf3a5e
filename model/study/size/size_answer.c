/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_study.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "study/size/size_study_private.h"
#include "study/table/shown_number.h"
#include "study/table/study_keys.h"

enum { DECIMALS_MAX = 12 };

/* From this factor on, between the answer and the largest value that does not meet a lower bar, the answer
 * hangs on the width of the interval, or on the last half percent. */
#define STRETCHED 10.0

/* --- In sentences --- */

/* Returns `value`, with more decimals where those of its interval hide on which side of `limit` it lies. Free
 * with g_free(). */
static char *beside(double value, double half_width, const shown_scale *scale, double limit)
{
  const double exact = value / scale->factor, end = limit / scale->factor;
  char *text = shown_number_of(value, half_width, scale);
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
  g_autofree char *label = study_keys_amount(study->question->key, value->text);
  const char *does_not = g_str_has_suffix(label, " octets") ? "do not" : "does not";
  g_string_append_printf(text, "%s %s ", label, keeps != NULL ? keeps : does_not);
  if (value->not_ok > 0) {
    g_string_append_printf(text, "(%u of %u %s did not end ok)", value->not_ok, study->seeds->len,
                           units_counted(study->seeds->len, "runs"));
    return;
  }
  if (of->count == 0) {
    g_string_append(text, "(no run has a value)");
    return;
  }
  g_autofree char *unit = result_quantity_unit(&condition->quantity);
  const shown_scale scale = is_ratio ? (shown_scale){1, ""} : shown_scale_for(unit, fabs(of->mean));
  const double half_width = every || of->count == 1 ? (double)NAN : (of->upper - of->lower) / 2;
  g_autofree char *mean = beside(of->mean, half_width, &scale, condition->number);
  g_autofree char *least = beside(value->low, half_width, &scale, condition->number);
  g_autofree char *most = beside(value->high, half_width, &scale, condition->number);
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

/* Appends the packets that were lost where the answer is from: "; 436 losses, 43 to 61 a seed"; and how often
 * what else is asked for happened. */
static void append_losses(const size_point *point, const size_evidence *evidence, GString *text)
{
  const statistics *lost = &evidence->shown->lost;
  if (evidence->losses == 0 && evidence->is_exact) {
    g_string_append(text, point->asked != 0 || evidence->listed > 0 ? "; no payload lost"
                                                                    : "; no losses, and none is asked for");
  } else {
    g_string_append_printf(text, "; %.0f %s", evidence->own, units_counted(evidence->own, "losses"));
    if (lost->smallest < lost->largest) {
      g_string_append_printf(text, ", %.0f to %.0f a seed", lost->smallest, lost->largest);
    } else if (evidence->is_exact) {
      g_string_append(text, ", listed: the same in each seed");
    } else {
      g_string_append_printf(text, ", %.0f a seed", lost->largest);
    }
    if (evidence->own < SIZE_LOSSES_MIN && evidence->losses > evidence->own) {
      g_string_append_printf(text, ", and %.0f with the next smaller value", evidence->losses);
    }
  }
  for (metric_id id = METRIC_LOSSES_RANDOM; id <= METRIC_PATH_SEGMENTS_REORDERED; id++) {
    const gboolean is_said = id == METRIC_LOSSES_RANDOM && point->losses.expected != 0;
    if ((point->asked >> (id - METRIC_LOSSES_RANDOM) & 1) != 0 && !is_said) {
      g_string_append_printf(text, "; %s is %.0f in all seeds", metric_row_of(id)->name,
                             size_events(evidence->shown, id));
    }
  }
}

/* Appends what a reader of the answer must know besides. `evidence` has what it rests on. */
static void append_notes(const size_study *study, const size_point *point, const size_answer *answer,
                         const size_evidence *evidence, GString *text)
{
  const size_question *question = study->question;
  append_losses(point, evidence, text);
  for (size_bar bar = SIZE_BAR_MEAN; bar <= SIZE_BAR_NEARLY && answer->least < point->values->len; bar++) {
    const guint by = size_least_by(study, point, bar);
    if (!question->every_seed && by < answer->least &&
        (double)size_value_at(point, answer->least)->verdict.number >=
            STRETCHED * (double)size_value_at(point, by - (by > 0))->verdict.number) {
      g_autofree char *nearly = g_strdup_printf("keeps %.4g %%", 100 * size_nearly(&question->condition));
      g_string_append(text, "; ");
      append_account(study, size_value_at(point, by),
                     bar == SIZE_BAR_MEAN                   ? "keeps it in the mean"
                     : question->condition.baseline != NULL ? nearly
                                                            : "keeps it to within 0.5 %",
                     text);
    }
  }
  if (answer->until < answer->least) {
    g_autofree char *from = study_keys_amount(question->key, size_value_at(point, answer->also)->text);
    g_string_append_printf(text, "; every value from %s to ", from);
    append_account(study, size_value_at(point, answer->until), "keeps it", text);
  } else if (answer->also < answer->least) {
    g_string_append(text, "; not monotone: ");
    append_account(study, size_value_at(point, answer->also), "keeps it", text);
    g_string_append(text, ", but not all larger values do");
  }
  /* The key makes no difference to the quantity, as far as statistics show. */
  const statistics *first = &size_value_at(point, 0)->compared;
  gboolean is_constant = first->count > 0;
  for (guint i = 1; i < point->values->len; i++) {
    const statistics *other = &size_value_at(point, i)->compared;
    is_constant = is_constant && other->mean == first->mean && other->smallest == first->smallest &&
                  other->largest == first->largest;
  }
  if (is_constant) {
    g_autofree char *name = result_quantity_name(&question->condition.quantity);
    g_string_append_printf(text, "; %s does not vary with %s here", name,
                           scenario_axis_name(&question->axis));
  }
  const statistics *of = &evidence->shown->compared;
  if (!question->every_seed && of->count > 1 && of->deviation > 0 && of->coverage_note != NULL) {
    g_string_append_printf(text, "; the interval covers less than 95 %%: %s", of->coverage_note);
  }
}

char *size_study_answers(const size_study *study, gboolean *met)
{
  const char *key = scenario_axis_name(&study->question->axis);
  g_autofree char *keeps = g_strconcat("keeps ", study->question->condition.text, NULL);
  GString *text = g_string_new(NULL);
  *met = TRUE;
  for (guint i = 0; i < study->points->len; i++) {
    const size_point *point = g_ptr_array_index(study->points, i);
    const size_answer answer = size_search_answer(point->values);
    const size_evidence evidence = size_evidence_of(study, point);
    const size_value *last = size_value_at(point, point->values->len - 1);
    g_autofree char *from = study_keys_amount(study->question->key, size_value_at(point, 0)->text);
    g_autofree char *to = study_keys_amount(study->question->key, last->text);
    g_autofree char *label = size_point_label(study, point);
    *met = *met && evidence.is_enough && answer.least < point->values->len;
    g_string_append(text, label);
    if (!evidence.is_enough) {
      g_autofree char *lacking = size_evidence_lacking(study, point, &evidence);
      /* two digits, and no fewer messages */
      const double unit = pow(10, fmax(floor(log10(evidence.messages)) - 1, 0));
      g_autofree char *about = isfinite(evidence.messages)
                                   ? g_strdup_printf("about %.0f", ceil(evidence.messages / unit) * unit)
                                   : g_strdup("more");
      g_string_append_printf(text, "cannot tell: %s; %s messages are needed%s\n", lacking, about,
                             study->question->until_losses > 0 ? ", more than --until-losses runs"
                                                               : " (--until-losses 30)");
      continue;
    }
    if (answer.least == point->values->len) {
      g_string_append_printf(text, "no %s from %s to %s %s%s: ", key, from, to, keeps,
                             answer.also < answer.least ? " from there on" : "");
      append_account(study, last, NULL, text);
    } else {
      g_string_append_printf(text, "%s = ", key);
      append_account(study, evidence.shown, keeps, text);
      if (answer.least == 0) {
        g_string_append_printf(text, ", as does every value up to %s", to);
      } else {
        g_string_append(text, "; ");
        append_account(study, size_value_at(point, answer.least - 1), NULL, text);
      }
    }
    append_notes(study, point, &answer, &evidence, text);
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}

/* --- As a quantity of runs --- */

/* Returns whether `run` is one of `point`, of which all keys are known but the one searched, those that have
 * its value, and the seed. */
static gboolean is_of(const size_study *study, const size_point *point, const study_run *run)
{
  gboolean same = TRUE;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT && same; key++) {
    const int from = scenario_key_row_of(key)->inherits;
    same = key == study->question->axis.key || key == SCENARIO_RUN_SEED ||
           from == (int)study->question->axis.key || strcmp(run->keys[key], point->texts[key]) == 0;
  }
  return same;
}

/* Leaves those of `runs` that the sentences are about, whose key is `key` there, and adds the answers to
 * `found` and their losses to `lost`. */
static void select_runs(const size_study *study, GPtrArray *runs, scenario_key key, GHashTable *found,
                        GHashTable *lost)
{
  for (guint i = runs->len; i-- > 0;) {
    study_run *run = g_ptr_array_index(runs, i);
    guint at = 0;
    while (at < study->points->len && !is_of(study, g_ptr_array_index(study->points, at), run)) {
      at++;
    }
    const size_point *point = at < study->points->len ? g_ptr_array_index(study->points, at) : NULL;
    const size_evidence evidence =
        point != NULL ? size_evidence_of(study, point) : (size_evidence){.losses = 0};
    if (point == NULL || strcmp(run->keys[key], evidence.shown->text) != 0) {
      g_ptr_array_remove_index(runs, i);
      continue;
    }
    statistics total = statistics_of(&evidence.own, 1);
    total.count = study->seeds->len;
    g_hash_table_insert(lost, &run->results, g_memdup2(&total, sizeof total));
    if (evidence.is_enough && evidence.shown->verdict.kept) {
      const guint may_be = size_least_by(study, point, SIZE_BAR_FAR);
      statistics of = {.count = study->seeds->len};
      study_keys_number(key, evidence.shown->text, &of.mean);
      study_keys_number(key, size_value_at(point, may_be)->text, &of.lower);
      of.upper = of.median = of.lower_quartile = of.upper_quartile = of.largest = of.mean;
      of.smallest = of.lower;
      of.half_width = (of.upper - of.lower) / 2;
      g_hash_table_insert(found, &run->results, g_memdup2(&of, sizeof of));
    }
  }
}

/* Takes the key from `runs`, and how long they are, which follows from the point. Runs may share their keys.
 */
static void take_key(const size_study *study, const GPtrArray *runs, scenario_key key)
{
  for (guint i = 0; i < runs->len; i++) {
    char **keys = ((const study_run *)g_ptr_array_index(runs, i))->keys;
    keys[key] = keys[study->question->axis.key] = keys[SCENARIO_WORKLOAD_MESSAGES] = (char *)"";
  }
}

size_found *size_study_found(const size_study *study, study_table *table)
{
  const scenario_key_row *row = scenario_key_row_of(study->question->key);
  const scenario_key key = study_keys_find(scenario_axis_name(&study->question->axis), table->axes);
  size_found *found = g_new(size_found, 1);
  *found = (size_found){.least = {.name = scenario_axis_name(&study->question->axis),
                                  .unit = row->type == SCENARIO_TYPE_SIZE   ? "octets"
                                          : row->type == SCENARIO_TYPE_TIME ? "s"
                                          : row->type == SCENARIO_TYPE_RATE ? "bit/s"
                                                                            : "1",
                                  .words = "each with the range that it may lie in, at 95\u00a0%",
                                  .of = g_hash_table_new_full(NULL, NULL, NULL, g_free)},
                        .losses = {.name = "losses in all seeds",
                                   .unit = "packets",
                                   .words = "",
                                   .of = g_hash_table_new_full(NULL, NULL, NULL, g_free)}};
  select_runs(study, table->runs, key, found->least.of, found->losses.of);
  select_runs(study, table->all.others, key, found->least.of, found->losses.of);
  take_key(study, table->runs, key);
  take_key(study, table->all.others, key);
  return found;
}

void size_found_free(size_found *found)
{
  g_hash_table_unref(found->least.of);
  g_hash_table_unref(found->losses.of);
  g_free(found);
}
