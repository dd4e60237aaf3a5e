/* SPDX-License-Identifier: GPL-2.0-only */
/* A report in the making: what all its parts read, and the page that they append to. */
#pragma once

#include <glib.h>

#include "study/table/result_table.h"
#include "study/table/shown_number.h"

/* What a report tabulates of each point. */
typedef struct report_quantity {
  const char *heading;
  const char *name; /* in a sentence: "peak reassembly occupancy" */
  result_quantity of;
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
  GArray *points;        /* study_point; NULL without a table */
  GArray *pairings; /* result_pairing: of receivers, and of markers, when they vary, each two; empty without a
                       table */
  GString *figures; /* in HTML */
  guint figure_count; /* of them; their ids are "figure-1" … */
  GPtrArray *notes;   /* const char *: the coverage notes of the intervals shown so far, each once */
  gboolean shows[REPORT_QUANTITIES]; /* whether a quantity is tabulated: some run has it, and it varies if
                                        `only_when_varying` */
} report_page;

/* The unit of `quantity` as the table of metrics has it, "1" of a share; static. */
const char *report_unit_of(const result_quantity *quantity);

/* The geometric mean of the ratios of a row of pairs, with its interval; of count 0 where a value is not
 * above 0. Only count, mean, lower, upper and coverage_note are set. */
statistics report_factor_of(const result_row *row);

/* Whether `runs` vary `key`, or have another value than its default, and than that of the key it inherits
 * from. */
gboolean report_keys_differ(const report_page *report, scenario_key key);

/* The keys that vary, apart from the seed: "receiver.mode, path.forward.mtu"; "" when there are none. Free
 * with g_free(). */
char *report_keys_words(const report_page *report);

/* The values of `key` in `runs`, as a plot shows them: "0 · 0.1% · 1%"; of more than a dozen the first ones
 * and the last. Free with g_free(). */
char *report_keys_values(const report_page *report, scenario_key key);

/* Fills `shows` and `pairings` of a report that has a table. */
void report_page_measure(report_page *report);
