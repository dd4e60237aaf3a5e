/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim report: a store as one page to read. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_exclude.h"
#include "cli/cli_output.h"
#include "study/report/html_report.h"

static int write_report(const html_report_options *options, gboolean quiet)
{
  GError *error = NULL;
  result_store *store = result_store_open(options->store, RESULT_STORE_READ, &error);
  if (store == NULL) {
    return cli_fail(error);
  }
  g_autofree char *page = html_report_make(store, options, &error);
  result_store_close(store);
  if (page == NULL) {
    return cli_fail(error);
  }
  if (!cli_output_write(options->page, page, strlen(page), &error)) {
    return cli_fail(error);
  }
  if (!quiet) {
    plain_text_print(stdout, "%s\n", options->page);
  }
  return CLI_OK;
}

int cli_report(int argc, char **argv)
{
  char *out = NULL, *exclude = NULL;
  html_report_options options = {.version = cli_version()};
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "page to write (default: the store's name with .html)",
       "FILE"},
      {"leave-out", 0, 0, G_OPTION_ARG_FILENAME, &exclude, CLI_EXCLUDE_SENTENCE, CLI_EXCLUDE_VALUE},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .operand = "STORE",
      .summary =
          "Writes one HTML page about a sweep's STORE: the question, the answer, plots, tables with "
          "intervals, flags, provenance and the command that reproduces it. The page needs nothing else.",
      .example = "  iwarpsim report results/mtu-loss.sqlite -o mtu-loss.html\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    status = cli_exclude_parse("report", exclude, &options.exclude);
    if (status == CLI_OK) {
      const char *store = arguments.rest[0];
      size_t stem = strlen(store) - (g_str_has_suffix(store, ".sqlite") ? strlen(".sqlite") : 0);
      g_autofree char *beside = g_strdup_printf("%.*s.html", (int)stem, store);
      options.store = store;
      options.page = out != NULL ? out : beside;
      status = write_report(&options, arguments.quiet);
    }
  }
  cli_free(entries, &arguments);
  return status;
}
