/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists in the arguments of a macro: what a test gives for several fields, in one call. */
#pragma once

#include <glib.h>

/* This is MACRO(context, argument) for each of up to 16 arguments. */
#define EACH_1(macro, context, one) macro(context, one)
#define EACH_2(macro, context, one, ...) macro(context, one) EACH_1(macro, context, __VA_ARGS__)
#define EACH_3(macro, context, one, ...) macro(context, one) EACH_2(macro, context, __VA_ARGS__)
#define EACH_4(macro, context, one, ...) macro(context, one) EACH_3(macro, context, __VA_ARGS__)
#define EACH_5(macro, context, one, ...) macro(context, one) EACH_4(macro, context, __VA_ARGS__)
#define EACH_6(macro, context, one, ...) macro(context, one) EACH_5(macro, context, __VA_ARGS__)
#define EACH_7(macro, context, one, ...) macro(context, one) EACH_6(macro, context, __VA_ARGS__)
#define EACH_8(macro, context, one, ...) macro(context, one) EACH_7(macro, context, __VA_ARGS__)
#define EACH_9(macro, context, one, ...) macro(context, one) EACH_8(macro, context, __VA_ARGS__)
#define EACH_10(macro, context, one, ...) macro(context, one) EACH_9(macro, context, __VA_ARGS__)
#define EACH_11(macro, context, one, ...) macro(context, one) EACH_10(macro, context, __VA_ARGS__)
#define EACH_12(macro, context, one, ...) macro(context, one) EACH_11(macro, context, __VA_ARGS__)
#define EACH_13(macro, context, one, ...) macro(context, one) EACH_12(macro, context, __VA_ARGS__)
#define EACH_14(macro, context, one, ...) macro(context, one) EACH_13(macro, context, __VA_ARGS__)
#define EACH_15(macro, context, one, ...) macro(context, one) EACH_14(macro, context, __VA_ARGS__)
#define EACH_16(macro, context, one, ...) macro(context, one) EACH_15(macro, context, __VA_ARGS__)
#define EACH_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, name, ...) name
#define EACH(macro, context, ...)                                                                            \
  EACH_OF(__VA_ARGS__, EACH_16, EACH_15, EACH_14, EACH_13, EACH_12, EACH_11, EACH_10, EACH_9, EACH_8,        \
          EACH_7, EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1)                                            \
  (macro, context, __VA_ARGS__)

/* This is a value of `type` that is `from` but for what the arguments set: WITH(tcp_config,
 * tcp_config_default(), .rack = false, .prr = false). */
#define WITH(type, from, ...)                                                                                \
  ({                                                                                                         \
    type with_ = (from);                                                                                     \
    EACH(WITH_FIELD_, with_, __VA_ARGS__)                                                                    \
    with_;                                                                                                   \
  })
#define WITH_FIELD_(with, assignment) with assignment;

/* Unsigned fields of the struct at `pointer` have these values: EXPECT_FIELDS(counts, (sent, 3), (lost,
 * 0)). */
#define EXPECT_FIELDS(pointer, ...)                                                                          \
  do {                                                                                                       \
    EACH(EXPECT_FIELD_, pointer, __VA_ARGS__)                                                                \
  } while (0)
#define EXPECT_FIELD_(pointer, pair) EXPECT_FIELD_PAIR_(pointer, EXPECT_BARE_ pair)
#define EXPECT_BARE_(...) __VA_ARGS__
#define EXPECT_FIELD_PAIR_(...) EXPECT_FIELD_IS_(__VA_ARGS__)
#define EXPECT_FIELD_IS_(pointer, field, value) g_assert_cmpuint((pointer)->field, ==, value);
