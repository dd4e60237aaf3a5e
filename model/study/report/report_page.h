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
  GArray *keys;     /* scenario_key: what varies, apart from the seed */
  GArray *points;   /* study_point; NULL without a table */
  GArray *pairings; /* result_pairing: of receivers, and of markers, when they vary, each two; empty without a
                       table */
  GString *figures; /* in HTML */
  gboolean shows[REPORT_QUANTITIES];     /* whether a quantity is tabulated: some run has it, and it varies if
                                            `only_when_varying` */
  shown_scale scales[REPORT_QUANTITIES]; /* that suit its means at all points */
} report_page;

/* The unit of `quantity` as the table of metrics has it, "1" of a share; static. */
const char *report_quantity_unit(const report_quantity *quantity);

/* Fills `shows`, `scales` and `pairings` of a report that has a table. */
void report_page_measure(report_page *report);
