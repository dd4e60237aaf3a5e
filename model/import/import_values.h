/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of the files of other simulators as numbers, and what is wrong with their lines. */
#pragma once

#include "base/text_columns.h"

/* Reads the next line of `text`. FALSE and `error` also when there is none; `expected` is what is missing. */
gboolean import_next(text_columns *text, const char *expected, GError **error);

/* Does text_columns_error() about line `number`, which was read before. Returns FALSE. */
gboolean import_error_in(const text_columns *text, uint64_t number, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* Reads `word` of the line as a whole number from `least` to `most`. FALSE and `error` when it is none;
 * `noun` is what it is to be, "a number of hosts". */
gboolean import_number(const text_columns *text, const char *word, const char *noun, uint64_t least,
                       uint64_t most, uint64_t *number, GError **error);

/* Reads `word` as a decimal number, "12", "2.5" or "1e-3", times 10^`digits`, rounded to a whole number;
 * without floating point. FALSE and `error` when it is none, is negative, or is above `most`. */
gboolean import_decimal(const text_columns *text, const char *word, const char *noun, int digits,
                        uint64_t most, uint64_t *number, GError **error);
