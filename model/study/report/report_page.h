/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a report in the making: what all its sections read, and the page that they append to. */
#pragma once

#include <glib.h>

#include "study/table/result_rows.h"

/* This is what a report tabulates of each point. */
typedef struct report_column {
  const char *heading;
  const char *name;  /* of the quantity, as result_quantity_read() takes it */
  gboolean is_minor; /* it has a column where it varies, and is not compared */
  gboolean is_ratio; /* of pairs: the geometric mean of their ratios, not the mean difference */
  result_quantity quantity;
} report_column;

typedef struct report_page {
  GString *html; /* the section in the making */
  const char *title;
  const char *store; /* the names of its files, without folders */
  const char *file;
  const char *version; /* of the program that makes it */
  guint exclude;       /* study_flag: runs with one of these are left out of tables and plots */
  const study_table *table;
  const char *empty;     /* why it has no run to compare; NULL: it has some */
  const GPtrArray *runs; /* study_run: of the table, and those that did not end ok */
  char *const *defaults; /* canonical texts of all keys, by scenario_key */
  GArray *keys;          /* scenario_key: what varies among them, apart from the seed */
  GArray *points;        /* study_point: of the table */
  GArray *pairings;      /* result_pairing: each two values of what is compared; empty without a run */
  GArray *columns;       /* report_column: what some run has, the ratio last; likewise */
  GError *error;         /* why a plot cannot be drawn; NULL: all are */
  GPtrArray *notes;      /* const char *: the coverage notes of the intervals shown so far, each once */
} report_page;

/* Fills `columns` and `pairings` of a report that has runs to compare. */
void report_page_measure(report_page *report);

/* --- Sections: each function appends the content of one, below its title --- */

/* Appends what the scenarios ask (report_scenario.c); what the sweep varies, and what differs from the
 * defaults. */
void report_append_question(report_page *report);
void report_append_parameters(report_page *report);

/* Appends where each quantity, and each ratio of pairs, is least and most, and what to be careful about; or
 * why there is nothing to compare (report_results.c). */
void report_append_answer(report_page *report);

/* Nothing of a report without runs to compare (report_results.c): plots, which set its `error` when they
 * cannot be drawn (IWARPSIM_ERROR, G_FILE_ERROR); tables of the results; values of a key beside each other
 * over the same seeds; what each quantity means. The definitions come after the other sections with
 * intervals, of which they explain the asterisks. */
void report_append_plots(report_page *report);
void report_append_results(report_page *report);
void report_append_pairs(report_page *report);
void report_append_definitions(report_page *report);

/* Append the runs (report_runs.c): which to be careful about, of which scenario, where the numbers come from,
 * and the commands that make them again. */
void report_append_flags(report_page *report);
void report_append_scenario(report_page *report);
void report_append_provenance(report_page *report);
void report_append_commands(report_page *report);
