/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim show prints the result of a run or a replay, as it was printed then. */
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_answer.h"
#include "cli/cli_run.h"
#include "cli/cli_run_trace.h"
#include "scenario/configuration.h"

static gboolean all;

static int show(const cli_arguments *arguments, GError **error)
{
  const char *directory = arguments->rest[0];
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(path, error);
  g_autoptr(scenario) s = record != NULL ? cli_run_scenario(record, path, TRUE, error) : NULL;
  if (s == NULL) {
    return CLI_USAGE;
  }
  const summary_replay replay = {.facts = (const summary_fact *)(gpointer)record->facts->data,
                                 .fact_count = record->facts->len};
  const session_result result = {.status = record->status,
                                 .message = record->message,
                                 .terminate_code = record->terminate_code,
                                 .terminate_side = record->terminate_side,
                                 .results = record->results};
  summary page = cli_results_summary(s, &result, record->is_replay ? &replay : NULL);
  page.version = record->version;
  page.git = record->git;
  page.engine = record->engine;
  page.ns3_version = record->ns3_version;
  if (all) {
    summary_print(&page, s, stdout);
    plain_text_print(stdout, "\nresults in %s\n", directory);
  } else {
    cli_answer_print(&page, s, directory);
  }
  cli_results_print_notes(arguments->quiet ? NULL : (const char *const *)record->notes);
  return CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_RESULTS_ALL(all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_show = {
    .name = "show",
    .sentence = "print the result of a run again",
    .arguments = "DIR",
    .takes = FILE_RUN_FOLDER,
    .summary = "Prints what 'run' or 'replay' printed when it wrote DIR, from the summary.json there: the "
               "answer in some ten lines, or with --all every metric. Nothing is run.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg\n"
               "  iwarpsim show results/one-loss-markers --all\n",
    .entries = entries,
    .run = show,
};
