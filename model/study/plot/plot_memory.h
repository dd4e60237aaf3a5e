/* What finite reassembly memory costs: goodput against receiver.memory. */
#ifndef STUDY_PLOT_MEMORY_H
#define STUDY_PLOT_MEMORY_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* Draws goodput_bit_per_s over receiver.memory, which varies, a line for each combination of the other keys, as `stem`. "unlimited"
 * stands apart at the right; its mean goes on to the left as a reference. FALSE and `error` (STUDY_PLOT_ERROR, GNUPLOT_ERROR,
 * G_FILE_ERROR) on failure. */
gboolean plot_memory_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                          GError **error);

#endif
