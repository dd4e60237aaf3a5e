/* SPDX-License-Identifier: GPL-2.0-only */
/* Where things stand on a page with one plot and its legend below, in print and in a terminal alike. */
#ifndef STUDY_PLOT_LAYOUT_H
#define STUDY_PLOT_LAYOUT_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"

/* Fractions of the page. */
typedef struct plot_layout {
  gnuplot_page page; /* one column wide, or two for a wide legend, and as high as it has to be */
  double left;
  double right;
  double bottom;         /* of the plot */
  double legend;         /* the top of its strip; 0: there is none */
  gboolean label_across; /* the label of y stands over the axis: letters of a terminal do not turn */
} plot_layout;

/* A page for this heading and these `labels` in the legend (char *, may be none), whose y axis has tics of at most `tic_letters`. */
plot_layout plot_layout_of(const gnuplot_target *target, const char *title, const char *subtitle,
                           const GPtrArray *labels, guint tic_letters);

/* Appends the margins of the plot, below a heading that ends at `top`, the label of y, and the start of a multiplot, in which
 * gnuplot_script_begin_legend() starts the legend. */
void plot_layout_append(const plot_layout *layout, const char *y_label, double top, GString *script);

/* How many letters the plot is wide. */
guint plot_layout_columns(const plot_layout *layout);

#endif
