/* SPDX-License-Identifier: GPL-2.0-only */
/* A text must have this in it. */
#pragma once

#include <glib.h>
#include <string.h>

#include "string_list.h"

static inline void expect_parts(const char *text, const char *const *parts)
{
  for (; *parts != NULL; parts++) {
    if (strstr(text, *parts) == NULL) {
      g_error("'%s' is not in '%s'", *parts, text);
    }
  }
}

/* Each of the strings is part of `text`, in whatever order. */
#define EXPECT_PARTS(text, ...) expect_parts(text, STRINGS(__VA_ARGS__))
