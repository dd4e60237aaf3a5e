/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes values with a unit as people do in scenarios: "10Gbit/s", "25us", "64KiB", "0.1%". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

/* Each parser reads the whole of `text` (blanks around it allowed, one blank between number and unit allowed,
 * decimals like "2.5us" allowed where they come out as a whole number of the result's unit), stores the
 * result and returns true; false leaves `*result` alone: no number, an unknown or missing unit, a remainder,
 * or out of the 64-bit range. No floating point except the probability's result. */

/* Reads a time: "ps" "ns" "us" "ms" "s" "min"; "0" needs no unit. fs and negative times are refused. */
bool units_parse_time(const char *text, time_ps *result);

/* Reads a rate: "bit/s" "kbit/s" "Mbit/s" "Gbit/s" "Tbit/s" (decimal). 0 is refused. */
bool units_parse_rate(const char *text, uint64_t *bit_per_s);

/* Reads a size in octets: no unit or "B" (octets), "kB" "MB" "GB" (decimal), "KiB" "MiB" "GiB" (binary). */
bool units_parse_size(const char *text, uint64_t *octets);

/* Reads a probability: "0.1%" or a bare number 0 … 1 such as "0.001". */
bool units_parse_probability(const char *text, double *probability);

/* Reads the decimal number at the beginning of `text`, after blanks: "-2.5", ".5", "1e-3". Stores it and
 * returns what follows; NULL leaves `*value` alone: there is none, or none that is finite ("inf", "nan",
 * "1e400"), or one that C would take as hexadecimal. */
const char *units_read_real(const char *text, double *value);

/* Returns the shortest text that the parser above reads back as the same value; free with g_free(). */
char *units_format_time(time_ps time);
char *units_format_rate(uint64_t bit_per_s);
char *units_format_probability(double probability);

/* Returns `nouns`, a plural whose first word that ends in "s" counts, as it follows the number `count`:
 * "octet" and "segment out of order" after 1 in place of "octets" and "segments out of order". "s", "bit/s"
 * and "1" stay as they are. Static. */
const char *units_counted(double count, const char *nouns);

/* Returns `value` in the fewest digits (15 to 17 significant) that read back as the same double, with a '.'
 * whatever the locale, as JSON and CSV require; free with g_free(). */
char *units_format_real(double value);

/* Returns `value`, in `base` "octets", "bit/s" or "s", in four digits and the largest unit that it reaches,
 * whatever its sign: "120.6 KiB", "9.29 Gbit/s", "52.4 us"; "" when it reaches none, or is in another unit.
 * Free with g_free(). */
char *units_format_rounded(double value, const char *base);

/* Returns the same, and "612 octets" of what reaches no unit: always a text. Free with g_free(). */
char *units_format_amount(double value, const char *base);
