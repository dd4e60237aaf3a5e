/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a report (html_report.h), for html_report*.c alone: each appends its section to `html`. */
#pragma once

#include "study/report/html.h"
#include "study/report/html_report.h"
#include "study/table/result_table.h"
#include "study/table/shown_number.h"
#include "study/table/study_table.h"

/* What a report tabulates of each point. */
typedef struct report_quantity {
  const char *heading;
  const char *name; /* in a sentence: "peak reassembly occupancy" */
  result_quantity of;
  gboolean only_when_varying; /* not worth a column when all runs agree */
} report_quantity;

/* The quantities, the most informative first; the first one is the peak. */
enum { REPORT_QUANTITIES = 7 };
extern const report_quantity html_report_quantities[REPORT_QUANTITIES];

/* What a scenario asks, from the comments its file begins with: "# Question: …", "# Expected: …". */
typedef struct scenario_question {
  char *question; /* "": the file asks none */
  char *expected; /* what its author expected; "" */
} scenario_question;

/* Reads the comment lines (# or //) that `text`, a scenario file, starts with. A paragraph goes on until the
 * next one or the end of the comment; lines that are commands ("iwarpsim …") belong to none. Lines are joined
 * by blanks. Clear with scenario_question_clear(). */
scenario_question scenario_question_of(const char *text);
void scenario_question_clear(scenario_question *question);

typedef struct html_report {
  GString *html;
  const html_report_options *options;
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
} html_report;

/* The unit of `quantity` as the table of metrics has it, "1" of a share; static. */
const char *html_report_unit(const report_quantity *quantity);

/* Fills `shows`, `scales` and `pairings` of a report that has a table. */
void html_report_measure(html_report *report);

/* Draws `figures`. FALSE and `error` (IWARPSIM_ERROR, G_FILE_ERROR) on failure. */
gboolean html_report_draw(html_report *report, GError **error);

/* These append the content of a section, below its title. */
void html_report_append_results(html_report *report);
void html_report_append_pairs(html_report *report);
void html_report_append_flags(html_report *report);
void html_report_append_scenario(html_report *report);
void html_report_append_parameters(html_report *report);
void html_report_append_provenance(html_report *report);
void html_report_append_commands(html_report *report);
