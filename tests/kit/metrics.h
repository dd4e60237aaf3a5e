/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics as a test expects them. */
#pragma once

#include "fields.h"
#include "measure/metric_table.h"

/* These metrics are present and have these values: EXPECT_METRICS(&values, (TCP_SEGMENTS, 6),
 * (MPA_FPDUS, 4)). */
#define EXPECT_METRICS(metrics, ...)                                                                         \
  do {                                                                                                       \
    EACH(EXPECT_METRIC_, metrics, __VA_ARGS__)                                                               \
  } while (0)
#define EXPECT_METRIC_(metrics, pair) EXPECT_METRIC_PAIR_(metrics, EXPECT_BARE_ pair)
#define EXPECT_METRIC_PAIR_(...) EXPECT_METRIC_IS_(__VA_ARGS__)
#define EXPECT_METRIC_IS_(metrics, name, expected)                                                           \
  g_assert_true((metrics)->present[METRIC_##name]);                                                          \
  g_assert_cmpfloat((metrics)->value[METRIC_##name], ==, expected);
