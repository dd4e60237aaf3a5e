/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim sweep runs every point of a scenario's sweep that the store lacks, in other processes. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/interruption.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_runs.h"
#include "scenario/scenario.h"
#include "study/store/provenance.h"
#include "study/sweep/sweep.h"

/* A point has at most this many seeds, with --until. */
#define MAX_SEEDS 256

/* This is no number that --max-seeds accepts. */
#define NO_MAX_SEEDS G_MININT

static struct {
  cli_runs_options runs;
  char *store, *shard, *merged;
  char **until;
  int max_seeds;
  gboolean list, json, keep_going;
} chosen = {.runs = CLI_RUNS_DEFAULT, .max_seeds = NO_MAX_SEEDS};

/* Reads "METRIC=SHARE" as a goal. */
static gboolean read_goal(const char *text, sweep_goal *goal, GError **error)
{
  const char *sign = strrchr(text, '=');
  g_autofree char *name = g_strndup(text, sign != NULL ? (gsize)(sign - text) : strlen(text));
  if (sign == NULL || !units_parse_probability(sign + 1, &goal->share) || goal->share <= 0) {
    return error_set(
        error, "--until %s: expected METRIC=SHARE with a share of the mean, such as goodput_bit_per_s=2%%",
        text);
  }
  if (!result_quantity_read(name, &goal->quantity, error)) {
    g_prefix_error(error, "--until: ");
    return FALSE;
  }
  return !result_quantity_is_of_machine(&goal->quantity) ||
         error_set(error,
                   "--until %s: it depends on the machine; expected a metric that is the same everywhere",
                   text);
}

/* Reads --until into `goals` (sweep_goal), and checks --max-seeds. */
static gboolean read_goals(GArray *goals, GError **error)
{
  const int seeds = chosen.max_seeds;
  if (seeds != NO_MAX_SEEDS && chosen.until == NULL) {
    return error_set(error, "--max-seeds %d: expected --until METRIC=SHARE with it", seeds);
  }
  if (seeds != NO_MAX_SEEDS && (seeds < STATISTICS_FIRST_LOOK || seeds > SWEEP_GRID_POINTS_MAX)) {
    return error_set(error, "--max-seeds %d: expected %d to %d", seeds, STATISTICS_FIRST_LOOK,
                     SWEEP_GRID_POINTS_MAX);
  }
  gboolean good = TRUE;
  for (char **text = chosen.until; good && text != NULL && *text != NULL; text++) {
    sweep_goal goal = {0};
    good = read_goal(*text, &goal, error);
    g_array_append_val(goals, goal);
  }
  return good;
}

/* Prints on standard error why not all points are in the store, even with --quiet. */
static void complain(const sweep_plan *plan, const sweep_result *result)
{
  gsize there = result->points - result->to_go - result->failed;
  if (result->interrupted) {
    plain_text_print(stderr, "interrupted: %zu done, %zu%s to go; rerun the command to resume\n", there,
                     result->to_go + result->failed, sweep_plan_is_open(plan) ? " or more" : "");
  } else if (result->stopped && result->to_go > 0) {
    plain_text_print(stderr,
                     "iwarpsim sweep: stopped after the first run that failed or ended otherwise than "
                     "expected, %zu not started; rerun the command to resume, with --keep-going to run all\n",
                     result->to_go);
  }
}

