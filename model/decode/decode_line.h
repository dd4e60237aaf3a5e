/* SPDX-License-Identifier: GPL-2.0-only */
/* Appends lines to a text, which the caller writes out in large pieces: `iwarpsim decode` prints millions of
 * them. */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Times of lines count from one of these. */
typedef enum decode_clock {
  DECODE_CLOCK_RELATIVE, /* the capture's origin */
  DECODE_CLOCK_ABSOLUTE, /* no time: UTC */
  DECODE_CLOCK_DELTA,    /* the line before */
} decode_clock;

/* The lines of one output go to the end of `text`, which is the caller's, who may empty it between lines. */
typedef struct decode_line {
  GString *text;
  decode_clock clock;  /* of decode_line_time() */
  int64_t origin_ns;   /* of its times, since 1970 */
  unsigned decimals;   /* of a date: 6 or 9 */
  int64_t previous_ns; /* the time of the line before */
  size_t widest;       /* decode_line_widest() */
  size_t shift;        /* of all columns, by a longer date */
} decode_line;

void decode_line_text(decode_line *line, const char *text);

/* Appends `before`, and `value` in decimal digits; or as "0x" with the hexadecimal digits of `octets` octets.
 * What stands in every line is printed by these, which cost a fraction of decode_line_print(). */
void decode_line_number(decode_line *line, const char *before, uint64_t value);
void decode_line_hex(decode_line *line, const char *before, uint64_t value, unsigned octets);

/* Appends what printf() makes of `format`. */
void decode_line_print(decode_line *line, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Appends `length` octets as two hexadecimal digits each, with `separator` between octets. */
void decode_line_dump(decode_line *line, const uint8_t *octets, size_t length, const char *separator);

/* Appends nanoseconds as seconds with 9 decimals, after as many blanks as make it `width` characters at
 * least. */
void decode_line_seconds(decode_line *line, int64_t time_ns, size_t width);

/* Appends "2026-11-21T12:00:00.000000001Z" with so many `decimals`, 6 or 9, of a time since 1970. */
void decode_line_utc(decode_line *line, int64_t since_1970_ns, unsigned decimals);

/* Appends the time of a line, after as many blanks as make it `width` characters; the columns after a longer
 * date move. */
void decode_line_time(decode_line *line, int64_t time_ns, size_t width);

/* Appends blanks, one at least, up to `column` of this line (0: its first character). */
void decode_line_column(decode_line *line, size_t column);

/* Returns the highest `width` that this was called with up to now: lines of one output align by it. */
size_t decode_line_widest(decode_line *line, size_t width);
