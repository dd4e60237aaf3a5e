/* SPDX-License-Identifier: GPL-2.0-only */
/* Complementary cumulative distributions: which share of the weight lies above x, as steps. */
#ifndef STUDY_SHARE_PLOT_H
#define STUDY_SHARE_PLOT_H

#include <glib.h>

#include "measure/distribution.h"
#include "study/plot/gnuplot_script.h"

/* One line. */
typedef struct share_curve {
  char *label;          /* "": there is nothing to tell it from */
  distribution samples; /* not empty */
  guint colour;         /* from 1: curves of one colour belong together */
  guint kind;           /* from 1: curves of one kind have the same dash; 0: the colour has one of its own */
} share_curve;

typedef struct share_plot {
  const char *title;
  const char *subtitle;
  const char *x_label; /* without a unit */
  const char *y_label;
  const char *nothing; /* what is said when nothing lies above 0 */
  gboolean seconds;    /* x; else octets */
  GPtrArray *curves;   /* share_curve *; at least one */
} share_plot;

/* A curve that takes over `label` and `samples`. Free with share_curve_free(). */
share_curve *share_curve_new(char *label, distribution *samples, guint colour, guint kind);
void share_curve_free(gpointer curve);

/* Draws `plot` as `stem`. FALSE and `error` (GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean share_plot_draw(const share_plot *plot, const char *stem, const gnuplot_target *target,
                         GError **error);

#endif
