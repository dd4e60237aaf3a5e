/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_results.h"

#include <stdio.h>

#include "base/git_state.h"
#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "scenario/configuration.h"

gboolean cli_results_begin(cli_results *results, const scenario *s, const char *directory, GError **error)
{
  *results = (cli_results){.directory = directory ? g_strdup(directory)
                                                  : g_build_filename("results", scenario_name(s), NULL)};
  results->files =
      cli_make_folder(results->directory, error) ? new_files_begin(results->directory, error) : NULL;
  return results->files != NULL;
}

void cli_results_end(cli_results *results)
{
  new_files_end(results->files);
  g_free(results->directory);
}

summary cli_results_summary(const scenario *s, const session_result *result, const summary_replay *of)
{
  const configuration *c = scenario_configuration(s);
  const run_engine kind = of ? RUN_ENGINE_NATIVE : run_engine_of(s);
  const double bandwidth_delay_octets = (double)MAX(configuration_bandwidth_delay_octets(c), 1);

  return (summary){
      .status = result->status,
      .message = result->message,
      .terminate_code = result->terminate_code,
      .terminate_side = result->terminate_side,
      .metrics = result->metrics,
      .distributions = result->distributions,
      .gauges = &result->gauges,
      .version = IWARPSIM_VERSION,
      .git = IWARPSIM_GIT,
      .engine = run_engine_name(kind),
      .ns3_version = run_engine_library_version(kind),
      .window_over_bandwidth_delay = of ? 0 : (double)c->receive_window_octets / bandwidth_delay_octets,
      .replay = of,
  };
}

/* A capture is work of its own, and the run can be made again: it is not removed, but it is not this
 * run's. */
static gboolean put_in_place(const cli_results *results, gboolean notes, GError **error)
{
  static const char *const captures[] = {"sender.pcap", "receiver.pcap"};
  const char *names[G_N_ELEMENTS(captures) + 3] = {"occupancy.csv"};
  gsize count = 1;
  gboolean older = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS(captures); i++) {
    g_autofree char *made = g_build_filename(new_files_folder(results->files), captures[i], NULL);
    g_autofree char *place = g_build_filename(results->directory, captures[i], NULL);
    if (g_file_test(made, G_FILE_TEST_EXISTS)) {
      names[count++] = captures[i];
    } else {
      older = older || g_file_test(place, G_FILE_TEST_EXISTS);
    }
  }
  names[count] = "summary.json"; /* last: a folder without it holds no whole run */
  gboolean good = new_files_take_places(results->files, names, error);
  if (good && older && notes) {
    plain_text_print(stderr, "note: %s has captures of an earlier run, which stay; --pcap replaces them\n",
                     results->directory);
  }
  return good;
}

gboolean cli_results_report(const cli_results *results, const scenario *s, const session_result *result,
                            const summary_replay *of, gboolean quiet, GError **error)
{
  g_autofree char *path = g_build_filename(new_files_folder(results->files), "summary.json", NULL);
  const summary page = cli_results_summary(s, result, of);

  if (!summary_write_json(&page, s, path, error) || !put_in_place(results, !of && !quiet, error)) {
    return FALSE;
  }
  if (!quiet) {
    summary_print(&page, s, stdout);
    plain_text_print(stdout, "\nresults in %s\n", results->directory);
  }
  return TRUE;
}

int cli_results_exit_code(const char *command, const scenario *s, const session_result *result)
{
  int status = run_status_exit_code(result->status, scenario_configuration(s)->run.expect);
  g_autofree char *expected = scenario_value_text(s, SCENARIO_RUN_EXPECT);

  if (status != CLI_OK && result->status == RUN_FAILED) {
    plain_text_print(stderr, "iwarpsim %s: the run failed: %s\n", command, result->message);
  } else if (status != CLI_OK && result->status == RUN_TERMINATED) {
    plain_text_print(stderr, "iwarpsim %s: the run was terminated, and run.expect is %s: %s\n", command,
                     expected, result->message);
  } else if (status != CLI_OK) {
    plain_text_print(stderr, "iwarpsim %s: the run ended %s, and run.expect is %s\n", command,
                     run_status_name(result->status), expected);
  }
  return status;
}
