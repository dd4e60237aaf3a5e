/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_exclude.h"

#include <string.h>

#include "cli/cli.h"
#include "scenario/scenario_problem.h"
#include "study/table/study_table.h"

/* The flag called `name`; 0 when there is none. */
static guint flag_of(const char *name)
{
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    if (strcmp(study_flag_row_of(bit)->name, name) == 0) {
      return 1U << bit;
    }
  }
  return 0;
}

static int unknown_flag(const char *command, const char *name)
{
  const char *names[STUDY_FLAGS + 1] = {NULL};
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    names[bit] = study_flag_row_of(bit)->name;
  }
  const char *nearest = scenario_suggest(name, names);
  if (nearest != NULL) {
    return cli_usage_error(command, "--leave-out %s: no such flag; did you mean %s?", name, nearest);
  }
  return cli_usage_error(command, "--leave-out %s: no such flag; expected timeouts, spurious or lost", name);
}

int cli_exclude_parse(const char *command, const char *text, guint *flags)
{
  *flags = 0;
  g_auto(GStrv) names = g_strsplit(text != NULL ? text : "", ",", -1);
  for (gsize i = 0; names[i] != NULL; i++) {
    const char *name = g_strstrip(names[i]);
    if (flag_of(name) == 0) {
      return unknown_flag(command, name);
    }
    *flags |= flag_of(name);
  }
  return CLI_OK;
}
