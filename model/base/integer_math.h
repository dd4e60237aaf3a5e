/* SPDX-License-Identifier: GPL-2.0-only */
/* Logarithms and roots of whole numbers by whole numbers: no floating point, the same on every machine. */
#pragma once

#include <stdint.h>

/* The full product of two 64-bit numbers. Not in C11, but gcc and clang have it on every 64-bit machine. */
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/* The fraction bits of a logarithm. */
#define INTEGER_LOGARITHM_BITS 56

/* The logarithm to base 2 of `value`, which is at least 1, times 2^INTEGER_LOGARITHM_BITS; at most 2 below
 * the exact one, never above it, and exact for powers of 2. */
uint64_t integer_logarithm2(uint128 value);

/* The largest whole number whose cube is at most `value`. */
uint64_t integer_cube_root(uint128 value);
