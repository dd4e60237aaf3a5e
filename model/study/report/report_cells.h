/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns and cells of numbers: how many runs, values, and means with their intervals. */
#pragma once

#include "study/report/report_page.h"
#include "study/table/text_columns.h"

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

/* Adds a value as measured; nothing where there is none. */
void report_add_value(GPtrArray *cells, gboolean known, double value);
