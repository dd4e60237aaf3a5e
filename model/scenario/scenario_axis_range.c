/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_axis_range.h"

#include <string.h>

#include "base/integer_logarithm.h"
#include "base/units.h"

enum {
  PROBABILITY_DECIMALS = 18,
  DIGITS_MAX = 20 /* of a 64-bit number */
};
#define PROBABILITY_ONE G_GUINT64_CONSTANT(1000000000000000000)

gboolean scenario_axis_range_fits(scenario_type type)
{
  return type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE || type == SCENARIO_TYPE_TIME ||
         type == SCENARIO_TYPE_RATE || type == SCENARIO_TYPE_PROBABILITY;
}

/* From its shortest text, so that 0.1 is a tenth and not the double next to it. */
static gboolean probability_number(double probability, guint64 *number)
{
  g_autofree char *text = units_format_real(probability);
  int shift = PROBABILITY_DECIMALS;
  gboolean behind_point = FALSE;
  const char *p = text;

  *number = 0;
  for (; *p == '.' || g_ascii_isdigit(*p); p++) {
    if (*p == '.') {
      behind_point = TRUE;
    } else {
      *number = *number * 10 + (guint64)(*p - '0'); /* at most 17 digits */
      shift -= behind_point;
    }
  }
  shift += *p == 'e' ? (int)g_ascii_strtoll(p + 1, NULL, 10) : 0;
  for (; shift > 0 && *number > 0; shift--) {
    *number *= 10;
  }
  for (; shift < 0 && *number % 10 == 0 && *number > 0; shift++) {
    *number /= 10;
  }
  return shift >= 0 || *number == 0;
}

gboolean scenario_axis_range_number(const scenario_key_row *row, const scenario_value *value, guint64 *number)
{
  g_assert(scenario_axis_range_fits(row->type));
  *number = value->number;
  if (row->type == SCENARIO_TYPE_PROBABILITY) {
    return probability_number(value->probability, number);
  }
  return !value->is_word;
}

char *scenario_axis_range_text(const scenario_key_row *row, guint64 number)
{
  scenario_value value = {.number = number};

  if (row->type == SCENARIO_TYPE_PROBABILITY) {
    g_autofree char *digits =
        g_strdup_printf("%" G_GUINT64_FORMAT ".%0*" G_GUINT64_FORMAT, number / PROBABILITY_ONE,
                        PROBABILITY_DECIMALS, number % PROBABILITY_ONE);
    gboolean read = units_parse_probability(digits, &value.probability);

    g_assert(read);
  }
  return scenario_value_write(row, &value);
}

GArray *scenario_axis_range_steps(guint64 from, guint64 to, guint64 step, gsize limit)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));

  g_assert(step >= 1);
  g_array_append_val(numbers, from);
  while (to - from >= step && numbers->len <= limit) {
    from += step;
    g_array_append_val(numbers, from);
  }
  return numbers;
}

/* The largest number whose logarithm is at most `logarithm`. */
static guint64 number_below(guint64 logarithm)
{
  guint64 number = 0;

  for (int bit = 63; bit >= 0; bit--) {
    guint64 candidate = number | G_GUINT64_CONSTANT(1) << bit;

    if (integer_logarithm2(candidate) <= logarithm) {
      number = candidate;
    }
  }
  return number;
}

/* The number of `digits` significant digits (0: the whole number) nearest to the one that has `logarithm`. */
static guint64 round_to_digits(guint64 logarithm, guint digits)
{
  guint64 below = number_below(logarithm);
  guint64 unit = 1;

  for (guint64 left = below; digits > 0 && left >= 10; left /= 10) {
    unit *= 10;
  }
  for (guint digit = 1; digit < digits && unit > 1; digit++) {
    unit /= 10;
  }
  below -= below % unit;
  /* In halves: the middle to the next is a whole number of them. */
  uint128 middle = 2 * (uint128)below + unit;
  guint64 middle_logarithm = integer_logarithm2(middle) - (G_GUINT64_CONSTANT(1) << INTEGER_LOGARITHM_BITS);
  return below + (logarithm >= middle_logarithm ? unit : 0);
}

static GArray *factors_of_digits(guint64 from, guint64 to, gsize points, guint digits)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  guint64 first = integer_logarithm2(from);
  guint64 span = integer_logarithm2(to) - first;
  guint64 last = from;

  g_array_append_val(numbers, from);
  for (gsize i = 1; i + 1 < points; i++) {
    guint64 logarithm = first + (guint64)((uint128)span * i / (points - 1));
    guint64 number = round_to_digits(logarithm, digits);

    if (number > last && number < to) {
      g_array_append_val(numbers, number);
      last = number;
    }
  }
  g_array_append_val(numbers, to);
  return numbers;
}

GArray *scenario_axis_range_factors(guint64 from, guint64 to, gsize points, guint digits)
{
  g_assert(from >= 1 && from < to && points >= 2);
  GArray *numbers = factors_of_digits(from, to, points, digits);

  while (numbers->len < points && digits > 0 && digits < DIGITS_MAX) {
    g_array_unref(numbers);
    numbers = factors_of_digits(from, to, points, ++digits);
  }
  return numbers;
}
