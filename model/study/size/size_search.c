/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_search.h"

#include <math.h>

#include "base/integer_math.h"
#include "scenario/scenario_axes.h"

/* The grid's numbers grow by a factor of 2, or of 4 in a range of more than OCTAVES: coarse enough that a
 * range of many decades is crossed soon, fine enough to notice that a condition is not monotone. */
enum { OCTAVES = 16, STEPS_MIN = 8, STEPS_MAX = 24 };

static const size_verdict *verdict_at(const GArray *verdicts, guint index)
{
  return &g_array_index(verdicts, size_verdict, index);
}

/* The roundest number, binary or decimal, at most `room` away from `number`. */
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
  GArray *grid = g_array_new(FALSE, FALSE, sizeof(guint64));
  if (scope->from == 0) {
    g_array_append_val(grid, scope->from);
  }
  if (scope->to == least) {
    return g_array_append_val(grid, least);
  }
  const guint64 octave = (guint64)1 << INTEGER_LOGARITHM_BITS;
  const guint64 span = integer_logarithm2(scope->to) - integer_logarithm2(least);
  const guint64 step = span > OCTAVES * octave ? 2 * octave : octave;
  const gsize steps = CLAMP((span + step - 1) / step, STEPS_MIN, STEPS_MAX);
  g_autoptr(GArray) growing = scenario_axis_range_factors(least, scope->to, steps + 1, 0);
  const guint64 *numbers = (const guint64 *)growing->data;
  for (guint i = 0; i < growing->len; i++) {
    const gboolean end = i == 0 || i + 1 == growing->len;
    const guint64 number = end ? numbers[i] : roundest(scope, numbers[i], (numbers[i] - numbers[i - 1]) / 4);
    g_array_append_val(grid, number);
  }
  return grid;
}

/* The place of the least number above which all kept the condition; their count when the last did not. */
static guint place_of_least(const GArray *verdicts)
{
  guint place = verdicts->len;
  while (place > 0 && verdict_at(verdicts, place - 1)->kept) {
    place--;
  }
  return place;
}

/* The gap that is halved next, by its lower end; FALSE when there is none. */
static gboolean find_gap(const size_scope *scope, const GArray *verdicts, const size_verdict **low)
{
  const guint place = place_of_least(verdicts);
  if (place == 0 || place == verdicts->len) {
    return FALSE;
  }
  *low = verdict_at(verdicts, place - 1);
  const guint64 high = verdict_at(verdicts, place)->number, gap = high - (*low)->number;
  return gap > 1 && (double)gap > scope->precision * (double)high;
}

gboolean size_search_next(const size_scope *scope, const GArray *verdicts, guint64 *number)
{
  const size_verdict *low;
  if (!find_gap(scope, verdicts, &low)) {
    return FALSE;
  }
  const guint64 gap = (low + 1)->number - low->number;
  const guint64 middle = (guint64)sqrt((double)low->number * (double)(low + 1)->number);
  *number = roundest(scope, CLAMP(middle, low->number + 1, low->number + gap - 1), gap / 8);
  return TRUE;
}

guint size_search_steps(const size_scope *scope, const GArray *verdicts)
{
  const size_verdict *low;
  double factor = 4;
  if (verdicts->len > 0 && !find_gap(scope, verdicts, &low)) {
    return 0;
  }
  if (verdicts->len > 0) {
    factor = (double)(low + 1)->number / (double)MAX(low->number, 1);
  }
  return (guint)MAX(1, ceil(log2(log(factor) / log1p(scope->precision))));
}

size_answer size_search_answer(const GArray *verdicts)
{
  size_answer answer = {.least = place_of_least(verdicts)};
  while (answer.also < verdicts->len && !verdict_at(verdicts, answer.also)->kept) {
    answer.also++;
  }
  return answer;
}
