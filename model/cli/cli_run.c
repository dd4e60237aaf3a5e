/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim run: one scenario, one run, its results in a folder. */
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_results.h"
#include "scenario/scenario.h"
#include "session/simulation.h"

static struct {
  char **sets;
  char *engine;
  char *directory;
  gboolean capture;
} options;

static void show_progress(const session_progress *progress, void *shown)
{
  cli_progress_show(shown, progress, g_get_monotonic_time());
}

static int run_into(const cli_results *results, const scenario *s, const cli_arguments *arguments)
{
  GError *error = NULL;
  session_result result;
  cli_progress shown = {.file = stderr, .started_us = g_get_monotonic_time()};
  const simulation_options how = {.directory = new_files_folder(results->files),
                                  .capture = options.capture,
                                  .progress = cli_shows_progress(arguments) ? show_progress : NULL,
                                  .progress_user = &shown};
  gboolean done = simulation_run(s, &how, &result, &error);
  cli_progress_clear(&shown);
  done = done && cli_results_report(results, s, &result, NULL, arguments->quiet, &error);
  new_files_name_places(results->files, error);
  int status = done ? cli_results_exit_code("run", s, &result) : CLI_FAILED;
  if (!done) {
    cli_fail(error);
  }
  session_result_clear(&result);
  return status;
}

/* Keys may contradict each other, or need an engine that is not there; notes go to standard error. */
static int run(const cli_arguments *arguments)
{
  GError *error = NULL;
  cli_results results = {0};
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(scenario) s = scenario_load(arguments->rest[0], (const char *const *)options.sets, &error);
  gboolean good = s != NULL &&
                  (options.engine == NULL ||
                   scenario_set_key(s, SCENARIO_RUN_ENGINE, options.engine, "--engine", &error)) &&
                  scenario_check(s, notes, &error) && run_engine_check(s, &error);
  for (guint i = 0; good && !arguments->quiet && i < notes->len; i++) {
    plain_text_print(stderr, "note: %s\n", (const char *)notes->pdata[i]);
  }
  good = good && cli_results_begin(&results, s, options.directory, &error);
  int status = good ? run_into(&results, s, arguments) : cli_fail(error);
  cli_results_end(&results);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &options.sets, "override a key of the scenario", "GROUP.KEY=VALUE"),
    CLI_TEXT("engine", 0, &options.engine, "auto, ns3 or native; as --set run.engine=…", "ENGINE"),
    CLI_TEXT("out", 'o', &options.directory, "folder for the results (default: results/<scenario name>)",
             "DIR"),
    CLI_SWITCH("pcap", 0, &options.capture, "also write sender.pcap and receiver.pcap"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_run = {
    .name = "run",
    .forms = "SCENARIO",
    .sentence = "run a scenario once, print a summary, write its results",
    .arguments = "SCENARIO",
    .operand = "SCENARIO",
    .summary = "Runs a scenario, prints a summary and writes summary.json and occupancy.csv.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --set path.forward.mtu=9000 --pcap\n",
    .entries = entries,
    .run = run,
};
