/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim check finds what is wrong with scenarios, and what a user should know about them, without running
 * any. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "platform/run_engine.h"
#include "scenario/scenario.h"
#include "scenario/scenario_forecast.h"
#include "scenario/scenario_topology.h"
#include "study/sweep/sweep_grid.h"

/* A grid larger than this is checked, but its points are not asked for notes: that would take longer than
 * anyone waits. */
enum { NOTED_POINTS_MAX = 10000 };

static struct {
  char **sets;
  gboolean json;
  gboolean draws;
} chosen;

/* Adds the notes of the points that `notes` has not: how many points have any, and the first, becomes one
 * more. */
static void note_points(const sweep_grid *grid, GPtrArray *notes)
{
  gsize count = sweep_grid_count(grid);
  gsize noted = 0;
  g_autofree char *first = NULL;

  for (gsize i = 0; i < count && count <= NOTED_POINTS_MAX; i++) {
    g_autoptr(GPtrArray) of_point = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(scenario) point = sweep_grid_scenario(grid, i);
    guint known = 0;

    scenario_check(point, of_point, NULL);
    while (known < of_point->len &&
           g_ptr_array_find_with_equal_func(notes, of_point->pdata[known], g_str_equal, NULL)) {
      known++;
    }
    if (known < of_point->len && noted++ == 0) {
      g_autofree char *label = sweep_grid_label(grid, i);
      first = g_strdup_printf("%s: %s", label, (const char *)of_point->pdata[known]);
    }
  }
  if (noted > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%zu of %zu %s %s notes of their own, the first is %s", noted, count,
                                    units_counted(count, "runs"), noted == 1 ? "has" : "have", first));
  }
}

/* Adds a note for each key that is given though its axis never gives it that value, as --set may. */
static void note_axes(const scenario *s, GPtrArray *notes)
{
  const scenario_axis *axes;
  const gsize count = scenario_axes(s, &axes);

  for (gsize i = 0; i < count; i++) {
    const char *origin = scenario_origin(s, axes[i].key);
    const char *value = scenario_value_text(s, axes[i].key);
    const gboolean is_set = origin != NULL && g_str_has_prefix(origin, "--set");

    if (axes[i].name != NULL) {
      continue; /* the list has other values than the axis */
    }
    if (is_set || (origin != NULL && !g_strv_contains((const char *const *)axes[i].values, value))) {
      g_ptr_array_add(notes,
                      g_strdup_printf("%s: %s = %s is for `iwarpsim run` alone: %s", origin,
                                      scenario_key_row_of(axes[i].key)->name, value,
                                      is_set ? "`iwarpsim sweep` refuses it, since the sweep gives the key "
                                               "the values of its axis"
                                             : "the sweep gives the key the values of its axis"));
    }
  }
}

/* Returns the cost of `s`, or of all runs of `grid` unless that is NULL; the memory is that of the largest
 * run. */
static run_cost cost_of(const scenario *s, const sweep_grid *grid)
{
  run_cost all = {0};

  for (gsize i = 0; grid != NULL && i < sweep_grid_count(grid); i++) {
    const run_cost one = sweep_grid_cost(grid, i);
    all = (run_cost){.segments = all.segments + one.segments,
                     .seconds = all.seconds + one.seconds,
                     .messages = all.messages + one.messages,
                     .payload_octets = all.payload_octets + one.payload_octets,
                     .memory_octets = MAX(all.memory_octets, one.memory_octets)};
  }
  return grid != NULL ? all : run_cost_of(s);
}

/* Prints the verdict. `grid` is NULL when nothing is swept. */
static void print_verdict(const scenario *s, const sweep_grid *grid, const run_cost *cost,
                          const GPtrArray *notes)
{
  const char *path = scenario_path(s);

  plain_text_print(stdout, "%s: ok", path);
  if (grid != NULL) {
    const gsize count = sweep_grid_count(grid);
    const sweep_grid_facts *facts = sweep_grid_facts_of(grid);
    plain_text_print(stdout, ", a sweep of %zu %s", count, units_counted(count, "runs"));
    if (facts->left_out > 0) {
      plain_text_print(stdout, ", %zu left out by where", facts->left_out);
    }
    if (facts->repeated > 0) {
      plain_text_print(stdout, ", %zu given twice", facts->repeated);
    }
  }
  g_autofree char *text = cli_cost_text(cost);
  plain_text_print(stdout, "\n%s: %s%s\n", path, text, grid != NULL ? " in the largest run" : "");
  for (guint i = 0; i < notes->len; i++) {
    plain_text_print(stdout, "%s: note: %s\n", path, (const char *)notes->pdata[i]);
  }
  g_autofree char *topology = scenario_topology_text(s, FALSE);
  plain_text_print_page(stdout, topology != NULL ? topology : "");
  g_autofree char *forecast = scenario_forecast_text(s);
  plain_text_print_page(stdout, forecast != NULL ? forecast : "");
}

