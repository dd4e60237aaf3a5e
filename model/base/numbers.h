/* SPDX-License-Identifier: GPL-2.0-only */
/* Logarithms and roots of whole numbers are computed by whole numbers, so that all machines have the same. */
#pragma once

#include <glib.h>
#include <stdint.h>

/* They hold the product of two 64-bit numbers. C11 has none, but gcc and clang do on every 64-bit machine. */
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/* A logarithm has so many fraction bits. */
#define INTEGER_LOGARITHM_BITS 56

/* Returns the logarithm to base 2 of `value`, which is at least 1, times 2^INTEGER_LOGARITHM_BITS; at most 2
 * below the exact one, never above it, and exact for powers of 2. */
uint64_t integer_logarithm2(uint128 value);

/* Returns the largest whole number whose cube is at most `value`. */
uint64_t integer_cube_root(uint128 value);

/* They are for qsort(), ascending: of doubles, and of uint64_t or what begins with one. */
int compare_doubles(const void *a, const void *b);
int compare_numbers(const void *a, const void *b);

/* Returns the ranks of `count` values, from 1; equal ones have the mean of theirs. Free with g_free(). */
double *ranks_of(const double *values, gsize count);
