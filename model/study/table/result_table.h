/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of a study as a table in the terminal, and as CSV. */
#ifndef STUDY_RESULT_TABLE_H
#define STUDY_RESULT_TABLE_H

#include <glib.h>

#include "study/table/result_rows.h"

/* What is tabulated. */
typedef struct result_request {
  const study_table *table;
  const GArray *quantities;      /* result_quantity */
  const result_pairing *pairing; /* NULL: the points, no differences */
  guint exclude;                 /* study_flag: what `table` was read without */
} result_request;

/* A heading with scenario, seeds, version and what was left out; for each quantity its statistics, a line a point; what the marks of
 * flagged runs mean. "-" where no run has the quantity. Free with g_free(). */
char *result_table_text(const result_request *request);

/* The same as CSV (RFC 4180) after comment lines that start with '#': one line for each quantity and point, values as measured. Nothing
 * between the commas where there is no value. Free with g_free(). */
char *result_table_csv(const result_request *request);

#endif
