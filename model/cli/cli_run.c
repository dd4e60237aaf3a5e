/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim run makes one run of one scenario; its results go in a folder. */
#include "cli/cli_run.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/git_state.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_answer.h"
#include "cli/cli_progress.h"
#include "cli/cli_trace.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* --- Results, those of a replay too --- */

/* Prints "note: …" on standard error for each of `notes`, which end with NULL; NULL: there are none. */
static void print_notes(const char *const *notes)
{
  for (; notes != NULL && *notes != NULL; notes++) {
    plain_text_print(stderr, "note: %s\n", *notes);
  }
}

/* This is what a run may make in its folder. */
enum { OWN_RECEIVER_CAPTURE = 1, OWN_SERIES, OWN_TRACE = 9 };
static const char *const own_names[] = {
    "sender.pcap",         "receiver.pcap",     "occupancy.csv", "hosts.csv",    "ports.csv",
    "message_classes.csv", "message_times.csv", "messages.csv",  "summary.json", "run.trace"};

/* Returns whether `trace` (may be NULL) is the file `name` of the results. */
static gboolean is_trace(const cli_results *results, const char *name)
{
  g_autofree char *place = g_build_filename(results->directory, name, NULL);
  g_autofree char *whole = g_canonicalize_filename(place, NULL);
  g_autofree char *aim = results->trace != NULL ? g_canonicalize_filename(results->trace, NULL) : NULL;
  return g_strcmp0(whole, aim) == 0;
}

gboolean cli_results_begin(cli_results *results, const scenario *s, const char *directory, const char *traced,
                           GError **error)
{
  *results = (cli_results){.directory = directory ? g_strdup(directory)
                                                  : g_build_filename("results", scenario_name(s), NULL),
                           .trace = traced};
  for (gsize i = 0; i < OWN_TRACE; i++) {
    if (is_trace(results, own_names[i])) {
      return error_set(error, "--trace %s: the %s of the run goes there; expected another file", traced,
                       own_names[i]);
    }
  }
  new_files_clear_beside(results->directory); /* what is in a folder that is not named again goes, too */
  results->files =
      cli_make_folder(results->directory, 2, error) ? new_files_begin(results->directory, error) : NULL;
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
      .results = &result->results,
      .measured_host = result->measured_host,
      .values = result->values,
      .message_values = result->message_values,
      .version = IWARPSIM_VERSION,
      .git = IWARPSIM_GIT,
      .engine = kind == RUN_ENGINE_NATIVE ? "native" : "ns3",
      .ns3_version = run_engine_library_version(kind),
      .window_over_bandwidth_delay = of ? 0 : (double)c->receive_window_octets / bandwidth_delay_octets,
      .replay = of,
  };
}

/* Captures and traces are work of their own, and the run can be made again: they are not removed, but they
 * are not this run's. */
static gboolean put_in_place(const cli_results *results, gboolean notes, GError **error)
{
  const char *older[G_N_ELEMENTS(own_names) + 1] = {NULL}, *name;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) made = g_dir_open(new_files_folder(results->files), 0, NULL);
  gsize stay = 0;

  g_ptr_array_add(names, g_strdup("occupancy.csv"));
  while (made != NULL && (name = g_dir_read_name(made)) != NULL) {
    if (strcmp(name, "occupancy.csv") != 0 && strcmp(name, "summary.json") != 0) {
      g_ptr_array_add(names, g_strdup(name));
    }
  }
  g_ptr_array_add(names, g_strdup("summary.json")); /* last: a folder without it holds no whole run */
  for (gsize i = 0; i < G_N_ELEMENTS(own_names); i++) {
    g_autofree char *place = g_build_filename(results->directory, own_names[i], NULL);
    if (!g_ptr_array_find_with_equal_func(names, own_names[i], g_str_equal, NULL) &&
        g_file_test(place, G_FILE_TEST_EXISTS) && !is_trace(results, own_names[i])) {
      older[stay++] = own_names[i];
    }
  }
  g_ptr_array_add(names, NULL);
  gboolean good = new_files_take_places(results->files, (const char *const *)names->pdata, error);
  if (good && stay > 0 && notes) {
    g_autofree char *list = g_strjoinv(", ", (char **)older);
    plain_text_print(stderr,
                     "note: %s has files that this run did not write: %s; remove them, or replace them by "
                     "--pcap and --trace\n",
                     results->directory, list);
  }
  return good;
}

