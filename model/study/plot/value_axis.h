/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes of octets and of any metric, with tics people read. */
#ifndef STUDY_VALUE_AXIS_H
#define STUDY_VALUE_AXIS_H

#include <glib.h>

/* --- Octets: powers of two, KiB and MiB --- */

typedef struct octet_axis {
  gboolean logarithmic;
  gboolean has_zero; /* logarithmic: zero is drawn at `bottom`, with a tic of its own */
  double bottom;     /* 0 when linear */
  double top;
} octet_axis;

/* A linear axis from 0 that holds `maximum` (>= 0). */
octet_axis octet_axis_linear(double maximum);

/* An axis for values that are 0 (`has_zero`) or `smallest` … `largest` (0 < smallest <= largest):
 * logarithmic when these span so much that a linear one would press the small ones flat, else linear. */
octet_axis octet_axis_for(gboolean has_zero, double smallest, double largest);

/* The same, logarithmic in any case. */
octet_axis octet_axis_logarithmic(gboolean has_zero, double smallest, double largest);

/* Appends the gnuplot commands that give y this range, scale and tics; `labelled` FALSE: tics without
 * labels, for the right-hand one of two panels. */
void octet_axis_append(const octet_axis *axis, gboolean labelled, GString *script);

/* The same for gnuplot's axis `name`: "y", or "cb" of a colour box. */
void octet_axis_append_to(const octet_axis *axis, const char *name, gboolean labelled, GString *script);

/* --- A metric, in a unit people read --- */

typedef enum value_scale {
  VALUE_SCALE_FITTING, /* logarithmic where a linear axis would press the small values flat */
  VALUE_SCALE_LOGARITHMIC,
  VALUE_SCALE_SHARE /* 0 … 1 */
} value_scale;

/* The values an axis has to hold. All zero: none yet. */
typedef struct value_extent {
  guint count;
  gboolean has_zero;
  double smallest;      /* above zero; 0: there is none */
  double largest;       /* mean */
  double least;         /* below zero, or 0 */
  double largest_bound; /* of an interval */
} value_extent;

/* Takes a mean (finite) with its interval (`half_width` may be NAN). */
void value_extent_add(value_extent *extent, double mean, double half_width);

typedef struct value_axis {
  gboolean in_octets; /* tics are powers of two, KiB … */
  octet_axis octets;
  gboolean logarithmic;
  double bottom; /* in base units */
  double top;
  double unit_size;      /* of what tics count, in base units: 1e9 for Gbit/s */
  const char *unit_name; /* "Gbit/s"; "" for a ratio; static, or the metric's */
} value_axis;

/* An axis for `extent` in `unit` as the metrics' table writes it: "octets", "bit/s", "s", "1" … */
value_axis value_axis_of(const value_extent *extent, const char *unit, value_scale scale);

/* Appends the gnuplot commands for range, scale and tics of y, `labelled` or not, and the function drawn(v), which makes of a value in
 * base units a place on the axis: what lies below it is put on its bottom. */
void value_axis_append(const value_axis *axis, gboolean labelled, GString *script);

/* "peak (octets)". Free with g_free(). */
char *value_axis_name(const value_axis *axis, const char *quantity);

#endif
