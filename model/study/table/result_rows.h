/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the rows of a table: a quantity at each point of a study, or its paired differences. */
#pragma once

#include <glib.h>

#include "study/table/result_quantity.h"
#include "study/table/study_table.h"

/* These are two values of one key that are compared over the same seeds. */
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
  statistics of; /* the values, or their differences; count 0: no run has the quantity. The mean of a return
                    level is the level; deviation, quantiles and extremes are NAN. */
  statistics log_ratio;     /* of pairs whose values are all above 0: ln(a / b); else count 0 */
  guint flagged;            /* of the runs counted, or of the pairs */
  guint unsteady;           /* of a quantile over time: of the runs counted, result_quantity_unsteady() */
  gboolean is_extrapolated; /* a return level beyond the traffic of the runs */
  guint not_ok;             /* runs of the point that did not end ok and are not counted; 0 of pairs */
  /* Of pairs: what the interval would be if their seeds had nothing to do with each other; NAN for fewer than
   * two. */
  double independent_half_width;
} result_row;

/* Returns the keys that rows differ in: what varies, be it among runs that did not end ok, but for that of
 * `pairing` (NULL: no pairs) and those in step with it. scenario_key; free with g_array_unref(). */
GArray *result_rows_keys(const study_table *table, const result_pairing *pairing);

/* Returns one row a point of `table`, including those at which no run ended ok, or (with `pairing`) a point
 * that has pairs: a run whose key is `a` and the one whose key is `b`, which agree in all other varying keys
 * and the seed; keys that move in step with it differ as it does. Of several runs with the same keys and seed
 * the first counts. Return levels have no pairs. An array of result_row; free with g_array_unref(). */
GArray *result_rows_of(const study_table *table, const result_quantity *quantity,
                       const result_pairing *pairing);
