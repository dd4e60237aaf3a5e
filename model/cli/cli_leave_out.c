/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_leave_out.h"

#include <string.h>

#include "cli/cli.h"
#include "scenario/scenario_problem.h"
#include "study/table/study_table.h"

static const struct {
  const char *name;
  study_flag flag;
} rows[] = {{"timeouts", STUDY_FLAG_TIMEOUTS},
            {"spurious", STUDY_FLAG_SPURIOUS},
            {"lost", STUDY_FLAG_LOST_RETRANSMISSIONS}};

/* The flag called `name`; 0 when there is none. */
static guint flag_of(const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return rows[i].flag;
    }
  }
  return 0;
}

static int unknown_flag(const char *command, const char *name)
{
  const char *names[G_N_ELEMENTS(rows) + 1] = {NULL};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    names[i] = rows[i].name;
  }
  const char *nearest = scenario_suggest(name, names);
  if (nearest != NULL) {
    return cli_usage_error(command, "--leave-out %s: no such flag; did you mean %s?", name, nearest);
  }
  return cli_usage_error(command, "--leave-out %s: no such flag; expected timeouts, spurious or lost", name);
}

int cli_leave_out_parse(const char *command, const char *text, guint *flags)
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
