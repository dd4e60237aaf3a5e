/* SPDX-License-Identifier: GPL-2.0-only */
/* How a quantity is distributed: the share of the time the reassembly occupancy is above x, or the share of the payload octets that
 * wait longer than x for Placement and for Delivery. */
#ifndef STUDY_PLOT_DISTRIBUTION_H
#define STUDY_PLOT_DISTRIBUTION_H

#include <glib.h>

#include "study/plot/gnuplot.h"

/* Draws the occupancy, or (`delays`) both delays, of the one run whose summary.json is in `run_folder`, as "distribution.png" or
 * "delays.png" (or in the target's format). FALSE and `error` (STUDY_PLOT_ERROR when it has no samples, SUMMARY_ERROR, GNUPLOT_ERROR,
 * G_FILE_ERROR) on failure. */
gboolean plot_distribution_of_run(const char *run_folder, gboolean delays, const gnuplot_target *target,
                                  GError **error);

#endif
