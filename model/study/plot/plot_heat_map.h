/* The peak of the reassembly memory over two keys at once. */
#ifndef STUDY_PLOT_HEAT_MAP_H
#define STUDY_PLOT_HEAT_MAP_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* The keys for x and y: loss and MTU where they vary, else the first that do, but for the kind of receiver if there are others. FALSE:
 * less than two keys vary. */
gboolean plot_heat_map_keys(const study_table *table, scenario_key *x, scenario_key *y);

/* Draws the means of buffer.reassembly_peak_octets over plot_heat_map_keys() as `stem`: a panel for each combination of the other keys,
 * 12 at most; in each cell the mean, half the width of its 95 % interval, and an asterisk when it has flagged runs. Colours are those of
 * viridis: the lighter the more, in grey too. FALSE and `error` (STUDY_PLOT_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_heat_map_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                            GError **error);

#endif
