/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_question.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/units.h"
#include "scenario/scenario_axes.h"
#include "scenario/scenario_value.h"

/* Reads a number, perhaps a percentage; FALSE when `text` is none. */
static gboolean read_share(const char *text, double *number)
{
  const char *end = units_read_real(text, number);
  end += end != NULL ? strspn(end, " ") : 0;
  if (end != NULL && *end == '%') {
    *number /= 100;
    end++;
  }
  return end != NULL && *end == '\0';
}

/* Reads what is right of the sign: "99 % of unlimited", or a number. */
static gboolean read_right(const char *right, scenario_key key, size_condition *condition, GError **error)
{
  const char *of = strstr(right, " of ");
  if (of == NULL) {
    g_autofree char *unit = result_quantity_unit(&condition->quantity);
    g_autofree char *name = result_quantity_name(&condition->quantity);
    guint64 whole = 0;
    time_ps time = 0;
    gboolean good;
    if (strcmp(unit, "s") == 0) {
      good = units_parse_time(right, &time);
      condition->number = time_ps_in_seconds(time);
    } else if (strcmp(unit, "octets") == 0 || strcmp(unit, "bit/s") == 0) {
      good = *unit == 'o' ? units_parse_size(right, &whole) : units_parse_rate(right, &whole);
      condition->number = (double)whole;
    } else {
      good = (strcmp(unit, "1") == 0 || strchr(right, '%') == NULL) && read_share(right, &condition->number);
    }
    return good ||
           error_set(error, "'%s' is no value of %s; expected a number with its unit, or P %% of VALUE",
                     right, name);
  }
  g_autofree char *share = g_strndup(right, (gsize)(of - right));
  g_autofree char *value_text = g_strstrip(g_strdup(of + strlen(" of ")));
  g_autofree char *problem = NULL;
  g_auto(scenario_value) value = {.text = NULL};
  if (strchr(share, '%') == NULL || !read_share(share, &condition->number) || condition->number <= 0) {
    return error_set(error, "'%s' is no share of a value; expected a percentage above 0, such as 99 %%",
                     share);
  }
  if (!scenario_value_read(scenario_key_row_of(key), SCENARIO_NOTATION_BARE, value_text, &value, &problem)) {
    return error_set(error, "%s", problem);
  }
  condition->baseline = scenario_value_write(scenario_key_row_of(key), &value);
  return TRUE;
}

gboolean size_condition_read(const char *text, scenario_key key, size_condition *condition, GError **error)
{
  const gsize name_length = strcspn(text, "<>=");
  const gsize sign_length = strspn(text + name_length, "<>=");
  g_autofree char *name = g_strstrip(g_strndup(text, name_length));
  g_autofree char *sign = g_strndup(text + name_length, sign_length);
  g_autofree char *right = g_strstrip(g_strdup(text + name_length + sign_length));
  static const char *const signs[] = {">=", "<=", ">", "<", NULL};
  *condition = (size_condition){.at_most = sign[0] == '<', .or_equal = sign_length == 2};
  if (*name == '\0' || *right == '\0' || !g_strv_contains(signs, sign)) {
    return error_set(error,
                     "--keep '%s' is no condition; expected QUANTITY, one of >= <= > < and a number, or P %% "
                     "of VALUE, such as 'goodput_bit_per_s >= 99 %% of unlimited'",
                     text);
  }
  condition->text = g_strdup_printf("%s %s %s", name, sign, right);
  if (!result_quantity_read(name, &condition->quantity, error)) {
    return FALSE;
  }
  if (result_quantity_is_of_machine(&condition->quantity)) {
    return error_set(error, "%s depends on the machine; expected a metric that is the same everywhere", name);
  }
  return read_right(right, key, condition, error);
}

void size_condition_clear(size_condition *condition)
{
  g_clear_pointer(&condition->baseline, g_free);
  g_clear_pointer(&condition->text, g_free);
}

gboolean size_condition_meets(const size_condition *condition, double value)
{
  if (condition->or_equal && value == condition->number) {
    return TRUE;
  }
  return condition->at_most ? value < condition->number : value > condition->number;
}

/* The grid's numbers grow by a factor of 2, or of 4 in a range of more than OCTAVES: coarse enough that a
 * range of many decades is crossed soon, fine enough to notice that a condition is not monotone. */
enum { OCTAVES = 16, STEPS_MIN = 8, STEPS_MAX = 24 };

static const size_verdict *verdict_at(const GPtrArray *verdicts, guint index)
{
  return g_ptr_array_index(verdicts, index);
}

/* Returns the roundest number, binary or decimal, at most `room` away from `number`. */
static guint64 roundest(const size_scope *scope, guint64 number, guint64 room)
{
  const guint64 base = scope->binary ? 2 : 10;
  guint64 found = number;
  for (guint64 unit = base; unit <= 2 * room; unit *= base) {
    guint64 round = (number + unit / 2) / unit * unit;
    found = MAX(round, number) - MIN(round, number) <= room ? round : found;
  }
  return found;
}

GArray *size_search_grid(const size_scope *scope)
{
  const guint64 least = MAX(scope->from, 1); /* nothing grows from 0 by a factor */
  const guint64 octave = (guint64)1 << INTEGER_LOGARITHM_BITS;
  const guint64 span = integer_logarithm2(scope->to) - integer_logarithm2(least);
  const guint64 step = span > OCTAVES * octave ? 2 * octave : octave;
  const gsize steps = CLAMP((span + step - 1) / step, STEPS_MIN, STEPS_MAX);
  GArray *grid = scope->to > least ? scenario_axis_range_factors(least, scope->to, steps + 1, 0)
                                   : scenario_axis_range_steps(least, least, 1, 1);
  guint64 *numbers = (guint64 *)grid->data;
  for (guint i = grid->len - 1; i-- > 1;) { /* downwards: the room is that below the number as it was */
    numbers[i] = roundest(scope, numbers[i], (numbers[i] - numbers[i - 1]) / 4);
  }
  return scope->from == 0 ? g_array_prepend_val(grid, scope->from) : grid;
}

guint size_search_next(const size_scope *scope, const GPtrArray *verdicts, guint64 *number)
{
  const guint place = size_search_answer(verdicts).least;
  if (place == 0 || place == verdicts->len) {
    return 0;
  }
  const guint64 low = verdict_at(verdicts, place - 1)->number, high = verdict_at(verdicts, place)->number;
  const guint64 gap = high - low;
  if (gap <= 1 || (double)gap <= scope->precision * (double)high) {
    return 0;
  }
  const guint64 middle = (guint64)sqrt((double)low * (double)high);
  *number = roundest(scope, CLAMP(middle, low + 1, high - 1), gap / 8);
  return place;
}

size_answer size_search_answer(const GPtrArray *verdicts)
{
  size_answer answer = {.least = verdicts->len};
  while (answer.least > 0 && verdict_at(verdicts, answer.least - 1)->kept) {
    answer.least--;
  }
  while (answer.also < verdicts->len && !verdict_at(verdicts, answer.also)->kept) {
    answer.also++;
  }
  guint last = answer.least, kept = 0;
  for (guint i = answer.also; i < answer.least; i++) {
    kept += verdict_at(verdicts, i)->kept;
    last = verdict_at(verdicts, i)->kept ? i : last;
  }
  answer.until = answer.least == verdicts->len && kept == last - answer.also + 1 ? last : answer.least;
  return answer;
}
