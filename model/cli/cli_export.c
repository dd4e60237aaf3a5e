/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim export: a store as CSV. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/cli_output.h"
#include "study/store/csv_export.h"

/* All of the CSV, so that a store which turns out to be damaged leaves no half of it. Free with free(); NULL and `error` on failure. */
static char *make_csv(const char *store_path, gsize *length, GError **error)
{
  char *text = NULL;
  result_store *store = result_store_open(store_path, RESULT_STORE_READ, error);
  if (store == NULL) {
    return NULL;
  }
  FILE *memory = open_memstream(&text, length);
  g_assert(memory != NULL);
  gboolean good = csv_export_write(store, memory, error);
  fclose(memory);
  result_store_close(store);
  if (!good) {
    g_clear_pointer(&text, free);
  }
  return text;
}

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
    gsize length = 0;
    char *text = make_csv(arguments.rest[0], &length, &error);
    gboolean good = text != NULL && cli_output_write(csv, text, length, &error);
    free(text);
    status = good ? CLI_OK : cli_fail(error);
  }
  cli_free(entries, &arguments);
  return status;
}
