/* SPDX-License-Identifier: GPL-2.0-only */
/* Roots of whole numbers, exact: no floating point, the same on every machine. */
#ifndef BASE_INTEGER_ROOT_H
#define BASE_INTEGER_ROOT_H

#include <stdint.h>

#include "base/uint128.h"

/* The largest whole number whose cube is at most `value`. */
uint64_t integer_cube_root(uint128 value);

#endif
