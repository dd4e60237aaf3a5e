/* SPDX-License-Identifier: GPL-2.0-only */
/* A test expects this of metrics. */
#pragma once

#include "fields.h"
#include "measure/metric_table.h"

/* Returns the value of a metric that must be present. */
static inline double metric_value(const metric_values *values, metric_id id)
{
  if (!values->present[id]) {
    g_error("metric %s has no value", metric_row_of(id)->name);
  }
  return values->value[id];
}

/* Metrics that are present and compare so: EXPECT_METRIC_VALUES(&values, (TCP_TIMEOUTS, >, 0), (MPA_FPDUS,
 * ==, fpdus)). */
#define EXPECT_METRIC_VALUES(values, ...)                                                                    \
  do {                                                                                                       \
    EACH(EXPECT_METRIC_, values, __VA_ARGS__)                                                                \
  } while (0)
#define EXPECT_METRIC_(values, expected) EXPECT_METRIC_OF_(values, EXPECT_BARE_ expected)
#define EXPECT_METRIC_OF_(...) EXPECT_METRIC_IS_(__VA_ARGS__)
#define EXPECT_METRIC_IS_(values, id, relation, expected)                                                    \
  g_assert_cmpfloat(metric_value(values, METRIC_##id), relation, (double)(expected));
