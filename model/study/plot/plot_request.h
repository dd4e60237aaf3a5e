/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a user asks of a plot: what is drawn over what, in which size and range. */
#pragma once

#include <glib.h>

#include "study/plot/gnuplot.h"
#include "study/plot/plot_axis.h"
#include "study/statistics/statistics.h"
#include "study/table/result_quantity.h"

/* This is a line across a line chart's lines. */
typedef struct plot_bound {
  const char *label;
  const char *baseline; /* a value of x, at which each line has a bound of its own; NULL: all have the same */
  double number;        /* the bound, or the part of what the line has there */
} plot_bound;

/* All zero asks for whatever suits the runs. */
typedef struct plot_request {
  const result_quantity *quantity; /* NULL: the plot's own, or the peak */
  const scenario_key *x;           /* NULL: as suits the plot */
  const GArray *series;            /* scenario_key: each combination of values is a line; NULL: as suits */
  const GArray *panels;            /* the same for panels */
  const char *where;               /* how the runs were chosen; NULL: they are all of the store's */
  const char *title;               /* NULL: what is drawn, over what, where */
  double width;                    /* in dots of print, or letters of a terminal; 0: as suits */
  double height;
  double font_points; /* in print; 0: PLOT_FONT_POINTS */
  gboolean x_log;
  gboolean y_log;
  const int *connection;   /* of a trace; NULL: the one with most payload */
  const plot_bound *bound; /* NULL: what lines have where x is unlimited, if that is one of its values */
  plot_range x_range;      /* of a plot over time in seconds */
  plot_range y_range;
  char **drawn_title; /* receives what is drawn, over what, where (g_free()); NULL: it is not asked for */
} plot_request;

/* These are the dots of print, and the points of its letters, whatever its size. */
#define PLOT_DOTS_PER_INCH 300.0
#define PLOT_FONT_POINTS 8.64

/* Reads "8.5cm", "85mm", "3.5in" or "1200px" (dots) as dots of print into `*dots`; with GNUPLOT_TERM a number
 * of letters. FALSE and `error` when it is none, or nothing that can be drawn on. */
gboolean plot_request_read_length(const char *text, gnuplot_format format, double *dots, GError **error);

/* Reads the points of a letter, 4 to 72. FALSE and `error` when it is none of these. */
gboolean plot_request_read_font(const char *text, double *points, GError **error);

/* Reads "A:B", each a number, a probability, a size, a time or a rate, A below B; one of them may be missing.
 * FALSE and `error` when it is none. */
gboolean plot_request_read_range(const char *text, plot_range *range, GError **error);

/* Reads "path.forward.mtu,receiver": keys that runs vary, but run.seed, and `receiver` for what makes the
 * kind of one, receiver.mode and mpa.markers. Appends them to `keys` (scenario_key). FALSE and `error`, with
 * the nearest name, when one is unknown or does not vary in `runs` (study_keys.h). */
gboolean plot_request_read_keys(const char *text, const GPtrArray *runs, const char *axes, GArray *keys,
                                GError **error);
