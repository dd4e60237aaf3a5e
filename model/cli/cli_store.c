/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim table, report, export and merge show a store as a table in the terminal, as one page to read, as
 * CSV, and as a part of another. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/interruption.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/cli.h"
#include "study/report/html_report.h"
#include "study/table/result_table.h"

/* --- table --- */

static struct {
  char **metrics;
  char *pair, *return_period, *exclude, *where, *csv;
  gboolean json;
} tabulated;

/* Returns what --metric and --return-level name, or the defaults. NULL and `error` when one is no
 * quantity. */
static GArray *read_quantities(char *const *metrics, GError **error)
{
  uint64_t period = 0;
  if (metrics == NULL && tabulated.return_period == NULL) {
    return result_quantity_defaults();
  }
  if (tabulated.return_period != NULL &&
      (!units_parse_size(tabulated.return_period, &period) || period == 0)) {
    cli_usage_error(error, "--return-level %s: expected a size above 0, such as 1GiB",
                    tabulated.return_period);
    return NULL;
  }
  if (period > 0 && tabulated.pair != NULL) {
    cli_usage_error(error, "--return-level is that of points; expected no --pair");
    return NULL;
  }
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  for (gsize i = 0; metrics != NULL && metrics[i] != NULL; i++) {
    result_quantity quantity;
    if (!result_quantity_read(metrics[i], &quantity, error)) {
      cli_usage_of(error, "--metric: ");
      return NULL;
    }
    g_array_append_val(quantities, quantity);
  }
  if (period > 0) {
    const result_quantity level = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS,
                                   .whole = METRIC_COUNT,
                                   .return_period = tabulated.return_period,
                                   .return_octets = (double)period};
    g_array_append_val(quantities, level);
  }
  return g_steal_pointer(&quantities);
}

static int tabulate(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  guint exclude = 0;
  gboolean good = tabulated.json && tabulated.csv != NULL
                      ? cli_usage_error(error, "--json and --csv were given; expected one of them")
                      : cli_parse_exclude(tabulated.exclude, &exclude, error);
  g_autoptr(GArray) quantities = good ? read_quantities(tabulated.metrics, error) : NULL;
  g_autoptr(study_table) table = quantities != NULL ? cli_read_table(path, exclude, error) : NULL;
  if (quantities != NULL && table == NULL && (*error)->domain == IWARPSIM_ERROR) {
    g_prefix_error(error, "%s: ", path);
  }
  if (table == NULL ||
      (tabulated.where != NULL && !study_table_select(table, tabulated.where, "iwarpsim table", error))) {
    return CLI_USAGE;
  }
  for (guint i = 0; i < quantities->len; i++) {
    if (!result_quantity_known(&g_array_index(quantities, result_quantity, i), table->runs, error)) {
      g_prefix_error(error, "%s: ", path);
      return CLI_USAGE;
    }
  }
  if (tabulated.metrics == NULL && tabulated.return_period == NULL) {
    result_quantity_add_losses(quantities, table->runs);
  }
  result_pairing pairing = {0};
  if (tabulated.pair != NULL && !result_pairing_read(tabulated.pair, table, &pairing, error)) {
    g_autofree char *prefix = g_strdup_printf("--pair %s: ", tabulated.pair);
    cli_usage_of(error, prefix);
    return CLI_USAGE;
  }
  const result_request request = {.table = table,
                                  .quantities = quantities,
                                  .exclude = exclude,
                                  .pairing = tabulated.pair != NULL ? &pairing : NULL};
  if (tabulated.csv == NULL) {
    g_autofree char *text = tabulated.json ? result_table_json(&request) : result_table_text(&request);
    plain_text_print_page(stdout, text);
    return CLI_OK;
  }
  g_autofree char *text = result_table_csv(&request);
  return output_write(tabulated.csv, text, strlen(text), error) ? CLI_OK : CLI_USAGE;
}

