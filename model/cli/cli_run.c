/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim run: one scenario, one run, its results in a folder. */
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_results.h"
#include "scenario/scenario.h"
#include "session/simulation.h"

typedef struct run_options {
  char **sets;
  char *engine;
  char *directory;
  gboolean capture;
} run_options;

/* The scenario with --set and --engine in it; not checked yet. */
static scenario *load(const run_options *options, const cli_arguments *arguments, GError **error)
{
  scenario *s = scenario_load(arguments->rest[0], (const char *const *)options->sets, error);

  if (s && options->engine && !scenario_set_key(s, SCENARIO_RUN_ENGINE, options->engine, "--engine", error)) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

/* FALSE and `error` when keys contradict each other, or need an engine that is not there; notes on standard error. */
static gboolean check(const scenario *s, const cli_arguments *arguments, GError **error)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  gboolean good = scenario_check(s, notes, error) && run_engine_check(s, error);

  for (guint i = 0; good && !arguments->quiet && i < notes->len; i++) {
    plain_text_print(stderr, "note: %s\n", (const char *)notes->pdata[i]);
  }
  return good;
}

/* Progress. */

static void show_progress(const session_progress *progress, void *shown)
{
  cli_progress_show(shown, progress, g_get_monotonic_time());
}

/* The end. */

static int fail_run(GError *error)
{
  cli_fail(error);
  return CLI_FAILED;
}

static int run_into(const cli_results *results, const scenario *s, const run_options *options,
                    const cli_arguments *arguments)
{
  GError *error = NULL;
  session_result result;
  cli_progress shown = {.file = stderr, .started_us = g_get_monotonic_time()};
  const simulation_options how = {.directory = new_files_folder(results->files),
                                  .capture = options->capture,
                                  .progress = cli_shows_progress(arguments) ? show_progress : NULL,
                                  .progress_user = &shown};
  gboolean done = simulation_run(s, &how, &result, &error);
  cli_progress_clear(&shown);
  done = done && cli_results_report(results, s, &result, NULL, arguments->quiet, &error);
  new_files_name_places(results->files, error);
  int status = done ? cli_results_exit_code("run", s, &result) : fail_run(error);
  session_result_clear(&result);
  return status;
}

static int run_scenario(const scenario *s, const run_options *options, const cli_arguments *arguments)
{
  GError *error = NULL;
  cli_results results = {0};
  gboolean good = check(s, arguments, &error) && cli_results_begin(&results, s, options->directory, &error);
  int status = good ? run_into(&results, s, options, arguments) : cli_fail(error);

  cli_results_end(&results);
  return status;
}

int cli_run(int argc, char **argv)
{
  run_options options = {0};
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.sets, "override a key of the scenario",
       "GROUP.KEY=VALUE"},
      {"engine", 0, 0, G_OPTION_ARG_FILENAME, &options.engine, "auto, ns3 or native; as --set run.engine=…",
       "ENGINE"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &options.directory,
       "folder for the results (default: results/<scenario name>)", "DIR"},
      {"pcap", 0, 0, G_OPTION_ARG_NONE, &options.capture, "also write sender.pcap and receiver.pcap", NULL},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "SCENARIO",
      .operand = "SCENARIO",
      .summary = "Runs a scenario, prints a summary and writes summary.json and occupancy.csv.",
      .example = "  iwarpsim run scenarios/one-loss-markers.cfg --set path.forward.mtu=9000 --pcap\n",
  };

  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    GError *error = NULL;
    scenario *s = load(&options, &arguments, &error);
    status = s ? run_scenario(s, &options, &arguments) : cli_fail(error);
    scenario_free(s);
  }
  cli_free(entries, &arguments);
  return status;
}
