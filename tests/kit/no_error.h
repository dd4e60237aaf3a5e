/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that must succeed, of functions whose last argument is a GError **. */
#pragma once

#include <glib.h>

/* This is the value of function(arguments…, &error), which sets no error: NO_ERROR(scenario_load, path,
 * sets). */
#define NO_ERROR(function, ...)                                                                              \
  ({                                                                                                         \
    g_autoptr(GError) error_ = NULL;                                                                         \
    __typeof__(function(__VA_ARGS__, &error_)) value_ = function(__VA_ARGS__, &error_);                      \
    g_assert_no_error(error_);                                                                               \
    value_;                                                                                                  \
  })
