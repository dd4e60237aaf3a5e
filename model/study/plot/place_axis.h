/* SPDX-License-Identifier: GPL-2.0-only */
/* The x axis of what a sweep varies: each value of a key has a place on it. */
#ifndef STUDY_PLACE_AXIS_H
#define STUDY_PLACE_AXIS_H

#include <glib.h>

#include "scenario/scenario_keys.h"

typedef struct place_axis {
  scenario_key key;
  GPtrArray *texts; /* const char *, of the runs, in the order of study_keys_values() */
  GArray *places;   /* double, ascending: numbers, their decimal logarithms, or 0, 1, 2 … of words */
  gboolean numeric; /* but for a word that is set apart */
  gboolean logarithmic;
  gboolean first_apart; /* a zero on a logarithmic axis, behind a gap */
  gboolean last_apart;  /* the only word among numbers ("unlimited"), behind a gap */
  double left;
  double right;
} place_axis;

/* The axis for the values of `key` in `runs` (study_keys.h), at least one. Numbers that span a decade, or any when `logarithmic`, go on a
 * logarithmic axis. Free with place_axis_clear(). */
place_axis place_axis_of(const GPtrArray *runs, scenario_key key, gboolean logarithmic);
void place_axis_clear(place_axis *axis);

/* The index of `text`, which is one of the axis's. */
guint place_axis_index(const place_axis *axis, const char *text);

/* What the axis is called: "loss of segments (path.forward.loss)". Free with g_free(). */
char *place_axis_name(scenario_key key);

/* Appends the gnuplot commands for range, tics, gaps and name of x. Tics whose labels would run into each other on `letters` letters
 * stay without, but for those set apart; `turned`: all have one, at 45 degrees. Gaps are labels 11 and 12. */
void place_axis_append(const place_axis *axis, double letters, gboolean turned, GString *script);

/* How long the longest label is when words do not fit side by side on `letters` letters, so that they have to be turned; 0: they fit,
 * or are numbers, which can be read without every label. */
guint place_axis_turned_letters(const place_axis *axis, double letters);

#endif
