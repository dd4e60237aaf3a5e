/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests of both versions of IP. */
#pragma once

#include "test.h"

/* This is a test for IPv4 and one for IPv6; its body has `version`, which is 4 or 6. */
#define VERSION_TEST(name)                                                                                   \
  static void name(unsigned version);                                                                        \
  TEST(name##_4)                                                                                             \
  {                                                                                                          \
    name(4);                                                                                                 \
  }                                                                                                          \
  TEST(name##_6)                                                                                             \
  {                                                                                                          \
    name(6);                                                                                                 \
  }                                                                                                          \
  static void name(unsigned version)
