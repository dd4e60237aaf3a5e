/* SPDX-License-Identifier: GPL-2.0-only */
/* Axes, in units and with tics that people read: of any metric, of shares, of what a sweep varies. */
#pragma once

#include <glib.h>

#include "scenario/scenario_keys.h"

/* What tics stand at, and how they are labelled. */
typedef enum plot_tics {
  PLOT_TICS_NUMBERS, /* round numbers, or decades */
  PLOT_TICS_PERCENT, /* the same of shares, "0.1 %" */
  PLOT_TICS_OCTETS,  /* powers of two, "64 KiB" */
  PLOT_TICS_DECADES, /* of time, each with a unit of its own, "10 us" */
  PLOT_TICS_PLACES   /* the values that a sweep has */
} plot_tics;

typedef struct plot_axis {
  char *name; /* "goodput (Gbit/s)" */
  gboolean logarithmic;
  gboolean has_zero; /* at the lower end of a logarithmic axis of octets */
  double from;       /* in base units */
  double to;
  double unit_size; /* of what is drawn, in base units: 1e9 for Gbit/s */
  plot_tics kind;
  GArray *tics;      /* double, in base units */
  GPtrArray *labels; /* char *, one a tic */
  GArray *gaps;      /* double: where the axis is broken */
} plot_axis;

/* A part of an axis that was asked for, in base units; from >= to: none was; infinite: as it is. */
typedef struct plot_range {
  double from;
  double to;
} plot_range;

/* Frees what `axis` holds. */
void plot_axis_clear(plot_axis *axis);

/* `axis` with the part of it that is `range`; it is taken, and returned. A logarithmic axis keeps its end
 * where `range` has none above 0. */
plot_axis plot_axis_limited(plot_axis axis, const plot_range *range);

/* Leaves every tic its label, or every second, third …, so that none runs into the next on `letters` letters
 * side by side or (with `lines`) lines above each other. */
void plot_axis_thin(plot_axis *axis, double letters, gboolean lines);

/* Letters of the longest of `labels` (char *). */
guint plot_axis_longest(const GPtrArray *labels);

/* Appends the axis to a template's variables, as x_from, x_to … when `letter` is "x". */
void plot_axis_append(const plot_axis *axis, const char *letter, GString *variables);

/* --- A metric --- */

typedef enum value_scale {
  VALUE_SCALE_FITTING, /* logarithmic where a linear axis would press the small values flat */
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

/* An axis of `quantity` for `extent`, in `unit` as the metrics' table writes it: "octets", "bit/s", "s", "1"
 * … Octets have tics at powers of two; on a logarithmic axis zero stands at its lower end, with a tic. Clear
 * it, like every axis below, with plot_axis_clear(). */
plot_axis plot_axis_of_values(const value_extent *extent, const char *quantity, const char *unit,
                              value_scale scale);

/* --- Shares above x --- */

/* The extent of all curves together, for values above 0. */
typedef struct share_extent {
  double largest;          /* value; 0: all are 0 */
  double smallest_largest; /* the largest value of the curve that reaches least far */
  double smallest;         /* value */
  double smallest_share;   /* above any value but the largest */
} share_extent;

/* The axis of `quantity` in octets or seconds: logarithmic when the curves reach so differently far that a
 * linear one would press the shortest flat, for times that span two decades, and when it is `asked_log`. */
plot_axis plot_axis_of_lengths(const share_extent *extent, const char *quantity, gboolean seconds,
                               gboolean asked_log);

/* The axis for shares: logarithmic when there is a tail that a linear one does not show, or it is
 * `asked_log`; five decades at most. */
plot_axis plot_axis_of_shares(const share_extent *extent, const char *quantity, gboolean asked_log);

/* The axis of times from 0 to `end_s`. */
plot_axis plot_axis_of_time(const char *quantity, double end_s);

/* --- What a sweep varies --- */

/* Each value of a key has a place. */
typedef struct place_axis {
  scenario_key key;
  GPtrArray *texts; /* const char *, of the runs, in the order of study_keys_values() */
  GArray *places;   /* double, ascending: numbers, their decimal logarithms, or 0, 1, 2 … of words */
  gboolean numeric; /* but for a word that is set apart */
  gboolean logarithmic;
  gboolean first_apart; /* a zero on a logarithmic axis, left of a gap */
  gboolean last_apart;  /* the only word among numbers ("unlimited"), right of a gap */
  double left;
  double right;
} place_axis;

/* The axis for the values of `key` in `runs` (study_keys.h), at least one. Numbers that span a decade, or any
 * when `logarithmic`, go on a logarithmic axis. Free with place_axis_clear(). */
place_axis place_axis_of(const GPtrArray *runs, scenario_key key, gboolean logarithmic);

/* Leaves the part of `axis`, which is numeric, that is `range`. */
void place_axis_limit(place_axis *axis, const plot_range *range);

/* The first letters of `text`, which it takes, and "…" where more than `letters` are too many. Free with
 * g_free(). */
char *plot_text_cut(char *text, guint letters);

/* "loss of segments (path.forward.loss)"; the words alone where that has more than `letters` letters. Free
 * with g_free(). */
char *place_axis_name(scenario_key key, double letters);

/* The same with the values 0, 1, 2 … in their order, whatever they are: the columns or rows of a map. */
place_axis place_axis_of_cells(const GPtrArray *runs, scenario_key key);
void place_axis_clear(place_axis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(place_axis, place_axis_clear)

/* The index of `text`, which is one of the axis's. */
guint place_axis_index(const place_axis *axis, const char *text);

/* How long the longest label is when words do not fit side by side on `letters` letters, so that they have to
 * be turned; 0: they fit, or are numbers, which can be read without every label. */
guint place_axis_turned_letters(const place_axis *axis, double letters);

/* `axis` as a plot_axis that is `letters` letters wide. Tics whose labels would run into each other get no
 * label, except those of values set apart, and where most would have none tics of sizes and counts stand at
 * round numbers instead; with `turned`, every tic gets a label. Where there is little room, the
 * name, "loss of segments (path.forward.loss)", is printed without the key. */
plot_axis place_axis_drawn(const place_axis *axis, double letters, gboolean turned);
