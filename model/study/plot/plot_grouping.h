/* SPDX-License-Identifier: GPL-2.0-only */
/* Which part each varying key plays in a plot: one on x, the receiver as panels, the others as lines. */
#ifndef STUDY_PLOT_GROUPING_H
#define STUDY_PLOT_GROUPING_H

#include <glib.h>

#include "study/table/study_table.h"

/* All runs of one place of a plot: they differ in the seed alone. */
typedef struct plot_cell {
  guint panel;     /* index in `panels` */
  guint line;      /* index in `lines` */
  const char *x;   /* the table's */
  GPtrArray *runs; /* const study_run *, at least one */
  guint flagged;   /* of them */
} plot_cell;

typedef struct plot_grouping {
  scenario_key x;
  GPtrArray *panels; /* char *: "in-order receiver"; "" when there is one */
  GPtrArray *lines;  /* char *: "MTU 1500 octets"; "" when there is one */
  GArray *cells;     /* plot_cell, by panel, line and place on x */
} plot_grouping;

/* Groups the runs of `table` with `x` on x; with `receivers_as_lines` there is one panel. Free with plot_grouping_clear(). */
plot_grouping plot_grouping_of(const study_table *table, scenario_key x, gboolean receivers_as_lines);

/* The same by any keys (scenario_key), which need not vary. */
plot_grouping plot_grouping_by(const study_table *table, scenario_key x, const GArray *panels,
                               const GArray *lines);
void plot_grouping_clear(plot_grouping *grouping);

/* The key to draw over when a plot does not say: loss when it varies, else the first that does; run.seed when none does. */
scenario_key plot_grouping_x(const study_table *table);

/* Whether `key` is one of those that vary by themselves. */
gboolean plot_grouping_varies(const study_table *table, scenario_key key);

#endif
