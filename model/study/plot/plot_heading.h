/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands above every plot of a study, and in front of its data: scenario, seeds, version, how many runs, which are left out. */
#ifndef STUDY_PLOT_HEADING_H
#define STUDY_PLOT_HEADING_H

#include <glib.h>

#include "study/plot/gnuplot_script.h"
#include "study/table/study_table.h"

/* The runs behind the points of a plot. */
typedef struct plot_counts {
  guint points;  /* 0: nothing else is set */
  guint runs;    /* all */
  guint fewest;  /* of a point */
  guint most;    /* of a point */
  guint flagged; /* of all */
  guint flags;   /* study_flag: which there are */
} plot_counts;

/* Counts the runs (const study_run *) of a further point. */
void plot_counts_add(plot_counts *counts, const GPtrArray *runs);

/* The subtitle: "scenario a · seeds 1–8 · iwarpsim 0.1.0 · 96 runs, mean of 8 each with 95 % interval · …"; `mark` names what marks points
 * with flagged runs ("ringed"). Free with g_free(). */
char *plot_heading_subtitle(const study_table *table, const plot_counts *counts, const char *mark);

/* Appends comment lines: the title, `subtitle`, and `quantity` with its unit. */
void plot_heading_append_comments(const study_table *table, const char *subtitle, const char *quantity,
                                  GString *data);

#endif
