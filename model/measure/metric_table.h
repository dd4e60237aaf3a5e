/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics: their ids with the rows of metrics.def, the values of a run, and how it ended. */
#pragma once

#include <stdbool.h>
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