static int run_sweep(sweep_plan *plan, const sweep_options *options, gboolean quiet, GError **error)
{
  g_autofree char *path = cli_runs_store(chosen.store, sweep_grid_base(sweep_plan_grid(plan)), "");
  g_autoptr(result_store) store = NULL;
  sweep_result result;
  gboolean good = cli_runs_make(plan, &chosen.runs, path, options, &result, &store, error);
  complain(plan, &result);
  if (!good) {
    return CLI_USAGE;
  }
  if (!quiet) {
    g_autofree char *report = sweep_plan_report(plan);
    plain_text_print(stdout, "%zu %s: %zu run now, %zu already there, %zu failed", result.points,
                     units_counted(result.points, "runs"), result.points - result.present - result.to_go,
                     result.present, result.failed);
    if (result.unexpected > 0) {
      plain_text_print(stdout, ", %zu ended otherwise than expected", result.unexpected);
    }
    plain_text_print(stdout, "; results in %s\n", path);
    plain_text_print_page(stdout, report);
  }
  const sweep_goal *vain = sweep_plan_without_values(plan);
  if (vain != NULL) {
    g_autofree char *name = result_quantity_name(&vain->quantity);
    plain_text_print(stderr, "iwarpsim sweep: --until %s: no run that ended ok has it\n", name);
    return CLI_FAILED;
  }
  if (result.interrupted) {
    return INTERRUPTION_EXIT_CODE(result.interrupted);
  }
  return result.failed > 0 || result.unexpected > 0 || result.to_go > 0 ? CLI_FAILED : CLI_OK;
}

/* Does --list: looks into the store where there is one, and makes none. */
static int list_sweep(sweep_plan *plan, guint jobs, GError **error)
{
  const sweep_grid *grid = sweep_plan_grid(plan);
  g_autofree char *path = cli_runs_store(chosen.store, sweep_grid_base(grid), "");
  gboolean good = TRUE;
  if (g_file_test(path, G_FILE_TEST_EXISTS)) {
    g_autoptr(result_store) store = result_store_open(path, RESULT_STORE_READ, error);
    good = store != NULL && sweep_plan_look_up(plan, store, FALSE, error);
    g_autoptr(GError) refusal = NULL;
    g_autoptr(provenance) from = cli_runs_origin(grid, &chosen.runs);
    if (good && !chosen.runs.mix && !result_store_check_provenance(store, from, &refusal)) {
      plain_text_print(stderr, "note: this sweep would be refused: ");
      plain_text_print_page(stderr, refusal->message);
      plain_text_print(stderr, "\n");
    }
  }
  if (good && chosen.json) {
    g_autofree char *json = sweep_plan_json(plan, IWARPSIM_VERSION, jobs, cli_cost_pace());
    plain_text_print_page(stdout, json);
  } else if (good) {
    sweep_plan_list(plan, IWARPSIM_VERSION, jobs, cli_cost_pace(), stdout);
  }
  return good ? CLI_OK : CLI_USAGE;
}

/* Reads --shard and --merged, and leaves in `plan` what they ask for. */
static gboolean deal(sweep_plan *plan, gboolean has_goals, GError **error)
{
  guint64 shard, shards;
  if (chosen.shard == NULL) {
    return chosen.merged == NULL ||
           cli_usage_error(error, "--merged %s: expected --shard I/N with it", chosen.merged);
  }
  g_auto(GStrv) parts = g_strsplit(chosen.shard, "/", 3);
  if (g_strv_length(parts) != 2 || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXUINT, &shard, NULL) ||
      !g_ascii_string_to_unsigned(parts[1], 10, shard, G_MAXUINT, &shards, NULL)) {
    return cli_usage_error(error, "--shard %s: expected I/N with 1 <= I <= N", chosen.shard);
  }
  if (has_goals && chosen.merged == NULL) {
    return cli_usage_error(error,
                           "--shard with --until: expected --merged FILE with it, the store into which the "
                           "shards are merged after each round");
  }
  g_autofree char *path = cli_runs_store(chosen.store, sweep_grid_base(sweep_plan_grid(plan)), "");
  g_autofree char *own = g_canonicalize_filename(path, NULL);
  g_autofree char *whole = chosen.merged != NULL ? g_canonicalize_filename(chosen.merged, NULL) : NULL;
  if (g_strcmp0(own, whole) == 0) {
    return cli_usage_error(error, "--merged %s: it is this part's --store, too; expected another file",
                           chosen.merged);
  }
  if (chosen.merged != NULL && g_file_test(chosen.merged, G_FILE_TEST_EXISTS)) {
    g_autoptr(result_store) merged = result_store_open(chosen.merged, RESULT_STORE_READ, error);
    g_autoptr(provenance) from = cli_runs_origin(sweep_plan_grid(plan), &chosen.runs);
    if (merged == NULL || (!chosen.runs.mix && !result_store_check_provenance(merged, from, error)) ||
        !sweep_plan_look_up(plan, merged, FALSE, error)) {
      return FALSE;
    }
  }
  sweep_plan_deal(plan, (guint)shard, (guint)shards);
  return TRUE;
}

