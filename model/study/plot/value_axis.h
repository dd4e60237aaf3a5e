/* The y axis of a metric, in a unit people read. */
#ifndef STUDY_VALUE_AXIS_H
#define STUDY_VALUE_AXIS_H

#include <glib.h>

#include "study/plot/octet_axis.h"

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
