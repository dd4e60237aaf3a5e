/* SPDX-License-Identifier: GPL-2.0-only */
/* For how long a quantity had each of its values: its exact mean and exact quantiles (docs/metrics.md, "Means
 * and quantiles over time"). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/time_ps.h"
#include "measure/metric_table.h"

typedef enum time_part { TIME_ALL, TIME_IN_RECOVERY, TIME_PARTS } time_part;

/* It is the time spent at one value. */
typedef struct dwell {
  uint64_t value;           /* the first member: compare_numbers() */
  time_ps time[TIME_PARTS]; /* TIME_ALL is 0: an unused place of the table */
} dwell;

typedef struct time_distribution {
  dwell *table;    /* open addressing, linear probing; after time_distribution_end() in ascending order */
  size_t count;    /* values, each once */
  size_t capacity; /* a power of two */
} time_distribution;

/* Makes `d` an empty one; time_distribution_clear() frees what it has. */
void time_distribution_init(time_distribution *d);
void time_distribution_clear(time_distribution *d);

/* Makes `to`, whatever it is, a copy of `from`. */
void time_distribution_copy(time_distribution *to, const time_distribution *from);

/* Returns where the search for the place of `value` begins. Fibonacci hashing: occupancies are multiples of
 * cell or segment sizes, so their low bits vary little. */
static inline size_t time_distribution_home(const time_distribution *d, uint64_t value)
{
  return (size_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (d->capacity - 1);
}

/* The quantity is `value` from now on: its place is on the way to the cache when that changes. */
static inline void time_distribution_expect(const time_distribution *d, uint64_t value)
{
  __builtin_prefetch(&d->table[time_distribution_home(d, value)], 1);
}

/* The value was `value` for `time` (> 0) more, in recovery or not. */
void time_distribution_add(time_distribution *d, uint64_t value, time_ps time, bool in_recovery);

/* It is to be called once all is added, and before what follows. Where less than `time` was, the value was 0
 * for the rest. */
void time_distribution_end(time_distribution *d, time_ps time);

/* Returns the mean over all the time, which is more than 0. */
double time_distribution_mean(const time_distribution *d);

/* Sets for each of `count` shares of that part of the time, in parts of QUANTILE_PARTS and ascending, the
 * smallest x with value <= x for at least so much of it; false when it is 0. */
bool time_distribution_quantiles(const time_distribution *d, time_part part, const uint32_t *parts,
                                 size_t count, double *values);
