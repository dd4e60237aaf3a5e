/* The runs of a sweep as a plot shows them: panels of lines of points, each point a mean over seeds. */
#ifndef STUDY_SWEEP_TABLE_H
#define STUDY_SWEEP_TABLE_H

#include <glib.h>

#include "study/plot_axes.h"
#include "study/result_store.h"

#define SWEEP_TABLE_ERROR (sweep_table_error_quark())
GQuark sweep_table_error_quark(void);
enum { SWEEP_TABLE_ERROR_EMPTY }; /* no run ended ok, or none has the metric */

/* One run, as far as a plot needs it. */
typedef struct sweep_table_run {
  char *keys[SCENARIO_KEY_COUNT];
  double value;
} sweep_table_run;

/* The runs that ended `ok` and have a value. */
typedef struct sweep_table {
  GPtrArray *runs; /* sweep_table_run *, whose first member is its keys: plot_axes.h takes them as they are */
  guint left_out;  /* runs that did not end ok, or have no value */
  char *title;     /* of the first run's scenario */
  char *names;     /* of the scenarios, "a, b" */
  char *versions;  /* that made the runs, "0.1.0, 0.2.0" */
  char *axes;      /* the first run's, one key a line */
} sweep_table;

/* Reads `metric` of all runs of `store`. NULL and `error` when there are none, or the store fails. Free
 * with sweep_table_free(). */
sweep_table *sweep_table_read(result_store *store, metric_id metric, GError **error);
void sweep_table_free(sweep_table *table);

/* A point: the runs that agree in everything but the seed. */
typedef struct sweep_point {
  const char *x; /* the text on the x axis */
  gsize count;   /* of runs */
  double mean;
  double half_width; /* of the 95 % Student-t interval; NAN when count is 1 */
} sweep_point;

/* One line of one panel. */
typedef struct sweep_line {
  const char *panel; /* the text of the panel's key; NULL: there is one panel */
  char *label;       /* the texts of the lines' keys; "": there is one line */
  GArray *points;    /* sweep_point, in the order of plot_axes_values(); only those that have runs */
} sweep_line;

/* The lines of `table`, in the order of plot_axes_values() of panel, then of the lines' keys. Texts are
 * the table's. An array of sweep_line *; free with g_ptr_array_unref(). */
GPtrArray *sweep_table_lines(const sweep_table *table, const plot_axes *axes);

/* The seeds in the table: "seed 1", "seeds 1–3", "seeds 1, 5, 9" or "12 seeds". Free with g_free(). */
char *sweep_table_seeds(const sweep_table *table);

#endif
