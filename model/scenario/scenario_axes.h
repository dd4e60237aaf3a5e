/* SPDX-License-Identifier: GPL-2.0-only */
/* An axis that is given by its ends has values that are evenly spaced, or grow by a factor. They are
 * computed with whole numbers, so that a sweep has the same points on every machine. */
#pragma once

#include "scenario/scenario_value.h"

/* Returns TRUE when an axis of this type can be given by its ends: integers, sizes, times, rates,
 * probabilities. */
gboolean scenario_axis_range_fits(scenario_type type);

/* Sets `*number` to `value`, of such a row, as a whole number of its smallest unit: octets, ps, bit/s;
 * 10^-18 for a probability. Returns FALSE when it is a word, or a probability that is no whole number of
 * them. */
gboolean scenario_axis_range_number(const scenario_key_row *row, const scenario_value *value,
                                    guint64 *number);

/* Returns the canonical text of `number`, as scenario_axis_range_number() counts. Free with g_free(). */
char *scenario_axis_range_text(const scenario_key_row *row, guint64 number);

/* Returns from, from + step … up to at most `to`; no more than `limit` + 1 numbers (guint64). `step` is at
 * least 1, `from` at most `to` (a negative number is 2^64 more). Free with g_array_unref(). */
GArray *scenario_axis_range_steps(guint64 from, guint64 to, guint64 step, gsize limit);

/* Returns `points` >= 2 numbers (guint64) from `from` >= 1 to `to`, which is larger. Those in between grow by
 * the same factor and are rounded to `digits` significant digits, or as many more as keep them apart; 0: to
 * whole numbers. Equal whole numbers are merged, so there may be fewer than `points`. Free with
 * g_array_unref(). */
GArray *scenario_axis_range_factors(guint64 from, guint64 to, gsize points, guint digits);
