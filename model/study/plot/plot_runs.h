/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the runs of a plot: which part each varying key plays, which points are shown, and how the
 * subtitle counts them. */
#pragma once

#include <glib.h>

#include "study/plot/plot_chart.h"
#include "study/table/study_table.h"

/* --- Grouping: one key on x, the receiver as panels, the others as lines --- */

/* All runs of one place of a plot: they differ in the seed alone. */
typedef struct plot_cell {
  guint panel;     /* index in `panels` */
  guint line;      /* index in `lines` */
  const char *x;   /* the table's */
  GPtrArray *runs; /* const study_run *, at least one */
} plot_cell;

typedef struct plot_grouping {
  GPtrArray *panels; /* char *: "in-order receiver"; "" when there is one */
  GPtrArray *lines;  /* char *: "MTU 1500 octets"; "" when there is one */
  GArray *cells;     /* plot_cell, by panel, line and place on x */
} plot_grouping;

/* Groups the runs of `table` with `x` on x, and the other keys that vary as lines and panels, as `request`
 * asks for. Of what it leaves open the kind of receiver makes panels, unless `receivers_as_lines`; where it
 * names either, the other one takes the rest. FALSE and `error` when a key has two places or none. Free with
 * plot_grouping_clear(). */
gboolean plot_grouping_make(const study_table *table, scenario_key x, const plot_request *request,
                            gboolean receivers_as_lines, plot_grouping *grouping, GError **error);
void plot_grouping_clear(plot_grouping *grouping);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_grouping, plot_grouping_clear)

/* More have no form of their own each. */
enum { PLOT_LINES_MAX = 10 };

/* Returns the key for the x axis: what `request` asks for, or loss when it varies, else the first that does
 * and has no other place there, but, where that would make more than PLOT_LINES_MAX lines, the one of most
 * values; SCENARIO_KEY_COUNT when there is none. */
scenario_key plot_grouping_x(const study_table *table, const plot_request *request);

/* Returns whether `key` is one of those that vary by themselves. */
gboolean plot_grouping_varies(const study_table *table, scenario_key key);

/* "in-order receiver, MTU 9000 octets": the values that `texts`, indexed by scenario_key (NULL: not known),
 * have for `keys`, in words, those of `table` or our own; "" without keys. Free with g_free(). */
char *plot_place_words(const study_table *table, const GArray *keys, char *const *texts);

/* --- Selection: as many points as a reader can distinguish in one picture --- */

typedef struct point_selection {
  GArray *points;    /* study_point, in the table's order; x and metric are not set */
  GPtrArray *labels; /* one for each point: how it differs from the others, "MTU 1500, loss 1%"; "" when there
                        is one */
  guint of;          /* points of the table */
  char *fixed; /* keys that vary in the table and not here, with the value they have here: "loss 1%"; "" when
                  there is none */
} point_selection;

/* At most `most` (> 0) points of `table`: those that have the last value (the highest loss, the largest MTU)
 * of the keys with most values, and of the last key that differs values that are evenly spread. The kind of
 * receiver is the last to be fixed. Free with point_selection_clear(). */
point_selection point_selection_of(const study_table *table, guint most);
void point_selection_clear(point_selection *selection);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(point_selection, point_selection_clear)

/* --- Subtitles: which runs a plot shows, and which are left out --- */

/* These are the runs of the points of a plot. */
typedef struct plot_counts {
  guint runs;        /* all; 0: nothing else is set */
  guint fewest;      /* of a point */
  guint most;        /* of a point */
  guint flagged;     /* of all */
  guint flags;       /* study_flag: which there are */
  const char *words; /* what a point is, instead of that; NULL: nothing else */
  const char *empty; /* what marks points without a value; NULL: none is shown */
  guint unsteady;    /* of all, if a quantile over time is shown: result_quantity_unsteady() */
} plot_counts;

/* Counts the runs (const study_run *) of a further point. */
void plot_counts_add(plot_counts *counts, const GPtrArray *runs);

/* Returns the subtitle of a plot: "a study · scenario a · seeds 1–8 · iwarpsim 0.1.0 · 96 runs, mean of 8
 * each with 95 % interval · …". `points` says what a point is, with "#" for how many runs each has: "mean of
 * # each …"; `mark` names what marks points with flagged runs ("ringed"). Free with g_free(). */
char *plot_runs_subtitle(const study_table *table, const plot_counts *counts, const char *points,
                         const char *mark);
