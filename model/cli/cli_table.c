/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim table: the results of a sweep in the terminal. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_exclude.h"
#include "cli/cli_output.h"
#include "study/table/result_table.h"

typedef struct table_options {
  char **metrics;
  char *pair;
  char *exclude;
  char *csv;
} table_options;

/* What --metric names, or the defaults. NULL: `*status` says why not. */
static GArray *read_quantities(char *const *metrics, int *status)
{
  if (metrics == NULL) {
    return result_quantity_defaults();
  }
  GArray *quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  for (gsize i = 0; metrics[i] != NULL; i++) {
    g_autoptr(GError) error = NULL;
    result_quantity quantity;
    if (!result_quantity_read(metrics[i], &quantity, &error)) {
      *status = cli_usage_error("table", "--metric: %s", error->message);
      g_clear_pointer(&quantities, g_array_unref);
      return NULL;
    }
    g_array_append_val(quantities, quantity);
  }
  return quantities;
}

static int print_request(const result_request *request, const char *csv)
{
  if (csv == NULL) {
    g_autofree char *text = result_table_text(request);
    plain_text_print_page(stdout, text);
    return CLI_OK;
  }
  GError *error = NULL;
  g_autofree char *text = result_table_csv(request);
  return cli_output_write(csv, text, strlen(text), &error) ? CLI_OK : cli_fail(error);
}

static int print_table(const study_table *table, const GArray *quantities, guint exclude,
                       const table_options *options)
{
  result_request request = {.table = table, .quantities = quantities, .exclude = exclude};
  if (options->pair == NULL) {
    return print_request(&request, options->csv);
  }
  g_autoptr(GError) error = NULL;
  result_pairing pairing;
  if (!result_pairing_read(options->pair, table, &pairing, &error)) {
    return cli_usage_error("table", "--pair %s: %s", options->pair, error->message);
  }
  request.pairing = &pairing;
  int status = print_request(&request, options->csv);
  result_pairing_clear(&pairing);
  return status;
}

static int table_of_store(const char *path, const table_options *options)
{
  guint exclude;
  int status = cli_exclude_parse("table", options->exclude, &exclude);
  g_autoptr(GArray) quantities = status == CLI_OK ? read_quantities(options->metrics, &status) : NULL;
  if (quantities == NULL) {
    return status;
  }
  GError *error = NULL;
  result_store *store = result_store_open(path, RESULT_STORE_READ, &error);
  if (store == NULL) {
    return cli_fail(error);
  }
  study_table *table = study_table_read(store, exclude, &error);
  result_store_close(store);
  if (table == NULL) {
    if (error->domain == STUDY_TABLE_ERROR) {
      g_prefix_error(&error, "%s: ", path);
    }
    return cli_fail(error);
  }
  status = print_table(table, quantities, exclude, options);
  study_table_free(table);
  return status;
}

int cli_table(int argc, char **argv)
{
  table_options options = {NULL};
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"metric", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.metrics,
       "a metric to tabulate, or A/B for the share of one in another (may be repeated)", "NAME"},
      {"pair", 0, 0, G_OPTION_ARG_FILENAME, &options.pair,
       "print the differences between runs whose KEY is A and B, over the same seeds", "KEY=A,B"},
      {"leave-out", 0, 0, G_OPTION_ARG_FILENAME, &options.exclude, CLI_EXCLUDE_SENTENCE, CLI_EXCLUDE_VALUE},
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &options.csv, "write the table to FILE as CSV, values as measured",
       "FILE"},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .operand = "STORE",
      .summary = "Prints the results of a sweep's STORE: of each point the mean over its seeds with the 95 % "
                 "interval, median and quartiles.",
      .example = "  iwarpsim table results/mtu-loss.sqlite\n"
                 "  iwarpsim table results/mtu-loss.sqlite --metric goodput_bit_per_s --leave-out timeouts\n"
                 "  iwarpsim table results/mtu-loss.sqlite --pair receiver.mode=in-order,out-of-order\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    status = table_of_store(arguments.rest[0], &options);
  }
  cli_free(entries, &arguments);
  return status;
}
