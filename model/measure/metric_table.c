/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/metric_table.h"

#include <glib.h>
#include <string.h>

static const metric_row rows[METRIC_COUNT] = {
#define METRIC(id, name, unit, side, how, sentence)                                                          \
  {name, unit, METRIC_SIDE_##side, METRIC_##how, false, sentence},
#define MACHINE_METRIC(id, name, unit, side, how, sentence)                                                  \
  {name, unit, METRIC_SIDE_##side, METRIC_##how, true, sentence},
#include "measure/metrics.def"
};

const char *metric_side_name(metric_side side)
{
  static const char *const names[] = {
      [METRIC_SIDE_DATA_SINK] = "Data Sink",
      [METRIC_SIDE_DATA_SOURCE] = "Data Source",
      [METRIC_SIDE_PATH] = "path",
      [METRIC_SIDE_RUN] = "run",
  };

  g_assert((unsigned)side < G_N_ELEMENTS(names));
  return names[side];
}

const metric_row *metric_row_of(metric_id id)
{
  g_assert((unsigned)id < METRIC_COUNT);
  return &rows[id];
}

metric_id metric_find(const char *name)
{
  g_assert(name);
  metric_id id = 0;
  while (id < METRIC_COUNT && strcmp(rows[id].name, name) != 0) {
    id++;
  }
#define FORMER_NAME(of, former) id = strcmp(name, former) == 0 ? METRIC_##of : id;
#include "measure/metrics.def"
  return id;
}

void metric_values_set(metric_values *values, metric_id id, double value)
{
  g_assert((unsigned)id < METRIC_COUNT);
  values->value[id] = value;
  values->present[id] = true;
}

void metric_values_count(metric_values *values, metric_id id, uint64_t count)
{
  metric_combination how = metric_row_of(id)->how;
  double known = values->present[id] ? values->value[id] : 0;

  g_assert(how == METRIC_SUM || how == METRIC_MAX);
  metric_values_set(values, id, how == METRIC_SUM ? known + (double)count : MAX(known, (double)count));
}

/* --- How a run ended --- */

static const char *const status_names[RUN_STATUSES] = {
    [RUN_OK] = "ok", [RUN_TERMINATED] = "terminated", [RUN_STOPPED] = "stopped", [RUN_FAILED] = "failed"};

const char *run_status_name(run_status status)
{
  g_assert(status < RUN_STATUSES);
  return status_names[status];
}

run_status run_status_find(const char *name)
{
  run_status status = 0;
  while (status < RUN_STATUSES && strcmp(status_names[status], name) != 0) {
    status++;
  }
  return status;
}
