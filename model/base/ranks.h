/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <glib.h>

/* They are for qsort(), ascending: of doubles, and of uint64_t or what begins with one. */
int compare_doubles(const void *a, const void *b);
int compare_numbers(const void *a, const void *b);

/* Returns the ranks of `count` values, from 1; equal ones have the mean of theirs. Free with g_free(). */
double *ranks_of(const double *values, gsize count);
