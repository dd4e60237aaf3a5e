/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions: their ids with the rows of metrics.def, a histogram in which a run counts one, and the form
 * in which summaries, stores and plots hold it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum distribution_id {
#define DISTRIBUTION(id, name, unit, weight_unit, sentence) DISTRIBUTION_##id,
#include "measure/metrics.def"
  DISTRIBUTION_COUNT
} distribution_id;

typedef struct distribution_row {
  const char *name;
  const char *unit;        /* of the values: "octets", "s" */
  const char *weight_unit; /* of the weights: "s", "octets" */
  const char *sentence;
} distribution_row;

/* Returns the row of `id` (< DISTRIBUTION_COUNT); static. */
const distribution_row *distribution_row_of(distribution_id id);

/* Returns the id of `name`; DISTRIBUTION_COUNT when there is none. */
distribution_id distribution_find(const char *name);

/* Values above the bound of the bin before and up to `bound` weigh `weight` (> 0) together. */
typedef struct distribution_bin {
  double bound;
  double weight;
} distribution_bin;

enum {
  VALUE_HISTOGRAM_EXACT = 32,                             /* values below it have a bin of their own */
  DISTRIBUTION_BINS_MAX = VALUE_HISTOGRAM_EXACT + 16 * 59 /* 16 for each power of two from 2^5 to 2^63 */
};

/* A distribution has bins in ascending order of their bounds. All-zero, it is without samples. The values of
 * a bin lie at most 1/16 of its bound below it, so a quantile is exact to that (value_histogram; values below
 * 32 octets or picoseconds are exact). */
typedef struct distribution {
  distribution_bin *bins; /* g_malloc'd */
  size_t count;
  size_t room; /* bins allocated: distribution_append()'s */
} distribution;

void distribution_clear(distribution *d);

/* Makes `to` a deep copy of `from`; `to` is overwritten. */
void distribution_copy(distribution *to, const distribution *from);

/* Appends a bin; false, and nothing done, unless `bound` is finite, >= 0 and above the last one's, `weight`
 * finite and > 0, and there are less than DISTRIBUTION_BINS_MAX. */
bool distribution_append(distribution *d, double bound, double weight);

/* Adds the weights of `from` to those of `to` (the same run with other seeds). All bounds but the last of
 * each run are the same. */
void distribution_add(distribution *to, const distribution *from);

/* Returns the sum of all weights. */
double distribution_weight(const distribution *d);

/* Returns the smallest bound that holds at least `share` (0 < share <= 1) of the weight; needs a sample. */
double distribution_quantile(const distribution *d, double share);

/* It counts how often values occur, in bins whose width grows with the value: each power of two is cut into
 * 16 equal bins, and values below 32 have a bin each. A value lies at most 1/16 below the bound of its bin.
 * All-zero is empty. Nothing is allocated. */
typedef struct value_histogram {
  uint64_t weights[DISTRIBUTION_BINS_MAX];
  uint64_t largest; /* value that occurred */
} value_histogram;

/* Returns the bin of `value`. */
static inline size_t value_histogram_bin(uint64_t value)
{
  if (value < VALUE_HISTOGRAM_EXACT) {
    return (size_t)value;
  }
  /* The five highest bits of the value: a one, and which sixteenth of its power of two it is. */
  unsigned below = 59 - (unsigned)__builtin_clzll(value);
  return 16 * (size_t)below + (size_t)(value >> below);
}

/* Returns the largest value of bin `bin` (< DISTRIBUTION_BINS_MAX). */
uint64_t value_histogram_bound(size_t bin);

/* `value` occurs `weight` more; the weights of a bin stay below 2^64. */
static inline void value_histogram_add(value_histogram *histogram, uint64_t value, uint64_t weight)
{
  histogram->weights[value_histogram_bin(value)] += weight;
  histogram->largest = value > histogram->largest ? value : histogram->largest;
}

/* Makes its bins that are not empty a distribution: bounds divided by `value_unit` and weights by
 * `weight_unit` (TIME_PS_PER_SECOND when they are picoseconds, else 1). The last bound is the largest value,
 * so no quantile is above it. `d` is overwritten; free with distribution_clear(). */
void value_histogram_export(const value_histogram *histogram, double value_unit, double weight_unit,
                            distribution *d);