/* The whole sweep is checked before anything is written or run. */
static int check_and_run(const cli_arguments *arguments, GError **error)
{
  const char *const *sets = (const char *const *)chosen.runs.sets;
  sweep_options options = {.keep_going = chosen.keep_going, .problems = stderr};
  g_autoptr(GArray) goals = g_array_new(FALSE, FALSE, sizeof(sweep_goal));
  if (!cli_runs_read(&chosen.runs, arguments, &options, error)) {
    return CLI_USAGE;
  }
  if (chosen.json && !chosen.list) {
    cli_usage_error(error, "--json: expected --list with it");
    return CLI_USAGE;
  }
  if (!read_goals(goals, error)) {
    cli_usage_of(error, "");
    return CLI_USAGE;
  }
  int max_seeds = chosen.max_seeds != NO_MAX_SEEDS ? chosen.max_seeds : MAX_SEEDS;
  g_autoptr(scenario) s = scenario_load(arguments->rest[0], sets, error);
  g_autoptr(sweep_grid) grid = s != NULL ? cli_progress_grid(s, sets, goals->len > 0 ? (guint)max_seeds : 0,
                                                             cli_shows_progress(arguments), error)
                                         : NULL;
  if (grid == NULL) {
    return CLI_USAGE;
  }
  g_autoptr(sweep_plan) plan = sweep_plan_new(grid, (const sweep_goal *)(gpointer)goals->data, goals->len);
  if (!deal(plan, goals->len > 0, error)) {
    return CLI_USAGE;
  }
  return chosen.list ? list_sweep(plan, options.jobs, error)
                     : run_sweep(plan, &options, arguments->quiet, error);
}

static const GOptionEntry entries[] = {
    CLI_RUNS_ENTRIES(chosen.runs),
    CLI_TEXT("store", 0, &chosen.store, "file for the results (default: results/<scenario name>.sqlite)",
             "FILE"),
    CLI_TEXT("shard", 0, &chosen.shard,
             "only the I-th of N parts that take about equally long, for several machines", "I/N"),
    CLI_TEXT("merged", 0, &chosen.merged,
             "with --shard: the store that the parts are merged into; only what it lacks is dealt out",
             "FILE"),
    CLI_TEXTS("until", 0, &chosen.until,
              "add seeds to each point, 40 or more (8 of equal values), until METRIC's mean is known to ± "
              "SHARE of it with 95 % confidence",
              "METRIC=SHARE"),
    CLI_NUMBER("max-seeds", 0, &chosen.max_seeds, "with --until, at most so many (default: 256)"),
    CLI_SWITCH("list", 0, &chosen.list, "print the runs, their number and an estimate; run none of them"),
    CLI_SWITCH("json", 0, &chosen.json, "with --list: one JSON object (docs/store.md)"),
    CLI_SWITCH("keep-going", 'k', &chosen.keep_going, "go on after a run that failed"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_sweep = {
    .name = "sweep",
    .sentence = "run every point of a scenario's sweep that is not in the store yet",
    .arguments = "SCENARIO",
    .takes = FILE_SCENARIO,
    .summary = "Runs every point of the scenario's sweep that is missing or failed in the store. "
               "With --until, each point gets as many seeds as it needs, from the scenario's first one on. "
               "If it was interrupted or killed, rerun the command to resume. The store gets summaries "
               "and distributions; 'iwarpsim run' writes the occupancy over time of one point.",
    .example = "  iwarpsim sweep scenarios/mtu-loss.cfg --list\n"
               "  iwarpsim sweep scenarios/mtu-loss.cfg -j 2 --keep-going\n"
               "  iwarpsim sweep scenarios/mtu-loss.cfg --until goodput_bit_per_s=2%\n",
    .entries = entries,
    .run = check_and_run,
};
