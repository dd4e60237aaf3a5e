/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a plot in the making: what every plot has, whatever its template draws. Where heading, panels and
 * legend stand on the page is scripts/plots/page.gp's. */
#pragma once

#include <glib.h>

#include "study/plot/gnuplot.h"
#include "study/plot/plot_axis.h"
#include "study/plot/plot_request.h"

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
