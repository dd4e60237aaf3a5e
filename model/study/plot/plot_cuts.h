/* How small a middlebox may cut the stream before FPDUs can no longer be placed at once. */
#ifndef STUDY_PLOT_CUTS_H
#define STUDY_PLOT_CUTS_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* The key that says how large the middlebox's pieces are and varies: middlebox.chunk, .split_size, .random_maximum, .random_minimum;
 * SCENARIO_KEY_COUNT: none does. */
scenario_key plot_cuts_key(const study_table *table);

/* The probability that a segment of `octets` octets, cut at a random place of a stream with a marker of 4 octets every 512, holds a whole
 * marker: min(1, (S - 3) / 512), 0 below 4. */
double plot_cuts_marker_probability(double octets);

/* Draws the fraction of the payload placed directly over plot_cuts_key() as `stem`, a panel a kind of receiver, a line for each
 * combination of the other keys; and, for boxes whose pieces have one size, plot_cuts_marker_probability(). FALSE and `error`
 * (STUDY_PLOT_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean plot_cuts_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                        GError **error);

#endif
