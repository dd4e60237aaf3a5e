/* SPDX-License-Identifier: GPL-2.0-only */
/* A report in the making: what all its parts read, and the page that they append to. */
#pragma once

#include <glib.h>

#include "study/table/result_table.h"
#include "study/table/shown_number.h"
#include "study/table/text_columns.h"

/* What a report tabulates of each point. */
typedef struct report_quantity {
  const char *heading;
  const char *name;           /* in a sentence: "peak reassembly occupancy" */
  const char *quantity;       /* as result_quantity_read() takes it */
  gboolean only_when_varying; /* not worth a column when all runs agree */
} report_quantity;

/* The quantities, the most informative first; the first one is the peak. */
enum { REPORT_QUANTITIES = 7 };
extern const report_quantity report_quantities[REPORT_QUANTITIES];

/* As many runs that did not end ok are described; the rest is counted. */
enum { REPORT_DESCRIBED_MAX = 100 };

typedef struct report_page {
  GString *html;
  const char *store; /* the names of its files, without folders */
  const char *file;
  const char *version; /* of the program that makes it */
  guint exclude;       /* study_flag: runs with one of these are left out of tables and plots */
  const store_summary *totals;
  const provenance *first;  /* the first of its scenarios */
  const study_table *table; /* NULL: no run is left to compare; `empty` has the reason */
  const char *empty;
  const GPtrArray *runs; /* study_run: of the table, and those of the others that are described */
  char *const *defaults; /* canonical texts of all keys, by scenario_key */
  GArray *keys;          /* scenario_key: what varies, apart from the seed */
  GArray *points;        /* study_point; none without a table */
  GArray *pairings; /* result_pairing: of receivers, and of markers, when they vary, each two; empty without a
                       table */
  guint figures;    /* how many there are; their ids are "figure-1" … */
  GError *error;    /* why a plot cannot be drawn; NULL: all are */
  GPtrArray *notes; /* const char *: the coverage notes of the intervals shown so far, each once */
  result_quantity quantities[REPORT_QUANTITIES]; /* those of report_quantities, with a table */
  gboolean shows[REPORT_QUANTITIES]; /* whether a quantity is tabulated: some run has it, and it varies if
                                        `only_when_varying` */
} report_page;

/* The unit of `quantity` as the table of metrics has it, "1" of a share; static. */
const char *report_unit_of(const result_quantity *quantity);

/* The geometric mean of the ratios of a row of pairs, with its interval; of count 0 where a value is not
 * above 0. Of the members only count, mean, lower, upper and coverage_note are the factor's. */
statistics report_factor_of(const result_row *row);

/* Fills `quantities`, `shows` and `pairings` of a report that has a table. */
void report_page_measure(report_page *report);

/* --- Columns and cells: how many runs, values, and means with their intervals --- */

/* A mean and its 95 % interval as texts of the same number of decimals: "145.4" and "142.9 to 148.0"; "± 0"
 * when the interval has no width, "" for both when `of` has no values, and for the interval of one value;
 * "142.9 or more" without an upper bound. An asterisk follows an interval that has a coverage note, which is
 * added to `notes`. Free both with g_free().
 */
void report_show_mean(report_page *report, const statistics *of, const shown_scale *scale, char **mean,
                      char **interval);

/* Add columns to `columns` (text_column): of a mean or, of pairs, a difference, with its interval, which CSV
 * has as measured, in `unit`; and of how many runs or pairs there are, and how many of them are flagged. */
void report_add_mean_column(GArray *columns, const char *heading, const shown_scale *scale, const char *unit);
void report_add_count_columns(GArray *columns, const char *counted);

/* Add their cells to `cells` (char *). Nothing flagged is an empty cell. */
void report_add_mean(GPtrArray *cells, report_page *report, const statistics *of, const shown_scale *scale);
void report_add_counts(GPtrArray *cells, gsize count, guint flagged);
