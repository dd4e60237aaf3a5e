/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/numbers.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>

/* The mantissa has so many fraction bits: its square fits in 128 bits. */
enum { MANTISSA_BITS = 63 };

uint64_t integer_logarithm2(uint128 value)
{
  g_assert(value >= 1);
  int exponent = 0;
  while (exponent < 127 && value >> (exponent + 1) != 0) {
    exponent++;
  }
  uint64_t result = (uint64_t)exponent;
  uint128 mantissa =
      exponent > MANTISSA_BITS ? value >> (exponent - MANTISSA_BITS) : value << (MANTISSA_BITS - exponent);

  /* Squaring doubles the logarithm of the mantissa, which is between 0 and 1: what it carries into the ones
   * is its next bit. */
  for (int bit = 0; bit < INTEGER_LOGARITHM_BITS; bit++) {
    mantissa = mantissa * mantissa >> MANTISSA_BITS;
    uint64_t carry = (uint64_t)(mantissa >> (MANTISSA_BITS + 1));
    mantissa >>= carry;
    result = result << 1 | carry;
  }
  return result;
}

enum { CUBE_ROOT_BITS = 43 }; /* the cube root of 2^128 is below 2^43 */

uint64_t integer_cube_root(uint128 value)
{
  uint64_t root = 0;
  for (int bit = CUBE_ROOT_BITS - 1; bit >= 0; bit--) {
    uint64_t candidate = root | UINT64_C(1) << bit;
    /* The cube may exceed 128 bits, so it is never built: candidate^3 <= value, divided by candidate^2. */
    if (value / ((uint128)candidate * candidate) >= candidate) {
      root = candidate;
    }
  }
  return root;
}

/* --- Order --- */

int compare_doubles(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int compare_numbers(const void *a, const void *b)
{
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static int compare_at(const void *a, const void *b, void *values)
{
  const double *all = values;
  return compare_doubles(&all[*(const gsize *)a], &all[*(const gsize *)b]);
}

double *ranks_of(const double *values, gsize count)
{
  g_autofree gsize *places = g_new(gsize, count); /* of the values in ascending order */
  double *ranks = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    places[i] = i;
  }
  qsort_r(places, count, sizeof *places, compare_at, (double *)values);
  for (gsize first = 0, next; first < count; first = next) {
    for (next = first + 1; next < count && values[places[next]] == values[places[first]]; next++) {
    }
    for (gsize i = first; i < next; i++) {
      ranks[places[i]] = (double)(first + next + 1) / 2;
    }
  }
  return ranks;
}