/* With `auto` it shows only at the end whose the metrics are: adds a note where files are another host's. */
static void note_other_host(const cli_results *results, const configuration *c, const session_result *result,
                            GPtrArray *notes)
{
  g_autofree char *sink = g_strdup_printf("h%u", c->of_graph.sink);
  g_autoptr(GString) files = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(own_names); i++) {
    const gboolean is_of_one = i == OWN_RECEIVER_CAPTURE || i == OWN_SERIES;
    g_autofree char *place = g_build_filename(new_files_folder(results->files), own_names[i], NULL);
    if (is_of_one && g_file_test(place, G_FILE_TEST_EXISTS)) {
      g_string_append_printf(files, "%s%s", files->len > 0 ? " and " : "", own_names[i]);
    }
  }
  if (result->measured_host != NULL && strcmp(result->measured_host, sink) != 0 && files->len > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("the metrics are of %s, but %s of %s, to which payload comes by most "
                                    "connections; measure.host = %s makes all of them its",
                                    result->measured_host, files->str, sink, result->measured_host));
  }
}

gboolean cli_results_report(const cli_results *results, const scenario *s, const session_result *result,
                            const summary_replay *of, gboolean quiet, gboolean all, GError **error)
{
  g_autofree char *path = g_build_filename(new_files_folder(results->files), "summary.json", NULL);
  summary page = cli_results_summary(s, result, of);
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);

  scenario_note_effects(s, result->undone, result->results.metrics.value[METRIC_TIME_SIMULATED_S], notes);
  note_other_host(results, scenario_configuration(s), result, notes);
  g_ptr_array_add(notes, NULL);
  page.notes = (const char *const *)notes->pdata;
  if (!summary_write_json(&page, s, path, error) || !put_in_place(results, !quiet, error)) {
    return FALSE;
  }
  if (!quiet) {
    cli_answer_print(&page, s, results->directory, all);
  }
  print_notes(quiet ? NULL : page.notes);
  return TRUE;
}

