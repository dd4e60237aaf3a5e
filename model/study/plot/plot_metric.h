/* Metrics over what a sweep varies: the peak of the reassembly memory beside its p99, or any one metric. */
#ifndef STUDY_PLOT_METRIC_H
#define STUDY_PLOT_METRIC_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* Draws `metric` over loss, or the first key that varies (run.seed when none does), a panel a kind of receiver, a line for each
 * combination of the other keys, as `stem`: means with 95 % intervals. FALSE and `error` (STUDY_PLOT_ERROR when no run has the
 * metric, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_metric_draw(const study_table *table, metric_id metric, const char *stem,
                          const gnuplot_target *target, GError **error);

/* The same for buffer.reassembly_peak_octets with buffer.reassembly_p99_octets beside it. */
gboolean plot_peak_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                        GError **error);

#endif
