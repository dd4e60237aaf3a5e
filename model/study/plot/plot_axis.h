/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes, in units that people read: of any quantity, of what a sweep varies. gnuplot makes their
 * tics, but for those of a sweep's values. */
#pragma once

#include <glib.h>

#include "study/table/study_table.h"

typedef struct plot_axis {
  char *name;        /* "goodput (Gbit/s)" */
  int base;          /* of its logarithm, 2 or 10; 0: it is linear */
  gboolean has_zero; /* at the lower end of a logarithmic axis of octets, which is broken there */
  double smallest;   /* above zero, for where it is broken */
  double from;       /* in base units */
  double to;
  double unit_size;   /* of what is drawn, in base units: 1e9 for Gbit/s */
  const char *format; /* gnuplot's, of its tics; NULL: numbers */
  GArray *tics;       /* double, in base units; NULL: gnuplot's */
  GPtrArray *labels;  /* char *, one a tic, as gnuplot's formats: "0.1%%" */
  GArray *gaps;       /* double: where the axis is broken; NULL: nowhere */
} plot_axis;

/* This is a part of an axis that was asked for, in base units; from >= to: none was; infinite: as it is. */
typedef struct plot_range {
  double from;
  double to;
} plot_range;

/* Frees what `axis` holds. */
void plot_axis_clear(plot_axis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_axis, plot_axis_clear)

/* Returns `axis` with the part of it that is `range`; it is taken, and returned. A logarithmic axis keeps its
 * end where `range` has none above 0. */
plot_axis plot_axis_limited(plot_axis axis, const plot_range *range);

/* Appends the axis to a template's variables, as x_from, x_to … when `letter` is "x". */
void plot_axis_append(const plot_axis *axis, const char *letter, GString *variables);

/* --- A metric --- */

typedef enum value_scale {
  VALUE_SCALE_FITTING, /* logarithmic where a linear axis would press the small values flat; rates are linear
                        */
  VALUE_SCALE_LINEAR,
  VALUE_SCALE_LOGARITHMIC,
  VALUE_SCALE_SHARE /* 0 … 1 */
} value_scale;

/* The values an axis has to hold. All zero: none yet. */
typedef struct value_extent {
  gboolean has_zero;
  double smallest;      /* above zero; 0: there is none */
  double largest;       /* mean */
  double least;         /* below zero, or 0 */
  double largest_bound; /* of an interval */
} value_extent;

/* Takes a mean (finite) with its interval (`half_width` may be NAN). */
void value_extent_add(value_extent *extent, double mean, double half_width);

/* Returns an axis of `quantity` for `extent`, in `unit` as the metrics' table writes it: "octets", "bit/s",
 * "s", "1" … On a logarithmic axis of octets zero stands at the lower end. Clear it, like every axis below,
 * with plot_axis_clear(). */
plot_axis plot_axis_of_values(const value_extent *extent, const char *quantity, const char *unit,
                              value_scale scale);

/* --- What a sweep varies --- */

/* Each value of a key has a place. */
typedef struct place_axis {
  scenario_key key;
  GPtrArray *texts;     /* const char *, of the runs, in the order of study_keys_values() */
  plot_axis drawn;      /* with a tic and a label at each: ascending numbers, or 0, 1, 2 … of words */
  gboolean numeric;     /* but for a word that is set apart */
  gboolean first_apart; /* a zero on a logarithmic axis, left of a gap */
  gboolean last_apart;  /* the only word among numbers ("unlimited"), right of a gap */
} place_axis;

/* Returns the axis for the values that `key` has in the runs of `table`, at least one. Numbers that span a
 * decade, or any when `logarithmic`, go on a logarithmic axis. Free with place_axis_clear(). */
place_axis place_axis_of(const study_table *table, scenario_key key, gboolean logarithmic);

/* Returns the same with the values 0, 1, 2 … in their order, whatever they are: the columns or rows of a
 * map. */
place_axis place_axis_of_cells(const study_table *table, scenario_key key);
void place_axis_clear(place_axis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(place_axis, place_axis_clear)

/* Returns the index of `text`, which is one of the axis's. */
guint place_axis_index(const place_axis *axis, const char *text);
