/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a plot in the making: what a user asks of it, and what every plot has, whatever its template draws.
 * Where heading, panels and legend stand on the page is scripts/plots/page.gp's. */
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
  const char *port;        /* of a trace of a graph, "s0:3"; NULL: the one with the longest queue */
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

typedef struct plot_chart {
  const char *template_name; /* of scripts/plots/: "lines" */
  const gnuplot_target *target;
  const plot_request *request;
  char *title;
  const char *subtitle;    /* the caller's */
  const GPtrArray *panels; /* char *: their titles, the caller's; NULL: there is one, without */
  plot_axis x;
  plot_axis y;
  gboolean colour_box; /* at the right; this and the next three are the caller's */
  gboolean x_numeric;  /* labels of x that have no room are left out, and not turned */
  guint panel_letters; /* a panel that one column would make narrower takes both; 0: any width will do */
  double panel_height; /* in dots, for print; 0: as suits the width */
  GPtrArray *legend;   /* char *: the texts of its entries */
  GPtrArray *looks;    /* char *, of each: "main 2", in words of the template's */
  GString *variables;  /* of the template alone */
  GPtrArray *curves;   /* char *, of each: "1 reference 2", its panel, look and style */
  GString *data;       /* the file beside the script: an index for each curve */
} plot_chart;

/* A chart with the heading that `request` has, or `what` is drawn ("goodput over MTU") and where, and below
 * it, smaller, `subtitle`; its data begins with both and with `quantity` (what is drawn, and its unit) as
 * comments. Clear with plot_chart_clear(), which frees its axes too. */
plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target,
                          const plot_request *request, const char *what, const char *subtitle,
                          const char *quantity);
void plot_chart_clear(plot_chart *chart);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(plot_chart, plot_chart_clear)

/* Begins a curve over those before it, number `style` of the template's `look`, in `panel` (from 0): an index
 * of the data, to which its rows are appended, below the comments `name` and `columns`. */
void plot_chart_add_curve(plot_chart *chart, guint panel, const char *look, guint style, const char *name,
                          const char *columns);

/* Adds an entry `text` to the legend, which looks like number `style` of the template's `look`. */
void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text);

/* Adds entries for lines of the looks "first" and "second", called so, of which those of a style have one of
 * `labels` (char *) in common; or "only", where `second` is NULL. In print grey samples show what is first
 * and second; in a terminal each letter needs an entry of its own. */
void plot_chart_add_lines_legend(plot_chart *chart, const GPtrArray *labels, const char *first,
                                 const char *second);

/* Draws `chart` as `stem`. FALSE and `error` (IWARPSIM_ERROR, G_FILE_ERROR) on failure, as when the height
 * that was asked for is too small for it. */
gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error);
