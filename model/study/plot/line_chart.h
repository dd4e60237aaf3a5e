/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines with intervals over one axis, in panels: what most plots of sweeps are made of. */
#ifndef STUDY_LINE_CHART_H
#define STUDY_LINE_CHART_H

#include <glib.h>

#include "study/plot/gnuplot.h"
#include "study/plot/plot_axis.h"
#include "study/plot/plot_runs.h"

typedef enum line_look {
  LINE_MAIN,      /* filled points */
  LINE_COMPANION, /* a second quantity of the same runs: the same colour and shape, hollow points, dashed */
  LINE_REFERENCE  /* what to compare with: no points, no intervals */
} line_look;

typedef struct line_point {
  double place;
  const char *x; /* NULL in a reference */
  statistics of; /* a reference has a mean only */
  guint flagged;
} line_point;

typedef struct chart_line {
  guint panel;
  guint
      style; /* from 0; lines of one style look alike in all panels; a main line's companion has its style */
  line_look look;
  gboolean of_line; /* a reference of the main lines of that style, in their colour; else black */
  char *label;      /* of a main line or companion that of the grouping */
  char *quantity;   /* for the data's comments */
  GArray *points;   /* line_point */
} chart_line;

/* A chart in the making. */
typedef struct line_chart {
  const study_table *table;
  plot_grouping groups;
  place_axis x;
  value_extent extent;
  plot_counts counts;    /* of the main lines */
  GPtrArray *lines;      /* chart_line * */
  GPtrArray *references; /* char *: labels of the black references, each once; their index is their style */
  char *main;            /* what main lines show: "peak" */
  char *companion;       /* and companions; NULL: there are none */
  const char *note;      /* what the subtitle adds; NULL: nothing */
} line_chart;

/* A chart of `table` without lines; takes `groups`. line_chart_draw() frees it. */
line_chart *line_chart_new(const study_table *table, plot_grouping groups, gboolean logarithmic_x);

/* What a line shows of a run; NAN: the run does not have it. */
typedef double (*line_value)(const study_run *run, gconstpointer data);

/* The metric *(const metric_id *)`data`. */
double line_chart_metric(const study_run *run, gconstpointer data);

/* Adds `value` over x for each panel and line of the grouping; `look` is LINE_MAIN, once, then LINE_COMPANION, once at most. */
void line_chart_add(line_chart *chart, line_look look, const char *quantity, line_value value,
                    gconstpointer data);

/* The place of `x`, a text of the runs, on the axis. */
double line_chart_place(const line_chart *chart, const char *x);

/* Adds a reference called `label` to `panel`, through `count` points, place and value of each. `of_line` >= 0: it belongs to the main
 * lines of that style. */
void line_chart_add_reference(line_chart *chart, guint panel, int of_line, const char *label,
                              const double *points, guint count);

/* Draws the chart as `stem` and frees it, y being `quantity` in `unit` (metric_row). FALSE and `error` (STUDY_PLOT_ERROR when there is no point,
 * GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean line_chart_draw(line_chart *chart, const char *quantity, const char *unit, value_scale scale,
                         const char *stem, const gnuplot_target *target, GError **error);

#endif
