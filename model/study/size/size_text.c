/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_text.h"

#include <math.h>
#include <string.h>

#include "study/table/shown_number.h"
#include "study/table/study_keys.h"

static const size_value *value_at(const size_point *point, guint index)
{
  return g_ptr_array_index(point->values, index);
}

/* Appends "96 KiB keeps it", and in parentheses what was measured: "ratio 0.992, 95 % interval 0.990 to
 * 0.994, n = 8". */
static void append_account(const size_findings *found, const size_value *value, const char *verb,
                           GString *text)
{
  const size_question *question = found->question;
  const gboolean is_ratio = question->condition.baseline != NULL, every = question->every_seed;
  const statistics *of = &value->compared;
  g_autofree char *label = study_keys_label(question->key, value->text);
  g_string_append_printf(text, "%s %s ", label, verb);
  if (value->not_ok > 0) {
    g_string_append_printf(text, "(%u of %u runs did not end ok)", value->not_ok, found->seeds);
    return;
  }
  if (of->count == 0) {
    g_string_append(text, "(no run has a value)");
    return;
  }
  g_autofree char *unit = result_quantity_unit(&question->condition.quantity);
  const shown_scale scale = is_ratio ? (shown_scale){1, ""} : shown_scale_for(unit, fabs(of->mean));
  const double half_width = every || of->count == 1 ? (double)NAN : (of->upper - of->lower) / 2;
  g_auto(shown_number) mean = shown_number_of(of->mean, half_width, &scale);
  g_auto(shown_number) least = shown_number_of(every ? of->smallest : of->lower, half_width, &scale);
  g_auto(shown_number) most = shown_number_of(every ? of->largest : of->upper, half_width, &scale);
  g_string_append_printf(text, "(%s %s%s%s", is_ratio ? "ratio" : "mean", mean.value,
                         *scale.unit != '\0' ? " " : "", scale.unit);
  if (of->count > 1) {
    g_string_append_printf(text, ", %s %s to %s", every ? "from" : "95 % interval", least.value, most.value);
  }
  g_string_append_printf(text, ", n = %zu)", of->count);
}

/* Whether the key makes no difference to the quantity, as far as statistics show. */
static gboolean is_constant(const size_point *point)
{
  const statistics *first = &value_at(point, 0)->compared;
  gboolean constant = first->count > 0;
  for (guint i = 1; i < point->values->len; i++) {
    const statistics *of = &value_at(point, i)->compared;
    constant = constant && of->count == first->count && of->mean == first->mean &&
               of->smallest == first->smallest && of->largest == first->largest;
  }
  return constant;
}

/* Appends what a reader of the answer must know besides. `shown` is the value that it rests on. */
static void append_notes(const size_findings *found, const size_point *point, const size_answer *answer,
                         const size_value *shown, GString *text)
{
  const size_question *question = found->question;
  if (answer->also < answer->least) {
    g_string_append(text, "; not monotone: ");
    append_account(found, value_at(point, answer->also), "keeps it", text);
    g_string_append(text, ", but not all larger values do");
  }
  if (is_constant(point)) {
    g_autofree char *name = result_quantity_name(&question->condition.quantity);
    g_string_append_printf(text, "; %s does not vary with %s here", name,
                           scenario_key_row_of(question->key)->name);
  }
  const statistics *of = &shown->compared;
  if (!question->every_seed && of->count > 1 && of->deviation > 0 && of->coverage_note != NULL) {
    g_string_append_printf(text, "; the interval covers less than 95 %%: %s", of->coverage_note);
  }
}

static void append_answer(const size_findings *found, const size_point *point, GString *text, gboolean *met)
{
  const size_answer answer = size_search_answer(point->values);
  const char *key = scenario_key_row_of(found->question->key)->name;
  const size_value *last = value_at(point, point->values->len - 1), *shown = last;
  g_autofree char *keeps = g_strconcat("keeps ", found->question->condition.text, NULL);
  g_autofree char *from = study_keys_label(found->question->key, value_at(point, 0)->text);
  g_autofree char *to = study_keys_label(found->question->key, last->text);
  if (answer.least == point->values->len) {
    *met = FALSE;
    g_string_append_printf(text, "no %s from %s to %s %s there and above: ", key, from, to, keeps);
    append_account(found, last, "does not", text);
  } else {
    shown = value_at(point, answer.least);
    g_string_append_printf(text, "%s = ", key);
    append_account(found, shown, keeps, text);
    if (answer.least == 0) {
      g_string_append_printf(text, ", as does every value up to %s", to);
    } else {
      g_string_append(text, "; ");
      append_account(found, value_at(point, answer.least - 1), "does not", text);
    }
  }
  append_notes(found, point, &answer, shown, text);
  g_string_append_c(text, '\n');
}

char *size_text_answers(const size_findings *found, gboolean *met)
{
  GString *text = g_string_new(NULL);
  *met = TRUE;
  for (guint i = 0; i < found->points->len; i++) {
    const size_point *point = g_ptr_array_index(found->points, i);
    for (guint k = 0; k < found->keys->len; k++) {
      const scenario_key key = g_array_index(found->keys, scenario_key, k);
      g_autofree char *label = study_label_of(key, point->texts[key]);
      g_string_append_printf(text, "%s%s", label, k + 1 < found->keys->len ? ", " : ": ");
    }
    append_answer(found, point, text, met);
  }
  return g_string_free(text, FALSE);
}
