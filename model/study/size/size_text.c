/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_text.h"

#include <math.h>
#include <string.h>

#include "study/table/shown_number.h"
#include "study/table/study_keys.h"
#include "study/table/text_columns.h"

static const size_value *value_at(const size_point *point, guint index)
{
  return &g_array_index(point->values, size_value, index);
}

/* What is written, and how. */
typedef struct size_writer {
  const size_findings *found;
  const char *key; /* its name */
  char *unit;
  shown_scale scale;    /* of the quantity */
  shown_scale compared; /* of what the condition compares; ratios have no unit */
} size_writer;

static void size_writer_clear(size_writer *writer)
{
  g_free(writer->unit);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(size_writer, size_writer_clear)

static size_writer writer_of(const size_findings *found)
{
  const size_condition *condition = &found->question->condition;
  size_writer writer = {.found = found,
                        .key = scenario_key_row_of(found->question->key)->name,
                        .unit = result_quantity_unit(&condition->quantity)};
  double largest = 0;
  for (guint i = 0; i < found->points->len; i++) {
    const size_point *point = &g_array_index(found->points, size_point, i);
    for (guint k = 0; k < point->values->len; k++) {
      const statistics *of = &value_at(point, k)->of;
      largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
    }
  }
  writer.scale = shown_scale_for(writer.unit, largest);
  writer.compared = condition->baseline != NULL ? (shown_scale){1, "1"} : writer.scale;
  return writer;
}

/* A value of the key: "96 KiB", "1500 octets", "25us". Free with g_free(). */
static char *label_of(const size_writer *writer, const size_value *value)
{
  const scenario_key key = writer->found->question->key;
  g_autofree char *label = study_keys_label(key, value->text);
  const gboolean bare =
      scenario_key_row_of(key)->type == SCENARIO_TYPE_SIZE && label[strspn(label, "0123456789")] == '\0';
  return g_strconcat(label, !bare ? "" : strcmp(label, "1") == 0 ? " octet" : " octets", NULL);
}

/* What a condition compares at `value`: its mean, and the bounds that count, "0.990 to 0.994"; "-" where
 * there are none. Free both with g_free(). */
static char *texts_of(const size_writer *writer, const size_value *value, char **bounds)
{
  const shown_scale *scale = &writer->compared;
  const gboolean every = writer->found->question->every_seed;
  const statistics *of = &value->share;
  const gboolean has_bounds = of->count > 1;
  const double lower = every ? of->smallest : of->lower, upper = every ? of->largest : of->upper;
  const double half_width = has_bounds && !every ? (upper - lower) / 2 : (double)NAN;
  *bounds = g_strdup("-");
  if (has_bounds) {
    g_auto(shown_number) least = shown_number_of(lower, half_width, scale);
    g_auto(shown_number) most = shown_number_of(upper, half_width, scale);
    g_free(*bounds);
    *bounds = g_strdup_printf("%s to %s", least.value, most.value);
  }
  g_auto(shown_number) mean = shown_number_of(of->mean, half_width, scale);
  return of->count > 0 ? g_steal_pointer(&mean.value) : g_strdup("-");
}

/* "96 KiB", and in parentheses what was measured: "ratio 0.992, 95 % interval 0.990 to 0.994, 8 seeds". Free
 * with g_free(). */
static char *account_of(const size_writer *writer, const size_value *value, const char *verb)
{
  const size_question *question = writer->found->question;
  const char *unit = writer->compared.unit;
  const gboolean plain = strcmp(unit, "1") == 0, single = value->share.count == 1;
  g_autofree char *label = label_of(writer, value), *bounds = NULL;
  g_autofree char *mean = texts_of(writer, value, &bounds);
  if (value->not_ok > 0) {
    return g_strdup_printf("%s %s (%u of %u runs did not end ok)", label, verb, value->not_ok,
                           writer->found->seeds);
  }
  return g_strdup_printf("%s %s (%s %s%s%s, %s%s%s%zu seed%s)", label, verb,
                         question->condition.baseline != NULL ? "ratio" : "mean", mean, plain ? "" : " ",
                         plain ? "" : unit, single || question->every_seed ? "" : "95 % interval ",
                         single ? "" : bounds,
                         single                 ? ""
                         : question->every_seed ? " over "
                                                : ", ",
                         value->share.count, single ? "" : "s");
}

/* Whether the interval that decides at `value` is known to cover too little. */
static gboolean is_unsure(const size_writer *writer, const size_value *value)
{
  const statistics *of = &value->share;
  return !writer->found->question->every_seed && of->count > 1 && of->deviation > 0 &&
         of->coverage_note != NULL;
}

static const char UNSURE[] = "the interval may cover less than 93 %, as of few or skewed seeds\n";

/* What a reader of the answer must know besides, "" when there is nothing. Free with g_free(). */
static char *note_of(const size_writer *writer, const size_point *point, const size_answer *answer)
{
  if (answer->least == point->values->len || answer->also == answer->least) {
    return g_strdup(size_study_varies(point) ? "" : "does not vary");
  }
  g_autofree char *also = account_of(writer, value_at(point, answer->also), "keeps it too");
  return g_strdup_printf("not monotone: %s, larger values do not", also);
}

char *size_text_sentence(const size_findings *found)
{
  g_auto(size_writer) own = writer_of(found);
  const size_writer *writer = &own;
  const size_point *point = &g_array_index(found->points, size_point, 0);
  const size_answer answer = size_study_answer(point);
  const guint last = point->values->len - 1;
  const char *key = own.key;
  const char *condition = found->question->condition.text;
  g_autofree char *from = label_of(writer, value_at(point, 0)), *to = label_of(writer, value_at(point, last));
  g_autofree char *keeps = g_strconcat("keeps ", condition, NULL);
  g_autofree char *note = note_of(writer, point, &answer);
  if (answer.least == 0) {
    g_autofree char *at = account_of(writer, value_at(point, 0), keeps);
    return g_strdup_printf("%s = %s, as does every value up to %s\n", key, at, to);
  }
  if (answer.least > last) {
    g_autofree char *at = account_of(writer, value_at(point, last), "does not");
    g_autofree char *also =
        answer.also <= last ? account_of(writer, value_at(point, answer.also), "does") : NULL;
    return g_strdup_printf("no %s from %s to %s keeps %s%s: %s%s%s\n", key, from, to, condition,
                           also != NULL ? " with all values above it" : "", at, also != NULL ? ", " : "",
                           also != NULL ? also : "");
  }
  g_autofree char *least = account_of(writer, value_at(point, answer.least), keeps);
  g_autofree char *below = account_of(writer, value_at(point, answer.least - 1), "does not");
  return g_strdup_printf("%s = %s; %s%s%s\n%s", key, least, below, *note != '\0' ? "\n" : "", note,
                         is_unsure(writer, value_at(point, answer.least)) ? UNSURE : "");
}

/* The cells of one line. */
static void add_value(const size_writer *writer, const size_point *point, const size_value *value,
                      GPtrArray *cells)
{
  char *bounds;
  for (guint i = 0; i < writer->found->keys->len; i++) {
    const scenario_key key = g_array_index(writer->found->keys, scenario_key, i);
    g_ptr_array_add(cells, study_keys_label(key, point->texts[key]));
  }
  g_ptr_array_add(cells, label_of(writer, value));
  g_ptr_array_add(cells,
                  value->of.count > 0 ? shown_number_text(value->of.mean, &writer->scale) : g_strdup("-"));
  char *ratio = texts_of(writer, value, &bounds);
  if (writer->found->question->condition.baseline == NULL) {
    *ratio = '\0'; /* it is the mean again */
  }
  g_ptr_array_add(cells, ratio);
  g_ptr_array_add(cells, bounds);
  g_ptr_array_add(cells, g_strdup_printf("%zu", value->share.count));
  g_ptr_array_add(cells,
                  g_strconcat(value->verdict.kept ? "yes" : "no", is_unsure(writer, value) ? "*" : "", NULL));
}

char *size_text_table(const size_findings *found, gboolean answers)
{
  g_auto(size_writer) own = writer_of(found);
  const size_writer *writer = &own;
  g_autofree char *name = result_quantity_name(&found->question->condition.quantity);
  g_autofree char *quantity =
      strcmp(own.scale.unit, "1") == 0 ? g_strdup(name) : g_strdup_printf("%s in %s", name, own.scale.unit);
  const text_column after[] = {
      {own.key, TEXT_COLUMN_NUMBER, NULL},
      {quantity, TEXT_COLUMN_NUMBER, NULL},
      {"ratio", TEXT_COLUMN_NUMBER, NULL},
      {found->question->every_seed ? "least to largest" : "95 % interval", TEXT_COLUMN_NUMBER, NULL},
      {"n", TEXT_COLUMN_NUMBER, NULL},
      {"keeps it", TEXT_COLUMN_TEXT, NULL},
      {"", TEXT_COLUMN_TEXT, NULL}};
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < found->keys->len; i++) {
    const char *key = scenario_key_row_of(g_array_index(found->keys, scenario_key, i))->name;
    g_array_append_val(columns, ((text_column){key, TEXT_COLUMN_HEADING, NULL}));
  }
  g_array_append_vals(columns, after, G_N_ELEMENTS(after));
  gboolean unsure = FALSE;
  for (guint i = 0; i < found->points->len; i++) {
    const size_point *point = &g_array_index(found->points, size_point, i);
    const size_answer answer = size_study_answer(point);
    const guint least = MIN(answer.least, point->values->len - 1);
    for (guint k = answers ? least : 0; k < (answers ? least + 1 : point->values->len); k++) {
      const size_value *value = value_at(point, k);
      add_value(writer, point, value, cells);
      unsure = unsure || is_unsure(writer, value);
      g_ptr_array_add(cells, value->not_ok > 0 ? g_strdup_printf("%u did not end ok", value->not_ok)
                             : answers         ? note_of(writer, point, &answer)
                                               : g_strdup(""));
    }
  }
  GString *text = g_string_new(NULL);
  if (answers) {
    g_string_printf(text, "the least %s that keeps %s\n", own.key, found->question->condition.text);
  }
  text_columns_append((const text_column *)columns->data, columns->len, cells, text);
  g_string_append_printf(text, "%s%s", unsure ? "*: " : "", unsure ? UNSURE : "");
  return g_string_free(text, FALSE);
}
