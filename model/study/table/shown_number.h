/* SPDX-License-Identifier: GPL-2.0-only */
/* This shows measured values as a person reads them: in a unit that suits the whole column, with the digits
 * that the interval carries; sizes, and texts that are the user's, on one line. */
#pragma once

#include <glib.h>

/* Values of one metric are shown so: value / factor, in `unit`. */
typedef struct shown_scale {
  double factor;    /* > 0 */
  const char *unit; /* "KiB", "Gbit/s", "%"; static, or the text given */
} shown_scale;

/* The scale for values of `unit` as the table of metrics has it ("octets", "s", "bit/s", "1" for a ratio;
 * another one stays as it is) of which the one largest in size is `largest`: octets go to KiB … from ten of
 * them on, so that small differences keep their digits. */
shown_scale shown_scale_for(const char *unit, double largest);

/* Returns `value` with as many decimals (at most 3) as show two significant digits of `half_width`, that of
 * its interval, both as measured, in `scale`: "1234", "12.30". Without an interval (NAN), or with one of no
 * width, up to four significant digits. Free with g_free(). */
char *shown_number_of(double value, double half_width, const shown_scale *scale);

/* Returns `value` alone, up to four significant digits: "1234", "12.3", "0". Free with g_free(). */
char *shown_number_text(double value, const shown_scale *scale);

/* Returns `value`, as measured in `unit`, with the unit that suits: "145.4 MiB", "2.4 s", "12 %". Free with
 * g_free(). */
char *shown_amount(double value, const char *unit);

/* Pads every `step`-th of `texts` (char *, replaced) from `first` on after its decimals, so that
 * right-aligned numbers stand with their points below each other. Texts that are no numbers stay. */
void shown_number_align(GPtrArray *texts, guint first, guint step);

/* Returns plain_text() of `text` on one line, without blanks at its ends. Free with g_free(). */
char *shown_text_line(const char *text);

/* Returns `octets` for people: "512", "16 KiB", "1.5 MiB". Free with g_free(). */
char *shown_text_octets(double octets);
