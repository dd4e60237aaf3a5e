/* SPDX-License-Identifier: GPL-2.0-only */
/* A test is written TEST(test_name) { … }. It is registered before main() runs, in the order of its file, as
 * /file/name without the "test_" of either, and kit/test_main.c runs what is registered. A file that takes
 * arguments has its own main() and calls GLib's functions there. */
#pragma once

#include "fields.h"

#define TEST(name)                                                                                           \
  static void name(void);                                                                                    \
  __attribute__((constructor)) static void register_##name(void)                                             \
  {                                                                                                          \
    g_autofree char *path = test_path(__FILE__, #name);                                                      \
    g_test_add_func(path, name);                                                                             \
  }                                                                                                          \
  static void name(void)

/* This is the same for a test of a GLib fixture `f`, which set_up and tear_down get with `data`. A file names
 * its fixture once: #define FIXTURE_TEST(name) TEST_WITH(…, name). */
#define TEST_WITH(fixture, data, set_up, tear_down, name)                                                    \
  static void name(fixture *f, gconstpointer unused);                                                        \
  __attribute__((constructor)) static void register_##name(void)                                             \
  {                                                                                                          \
    g_autofree char *path = test_path(__FILE__, #name);                                                      \
    g_test_add(path, fixture, data, set_up, name, tear_down);                                                \
  }                                                                                                          \
  static void name(fixture *f, G_GNUC_UNUSED gconstpointer unused)

/* This is the same for a test of a `variable` that the `expression` makes and g_autoptr(type) frees. */
#define TEST_OF(type, variable, expression, name)                                                            \
  static void name##_of(type *variable);                                                                     \
  TEST(name)                                                                                                 \
  {                                                                                                          \
    g_autoptr(type) variable = expression;                                                                   \
    name##_of(variable);                                                                                     \
  }                                                                                                          \
  static void name##_of(type *variable)

/* This is a test for each row `c` of the array `cases`: the path of a row's ends in its `name`. */
#define EACH_TEST(test, type, cases)                                                                         \
  static void test(const type *c);                                                                           \
  static void test##_of(gconstpointer row)                                                                   \
  {                                                                                                          \
    test(row);                                                                                               \
  }                                                                                                          \
  __attribute__((constructor)) static void register_##test(void)                                             \
  {                                                                                                          \
    g_autofree char *path = test_path(__FILE__, #test);                                                      \
    for (gsize row = 0; row < G_N_ELEMENTS(cases); row++) {                                                  \
      g_autofree char *of_row = g_strdup_printf("%s/%s", path, cases[row].name);                             \
      g_test_add_data_func(of_row, &cases[row], test##_of);                                                  \
    }                                                                                                        \
  }                                                                                                          \
  static void test(const type *c)

/* This is the same for rows without names: the path of a row's ends in its number, from 1. */
#define ROW_TEST(test, rows)                                                                                 \
  static void test(const __typeof__((rows)[0]) *c);                                                          \
  static void test##_of(gconstpointer row)                                                                   \
  {                                                                                                          \
    test(row);                                                                                               \
  }                                                                                                          \
  __attribute__((constructor)) static void register_##test(void)                                             \
  {                                                                                                          \
    g_autofree char *path = test_path(__FILE__, #test);                                                      \
    for (gsize row = 0; row < G_N_ELEMENTS(rows); row++) {                                                   \
      g_autofree char *of_row = g_strdup_printf("%s/%" G_GSIZE_FORMAT, path, row + 1);                       \
      g_test_add_data_func(of_row, &(rows)[row], test##_of);                                                 \
    }                                                                                                        \
  }                                                                                                          \
  static void test(const __typeof__((rows)[0]) *c)

/* Returns the path in GLib's tree of the test `name` in the source file `file`; the caller frees it. */
char *test_path(const char *file, const char *name);
