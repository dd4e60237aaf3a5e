/* A metric over the axes of a sweep: by default peak occupancy against loss, a line for each MTU, a panel
 * for each kind of receiver. */
#ifndef STUDY_PLOT_SWEEP_H
#define STUDY_PLOT_SWEEP_H

#include <glib.h>

#include "study/gnuplot_script.h"
#include "study/result_store.h"

/* Draws buffer.reassembly_peak_octets over what the runs of `store` vary (plot_axes.h) as
 * "`stem`-reassembly-peak": means over the seeds with their 95 % Student-t intervals where a point has two
 * seeds or more. x is logarithmic when its numbers span ten times and more, a zero then set apart at the
 * left; runs that did not end ok are left out and counted in the title. FALSE and `error`
 * (RESULT_STORE_ERROR, SWEEP_TABLE_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_sweep(result_store *store, const char *stem, const gnuplot_target *target, GError **error);

#endif
