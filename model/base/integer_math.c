/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/integer_math.h"

#include <glib.h>

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
