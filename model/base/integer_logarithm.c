/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/integer_logarithm.h"

#include <glib.h>

/* Fraction bits of the mantissa: its square fits in 128 bits. */
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

  /* Squaring doubles the logarithm of the mantissa, which is between 0 and 1: what it carries into the ones is its next bit. */
  for (int bit = 0; bit < INTEGER_LOGARITHM_BITS; bit++) {
    mantissa = mantissa * mantissa >> MANTISSA_BITS;
    uint64_t carry = (uint64_t)(mantissa >> (MANTISSA_BITS + 1));
    mantissa >>= carry;
    result = result << 1 | carry;
  }
  return result;
}
