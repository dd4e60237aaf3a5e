/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/integer_root.h"

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
