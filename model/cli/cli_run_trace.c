/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_run_trace.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "cli/cli_cost.h"
#include "cli/cli_progress.h"
#include "session/simulation.h"
#include "study/store/summary.h"
#include "trace/trace_reader.h"

scenario *cli_run_scenario(const summary_record *record, const char *path, gboolean of_replay, GError **error)
{
  g_autofree char *named = g_strconcat(record->name, ".cfg", NULL);
  g_autoptr(scenario) s = scenario_new_without_file(record->file ? record->file : named, NULL, error);

  for (scenario_key key = 0; s && key < SCENARIO_KEY_COUNT; key++) {
    if (!record->keys[key] && (scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS ||
                               !scenario_shows(s, key) || (of_replay && record->is_replay))) {
      continue;
    }
    if (!record->keys[key]) {
      error_set(error,
                record->is_replay ? "%s: a replay is not run again, and does not have the key %s; repeat it "
                                    "with `iwarpsim replay --trace FILE`"
                                  : "%s: it does not have the key %s, as that of another version; expected "
                                    "the summary of a run of this one",
                path, scenario_key_row_of(key)->name);
      return NULL;
    }
    if (!scenario_set_key(s, key, record->keys[key], path, error)) {
      return NULL;
    }
  }
  return g_steal_pointer(&s);
}

/* The trace `path`, which `file` reads, is of the scenario and seed of the summary in its folder. */
static gboolean is_of(FILE *file, const char *path, const summary_record *record, GError **error)
{
  g_autoptr(trace_reader) reader = trace_reader_new(file, path, error);
  const char *about = reader ? trace_reader_about(reader) : "";
  g_autoptr(summary_record) traced = reader ? summary_parse_json(about, strlen(about), path, error) : NULL;

  for (scenario_key key = 0; traced && key < SCENARIO_KEY_COUNT; key++) {
    /* A replay's summary has only the keys that it heeds. */
    if (record->keys[key] && g_strcmp0(traced->keys[key], record->keys[key]) != 0) {
      return error_set(
          error, "%s: a trace of %s = %s, but of %s in summary.json; expected that of the same run", path,
          scenario_key_row_of(key)->name, traced->keys[key] ? traced->keys[key] : "none", record->keys[key]);
    }
  }
  return traced != NULL;
}

/* Runs the scenario of the summary at `path` again, with a trace into `file`; it must have the same metrics.
 */
static gboolean run_again(const summary_record *record, const char *path, const cli_arguments *arguments,
                          double times, FILE *file, GError **error)
{
  g_autoptr(scenario) s = cli_run_scenario(record, path, FALSE, error);
  cli_progress shown = cli_progress_begin("simulated time");
  const simulation_options how = {.trace = file,
                                  .progress = cli_shows_progress(arguments) ? cli_progress_of_run : NULL,
                                  .progress_user = &shown};
  session_result result = {.status = RUN_OK};
  const metric_values *there = &record->results.metrics, *again = &result.results.metrics;
  gboolean good = s && scenario_check(s, NULL, error) && run_engine_check(s, error);
  if (good && !arguments->quiet) {
    g_autofree char *what =
        g_strdup_printf("%s: there is no run.trace beside it, so the run is made again", path);
    cli_cost_announce(s, times, what);
  }
  good = good && simulation_run(s, &how, &result, error);
  cli_progress_clear(&shown);
  for (metric_id id = 0; good && id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of(id);
    good =
        row->is_of_machine ||
        (again->present[id] == there->present[id] && again->value[id] == there->value[id]) ||
        error_set(
            error,
            "%s: %s is %.12g there, and %.12g in the run made again; expected the summary of this "
            "version, of a scenario without events (else run it with --trace in this folder, as run.trace)",
            path, row->name, there->value[id], again->value[id]);
  }
  session_result_clear(&result);
  return good;
}

/* Opens the trace of the run whose folder is `path`. */
static FILE *open_of_run(const char *path, const cli_arguments *arguments, double times, char **ending,
                         GError **error)
{
  g_autofree char *page = g_build_filename(path, "summary.json", NULL);
  g_autofree char *name = g_build_filename(path, "run.trace", NULL);
  g_autoptr(summary_record) record = summary_read_json(page, error);

  if (!record) {
    return NULL;
  }
  const gboolean is_there = g_file_test(name, G_FILE_TEST_EXISTS);
  FILE *file = is_there ? file_open(name, FALSE, error) : tmpfile();
  if (!file || !(is_there ? is_of(file, name, record, error)
                          : run_again(record, page, arguments, times, file, error))) {
    g_clear_pointer(&file, fclose);
  } else if (ending && *record->message != '\0') {
    *ending = g_strdup_printf("The run ended %s: %s.\n", run_status_name(record->status), record->message);
  }
  return file;
}

FILE *cli_run_trace_open(const char *path, const cli_arguments *arguments, double times, char **ending,
                         GError **error)
{
  const gboolean is_directory = g_file_test(path, G_FILE_TEST_IS_DIR);

  if (ending) {
    *ending = NULL;
  }
  FILE *file =
      is_directory ? open_of_run(path, arguments, times, ending, error) : file_open(path, FALSE, error);
  if (file) {
    rewind(file);
  } else if (!*error) {
    error_set(error, "%s: %s", path, g_strerror(errno));
  }
  return file;
}
