/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_runs.h"

#include "base/git_state.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/cli_run.h"
#include "platform/run_engine.h"
#include "scenario/configuration.h"
#include "session/simulation.h"

/* This is long enough for any run to set itself up, and for whatever takes long at one instant of simulated
 * time. */
#define STALL_S 60

static const cli_runs_options defaults = CLI_RUNS_DEFAULT;

static void show_sweep(const session_progress *progress, void *shared)
{
  run_progress_set(shared, progress->now, progress->share);
}

/* Makes a run, in its own process. Nothing of it is kept but its summary, in the store. */
static int simulate(scenario *s, run_progress *progress)
{
  GError *error = NULL;
  session_result result;
  const simulation_options how = {.progress = show_sweep, .progress_user = progress};
  const gboolean is_good = scenario_check(s, NULL, &error) && run_engine_check(s, &error);
  if (!is_good || !simulation_run(s, &how, &result, &error)) {
    cli_print_error(error);
    return is_good ? CLI_FAILED : CLI_USAGE;
  }
  const summary left = cli_results_summary(s, &result, NULL);
  run_hand_over(progress, &left);
  const int code = cli_results_exit_code("run", s, &result);
  session_result_clear(&result);
  return code;
}

gboolean cli_runs_read(const cli_runs_options *runs, const cli_arguments *arguments, sweep_options *options,
                       GError **error)
{
  time_ps limit = 0, stall = STALL_S * TIME_PS_PER_SECOND;
  if (runs->jobs < 1 && runs->jobs != defaults.jobs) {
    return cli_usage_error(error, "-j %d: expected 1 or more", runs->jobs);
  }
  if (runs->limit != NULL && (!units_parse_time(runs->limit, &limit) || limit == 0)) {
    return cli_usage_error(error, "--limit %s: expected a time such as \"10min\"", runs->limit);
  }
  if (runs->stall != NULL && !units_parse_time(runs->stall, &stall)) {
    return cli_usage_error(error, "--stall %s: expected a time such as \"60s\"", runs->stall);
  }
  if (runs->memory != NULL && (!units_parse_size(runs->memory, &options->limits.memory_octets) ||
                               options->limits.memory_octets == 0)) {
    return cli_usage_error(error, "--memory %s: expected a size such as \"2GiB\"", runs->memory);
  }
  options->simulate = simulate;
  options->limits.wall_s = time_ps_in_seconds(limit);
  options->limits.stall_s = time_ps_in_seconds(stall);
  options->jobs = runs->jobs > 0 ? (guint)runs->jobs : g_get_num_processors();
  options->progress = stderr;
  options->style = arguments->quiet                ? SWEEP_PROGRESS_NONE
                   : cli_shows_progress(arguments) ? SWEEP_PROGRESS_TERMINAL
                                                   : SWEEP_PROGRESS_LINES;
  return TRUE;
}

char *cli_runs_store(const char *given, const scenario *s, const char *suffix)
{
  return given != NULL ? g_strdup(given) : g_strdup_printf("results/%s%s.sqlite", scenario_name(s), suffix);
}

provenance *cli_runs_origin(const sweep_grid *grid, const cli_runs_options *options)
{
  const scenario *s = sweep_grid_base(grid);
  return provenance_new((provenance){
      .name = g_strdup(scenario_name(s)),
      .title = g_strdup(scenario_configuration(s)->title),
      .text = g_strdup(scenario_full_text(s)),
      .axes = sweep_grid_axes_text(grid),
      .sets = options->sets != NULL ? g_strjoinv("\n", options->sets) : g_strdup(""),
      .version = g_strdup(IWARPSIM_VERSION),
      .git = g_strdup(IWARPSIM_GIT),
      .libraries = provenance_libraries(
          sweep_grid_facts_of(grid)->uses_ns3 ? run_engine_library_version(RUN_ENGINE_NS3) : NULL),
  });
}

gboolean cli_runs_make(sweep_plan *plan, const cli_runs_options *runs, const char *path,
                       const sweep_options *options, sweep_result *result, result_store **store,
                       GError **error)
{
  g_autofree char *folder = g_path_get_dirname(path);
  *result = (sweep_result){0};
  *store = cli_make_folder(folder, 1, error) ? result_store_open(path, RESULT_STORE_WRITE, error) : NULL;
  if (*store == NULL) {
    return FALSE;
  }
  g_autoptr(provenance) from = cli_runs_origin(sweep_plan_grid(plan), runs);
  return (runs->mix || result_store_check_provenance(*store, from, error)) &&
         sweep_run(plan, from, *store, options, result, error);
}
