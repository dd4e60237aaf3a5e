/* SPDX-License-Identifier: GPL-2.0-only */
/* The gauges of a run: what all connections hold together, by cause, and the state that goes with it, over
 * time. Each has a peak (a metric) and, for any percentage of the time, an exact quantile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/metric_table.h"

/* The causes of holding come first, as in held_cause. */
typedef enum gauge_id {
  GAUGE_INCOMPLETE,
  GAUGE_UNLOCATED,
  GAUGE_ORDER,
  GAUGE_FRAGMENT,
  GAUGE_PROCESSING,
  GAUGE_REASSEMBLY,
  GAUGE_TOTAL,
  GAUGE_HOLES,
  GAUGE_PARTIAL_FPDUS,
  GAUGE_UNDELIVERED,
  GAUGE_COUNT
} gauge_id;

typedef struct gauge_row {
  const char *name;   /* "buffer.reassembly" */
  const char *suffix; /* of its quantiles' names after the percentage: "_octets", or "" */
  metric_id peak;     /* with its unit and sentence */
} gauge_row;

/* Returns the row of `id` (< GAUGE_COUNT); static. */
const gauge_row *gauge_row_of(gauge_id id);

/* Returns the gauge whose peak is the metric `peak`; GAUGE_COUNT when there is none. */
gauge_id gauge_of_peak(metric_id peak);

/* --- Quantiles --- */

/* A share of the time is counted in parts of 10^9, so 99.9999999 % is exact. */
enum { QUANTILE_PARTS = 1000000000, QUANTILES_MAX = 16 };

/* Returns the percentage `parts` as text, "99.9". Free with g_free(). */
char *quantile_percentage(uint32_t parts);

/* Returns the parts of a share of the time (0 < share <= 1), rounded to the nearest; 0 when it is not one. */
uint32_t quantile_parts(double share);

/* Reads the name of a quantile, "buffer.order_p99.9_octets". False when it is none. */
bool quantile_find(const char *name, gauge_id *gauge, uint32_t *parts);

/* Returns the name of a quantile as quantile_find() reads it. Free with g_free(). */
char *quantile_name(gauge_id gauge, uint32_t parts);

/* They are of each gauge the smallest x with gauge <= x for at least parts[i] of the time. All-zero: there
 * are none, because no time was measured. */
typedef struct gauge_quantiles {
  size_t count;
  uint32_t parts[QUANTILES_MAX]; /* ascending, 1 … QUANTILE_PARTS */
  double values[GAUGE_COUNT][QUANTILES_MAX];
} gauge_quantiles;

/* Returns the number of the quantile for `parts` among `of`; `count` when it was not measured. */
size_t gauge_quantiles_find(const gauge_quantiles *of, uint32_t parts);
