/* How often values occur, in bins whose width grows with the value: each power of two is cut into 16 equal bins, and values below 32
 * have a bin each. A value lies at most 1/16 below the bound of its bin. */
#ifndef MEASURE_VALUE_HISTOGRAM_H
#define MEASURE_VALUE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "measure/distribution_table.h"

enum {
  VALUE_HISTOGRAM_EXACT = 32,                            /* values below it have a bin of their own */
  VALUE_HISTOGRAM_BINS = VALUE_HISTOGRAM_EXACT + 16 * 59 /* 16 for each power of two from 2^5 to 2^63 */
};

/* All-zero is empty. Nothing is allocated. */
typedef struct value_histogram {
  uint64_t weights[VALUE_HISTOGRAM_BINS];
} value_histogram;

/* The bin of `value`. */
static inline size_t value_histogram_bin(uint64_t value)
{
  if (value < VALUE_HISTOGRAM_EXACT) {
    return (size_t)value;
  }
  /* The five highest bits of the value: a one, and which sixteenth of its power of two it is. */
  unsigned below = 59 - (unsigned)__builtin_clzll(value);
  return 16 * (size_t)below + (size_t)(value >> below);
}

/* The largest value of bin `bin` (< VALUE_HISTOGRAM_BINS). */
uint64_t value_histogram_bound(size_t bin);

/* `value` occurs `weight` more; the weights of a bin stay below 2^64. */
static inline void value_histogram_add(value_histogram *histogram, uint64_t value, uint64_t weight)
{
  histogram->weights[value_histogram_bin(value)] += weight;
}

/* Its bins that are not empty as a distribution: bounds divided by `value_unit` and weights by `weight_unit` (TIME_PS_PER_SECOND when
 * they are picoseconds, else 1). `d` is overwritten; free with distribution_clear(). */
void value_histogram_export(const value_histogram *histogram, double value_unit, double weight_unit,
                            distribution *d);

#endif
