/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim table, report, export and merge: a store as a table in the terminal, as one page to read, as CSV,
 * and as a part of another. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "study/report/html_report.h"
#include "study/table/result_table.h"

/* --- table --- */

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
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  for (gsize i = 0; metrics[i] != NULL; i++) {
    g_autoptr(GError) error = NULL;
    result_quantity quantity;
    if (!result_quantity_read(metrics[i], &quantity, &error)) {
      *status = cli_usage_error("table", "--metric: %s", error->message);
      return NULL;
    }
    g_array_append_val(quantities, quantity);
  }
  return g_steal_pointer(&quantities);
}

static int print_table(const study_table *table, const GArray *quantities, guint exclude,
                       const table_options *options)
{
  GError *error = NULL;
  result_pairing pairing = {0};
  const result_request request = {.table = table,
                                  .quantities = quantities,
                                  .exclude = exclude,
                                  .pairing = options->pair != NULL ? &pairing : NULL};
  gboolean good = TRUE;
  if (options->pair != NULL && !result_pairing_read(options->pair, table, &pairing, &error)) {
    int status = cli_usage_error("table", "--pair %s: %s", options->pair, error->message);
    g_error_free(error);
    return status;
  }
  if (options->csv == NULL) {
    g_autofree char *text = result_table_text(&request);
    plain_text_print_page(stdout, text);
  } else {
    g_autofree char *text = result_table_csv(&request);
    good = cli_output_write(options->csv, text, strlen(text), &error);
  }
  result_pairing_clear(&pairing);
  return good ? CLI_OK : cli_fail(error);
}

static int table_of_store(const char *path, const table_options *options)
{
  GError *error = NULL;
  guint exclude;
  int status = CLI_OK;
  gboolean good = cli_parse_exclude("table", options->exclude, &exclude, &status);
  g_autoptr(GArray) quantities = good ? read_quantities(options->metrics, &status) : NULL;
  if (quantities == NULL) {
    return status;
  }
  study_table *table = cli_read_table(path, exclude, &error);
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
      CLI_TEXTS("metric", 0, &options.metrics,
                "a metric to tabulate, or A/B for the share of one in another (may be repeated)", "NAME"),
      CLI_TEXT("pair", 0, &options.pair,
               "print the differences between runs whose KEY is A and B, over the same seeds", "KEY=A,B"),
      CLI_EXCLUDE(&options.exclude),
      CLI_TEXT("csv", 0, &options.csv, "write the table to FILE as CSV, values as measured", "FILE"),
      G_OPTION_ENTRY_NULL,
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

/* --- report --- */

static int write_report(const html_report_options *options, gboolean quiet)
{
  GError *error = NULL;
  result_store *store = result_store_open(options->store, RESULT_STORE_READ, &error);
  g_autofree char *page = store != NULL ? html_report_make(store, options, &error) : NULL;
  result_store_close(store);
  if (page == NULL || !cli_output_write(options->page, page, strlen(page), &error)) {
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
  html_report_options options = {.version = IWARPSIM_VERSION};
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      CLI_TEXT("out", 'o', &out, "page to write (default: the store's name with .html)", "FILE"),
      CLI_EXCLUDE(&exclude),
      G_OPTION_ENTRY_NULL,
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .operand = "STORE",
      .summary =
          "Writes one HTML page about a sweep's STORE: the question, the answer, plots, tables with "
          "intervals, flags, provenance and the command that reproduces it. The page needs nothing else.",
      .example = "  iwarpsim report results/mtu-loss.sqlite -o mtu-loss.html\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status) &&
      cli_parse_exclude("report", exclude, &options.exclude, &status)) {
    const char *store = arguments.rest[0];
    size_t stem = strlen(store) - (g_str_has_suffix(store, ".sqlite") ? strlen(".sqlite") : 0);
    g_autofree char *beside = g_strdup_printf("%.*s.html", (int)stem, store);
    options.store = store;
    options.page = out != NULL ? out : beside;
    status = write_report(&options, arguments.quiet);
  }
  cli_free(entries, &arguments);
  return status;
}

/* --- export --- */

static int export_store(const char *path, const char *csv)
{
  GError *error = NULL;
  result_store *store = result_store_open(path, RESULT_STORE_READ, &error);
  /* All of it at once, so that a store which turns out to be damaged leaves no half of it. */
  g_autofree char *text = store != NULL ? result_store_csv(store, &error) : NULL;
  gboolean good = text != NULL && cli_output_write(csv, text, strlen(text), &error);
  result_store_close(store);
  return good ? CLI_OK : cli_fail(error);
}

int cli_export(int argc, char **argv)
{
  char *csv = NULL;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      CLI_TEXT("csv", 0, &csv, "file to write (default: standard output)", "FILE"),
      G_OPTION_ENTRY_NULL,
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .operand = "STORE",
      .summary = "Writes a result store as CSV: one row a run, its parameters, metrics and status.",
      .example = "  iwarpsim export results/mtu-loss.sqlite --csv mtu-loss.csv\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    status = export_store(arguments.rest[0], csv);
  }
  cli_free(entries, &arguments);
  return status;
}

/* --- merge --- */

static const char *plural(gsize count)
{
  return count == 1 ? "" : "s";
}

static int merge_stores(const cli_arguments *arguments, const char *into, gboolean mix)
{
  GError *error = NULL;
  gboolean existed = g_file_test(into, G_FILE_TEST_EXISTS);
  merge_count *counts = g_new0(merge_count, arguments->count);
  result_store *store = result_store_open(into, RESULT_STORE_WRITE, &error);
  gboolean made = store != NULL && !existed;
  gboolean good = store != NULL && result_merge(store, (const char *const *)arguments->rest, arguments->count,
                                                mix, counts, &error);
  gsize taken = 0;
  result_store_close(store);
  if (!good && made) {
    /* All or nothing; the journal too, which SQLite leaves where the disk is full. */
    g_autofree char *journal = g_strconcat(into, "-journal", NULL);
    g_unlink(into);
    g_unlink(journal);
  }
  for (guint i = 0; good && !arguments->quiet && i < arguments->count; i++) {
    taken += counts[i].taken;
    plain_text_print(stdout, "%s: %zu run%s, %zu taken, %zu already there\n", arguments->rest[i],
                     counts[i].runs, plural(counts[i].runs), counts[i].taken, counts[i].present);
  }
  if (good && !arguments->quiet) {
    plain_text_print(stdout, "%zu run%s taken; results in %s\n", taken, plural(taken), into);
  }
  g_free(counts);
  return good ? CLI_OK : cli_fail(error);
}

int cli_merge(int argc, char **argv)
{
  char *into = NULL;
  gboolean mix = FALSE;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      CLI_TEXT("output", 'o', &into, "store to add them to; it is made when missing", "FILE"),
      CLI_SWITCH("mix", 0, &mix, "join runs of other scenario texts or versions of iwarpsim, too"),
      G_OPTION_ENTRY_NULL,
  };
  const cli_usage usage = {
      .arguments = "STORE...",
      .summary =
          "Joins result stores, the shards of a sweep for instance, into one: all of them or, when they "
          "contradict each other, none.",
      .example = "  iwarpsim merge shard-1.sqlite shard-2.sqlite -o results/mtu-loss.sqlite\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    status = arguments.count == 0 ? cli_usage_error("merge", "at least one STORE is needed, none was given")
             : into == NULL ? cli_usage_error("merge", "-o FILE is needed: the store that becomes of them")
                            : merge_stores(&arguments, into, mix);
  }
  cli_free(entries, &arguments);
  return status;
}
