/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/size/size_search.h"

#include <math.h>

#include "base/integer_math.h"
#include "scenario/scenario_axes.h"

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
