/* Every kind of plot of a study, once: what it is called, what it needs, how it is drawn. */
#ifndef STUDY_STUDY_PLOT_H
#define STUDY_STUDY_PLOT_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

typedef enum study_plot_kind {
  STUDY_PLOT_PEAK, /* "peak": peak and p99 against loss (or what the sweep varies), a line an MTU, with intervals */
  STUDY_PLOT_HEAT_MAP,     /* "heat-map": MTU × loss */
  STUDY_PLOT_DISTRIBUTION, /* "distribution": occupancy, share of the time above x */
  STUDY_PLOT_MEMORY,       /* "memory": goodput against receiver.memory */
  STUDY_PLOT_CONNECTIONS,  /* "connections": occupancy against connections, with the three formulas */
  STUDY_PLOT_CUTS,   /* "cuts": fraction placed directly against the middlebox's cut size, with (S-3)/512 */
  STUDY_PLOT_DELAYS, /* "delays": distributions of placement and delivery delay */
  STUDY_PLOT_METRIC, /* "metric": any metric over what the sweep varies (--metric NAME) */
  STUDY_PLOT_KINDS
} study_plot_kind;

typedef struct study_plot_row {
  const char *name;
  const char *sentence; /* for --help and documents */
} study_plot_row;

/* The row of `kind` (< STUDY_PLOT_KINDS); static. */
const study_plot_row *study_plot_row_of(study_plot_kind kind);

/* The kind called `name`; STUDY_PLOT_KINDS when there is none. */
study_plot_kind study_plot_find(const char *name);

#define STUDY_PLOT_ERROR (study_plot_error_quark())
GQuark study_plot_error_quark(void);
enum {
  STUDY_PLOT_ERROR_UNFIT
}; /* the runs do not vary, or do not have, what this kind draws: says what it needs */

/* Whether `table` has what `kind` needs; `error` says what is missing when not. */
gboolean study_plot_fits(const study_table *table, study_plot_kind kind, GError **error);

/* The kinds worth drawing for what the sweep varies, the most telling first; never empty for a table with a varying key. An array of
 * study_plot_kind; free with g_array_unref(). */
GArray *study_plot_kinds_for(const study_table *table);

/* Draws `kind` as "STEM-NAME" (`stem` is made a safe file name); `metric` counts for STUDY_PLOT_METRIC only. FALSE and `error`
 * (STUDY_PLOT_ERROR, GNUPLOT_ERROR, G_FILE_ERROR) on failure. */
gboolean study_plot_draw(const study_table *table, study_plot_kind kind, metric_id metric, const char *stem,
                         const gnuplot_target *target, GError **error);

#endif
