/* SPDX-License-Identifier: GPL-2.0-only */
/* The results of a study as a table in the terminal, and as CSV: rows of one quantity with its statistics at
 * every point, or those of paired differences. */
#pragma once

#include <glib.h>

#include "study/table/result_quantity.h"
#include "study/table/study_table.h"

/* Two values of one key that are compared over the same seeds. */
typedef struct result_pairing {
  scenario_key key;
  char *a; /* canonical texts; a row is the value under `a` minus that under `b` */
  char *b;
} result_pairing;

/* Reads "receiver.mode=in-order,out-of-order", values as --set takes them. FALSE and `error` unless runs of
 * `table` have both values. Free with result_pairing_clear(). */
gboolean result_pairing_read(const char *text, const study_table *table, result_pairing *pairing,
                             GError **error);
void result_pairing_clear(result_pairing *pairing);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(result_pairing, result_pairing_clear)

typedef struct result_row {
  const study_run *first; /* one of the point's runs, for its keys */
  statistics of;          /* the values, or their differences; count 0: no run has the quantity */
  guint flagged;          /* of the runs counted, or of the pairs */
  guint not_ok;           /* runs of the point that did not end ok and are not counted; 0 of pairs */
  /* Of pairs: what the interval would be if their seeds had nothing to do with each other; NAN for fewer than
   * two. */
  double independent_half_width;
} result_row;

/* The keys that rows differ in: what varies, but for that of `pairing` (NULL: no pairs) and those in step
 * with it. scenario_key; free with g_array_unref(). */
GArray *result_rows_keys(const study_table *table, const result_pairing *pairing);

/* One row a point of `table`, including those at which no run ended ok, or (with `pairing`) a point that has
 * pairs: a run whose key is `a` and the one whose key is `b`, which agree in all other varying keys and the
 * seed; keys that move in step with it differ as it does. Of several runs with the same keys and seed the
 * first counts. An array of result_row; free with g_array_unref(). */
GArray *result_rows_of(const study_table *table, const result_quantity *quantity,
                       const result_pairing *pairing);

/* What is tabulated. */
typedef struct result_request {
  const study_table *table;
  const GArray *quantities;      /* result_quantity */
  const result_pairing *pairing; /* NULL: the points, no differences */
  guint exclude;                 /* study_flag: what `table` was read without */
} result_request;

/* A heading with scenario, seeds, version and what was left out; for each quantity its statistics, a line a
 * point; what the marks of flagged runs mean. "-" where no run has the quantity. Free with g_free(). */
char *result_table_text(const result_request *request);

/* A result store as CSV: first comment lines ("# …": scenario, title, version, git, hash and libraries of
 * each origin, and which names are those of two columns), a line of column names, then for each run, in the
 * store's order, its parameters (all keys, in key-table order), its metrics (all, in metric-table order;
 * empty when the run has none) and its status. Fields are quoted as RFC 4180 §2 requires, lines end in LF.
 * NULL and `error` when the store fails. Free with g_free(). */
char *result_store_csv(result_store *store, GError **error);

/* What result_table_text() shows as CSV after comment lines that start with '#': one line for each quantity
 * and point, values as measured. Nothing between the commas where there is no value. Free with g_free(). */
char *result_table_csv(const result_request *request);
