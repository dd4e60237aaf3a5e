/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of what a flag changes. */
#pragma once

#include "test.h"

/* A test that runs twice: its `flag` is false, then true. */
#define FLAG_TEST(name, flag)                                                                                \
  static void name##_with(bool flag);                                                                        \
  TEST(name)                                                                                                 \
  {                                                                                                          \
    for (int value = 0; value < 2; value++) {                                                                \
      g_test_message("%s: %d", #flag, value);                                                                \
      name##_with(value);                                                                                    \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_with(bool flag)
