/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim check: what is wrong with scenarios, and what a user should know about them, without running
 * any. */
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "platform/run_engine.h"
#include "scenario/scenario.h"
#include "study/sweep/sweep_grid.h"

/* A grid larger than this is checked, but its points are not asked for notes: that would take longer than
 * anyone waits. */
enum { NOTED_POINTS_MAX = 10000 };

static char **given_sets; /* --set */

/* The notes of the points that `of_base` has not: how many points have any, and the first. */
static void print_points_notes(const char *path, const sweep_grid *grid, const GPtrArray *of_base)
{
  gsize count = sweep_grid_count(grid);
  gsize noted = 0;
  g_autofree char *first = NULL;

  for (gsize i = 0; i < count && count <= NOTED_POINTS_MAX; i++) {
    g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(scenario) point = sweep_grid_scenario(grid, i);
    guint known = 0;

    scenario_check(point, notes, NULL);
    while (known < notes->len &&
           g_ptr_array_find_with_equal_func((GPtrArray *)of_base, notes->pdata[known], g_str_equal, NULL)) {
      known++;
    }
    if (known < notes->len && noted++ == 0) {
      g_autofree char *label = sweep_grid_label(grid, i);
      first = g_strdup_printf("%s: %s", label, (const char *)notes->pdata[known]);
    }
  }
  if (noted > 0) {
    plain_text_print(stdout, "%s: note: %zu of %zu runs have notes of their own, the first is %s\n", path,
                     noted, count, first);
  }
}

static gboolean check_sweep(const scenario *s, const GPtrArray *notes, const cli_arguments *arguments,
                            GError **error)
{
  const char *path = scenario_path(s);
  const char *const *sets = (const char *const *)given_sets;
  const scenario_axis *axes;
  gboolean swept = scenario_axes(s, &axes) > 0 || scenario_constraints_origin(s) != NULL;
  g_autoptr(sweep_grid) grid =
      swept ? cli_progress_grid(s, sets, 0, cli_shows_progress(arguments), error) : NULL;

  if ((swept && grid == NULL) || arguments->quiet) {
    return !swept || grid != NULL;
  }
  plain_text_print(stdout, "%s: ok", path);
  if (grid != NULL) {
    const gsize count = sweep_grid_count(grid);
    const sweep_grid_facts *facts = sweep_grid_facts_of(grid);
    plain_text_print(stdout, ", a sweep of %zu run%s", count, count == 1 ? "" : "s");
    if (facts->left_out > 0) {
      plain_text_print(stdout, ", %zu left out by where", facts->left_out);
    }
    if (facts->repeated > 0) {
      plain_text_print(stdout, ", %zu given twice", facts->repeated);
    }
  }
  plain_text_print(stdout, "\n");
  for (guint i = 0; i < notes->len; i++) {
    plain_text_print(stdout, "%s: note: %s\n", path, (const char *)notes->pdata[i]);
  }
  if (grid != NULL) {
    print_points_notes(path, grid, notes);
  }
  return TRUE;
}

static int check_scenario(const char *path, const cli_arguments *arguments)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  GError *error = NULL;
  const scenario_axis *axes;
  g_autoptr(scenario) s = cli_operand_check(path, CLI_SCENARIO, &error)
                              ? scenario_load(path, (const char *const *)given_sets, &error)
                              : NULL;
  const char *origin = s != NULL ? scenario_constraints_origin(s) : NULL;

  if (origin != NULL && scenario_axes(s, &axes) == 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%s: where leaves out points of a sweep, and there is no sweep", origin));
  }
  gboolean ok = s != NULL && scenario_check(s, notes, &error) && run_engine_check(s, &error) &&
                check_sweep(s, notes, arguments, &error);

  if (!ok && arguments->count > 1 && g_str_has_prefix(error->message, "--set")) {
    g_prefix_error(&error, "%s: ", path); /* which may be the only one that it is wrong for */
  }
  return ok ? CLI_OK : cli_fail(error);
}

static int check(const cli_arguments *arguments)
{
  int status = arguments->count > 0
                   ? CLI_OK
                   : cli_usage_error("check", "no scenario given; expected one or more files");

  for (guint i = 0; i < arguments->count; i++) {
    if (check_scenario(arguments->rest[i], arguments) != CLI_OK) {
      status = CLI_USAGE;
    }
  }
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &given_sets, "override a key of each scenario", "GROUP.KEY=VALUE"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_check = {
    .name = "check",
    .sentence = "report what is wrong with scenarios, without running them",
    .arguments = "SCENARIO...",
    .summary = "Checks scenarios, and every point of their sweeps, without running them. For each it "
               "prints that it is ok\n"
               "and what one should know about it, or on standard error the first thing that is wrong: "
               "file, line,\n"
               "what, and what was expected. The exit status is 2 when any is wrong.",
    .example = "  iwarpsim check scenarios/*.cfg\n"
               "  iwarpsim check scenarios/mtu-loss.cfg --set tcp.receive_window=64KiB\n",
    .entries = entries,
    .run = check,
};