/* Appends the verdict. `error` is NULL when nothing is wrong. */
static void append_verdict(const char *path, const sweep_grid *grid, const run_cost *cost,
                           const GPtrArray *notes, const GError *error, GString *json)
{
  json_open(json, "\n  ", NULL, '{');
  json_append_text(json, " ", "file", path);
  json_append_text(json, " ", "error", error != NULL ? error->message : NULL);
  json_append_number(json, " ", "runs",
                     error != NULL  ? 0
                     : grid != NULL ? (double)sweep_grid_count(grid)
                                    : 1);
  json_append_number(json, " ", "payload_octets", cost->payload_octets);
  json_append_number(json, " ", "messages", cost->messages);
  json_append_number(json, " ", "segments", round(cost->segments));
  json_append_number(json, " ", "time_s", cost->seconds > 0 ? cost->seconds * cli_cost_pace() : 0);
  json_append_number(json, " ", "memory_octets", round(cost->memory_octets));
  json_open(json, " ", "notes", '[');
  for (guint i = 0; error == NULL && i < notes->len; i++) {
    json_append_text(json, i == 0 ? "" : " ", NULL, notes->pdata[i]);
  }
  json_close(json, NULL, ']');
  json_close(json, " ", '}');
}

/* Prints what it finds or, with --json, appends it to `json`. FALSE: something is wrong. */
static gboolean check_scenario(const char *path, const cli_arguments *arguments, GString *json)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  const char *const *sets = (const char *const *)chosen.sets;
  GError *error = NULL;
  const scenario_axis *axes;
  g_autoptr(scenario) s =
      cli_operand_check(path, FILE_SCENARIO, &error) ? scenario_load(path, sets, &error) : NULL;
  const char *origin = s != NULL ? scenario_constraints_origin(s) : NULL;
  const gboolean swept = s != NULL && (scenario_axes(s, &axes) > 0 || origin != NULL);

  if (origin != NULL && scenario_axes(s, &axes) == 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%s: where leaves out points of a sweep, and there is no sweep", origin));
  }
  gboolean ok = s != NULL && scenario_check(s, notes, &error) && run_engine_check(s, &error);
  /* The points are those of the file, whatever of an axis is set: note_axes(). */
  g_autoptr(sweep_grid) grid =
      ok && swept ? cli_progress_grid(s, NULL, 0, cli_shows_progress(arguments), &error) : NULL;
  ok = ok && (!swept || grid != NULL);
  if (ok) {
    note_axes(s, notes);
  }
  if (grid != NULL && (chosen.json || !arguments->quiet)) {
    note_points(grid, notes);
  }
  g_autofree char *drawing = ok && chosen.draws ? scenario_topology_text(s, TRUE) : NULL;
  if (ok && chosen.draws && drawing == NULL) {
    ok =
        error_set(&error, "%s: --draw needs a graph, and topology.kind is path; expected another kind", path);
  }
  const run_cost cost = ok ? cost_of(s, grid) : (run_cost){0};
  if (!ok && arguments->count > 1 && g_str_has_prefix(error->message, "--set")) {
    g_prefix_error(&error, "%s: ", path); /* which may be the only one that it is wrong for */
  }
  if (chosen.json) {
    append_verdict(path, grid, &cost, notes, error, json);
  } else if (ok && !arguments->quiet) {
    print_verdict(s, grid, &cost, notes);
  }
  plain_text_print_page(stdout, drawing != NULL ? drawing : "");
  if (!ok) {
    cli_print_error(error);
  }
  return ok;
}

static int check(const cli_arguments *arguments, GError **error)
{
  const gboolean is_good =
      (arguments->count > 0 || cli_usage_error(error, "no scenario given; expected one or more files")) &&
      (!chosen.json || !chosen.draws || cli_usage_error(error, "--json and --draw; expected one of them"));
  int status = is_good ? CLI_OK : CLI_USAGE;

  g_autoptr(GString) json = g_string_new("[");
  for (guint i = 0; is_good && i < arguments->count; i++) {
    if (!check_scenario(arguments->rest[i], arguments, json)) {
      status = CLI_USAGE;
    }
  }
  if (chosen.json && is_good) {
    g_string_append(json, " ]\n");
    plain_text_print_page(stdout, json->str);
  }
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &chosen.sets, "override a key of each scenario", "GROUP.KEY=VALUE"),
    CLI_SWITCH("json", 0, &chosen.json,
               "a JSON array, an object for each scenario: file, error (null: none), runs, their cost, "
               "notes; errors are printed, too"),
    CLI_SWITCH("draw", 0, &chosen.draws,
               "print a graph in Graphviz's language DOT as well; with --quiet, alone"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_check = {
    .name = "check",
    .sentence = "report what is wrong with scenarios, without running them",
    .arguments = "SCENARIO...",
    .summary =
        "Checks scenarios, and every point of their sweeps, without running them. For each it prints that it "
        "is ok and what it costs, and what one should know about it, or on standard error the first thing "
        "that is wrong: file, line, what, and what was expected. Of a graph of hosts and switches it prints "
        "counts, oversubscription, round trips and routes, and what an incast overflows; of several kinds of "
        "traffic, and of messages that arrive, how many there are, and their load on links. The exit status "
        "is "
        "2 when any is wrong.",
    .example = "  iwarpsim check scenarios/*.cfg\n"
               "  iwarpsim check scenarios/mtu-loss.cfg --set tcp.receive_window=64KiB\n"
               "  iwarpsim check --quiet --draw scenarios/spray.cfg > spray.dot\n",
    .entries = entries,
    .run = check,
};
