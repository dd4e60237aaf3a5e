/* SPDX-License-Identifier: GPL-2.0-only */
/* This makes a scenario out of a text, whose file is gone again. */
#pragma once

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "no_error.h"
#include "scenario/scenario.h"

/* Returns the scenario that has `text` in its file, with `sets` ("group.key=value", NULL-terminated; NULL:
 * none), not yet checked. Free with scenario_free(). */
static inline scenario *temporary_scenario(const char *text, const char *const *sets)
{
  static const char *const nothing[] = {NULL};
  char *name = NULL;
  int file = NO_ERROR(g_file_open_tmp, "temporary-XXXXXX.cfg", &name);

  g_assert_cmpint(write(file, text, strlen(text)), ==, (gssize)strlen(text));
  g_close(file, NULL);
  scenario *s = NO_ERROR(scenario_load, name, sets ? sets : nothing);
  g_remove(name);
  g_free(name);
  return s;
}
