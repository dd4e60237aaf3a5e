/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim explain-peak prints the peak of the reassembly occupancy, and how a run failed, in sentences. */
#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_cost.h"
#include "cli/cli_run_trace.h"
#include "explain/explain_trace.h"

static int run(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  g_autofree char *ending = NULL;
  FILE *file = cli_run_trace_open(path, arguments, CLI_COST_EXPLAINED, &ending, error);
  g_autofree char *text = file ? explain_trace(file, path, error) : NULL;

  if (file) {
    fclose(file);
  }
  if (!text) {
    return CLI_USAGE;
  }
  g_autofree char *page = g_strconcat(text, ending, NULL);
  g_autofree char *lines = plain_text_wrap(page, terminal_of(stdout).columns);
  plain_text_print_page(stdout, terminal_of(stdout).shows ? lines : page); /* a sentence a line for grep */
  return CLI_OK;
}

static const GOptionEntry entries[] = {G_OPTION_ENTRY_NULL};

const cli_command cli_explain_peak = {
    .name = "explain-peak",
    .sentence = "explain what made the peak of a run, and how it failed",
    .arguments = "TRACE|DIR",
    .takes = FILE_RUN_FOLDER | FILE_TRACE,
    .summary = "Prints in words when the reassembly memory held most, what was missing then and why, and "
               "what waited "
               "for it; and, of a run that failed or was terminated, what caused that. A DIR is the folder "
               "of a run: its run.trace is read; without one the scenario of its summary.json is run again.",
    .example = "  iwarpsim run scenarios/one-loss-in-order.cfg\n"
               "  iwarpsim explain-peak results/one-loss-in-order\n",
    .entries = entries,
    .run = run,
};
