#include "cli/cli_results.h"

#include <glib/gstdio.h>
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "sim/git_state.h"
#include "sim/version.h"

static void remove_file(const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  g_unlink(path); /* what cannot be removed cannot be written either, and that is said */
}

/* What an earlier run left: were this one ended halfway, its files would pass for that one's. */
static void remove_old_results(const char *directory, gboolean captures)
{
  remove_file(directory, "summary.json");
  remove_file(directory, "occupancy.csv");
  if (captures) {
    remove_file(directory, "sender.pcap");
    remove_file(directory, "receiver.pcap");
  }
}

char *cli_results_folder(const scenario *s, const char *directory, gboolean captures, GError **error)
{
  char *folder = directory ? g_strdup(directory) : g_build_filename("results", scenario_name(s), NULL);

  if (cli_make_folder(folder, error)) {
    remove_old_results(folder, captures);
  } else {
    g_clear_pointer(&folder, g_free);
  }
  return folder;
}

summary cli_results_summary(const scenario *s, const simulation_result *result)
{
  return (summary){
      .scenario = s,
      .status = result->status,
      .message = result->message,
      .terminate_code = result->terminate_code,
      .terminate_side = result->terminate_side,
      .metrics = result->metrics,
      .distributions = result->distributions,
      .version = IWARPSIM_VERSION,
      .git = IWARPSIM_GIT,
      .engine = sim_engine_name(result->engine),
      .ns3_version = sim_engine_library_version(result->engine),
      .window_over_bandwidth_delay = result->window_over_bandwidth_delay,
  };
}

gboolean cli_results_report(const scenario *s, const simulation_result *result, const summary_replay *of,
                            const char *directory, gboolean quiet, GError **error)
{
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  summary page = cli_results_summary(s, result);

  page.replay = of;
  if (!summary_write_json(&page, path, error)) {
    return FALSE;
  }
  if (!quiet) {
    summary_print(&page, stdout);
    plain_text_print(stdout, "\nresults in %s\n", directory);
  }
  return TRUE;
}

/* Why the exit code is not 0. */
static void complain(const char *command, const scenario *s, const simulation_result *result)
{
  if (result->status == RUN_FAILED) {
    plain_text_print(stderr, "iwarpsim %s: the run failed: %s\n", command, result->message);
  } else if (result->status == RUN_TERMINATED) {
    plain_text_print(stderr, "iwarpsim %s: the run was terminated, and run.expect is %s: %s\n", command,
                     scenario_text(s, SCENARIO_RUN_EXPECT), result->message);
  } else {
    plain_text_print(stderr, "iwarpsim %s: the run ended %s, and run.expect is %s\n", command,
                     run_status_name(result->status), scenario_text(s, SCENARIO_RUN_EXPECT));
  }
}

int cli_results_exit_code(const char *command, const scenario *s, const simulation_result *result)
{
  int status = run_status_exit_code(result->status, scenario_text(s, SCENARIO_RUN_EXPECT));

  if (status != CLI_OK) {
    complain(command, s, result);
  }
  return status;
}
