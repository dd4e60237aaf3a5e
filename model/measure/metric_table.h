/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics: their ids with the rows of metrics.def, the values of a run, and how it ended. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum metric_id {
#define METRIC(id, name, unit, side, how, sentence) METRIC_##id,
#include "measure/metrics.def"
  METRIC_COUNT
} metric_id;

/* A metric is measured there. */
typedef enum metric_side {
  METRIC_SIDE_DATA_SINK,
  METRIC_SIDE_DATA_SOURCE,
  METRIC_SIDE_PATH,
  METRIC_SIDE_RUN,
} metric_side;

/* Returns "Data Sink", "Data Source", "path" or "run"; static. */
const char *metric_side_name(metric_side side);

/* It is how the counts of several connections, elements or paths, and the values of several hosts, become one
 * value (metrics.def). */
typedef enum metric_combination {
  METRIC_SET,
  METRIC_FULLEST,
  METRIC_PEAK,
  METRIC_SUM,
  METRIC_MAX,
} metric_combination;

typedef struct metric_row {
  const char *name; /* "buffer.reassembly_peak_octets" */
  const char *unit; /* "octets", "segments", "s", "bit/s", "1" (a ratio) … */
  metric_side side;
  metric_combination how;
  bool is_of_machine;   /* it depends on the machine, not on scenario, seed and version alone */
  const char *sentence; /* what it is, in one sentence */
} metric_row;

/* Returns the row of `id` (< METRIC_COUNT); static. */
const metric_row *metric_row_of(metric_id id);

/* Returns the id of `name`, or of what had it in the version before; METRIC_COUNT when there is none. */
metric_id metric_find(const char *name);

/* Each metric has a value, or none: one without samples is left out. All-zero is the empty set of values. */
typedef struct metric_values {
  double value[METRIC_COUNT];
  bool present[METRIC_COUNT];
} metric_values;

/* They are sums over the connections of all hosts that metrics and the verdict on a run are made of. */
typedef struct metric_terms {
#define TERM(term) uint64_t term;
#include "measure/metrics.def"
} metric_terms;

/* Gives `id` (< METRIC_COUNT) the value `value`, in the unit of its row. */
void metric_values_set(metric_values *values, metric_id id, double value);

/* Adds a count of one connection, element or path to `id` (< METRIC_COUNT; a sum or a largest), as its row
 * combines them. */
void metric_values_count(metric_values *values, metric_id id, uint64_t count);

/* --- How a run ended --- */

typedef enum run_status {
  RUN_OK,
  RUN_TERMINATED, /* a connection ended as the documents require */
  RUN_STOPPED,    /* run.stop was reached */
  RUN_FAILED,     /* own checks, no progress, crash */
  RUN_STATUSES
} run_status;

/* Returns "ok", "terminated", "stopped" or "failed"; static. */
const char *run_status_name(run_status status);

/* Returns the status called `name`; RUN_STATUSES when there is none. */
run_status run_status_find(const char *name);

/* The gauges of a run: what all connections hold together, by cause, and the state that goes with it, over
 * time. Each has a peak (a metric) and, for any percentage of the time, an exact quantile. */

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
