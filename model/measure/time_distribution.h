/* SPDX-License-Identifier: GPL-2.0-only */
/* A step function of time: its exact mean and exact quantiles (docs/metrics.md, "Means and quantiles over
 * time").
 *
 * A value that lasts no time does not exist: several settings in one picosecond leave the last. Mean and
 * quantiles look at an interval whose end is known only afterwards ("the last delivery"): each
 * time_distribution_mark() states that it reaches at least to there, and what comes after the last mark does
 * not count. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "measure/distribution.h"
#include "measure/gauge.h"

typedef struct time_distribution time_distribution;

/* A function that is 0 from time 0 on, counted from there. Free with time_distribution_free() (NULL-safe). */
time_distribution *time_distribution_new(void);
void time_distribution_free(time_distribution *function);

/* A function that was like `from` so far, and counts the same time. Free with time_distribution_free(). */
time_distribution *time_distribution_copy(const time_distribution *from);

/* The same, but one that was 0 so far. */
time_distribution *time_distribution_copy_as_zero(const time_distribution *from);

/* In all of these `now` is not before that of the call before. */

/* From `now` on the function is `value`. */
void time_distribution_set(time_distribution *function, time_ps now, uint64_t value);

/* Counting starts at `now`: what was before it is forgotten, marks too. */
void time_distribution_start(time_distribution *function, time_ps now);

/* Counting pauses, and goes on, at `now` (for "over the time a hole is open"); it is on at first.
 * Idempotent. */
void time_distribution_pause(time_distribution *function, time_ps now);
void time_distribution_resume(time_distribution *function, time_ps now);

/* The time up to `now` counts. May be called late, as long as it is before the next of the other calls; one
 * before the last of those changes nothing. */
void time_distribution_mark(time_distribution *function, time_ps now);

/* The mean over the time counted up to the last mark; false when there is none. */
bool time_distribution_mean(time_distribution *function, double *mean);

/* For each of `count` shares of that time, in parts of QUANTILE_PARTS and ascending, the smallest x with
 * value
 * <= x for at least so much of it; false when there is none. */
bool time_distribution_quantiles(time_distribution *function, const uint32_t *parts, size_t count,
                                 double *values);

/* Adds that time, by value, to `histogram`: its weights are picoseconds. */
void time_distribution_add_to(time_distribution *function, value_histogram *histogram);
