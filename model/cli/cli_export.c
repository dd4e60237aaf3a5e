/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim export: a store as CSV. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_output.h"
#include "study/table/result_table.h"

int cli_export(int argc, char **argv)
{
  char *csv = NULL;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "file to write (default: standard output)", "FILE"},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .operand = "STORE",
      .summary = "Writes a result store as CSV: one row a run, its parameters, metrics and status.",
      .example = "  iwarpsim export results/mtu-loss.sqlite --csv mtu-loss.csv\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    GError *error = NULL;
    result_store *store = result_store_open(arguments.rest[0], RESULT_STORE_READ, &error);
    /* All of it at once, so that a store which turns out to be damaged leaves no half of it. */
    g_autofree char *text = store != NULL ? result_store_csv(store, &error) : NULL;
    gboolean good = text != NULL && cli_output_write(csv, text, strlen(text), &error);
    result_store_close(store);
    status = good ? CLI_OK : cli_fail(error);
  }
  cli_free(entries, &arguments);
  return status;
}