int cli_results_exit_code(const char *command, const scenario *s, const session_result *result)
{
  int status = run_status_exit_code(result->status, scenario_configuration(s)->run.expect);
  const char *expected = scenario_value_text(s, SCENARIO_RUN_EXPECT);

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

/* --- run --- */

static struct {
  char **sets;
  char *engine, *directory, *trace, *seed, *captured;
  gboolean capture, all;
} options;

static int run_into(const cli_results *results, const scenario *s, const cli_arguments *arguments,
                    GError **error)
{
  session_result result;
  cli_progress shown = cli_progress_begin("simulated time");
  output *events = options.trace != NULL ? output_begin(options.trace, FILE_TRACE, error) : NULL;
  if (*error != NULL) {
    return CLI_USAGE;
  }
  const simulation_options how = {.directory = new_files_folder(results->files),
                                  .capture = options.capture || options.captured != NULL,
                                  .trace = output_file(events),
                                  .progress = cli_shows_progress(arguments) ? cli_progress_of_run : NULL,
                                  .progress_user = &shown};
  gboolean done = simulation_run(s, &how, &result, error);
  cli_progress_clear(&shown);
  done = output_end(events, done, done ? error : NULL) && done;
  done = done && cli_results_report(results, s, &result, NULL, arguments->quiet, options.all, error);
  new_files_name_places(results->files, *error);
  int status = done ? cli_results_exit_code("run", s, &result)
               : g_error_matches(*error, IWARPSIM_ERROR, IWARPSIM_ERROR_SCENARIO) ? CLI_USAGE
                                                                                  : CLI_FAILED;
  session_result_clear(&result);
  return status;
}

/* Keys may contradict each other, or need an engine that is not there; notes go to standard error. */
static int run(const cli_arguments *arguments, GError **error)
{
  cli_results results = {0};
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(scenario) s = scenario_load(arguments->rest[0], (const char *const *)options.sets, error);
  gboolean good =
      s != NULL &&
      (options.engine == NULL ||
       scenario_set_key(s, SCENARIO_RUN_ENGINE, options.engine, "--engine", error)) &&
      (options.seed == NULL || scenario_set_key(s, SCENARIO_RUN_SEED, options.seed, "--seed", error)) &&
      (options.captured == NULL ||
       scenario_set_key(s, SCENARIO_MEASURE_HOSTS, options.captured, "--pcap-hosts", error)) &&
      scenario_check(s, notes, error) && run_engine_check(s, error) &&
      (options.captured == NULL || scenario_configuration(s)->of_graph.host_count > 0 ||
       error_set(error,
                 "--pcap-hosts %s: a path has no hosts by name; expected --pcap, which captures at both its "
                 "ends, or a graph (topology.kind)",
                 options.captured));
  g_ptr_array_add(notes, NULL);
  if (good && !arguments->quiet) {
    print_notes((const char *const *)notes->pdata);
    cli_cost_announce(s, options.trace != NULL ? CLI_COST_TRACED : 1, "this run");
  }
  good = good && cli_results_begin(&results, s, options.directory, options.trace, error);
  int status = good ? run_into(&results, s, arguments, error) : CLI_USAGE;
  cli_results_end(&results);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &options.sets, "override a key of the scenario", "GROUP.KEY=VALUE"),
    CLI_TEXT("seed", 0, &options.seed, "seed of the random numbers; as --set run.seed=N", "N"),
    CLI_TEXT("engine", 0, &options.engine, "auto, ns3 or native; as --set run.engine=…", "ENGINE"),
    CLI_TEXT("out", 'o', &options.directory, "folder for the results (default: results/<scenario name>)",
             "DIR"),
    CLI_TEXT("trace", 0, &options.trace,
             "write each event of the run to this file ('iwarpsim trace' prints it)", "FILE"),
    CLI_SWITCH("pcap", 0, &options.capture, "also write sender.pcap and receiver.pcap"),
    CLI_TEXT("pcap-hosts", 0, &options.captured,
             "of a graph: also write h3.pcap of each of these hosts, and a trace of no others; as --pcap "
             "with measure.hosts",
             "SET"),
    CLI_RESULTS_ALL(options.all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_run = {
    .name = "run",
    .sentence = "run a scenario once, print what matters of it, write its results",
    .arguments = "SCENARIO",
    .takes = FILE_SCENARIO,
    .summary = "Runs a scenario, prints its answer in some ten lines, or with --all every metric, and writes "
               "summary.json and occupancy.csv.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --seed 2 --all\n"
               "  iwarpsim run scenarios/one-loss-markers.cfg --set path.forward.mtu=9000 --pcap\n",
    .entries = entries,
    .run = run,
};

/* --- show --- */

static gboolean shows_all;

static int show(const cli_arguments *arguments, GError **error)
{
  const char *directory = arguments->rest[0];
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(path, error);
  g_autoptr(scenario) s = record != NULL ? cli_run_scenario(record, path, TRUE, error) : NULL;
  if (s == NULL) {
    return CLI_USAGE;
  }
  const summary_replay replay = {.facts = (const summary_fact *)(gpointer)record->facts->data,
                                 .fact_count = record->facts->len};
  const session_result result = {.status = record->status,
                                 .message = record->message,
                                 .terminate_code = record->terminate_code,
                                 .terminate_side = record->terminate_side,
                                 .results = record->results};
  summary page = cli_results_summary(s, &result, record->is_replay ? &replay : NULL);
  page.version = record->version;
  page.git = record->git;
  page.engine = record->engine;
  page.ns3_version = record->ns3_version;
  cli_answer_print(&page, s, directory, shows_all);
  print_notes(arguments->quiet ? NULL : (const char *const *)record->notes);
  return CLI_OK;
}

static const GOptionEntry show_entries[] = {
    CLI_RESULTS_ALL(shows_all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_show = {
    .name = "show",
    .sentence = "print the result of a run again",
    .arguments = "DIR",
    .takes = FILE_RUN_FOLDER,
    .summary = "Prints what 'run' or 'replay' printed when it wrote DIR, from the summary.json there: the "
               "answer in some ten lines, or with --all every metric. Nothing is run.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg\n"
               "  iwarpsim show results/one-loss-markers --all\n",
    .entries = show_entries,
    .run = show,
};
