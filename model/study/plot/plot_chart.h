/* SPDX-License-Identifier: GPL-2.0-only */
/* A plot in the making: what all have, whatever their template draws. */
#ifndef STUDY_PLOT_CHART_H
#define STUDY_PLOT_CHART_H

#include <glib.h>

#include "study/plot/plot_axis.h"
#include "study/plot/plot_page.h"

typedef struct plot_chart {
  const char *template_name; /* of scripts/plots/: "lines" */
  const gnuplot_target *target;
  const char *title;
  char *subtitle;
  GPtrArray *panels;        /* char *: their titles */
  const place_axis *places; /* of x, when that is what a sweep varies; else NULL, and `x` is the caller's */
  plot_axis x;
  plot_axis y;
  plot_needs needs;   /* colour_box, panel_letters and panel_height are the caller's */
  GPtrArray *legend;  /* char *: the texts of its entries */
  GPtrArray *looks;   /* char *, of each: "main 2", in words of the template's */
  GString *variables; /* of the template alone */
  GString *data;      /* the file beside the script */
} plot_chart;

/* A chart with the heading `title` and, smaller, `subtitle`; its data begins with both and with `quantity` (what is drawn, and its unit)
 * as comments. Clear with plot_chart_clear(), which frees its axes too. */
plot_chart plot_chart_new(const char *template_name, const gnuplot_target *target, const char *title,
                          const char *subtitle, const char *quantity);
void plot_chart_clear(plot_chart *chart);

/* Adds an entry `text` to the legend, which looks like number `style` of the template's `look`. */
void plot_chart_add_legend(plot_chart *chart, const char *look, guint style, const char *text);

/* The page for what it has now. */
plot_page plot_chart_page(const plot_chart *chart);

/* Draws it as `stem`. FALSE and `error` (GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_chart_draw(plot_chart *chart, const char *stem, GError **error);

#endif
