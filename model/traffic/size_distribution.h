/* SPDX-License-Identifier: GPL-2.0-only */
/* The sizes of messages as a distribution, which a file has in points: a line each of a size and the
 * cumulative share of the messages that have at most that.
 *
 *     # octets   cumulative
 *       4KiB     0.5
 *       64KiB    0.9
 *       1MiB     1
 *
 * The shares are fractions, or percent when the last line has 100. Of three columns, which other simulators'
 * files have, the middle one means nothing. Between two points sizes are uniform, those at the lower end
 * left out and those at the upper one included, in whole octets; with steps only the sizes of the points
 * occur. A size on two lines is an atom of the share between them, and so is the first size when its
 * share is not 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/random_stream.h"

enum { SIZE_DISTRIBUTION_LINES_MAX = 100000 };

typedef struct size_distribution size_distribution;

/* Reads the file `path`; with `steps` nothing lies between its sizes. Free with size_distribution_free().
 * NULL and `error`, "PATH:LINE: what is wrong; what was expected", when
 * - it cannot be read, has no line or more than SIZE_DISTRIBUTION_LINES_MAX;
 * - a line has other than two or three columns, or not as many as the first;
 * - a size is none (units_parse_size()), is above UINT32_MAX, or is less than the one before;
 * - a share is none, is negative, or is less than the one before;
 * - the last share is neither 1 nor 100;
 * - all messages would have 0 octets. */
size_distribution *size_distribution_load(const char *path, bool steps, GError **error);
void size_distribution_free(size_distribution *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(size_distribution, size_distribution_free)

/* Draws the size of a message, in octets. It draws from `random` exactly once. */
uint32_t size_distribution_draw(const size_distribution *self, random_stream *random);

/* Returns the exact mean of what is drawn, in octets. */
double size_distribution_mean(const size_distribution *self);

/* Returns the size that `share` (0 … 1) of the messages have at most, in octets, before it is rounded up. */
double size_distribution_quantile(const size_distribution *self, double share);

/* Return the smallest and the largest size that can be drawn. */
uint32_t size_distribution_smallest(const size_distribution *self);
uint32_t size_distribution_largest(const size_distribution *self);
