/* SPDX-License-Identifier: GPL-2.0-only */
/* The occupancy of one run over time, by cause. */
#ifndef STUDY_PLOT_OCCUPANCY_H
#define STUDY_PLOT_OCCUPANCY_H

#include <glib.h>

#include "study/plot/gnuplot.h"
#include "study/store/summary.h"

#define PLOT_OCCUPANCY_ERROR (plot_occupancy_error_quark())
GQuark plot_occupancy_error_quark(void);
enum {
  PLOT_OCCUPANCY_ERROR_INVALID
}; /* occupancy.csv is not one, with its line; or has no series of the RNIC */

/* Draws the series `all` of `run_folder`/occupancy.csv, a step function stacked by cause, as "occupancy",
 * titled after `run_folder`/summary.json. Series of more steps than a page has dots are thinned, each
 * stretch keeping its first, highest and last state. FALSE and `error` (PLOT_OCCUPANCY_ERROR,
 * SUMMARY_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_occupancy(const char *run_folder, const gnuplot_target *target, GError **error);

/* The subtitle of a plot of `run` alone: scenario, seed, receiver, version. Free with g_free(). */
char *plot_occupancy_subtitle(const summary_record *run);

#endif
