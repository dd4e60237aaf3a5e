/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the results of a study as a table in the terminal, and as CSV: rows of one quantity with its
 * statistics at every point, or those of paired differences. */
#pragma once

#include <glib.h>

#include "study/table/result_quantity.h"

/* This is what is tabulated. */
typedef struct result_request {
  const study_table *table;
  const GArray *quantities;      /* result_quantity; return levels are without pairs */
  const result_pairing *pairing; /* NULL: the points, no differences */
  guint exclude;                 /* study_flag: what `table` was read without */
  gboolean is_brief;             /* as text, points at which no run ended ok are counted, not shown */
  gboolean is_guarded; /* as CSV, for spreadsheets: a text that one would take for a formula (it starts
                          with = + - @ and is no number) has an apostrophe in front */
} result_request;

/* Returns a heading with scenario, seeds, version and what was left out; for each quantity its statistics, a
 * line a point; what the marks of flagged runs mean. "-" where no run has the quantity. Free with
 * g_free(). */
char *result_table_text(const result_request *request);

/* Returns the same as one JSON object, values as measured (docs/store.md, "As JSON"). Free with g_free(). */
char *result_table_json(const result_request *request);

/* result_store_csv() writes otherwise with these. */
typedef enum result_csv_flag {
  RESULT_CSV_VARIED = 1 << 0,  /* of the keys only those in which runs differ, and of these none that always
                                  has the value of the key that it inherits from */
  RESULT_CSV_NUMERIC = 1 << 1, /* keys as numbers: seconds, octets, bit/s, ratios, 1 and 0 for true and
                                  false; words and lists as they are. No comment lines */
} result_csv_flag;

/* Returns a result store as CSV: first comment lines ("# …": scenario, title, version, git, hash and
 * libraries of each origin, and which names are those of two columns), a line of column names, then for each
 * run, in the store's order, its parameters (all keys, in key-table order), its metrics (all, in metric-table
 * order; empty when the run has none) and its status. With any of `flags` a key with the name of a metric has
 * ".key" after it, so that no two columns have one name. Fields are quoted as RFC 4180 §2 requires, lines end
 * in LF. NULL and `error` when the store fails. Free with g_free(). */
char *result_store_csv(result_store *store, guint flags, GError **error);

/* Returns what result_table_text() shows as CSV after comment lines that start with '#': one line for each
 * quantity and point, values as measured. Nothing between the commas where there is no value. Free with
 * g_free(). */
char *result_table_csv(const result_request *request);

typedef struct text_column {
  const char *heading;
  gboolean is_number; /* right-aligned, decimal points below each other */
} text_column;

/* Appends the headings of the `count` `columns`, a rule and the rows of `cells` (char *, from left to right,
 * row by row), a line each, two blanks between columns and none at the end. Columns whose cells are all empty
 * are left out. A cell is shown on one line: line ends and control characters become blanks, octets that are
 * not UTF-8 the replacement character. */
void text_columns_append(const text_column *columns, guint count, const GPtrArray *cells, GString *text);
