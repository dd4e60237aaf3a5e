/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim sweep: every point of a scenario's sweep that the store lacks, each in a process of its own. */
#include <stdio.h>
#include <string.h>

#include "base/git_state.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_results.h"
#include "platform/run_engine.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "session/simulation.h"
#include "study/store/provenance.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_list.h"

/* Long enough for any run to set itself up, and for whatever takes long at one instant of simulated time. */
#define STALL_S 60

/* As many runs at once as there are cores; not a number that -j accepts. */
#define JOBS_DEFAULT G_MININT

static struct {
  char **sets;
  int jobs;
  char *store;
  char *shard;
  gboolean list;
  gboolean keep_going;
  gboolean mix;
  char *limit;
  char *stall;
  char *memory;
} chosen = {.jobs = JOBS_DEFAULT};

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

/* Reads --limit, --stall and --memory; FALSE and `*status` when one is wrong. */
static gboolean parse_limits(run_limits *limits, int *status)
{
  time_ps limit = 0, stall = STALL_S * TIME_PS_PER_SECOND;
  if (chosen.limit != NULL && (!units_parse_time(chosen.limit, &limit) || limit == 0)) {
    *status = cli_usage_error("sweep", "--limit %s: expected a time such as \"10min\"", chosen.limit);
    return FALSE;
  }
  if (chosen.stall != NULL && !units_parse_time(chosen.stall, &stall)) {
    *status = cli_usage_error("sweep", "--stall %s: expected a time such as \"60s\"", chosen.stall);
    return FALSE;
  }
  if (chosen.memory != NULL &&
      (!units_parse_size(chosen.memory, &limits->memory_octets) || limits->memory_octets == 0)) {
    *status = cli_usage_error("sweep", "--memory %s: expected a size such as \"2GiB\"", chosen.memory);
    return FALSE;
  }
  limits->wall_s = time_ps_in_seconds(limit);
  limits->stall_s = time_ps_in_seconds(stall);
  return TRUE;
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

/* Where the runs of this sweep come from. Free with provenance_free(). */
static provenance *make_origin(const scenario *s, const sweep_grid *grid)
{
  return provenance_new((provenance){
      .name = g_strdup(scenario_name(s)),
      .title = g_strdup(scenario_configuration(s)->title),
      .text = g_strdup(scenario_full_text(s)),
      .axes = sweep_grid_axes_text(grid),
      .sets = chosen.sets != NULL ? g_strjoinv("\n", chosen.sets) : g_strdup(""),
      .version = g_strdup(IWARPSIM_VERSION),
      .git = g_strdup(IWARPSIM_GIT),
      .libraries = provenance_libraries(
          sweep_grid_facts_of(grid)->uses_ns3 ? run_engine_library_version(RUN_ENGINE_NS3) : NULL),
  });
}

static void show_sweep(const session_progress *progress, void *shared)
{
  worker_progress_set(shared, progress->now, progress->share);
}

/* A run, in its own process. Nothing of it is kept but its summary, in the store. */
static int simulate(scenario *s, worker_progress *progress)
{
  GError *error = NULL;
  session_result result;
  const simulation_options how = {.progress = show_sweep, .progress_user = progress};
  if (!scenario_check(s, NULL, &error) || !run_engine_check(s, &error)) {
    return cli_fail(error);
  }
  gboolean done = simulation_run(s, &how, &result, &error);
  if (done) {
    const summary left = cli_results_summary(s, &result, NULL);
    done = worker_write_summary(&left, s, &error);
  }
  if (!done) {
    cli_fail(error);
    return CLI_FAILED;
  }
  return cli_results_exit_code("run", s, &result);
}

static int run_sweep(const scenario *s, const sweep_grid *grid, const run_limits *limits,
                     const sweep_options *options, gboolean quiet)
{
  GError *error = NULL;
  g_autofree char *path = store_path(s);
  g_autofree char *folder = g_path_get_dirname(path);
  gsize jobs = MIN((gsize)chosen.jobs, sweep_grid_count(grid));
  /* The store is opened last: the runs do not inherit it. */
  g_autoptr(worker_pool) pool = worker_pool_new(grid, simulate, (guint)jobs, limits, &error);
  g_autoptr(result_store) store = pool != NULL && cli_make_folder(folder, &error)
                                      ? result_store_open(path, RESULT_STORE_WRITE, &error)
                                      : NULL;
  if (store == NULL) {
    return cli_fail(error);
  }
  g_autoptr(provenance) from = make_origin(s, grid);
  sweep_result result = {0};
  gboolean good = (chosen.mix || result_store_check_provenance(store, from, &error)) &&
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
                             .jobs = (guint)chosen.jobs,
                             .shard = options->shard,
                             .shards = options->shards};
  gboolean good = TRUE;
  if (g_file_test(path, G_FILE_TEST_EXISTS)) {
    g_autoptr(result_store) store = result_store_open(path, RESULT_STORE_READ, &error);
    good = store != NULL && sweep_list_look_up(grid, store, &list, &error);
    g_autoptr(GError) refusal = NULL;
    g_autoptr(provenance) from = make_origin(s, grid);
    if (good && !chosen.mix && !result_store_check_provenance(store, from, &refusal)) {
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
  const char *const *sets = (const char *const *)chosen.sets;
  run_limits limits = {0};
  sweep_options options = {.keep_going = chosen.keep_going,
                           .progress = stderr,
                           .style = arguments->quiet                ? SWEEP_PROGRESS_NONE
                                    : cli_shows_progress(arguments) ? SWEEP_PROGRESS_TERMINAL
                                                                    : SWEEP_PROGRESS_LINES,
                           .problems = stderr};
  int status;
  if (chosen.jobs < 1 && chosen.jobs != JOBS_DEFAULT) {
    return cli_usage_error("sweep", "-j %d: expected 1 or more", chosen.jobs);
  }
  if (!parse_shard(&options)) {
    return cli_usage_error("sweep", "--shard %s: expected I/N with 1 <= I <= N", chosen.shard);
  }
  if (!parse_limits(&limits, &status)) {
    return status;
  }
  chosen.jobs = chosen.jobs > 0 ? chosen.jobs : (int)g_get_num_processors();
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
    CLI_TEXTS("set", 's', &chosen.sets, "override a key that the sweep does not vary", "GROUP.KEY=VALUE"),
    {"jobs", 'j', 0, G_OPTION_ARG_INT, &chosen.jobs,
     "runs at once (default: one a core); the results do not depend on it", "N"},
    CLI_TEXT("store", 0, &chosen.store, "file for the results (default: results/<scenario name>.sqlite)",
             "FILE"),
    CLI_TEXT("shard", 0, &chosen.shard, "only the I-th of N equal parts, for several machines", "I/N"),
    CLI_SWITCH("list", 0, &chosen.list, "print the runs, their number and an estimate; start nothing"),
    CLI_SWITCH("keep-going", 'k', &chosen.keep_going, "go on after a run that failed"),
    CLI_TEXT("limit", 0, &chosen.limit, "stop a run that takes longer (default: no limit)", "TIME"),
    CLI_TEXT("stall", 0, &chosen.stall,
             "stop a run whose simulated time stands still for so long (default: 60s; 0: never)", "TIME"),
    CLI_TEXT("memory", 0, &chosen.memory, "most data that a run may hold (default: no limit)", "SIZE"),
    CLI_SWITCH("mix", 0, &chosen.mix, "accept a store with runs of another scenario text or program version"),
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
