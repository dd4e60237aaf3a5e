/* iwarpsim sweep: every point of a scenario's sweep that the store lacks, each in a process of its own. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "scenario/scenario.h"
#include "study/sweep.h"

typedef struct sweep_arguments {
  char **sets;
  int jobs;
  char *store;
  char *shard_text;
  guint shard;
  guint shards;
  gboolean list;
} sweep_arguments;

static gboolean parse_options(int argc, char **argv, sweep_arguments *own, cli_arguments *arguments,
                              int *status)
{
  const GOptionEntry entries[] = {
      {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &own->sets, "override a key that the sweep does not vary",
       "GROUP.KEY=VALUE"},
      {"jobs", 'j', 0, G_OPTION_ARG_INT, &own->jobs,
       "runs at once (default: 1); the results do not depend on it", "N"},
      {"store", 0, 0, G_OPTION_ARG_FILENAME, &own->store,
       "file for the results (default: results/<scenario name>.sqlite)", "FILE"},
      {"shard", 0, 0, G_OPTION_ARG_FILENAME, &own->shard_text,
       "only the I-th of N equal parts, for several machines", "I/N"},
      {"list", 0, 0, G_OPTION_ARG_NONE, &own->list, "print the runs and their number, start nothing", NULL},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "SCENARIO",
      .summary = "Runs every point of the scenario's sweep that is missing or failed in the store.",
      .example = "  iwarpsim sweep scenarios/mtu-loss.cfg -j 2\n"
                 "  iwarpsim sweep scenarios/mtu-loss.cfg --list\n",
  };
  return cli_parse(argc, argv, &usage, entries, arguments, status);
}

/* "I/N" with 1 <= I <= N. */
static gboolean parse_shard(sweep_arguments *own)
{
  own->shard = own->shards = 1;
  if (own->shard_text == NULL) {
    return TRUE;
  }
  guint64 shard, shards;
  g_auto(GStrv) parts = g_strsplit(own->shard_text, "/", 3);
  if (g_strv_length(parts) != 2 || !g_ascii_string_to_unsigned(parts[0], 10, 1, G_MAXUINT, &shard, NULL) ||
      !g_ascii_string_to_unsigned(parts[1], 10, shard, G_MAXUINT, &shards, NULL)) {
    return FALSE;
  }
  own->shard = (guint)shard;
  own->shards = (guint)shards;
  return TRUE;
}

static void print_list(const sweep_grid *grid, const sweep_options *options)
{
  gsize count = 0;
  for (gsize index = 0; index < sweep_grid_count(grid); index++) {
    if (!sweep_takes(options, index)) {
      continue;
    }
    g_autofree char *label = sweep_grid_label(grid, index);
    printf("%zu%s%s\n", index + 1, *label != '\0' ? " " : "", label);
    count++;
  }
  printf("%zu runs\n", count);
}

/* Where results go unless told otherwise; its folder is made. NULL and `error` when that fails. */
static char *store_path(const scenario *s, const sweep_arguments *own, GError **error)
{
  g_autofree char *file = g_strdup_printf("%s.sqlite", scenario_name(s));
  char *path = own->store != NULL ? g_strdup(own->store) : g_build_filename("results", file, NULL);
  g_autofree char *folder = g_path_get_dirname(path);
  if (!cli_make_folder(folder, error)) {
    g_clear_pointer(&path, g_free);
  }
  return path;
}

/* The scenario's file as the store keeps it. NULL and `error` when it cannot be read. */
static char *scenario_file_text(const scenario *s, GError **error)
{
  char *text = NULL;
  gsize length = 0;
  if (!g_file_get_contents(scenario_path(s), &text, &length, error)) {
    return NULL;
  }
  char *valid = g_utf8_make_valid(text, (gssize)length);
  g_free(text);
  return valid;
}

static void print_result(const sweep_result *result, const char *path)
{
  gsize new_runs = result->points - result->present;
  gsize unstarted = new_runs - MIN(new_runs, result->done + result->failed);
  printf("%zu runs: %zu run now, %zu already there, %zu failed", result->points,
         result->done + result->failed, result->present, result->failed);
  if (result->unexpected > 0) {
    printf(", %zu ended otherwise than expected", result->unexpected);
  }
  if (result->interrupted) {
    printf(", interrupted with %zu to go", unstarted);
  }
  printf("; results in %s\n", path);
}

static int run_sweep(const scenario *s, const sweep_grid *grid, const sweep_arguments *own,
                     const sweep_options *options, gboolean quiet)
{
  GError *error = NULL;
  g_autofree char *path = store_path(s, own, &error);
  g_autofree char *text = path != NULL ? scenario_file_text(s, &error) : NULL;
  result_store *store = text != NULL ? result_store_open(path, RESULT_STORE_WRITE, &error) : NULL;
  if (store == NULL) {
    return cli_report(error);
  }

  g_autofree char *axes = sweep_grid_axes_text(grid);
  const stored_scenario from = {.name = (char *)scenario_name(s),
                                .title = (char *)scenario_text(s, SCENARIO_TITLE),
                                .text = text,
                                .axes = axes,
                                .version = (char *)cli_version()};
  sweep_result result;
  gboolean done = sweep_run(grid, scenario_path(s), &from, store, options, &result, &error);
  result_store_close(store);
  if (!done) {
    return cli_report(error);
  }
  if (!quiet) {
    print_result(&result, path);
  }
  return result.failed > 0 || result.unexpected > 0 || result.interrupted ? CLI_FAILED : CLI_OK;
}

/* The whole sweep is checked before anything is written or run. */
static int check_and_run(const sweep_arguments *own, const cli_arguments *arguments)
{
  GError *error = NULL;
  const sweep_options options = {.program = "/proc/self/exe",
                                 .sets = (const char *const *)own->sets,
                                 .jobs = (guint)own->jobs,
                                 .shard = own->shard,
                                 .shards = own->shards,
                                 .progress = cli_shows_progress(arguments) ? stderr : NULL,
                                 .problems = stderr};
  scenario *s = scenario_load(arguments->rest[0], options.sets, &error);
  sweep_grid *grid = s != NULL ? sweep_grid_new(s, options.sets, &error) : NULL;
  int status = CLI_OK;
  if (grid == NULL) {
    status = cli_report(error);
  } else if (own->list) {
    print_list(grid, &options);
  } else if (!g_file_test(scenario_path(s), G_FILE_TEST_IS_REGULAR)) {
    status = cli_usage_error("sweep", "%s is read again by every run; expected a file that stays, not a pipe",
                             scenario_path(s));
  } else {
    status = run_sweep(s, grid, own, &options, arguments->quiet);
  }
  sweep_grid_free(grid);
  scenario_free(s);
  return status;
}

int cli_sweep(int argc, char **argv)
{
  sweep_arguments own = {.jobs = 1};
  cli_arguments arguments = {0};
  int status;
  if (parse_options(argc, argv, &own, &arguments, &status)) {
    if (arguments.count != 1) {
      status = cli_usage_error("sweep", "one SCENARIO is needed, %u were given", arguments.count);
    } else if (own.jobs < 1) {
      status = cli_usage_error("sweep", "-j %d: expected 1 or more", own.jobs);
    } else if (!parse_shard(&own)) {
      status = cli_usage_error("sweep", "--shard %s: expected I/N with 1 <= I <= N", own.shard_text);
    } else {
      status = check_and_run(&own, &arguments);
    }
  }
  cli_arguments_clear(&arguments);
  g_strfreev(own.sets);
  g_free(own.store);
  g_free(own.shard_text);
  return status;
}
