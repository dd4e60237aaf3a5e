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

/* --- Gauges --- */

static const gauge_row gauges[GAUGE_COUNT] = {
#define IN_OCCUPANCY(id, metric, unit, side, gauge, name, suffix, sentence)                                  \
  [GAUGE_##gauge] = {name, suffix, METRIC_##id},
#include "measure/metrics.def"
};

const gauge_row *gauge_row_of(gauge_id id)
{
  g_assert((unsigned)id < GAUGE_COUNT);
  return &gauges[id];
}

gauge_id gauge_of_peak(metric_id peak)
{
  gauge_id id = 0;
  while (id < GAUGE_COUNT && gauges[id].peak != peak) {
    id++;
  }
  return id;
}

/* --- Quantiles --- */

enum { PARTS_OF_PERCENT = QUANTILE_PARTS / 100, DECIMALS = 7 };

char *quantile_percentage(uint32_t parts)
{
  char *text = g_strdup_printf("%u.%07u", parts / PARTS_OF_PERCENT, parts % PARTS_OF_PERCENT);
  char *end = text + strlen(text);
  while (end[-1] == '0') {
    *--end = '\0';
  }
  if (end[-1] == '.') {
    end[-1] = '\0';
  }
  return text;
}

uint32_t quantile_parts(double share)
{
  double parts = share * QUANTILE_PARTS;
  return parts >= 0.5 && parts <= QUANTILE_PARTS ? (uint32_t)(parts + 0.5) : 0;
}

/* Reads the percentage at `*text`, digits with at most DECIMALS after a point; 0 when it is none from above 0
 * to 100. */
static uint32_t read_percentage(const char **text)
{
  uint64_t parts = 0;
  int decimals = -1; /* those after the point, from which on they are counted */
  const char *c = *text;
  for (; decimals < DECIMALS && parts <= QUANTILE_PARTS; c++) {
    if (g_ascii_isdigit(*c)) {
      parts = parts * 10 + (uint64_t)(*c - '0');
      decimals += decimals >= 0;
    } else if (*c == '.' && decimals < 0 && g_ascii_isdigit(c[1])) {
      decimals = 0;
    } else {
      break;
    }
  }
  for (int i = MAX(decimals, 0); i < DECIMALS && parts <= QUANTILE_PARTS; i++) {
    parts *= 10;
  }
  *text = c;
  return parts <= QUANTILE_PARTS ? (uint32_t)parts : 0;
}

bool quantile_find(const char *name, gauge_id *gauge, uint32_t *parts)
{
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    const char *rest = name + strlen(gauges[id].name);
    if (g_str_has_prefix(name, gauges[id].name) && g_str_has_prefix(rest, "_p")) {
      rest += strlen("_p");
      *gauge = id;
      *parts = read_percentage(&rest);
      return *parts > 0 && strcmp(rest, gauges[id].suffix) == 0;
    }
  }
  return false;
}

char *quantile_name(gauge_id gauge, uint32_t parts)
{
  char *percentage = quantile_percentage(parts);
  char *name = g_strconcat(gauges[gauge].name, "_p", percentage, gauges[gauge].suffix, NULL);
  g_free(percentage);
  return name;
}

size_t gauge_quantiles_find(const gauge_quantiles *of, uint32_t parts)
{
  size_t i = 0;
  while (i < of->count && of->parts[i] != parts) {
    i++;
  }
  return i;
}
