/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim sweep: every point of a scenario's sweep that the store lacks, each in a process of its own. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_runs.h"
#include "scenario/scenario.h"
#include "study/store/provenance.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_list.h"

static struct {
  cli_runs_options runs;
  char *store;
  char *shard;
  gboolean list;
  gboolean keep_going;
} chosen = {.runs = CLI_RUNS_DEFAULT};

/* "I/N" with 1 <= I <= N. */
static gboolean parse_shard(sweep_options *options)
{
  guint64 shard, shards;
  g_auto(GStrv) parts = g_strsplit(chosen.shard != NULL ? chosen.shard : "1/1", "/", 3);
  if (g_strv_length(parts) != 2 || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXUINT, &shard, NULL) ||
      !g_ascii_string_to_unsigned(parts[1], 10, shard, G_MAXUINT, &shards, NULL)) {
    return FALSE;
  }
  options->shard = (guint)shard;
  options->shards = (guint)shards;
  return TRUE;
}

/* Where results go: --store, or the default. Free with g_free(). */
static char *store_path(const scenario *s)
{
  g_autofree char *file = g_strdup_printf("%s.sqlite", scenario_name(s));
  return chosen.store != NULL ? g_strdup(chosen.store) : g_build_filename("results", file, NULL);
}

static void print_result(const sweep_result *result, const char *path)
{
  gsize run = result->points - result->present - result->to_go;
  plain_text_print(stdout, "%zu runs: %zu run now, %zu already there, %zu failed", result->points, run,
                   result->present, result->failed);
  if (result->unexpected > 0) {
    plain_text_print(stdout, ", %zu ended otherwise than expected", result->unexpected);
  }
  plain_text_print(stdout, "; results in %s\n", path);
}

/* Prints on standard error why not all points are in the store, even with --quiet. */
static void complain(const sweep_result *result)
{
  gsize there = result->points - result->to_go - result->failed;
  if (result->interrupted) {
    plain_text_print(stderr, "interrupted: %zu done, %zu to go; rerun the command to resume\n", there,
                     result->to_go + result->failed);
  } else if (result->stopped && result->to_go > 0) {
    fprintf(
        stderr,
        "iwarpsim sweep: stopped after the first run that failed or ended otherwise than expected, %zu not "
        "started; rerun the command to resume, with --keep-going to run all\n",
        result->to_go);
  }
}

static int run_sweep(const scenario *s, const sweep_grid *grid, const run_limits *limits,
                     const sweep_options *options, gboolean quiet)
{
  GError *error = NULL;
  g_autofree char *path = store_path(s);
  g_autofree char *folder = g_path_get_dirname(path);
  /* The store is opened last: the runs do not inherit it. */
  g_autoptr(worker_pool) pool = cli_runs_pool(grid, &chosen.runs, limits, &error);
  g_autoptr(result_store) store = pool != NULL && cli_make_folder(folder, &error)
                                      ? result_store_open(path, RESULT_STORE_WRITE, &error)
                                      : NULL;
  if (store == NULL) {
    return cli_fail(error);
  }
  g_autoptr(provenance) from = cli_runs_origin(s, grid, &chosen.runs);
  sweep_result result = {0};
  gboolean good = (chosen.runs.mix || result_store_check_provenance(store, from, &error)) &&
                  sweep_run(grid, pool, from, store, options, &result, &error);
  complain(&result);
  if (!good) {
    return cli_fail(error);
  }
  if (!quiet) {
    print_result(&result, path);
  }
  return result.failed > 0 || result.unexpected > 0 || result.to_go > 0 || result.interrupted ? CLI_FAILED
                                                                                              : CLI_OK;
}

/* --list: looks into the store where there is one, and makes none. */
static int list_sweep(const scenario *s, const sweep_grid *grid, const sweep_options *options)
{
  GError *error = NULL;
  g_autofree char *path = store_path(s);
  sweep_list_options list = {.version = IWARPSIM_VERSION,
                             .jobs = cli_runs_jobs(&chosen.runs),
                             .shard = options->shard,
                             .shards = options->shards};
  gboolean good = TRUE;
  if (g_file_test(path, G_FILE_TEST_EXISTS)) {
    g_autoptr(result_store) store = result_store_open(path, RESULT_STORE_READ, &error);
    good = store != NULL && sweep_list_look_up(grid, store, &list, &error);
    g_autoptr(GError) refusal = NULL;
    g_autoptr(provenance) from = cli_runs_origin(s, grid, &chosen.runs);
    if (good && !chosen.runs.mix && !result_store_check_provenance(store, from, &refusal)) {
      plain_text_print(stderr, "note: this sweep would be refused: ");
      plain_text_print_page(stderr, refusal->message);
      plain_text_print(stderr, "\n");
    }
  }
  if (good) {
    sweep_list_print(grid, &list, stdout);
  }
  g_free(list.states);
  return good ? CLI_OK : cli_fail(error);
}

/* The whole sweep is checked before anything is written or run. */
static int check_and_run(const cli_arguments *arguments)
{
  GError *error = NULL;
  const char *const *sets = (const char *const *)chosen.runs.sets;
  run_limits limits = {0};
  sweep_options options = {.keep_going = chosen.keep_going,
                           .progress = stderr,
                           .style = cli_runs_style(arguments),
                           .problems = stderr};
  int status;
  if (!cli_runs_read("sweep", &chosen.runs, &limits, &status)) {
    return status;
  }
  if (!parse_shard(&options)) {
    return cli_usage_error("sweep", "--shard %s: expected I/N with 1 <= I <= N", chosen.shard);
  }
  g_autoptr(scenario) s = scenario_load(arguments->rest[0], sets, &error);
  g_autoptr(sweep_grid) grid =
      s != NULL ? cli_progress_grid(s, sets, cli_shows_progress(arguments), &error) : NULL;
  if (grid == NULL) {
    return cli_fail(error);
  }
  return chosen.list ? list_sweep(s, grid, &options)
                     : run_sweep(s, grid, &limits, &options, arguments->quiet);
}

static const GOptionEntry entries[] = {
    CLI_RUNS_ENTRIES(chosen.runs),
    CLI_TEXT("store", 0, &chosen.store, "file for the results (default: results/<scenario name>.sqlite)",
             "FILE"),
    CLI_TEXT("shard", 0, &chosen.shard, "only the I-th of N equal parts, for several machines", "I/N"),
    CLI_SWITCH("list", 0, &chosen.list, "print the runs, their number and an estimate; start nothing"),
    CLI_SWITCH("keep-going", 'k', &chosen.keep_going, "go on after a run that failed"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_sweep = {
    .name = "sweep",
    .forms = "SCENARIO",
    .sentence = "run every point of a scenario's sweep that is not in the store yet",
    .arguments = "SCENARIO",
    .operand = "SCENARIO",
    .summary = "Runs every point of the scenario's sweep that is missing or failed in the store.\n"
               "If it was interrupted or killed, rerun the command to resume. The store gets summaries\n"
               "and distributions; 'iwarpsim run' writes the occupancy over time of one point.",
    .example = "  iwarpsim sweep scenarios/mtu-loss.cfg --list\n"
               "  iwarpsim sweep scenarios/mtu-loss.cfg -j 2 --keep-going\n",
    .entries = entries,
    .run = check_and_run,
};
