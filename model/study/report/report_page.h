/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a report in the making: what all its sections read, the page that they append to, and those that
 * measure (report_results.c). */
#pragma once

#include "study/plot/plot_chart.h"
#include "study/table/result_quantity.h"

typedef struct html_report_options {
  const char *store; /* the store's file, for the command that makes the report again: only its name without
                        folders is used */
  const char *page;  /* the report's own file, likewise */
  const char *run; /* the folder of a run that the store has, whose messages, hosts and ports end the results;
                      NULL: those of all, and of some that suit */
  const char *version; /* of the program that makes the report */
  guint exclude;       /* study_flag: runs with one of these are left out of tables and plots */
} html_report_options;

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
  const html_report_options *options;
  const study_table *table;
  const char *empty;     /* why it has no run to compare; NULL: it has some */
  const GPtrArray *runs; /* study_run: of the table, and those that did not end ok */
  char *const *defaults; /* canonical texts of all keys, by scenario_key */
  GArray *keys;          /* scenario_key: what varies among them, apart from the seed */
  GArray *points;        /* study_point: of the table */
  GArray *pairings;      /* result_pairing: each two values of what is compared; empty without a run */
  GArray *columns;       /* report_column: what some run has, the ratio last; likewise */
  const study_run *run;  /* the one whose folder was given; NULL: none was */
  guint figures;         /* so far */
  GError *error;         /* why a plot cannot be drawn; NULL: all are */
  GPtrArray *notes;      /* const char *: the coverage notes of the intervals shown so far, each once */
} report_page;

/* Fills `columns` and `pairings` of a report that has runs to compare. */
void report_page_measure(report_page *report);

/* Each of these appends the content of a section, below its title; nothing of what the report lacks. The
 * answer is where each quantity, and each ratio of pairs, is least and most, and what to be careful about, or
 * why there is nothing to compare. Plots set its `error` when
 * they cannot be drawn (IWARPSIM_ERROR, G_FILE_ERROR). Pairs are values of a key beside each other over the
 * same seeds. The definitions come after the other sections with intervals, of which they explain the
 * asterisks. */
void report_append_answer(report_page *report);
void report_append_plots(report_page *report);
void report_append_results(report_page *report);
void report_append_pairs(report_page *report);
void report_append_definitions(report_page *report);

/* Draws `of` as `request` asks for. FALSE and `error`: IWARPSIM_ERROR when it does not suit. */
typedef gboolean (*report_draw)(const report_page *report, const void *of, const plot_request *request,
                                const gnuplot_target *target, GError **error);

/* Appends a figure of `of` with its caption, twice: the second one is narrow, for phones. Where it does not
 * suit, a sentence that the plot `name` is left out; else the report's `error` is set when it cannot be
 * drawn. */
void report_append_figure(report_page *report, const char *name, report_draw draw, const void *of);

/* This is what the page has of a table of a run: columns, as its first line names them, and what they are
 * called here, "host=host,connections=connections". The first `texts` are shown as texts, and a line without
 * the last of these is left out. Rows are sorted by the sum of the columns after these until `then_by`, then
 * by that one, the largest first; with a `then_by` before these they stay in their order. */
typedef struct report_table {
  guint texts, then_by;
  guint most; /* rows; 0: all are shown, and not counted */
  const char *caption, *columns;
} report_table;

/* Appends what `shown` has of `table`; nothing when there is none (NULL), or it has no rows. */
void report_append_table(const report_table *shown, const run_table *table, GString *html);

/* Appends the times of messages of the report's run; without one, of all runs. Nothing where none was timed.
 */
void report_append_messages(report_page *report);

/* Returns the one of `runs` (study_run) whose settings and seed the run in the folder `run` of the options
 * has. NULL and `error` when none has, with the setting that rules out the last of them, or when it has
 * neither hosts and ports nor times of messages. */
const study_run *report_run_of_folder(const GPtrArray *runs, const html_report_options *options,
                                      GError **error);

/* Appends the hosts that held most, the ports that dropped most, and a map of the ports, of the report's run
 * if that is of a graph; without one, of the run in which each kind of receiver held most. Nothing where the
 * store has none. */
void report_append_graph(report_page *report);
