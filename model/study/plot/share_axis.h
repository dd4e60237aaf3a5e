/* SPDX-License-Identifier: GPL-2.0-only */
/* The axes of a plot of shares above x: where they begin and end, whether they are logarithmic, their tics. */
#ifndef STUDY_SHARE_AXIS_H
#define STUDY_SHARE_AXIS_H

#include <glib.h>

/* What is drawn: of all curves together, for values above 0. */
typedef struct share_extent {
  double largest;          /* value; 0: all are 0 */
  double smallest_largest; /* the largest value of the curve that reaches least far */
  double smallest;         /* value */
  double smallest_share;   /* above any value but the largest */
} share_extent;

typedef struct share_axis {
  gboolean logarithmic;
  double from;
  double to;
} share_axis;

/* The axis for octets or seconds: logarithmic when the curves reach so differently far that a linear one would press the shortest flat,
 * and for times that span two decades. */
share_axis share_axis_of_values(const share_extent *extent, gboolean seconds);

/* The axis for shares: logarithmic when there is a tail that a linear one does not show; five decades at most. */
share_axis share_axis_of_shares(const share_extent *extent);

/* The unit that times up to `seconds` are shown in: "s", "ms", "µs" or "ns", and its size; static. */
const char *share_axis_time_unit(double seconds, double *size_s);

/* Append the gnuplot commands that give x (values) or y (shares) this range, scale and tics. Labels of times have their unit when the
 * axis is logarithmic, else they are in that of share_axis_time_unit() of its end. */
void share_axis_append_values(const share_axis *axis, gboolean seconds, GString *script);
void share_axis_append_shares(const share_axis *axis, GString *script);

#endif
