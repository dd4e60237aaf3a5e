/* How a quantity is distributed: the share of the time the reassembly occupancy is above x, or the share of the payload octets that
 * wait longer than x for Placement and for Delivery. */
#ifndef STUDY_PLOT_DISTRIBUTION_H
#define STUDY_PLOT_DISTRIBUTION_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

#define PLOT_DISTRIBUTION_ERROR (plot_distribution_error_quark())
GQuark plot_distribution_error_quark(void);
enum { PLOT_DISTRIBUTION_ERROR_NONE }; /* no run has samples of what is to be drawn */

/* Whether a run of `table` has samples of the occupancy, or (`delays`) of a delay. */
gboolean plot_distribution_fits(const study_table *table, gboolean delays);

/* Draws the occupancy, or (`delays`) both delays, of the runs of `table` as "`stem`.png" (or what the target says): a line a point of
 * the sweep, the weights of its seeds added. FALSE and `error` (PLOT_DISTRIBUTION_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_distribution_draw(const study_table *table, gboolean delays, const char *stem,
                                const gnuplot_target *target, GError **error);

/* The same for the one run whose summary.json is in `run_folder`, as "distribution.png" or "delays.png". SUMMARY_ERROR besides. */
gboolean plot_distribution_of_run(const char *run_folder, gboolean delays, const gnuplot_target *target,
                                  GError **error);

#endif
