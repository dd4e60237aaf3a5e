/* SPDX-License-Identifier: GPL-2.0-only */
/* A report in the making: what all its sections read, and the page that they append to. */
#pragma once

#include <glib.h>

#include "study/table/result_rows.h"
#include "study/table/shown_number.h"

/* What a report tabulates of each point. */
typedef struct report_quantity {
  const char *heading;
  const char *quantity;       /* as result_quantity_read() takes it */
  gboolean only_when_varying; /* not worth a column when all runs agree */
} report_quantity;

/* The quantities, the most informative first. The first one, which the report headlines, is what is not
 * exceeded for 99.9 % of the time: a peak grows with the length of the run. */
enum { REPORT_QUANTITIES = 7 };
extern const report_quantity report_quantities[REPORT_QUANTITIES];

/* What is compared in pairs, when it varies. */
enum { REPORT_COMPARED = 2 };
extern const scenario_key report_compared[REPORT_COMPARED];

typedef struct report_page {
  GString *html;
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
  guint figures;         /* how many there are; their ids are "figure-1" … */
  GError *error;         /* why a plot cannot be drawn; NULL: all are */
  GPtrArray *notes;      /* const char *: the coverage notes of the intervals shown so far, each once */
  result_quantity quantities[REPORT_QUANTITIES]; /* those of report_quantities, when there are runs */
  gboolean shows[REPORT_QUANTITIES]; /* whether a quantity is tabulated: some run has it, and it varies if
                                        `only_when_varying` */
} report_page;

/* The unit of `quantity` as the table of metrics has it, "1" of a share; static. */
const char *report_unit_of(const result_quantity *quantity);

/* The factor of which `logarithm` is the statistics, the geometric mean with its interval; of count 0 where
 * that is. Of the members only count, mean, lower, upper and coverage_note are the factor's. */
statistics report_factor_of(const statistics *logarithm);

/* Fills `quantities`, `shows` and `pairings` of a report that has runs to compare. */
void report_page_measure(report_page *report);

/* A mean and its 95 % interval as texts of the same number of decimals: "145.4" and "142.9 to 148.0"; "± 0"
 * when the interval has no width, "" for both when `of` has no values, and for the interval of one value;
 * "142.9 or more" without an upper bound. A bound that is not 0 has as many decimals as show that. An
 * asterisk follows an interval that has a coverage note, which is added to `notes`. Free both with g_free().
 */
void report_show_mean(report_page *report, const statistics *of, const shown_scale *scale, char **mean,
                      char **interval);

/* --- Sections: each function appends the content of one, below its title --- */

/* What the scenarios ask (report_scenario.c); what the sweep varies, and what differs from the defaults. */
void report_append_question(report_page *report);
void report_append_parameters(report_page *report);

/* Where each quantity, and each ratio of pairs, is least and most, and what to be careful about; or why there
 * is nothing to compare (report_results.c). */
void report_append_answer(report_page *report);

/* Of a report that has runs to compare (report_results.c): plots, which set its `error` when they cannot be
 * drawn (IWARPSIM_ERROR, G_FILE_ERROR); tables of the results; values of a key beside each other over the
 * same seeds; what each quantity means. The definitions come after the other sections with intervals, of
 * which they explain the asterisks. */
void report_append_plots(report_page *report);
void report_append_results(report_page *report);
void report_append_pairs(report_page *report);
void report_append_definitions(report_page *report);

/* The runs (report_runs.c): which to be careful about, of which scenario, where the numbers come from, and
 * the commands that make them again. */
void report_append_flags(report_page *report);
void report_append_scenario(report_page *report);
void report_append_provenance(report_page *report);
void report_append_commands(report_page *report);
