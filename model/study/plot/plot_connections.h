/* How the memory of one RNIC grows with its connections, against the formulas of mpa-01 section 11. */
#ifndef STUDY_PLOT_CONNECTIONS_H
#define STUDY_PLOT_CONNECTIONS_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* Draws buffer.reassembly_peak_octets, with buffer.peak_octets.processing beside it where octets were processed, over
 * workload.connections, which varies, both axes logarithmic, as `stem`; and in each panel the formulas for BufferSizeTCP, -NAF and -AF as
 * the runs have them (theory.*), once for lines that agree in them. FALSE and `error` (STUDY_PLOT_ERROR, GNUPLOT_ERROR, G_FILE_ERROR)
 * on failure. */
gboolean plot_connections_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                               GError **error);

#endif