static const GOptionEntry table_entries[] = {
    CLI_TEXTS("metric", 0, &tabulated.metrics,
              "a metric to tabulate, or A/B for the share of one in another (may be repeated)", "NAME"),
    CLI_TEXT("pair", 0, &tabulated.pair,
             "print the differences between runs whose KEY is A and B, over the same seeds", "KEY=A,B"),
    CLI_TEXT("return-level", 0, &tabulated.return_period,
             "the level that the reassembly occupancy exceeds once in SIZE of traffic, such as 1GiB", "SIZE"),
    CLI_TEXT("where", 0, &tabulated.where, "only runs whose keys meet it: 'path.forward.mtu = 1500'", "EXPR"),
    CLI_EXCLUDE(&tabulated.exclude),
    CLI_TEXT("csv", 0, &tabulated.csv, "write the table to FILE as CSV, values as measured", "FILE"),
    CLI_SWITCH("json", 0, &tabulated.json, "one JSON object (docs/store.md), values as measured"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_table = {
    .name = "table",
    .sentence = "print means, 95 % intervals and quartiles of a sweep's points",
    .arguments = "STORE",
    .takes = FILE_STORE,
    .summary = "Prints the results of a sweep's STORE: of each point the mean over its seeds with the 95 % "
               "interval, median and quartiles.",
    .example = "  iwarpsim table results/mtu-loss.sqlite\n"
               "  iwarpsim table results/mtu-loss.sqlite --metric goodput_bit_per_s --leave-out timeouts\n"
               "  iwarpsim table results/mtu-loss.sqlite --where 'path.forward.loss >= 0.1%'\n"
               "  iwarpsim table results/mtu-loss.sqlite --return-level 1GiB\n"
               "  iwarpsim table results/mtu-loss.sqlite --pair receiver.mode=in-order,out-of-order\n",
    .entries = table_entries,
    .run = tabulate,
};

/* --- report --- */

static struct {
  char *out, *run, *exclude;
} reported;

static int report(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  int stem = (int)strlen(path) - (g_str_has_suffix(path, ".sqlite") ? (int)strlen(".sqlite") : 0);
  g_autofree char *beside = g_strdup_printf("%.*s.html", stem, path);
  html_report_options options = {
      .store = path, .page = reported.out != NULL ? reported.out : beside, .version = IWARPSIM_VERSION};
  options.run = reported.run;
  g_autoptr(result_store) store = cli_parse_exclude(reported.exclude, &options.exclude, error)
                                      ? result_store_open(path, RESULT_STORE_READ, error)
                                      : NULL;
  g_autofree char *page = store != NULL ? html_report_make(store, &options, error) : NULL;
  if (page == NULL || !output_write(options.page, page, strlen(page), error)) {
    return CLI_USAGE;
  }
  if (!arguments->quiet) {
    plain_text_print(stdout, "%s\n", options.page);
  }
  return CLI_OK;
}

static const GOptionEntry report_entries[] = {
    CLI_TEXT("out", 'o', &reported.out, "page to write (default: the store's name with .html)", "FILE"),
    CLI_TEXT("run", 0, &reported.run,
             "the run whose messages, hosts and ports are shown (run --out), one of the store's", "DIR"),
    CLI_EXCLUDE(&reported.exclude),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_report = {
    .name = "report",
    .sentence = "write one HTML page: what a sweep asks, its answer, plots and tables",
    .arguments = "STORE",
    .takes = FILE_STORE,
    .summary =
        "Writes one HTML page about a sweep's STORE: the question, the answer, plots, tables with "
        "intervals, flags, provenance and the command that reproduces it. The page needs nothing else.",
    .example = "  iwarpsim report results/mtu-loss.sqlite -o mtu-loss.html\n"
               "  iwarpsim report results/incast.sqlite --run results/incast -o incast.html\n",
    .entries = report_entries,
    .run = report,
};

/* --- export --- */

static struct {
  char *csv;
  gboolean varied, numeric;
} exported;

static int export_store(const cli_arguments *arguments, GError **error)
{
  g_autoptr(result_store) store = result_store_open(arguments->rest[0], RESULT_STORE_READ, error);
  /* All of it at once, so that a store which turns out to be damaged leaves no half of it. */
  guint flags = (exported.varied ? RESULT_CSV_VARIED : 0u) | (exported.numeric ? RESULT_CSV_NUMERIC : 0u);
  g_autofree char *text = store != NULL ? result_store_csv(store, flags, error) : NULL;
  return text != NULL && output_write(exported.csv, text, strlen(text), error) ? CLI_OK : CLI_USAGE;
}

static const GOptionEntry export_entries[] = {
    CLI_TEXT("csv", 0, &exported.csv, "file to write (default: standard output)", "FILE"),
    CLI_SWITCH("varied", 0, &exported.varied, "of the parameters only those in which the runs differ"),
    CLI_SWITCH("numeric", 0, &exported.numeric,
               "parameters as numbers in seconds, octets, bit/s; true and false as 1 and 0; no comments"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_export = {
    .name = "export",
    .sentence = "write the results of a sweep as CSV, one row a run",
    .arguments = "STORE",
    .takes = FILE_STORE,
    .summary = "Writes a result store as CSV: one row a run, its parameters, metrics and status.",
    .example = "  iwarpsim export results/mtu-loss.sqlite --csv mtu-loss.csv\n"
               "  iwarpsim export results/mtu-loss.sqlite --varied --numeric --csv mtu-loss.csv\n",
    .entries = export_entries,
    .run = export_store,
};

/* --- merge --- */

static struct {
  char *into;
  gboolean mix;
} merged;

static int merge(const cli_arguments *arguments, GError **error)
{
  const char *into = merged.into;
  if (arguments->count == 0 || into == NULL) {
    cli_usage_error(error, arguments->count == 0 ? "at least one STORE is needed, none was given"
                                                 : "-o FILE is needed: the store that becomes of them");
    return CLI_USAGE;
  }
  gboolean existed = g_file_test(into, G_FILE_TEST_EXISTS);
  g_autofree char *journal = g_strconcat(into, "-journal", NULL);
  merge_count *counts = g_new0(merge_count, arguments->count);
  if (!existed) {
    interruption_removes(into, FALSE);
    interruption_removes(journal, FALSE);
  }
  result_store *store = result_store_open(into, RESULT_STORE_WRITE, error);
  interruption_hold(); /* the merge looks for one */
  GStatBuf left;
  gboolean made = !existed && (store != NULL || (g_stat(into, &left) == 0 && left.st_size == 0));
  gboolean good = store != NULL && result_merge(store, (const char *const *)arguments->rest, arguments->count,
                                                merged.mix, counts, error);
  gsize taken = 0;
  result_store_close(store);
  if (!good && made) {
    /* All or nothing; the journal too, which SQLite leaves where the disk is full. */
    g_unlink(into);
    g_unlink(journal);
  }
  interruption_keeps(into);
  interruption_keeps(journal);
  interruption_release();
  for (guint i = 0; good && !arguments->quiet && i < arguments->count; i++) {
    taken += counts[i].taken;
    plain_text_print(stdout, "%s: %zu %s, %zu taken, %zu already there\n", arguments->rest[i], counts[i].runs,
                     units_counted(counts[i].runs, "runs"), counts[i].taken, counts[i].present);
  }
  if (good && !arguments->quiet) {
    plain_text_print(stdout, "%zu %s taken; results in %s\n", taken, units_counted(taken, "runs"), into);
  }
  g_free(counts);
  return good ? CLI_OK : CLI_USAGE;
}

static const GOptionEntry merge_entries[] = {
    CLI_TEXT("output", 'o', &merged.into, "store to add them to; it is made when missing", "FILE"),
    CLI_SWITCH("mix", 0, &merged.mix, "join runs of other scenario texts or versions of iwarpsim, too"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_merge = {
    .name = "merge",
    .sentence = "join the stores of several sweeps or shards into one",
    .arguments = "STORE...",
    .takes = FILE_STORE,
    .summary = "Joins result stores, the shards of a sweep for instance, into one: all of them or, when they "
               "contradict each other, none.",
    .example = "  iwarpsim merge shard-1.sqlite shard-2.sqlite -o results/mtu-loss.sqlite\n",
    .entries = merge_entries,
    .run = merge,
};
