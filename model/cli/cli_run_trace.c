/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_run_trace.h"

#include <errno.h>

#include "base/error.h"
#include "session/simulation.h"
#include "study/store/summary.h"

/* The scenario that the summary at `path` is of, by its keys. */
static scenario *scenario_of(const summary_record *record, const char *path, GError **error)
{
  g_autofree char *file = g_strconcat(record->name, ".cfg", NULL);
  g_autoptr(scenario) s = scenario_new_without_file(file, NULL, error);

  for (scenario_key key = 0; s && key < SCENARIO_KEY_COUNT; key++) {
    if (!record->keys[key]) {
      error_set(error,
                "%s: it does not have the key %s, as that of a replay, or of another version; expected the "
                "summary of a run",
                path, scenario_key_row_of(key)->name);
      return NULL;
    }
    if (!scenario_set_key(s, key, record->keys[key], path, error)) {
      return NULL;
    }
  }
  return s && scenario_check(s, NULL, error) && run_engine_check(s, error) ? g_steal_pointer(&s) : NULL;
}

/* The run made again has the metrics of the summary at `path`. */
static gboolean agrees(const metric_values *again, const metric_values *there, const char *path,
                       GError **error)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of(id);
    if (!row->is_of_machine &&
        (again->present[id] != there->present[id] || again->value[id] != there->value[id])) {
      return error_set(error,
                       "%s: %s is %.12g there, and %.12g in the run made again; expected the summary of this "
                       "version, of a scenario without events (else give the file of run --trace)",
                       path, row->name, there->value[id], again->value[id]);
    }
  }
  return TRUE;
}

static gboolean run_again(const char *directory, FILE *file, char **ending, GError **error)
{
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(path, error);
  g_autoptr(scenario) s = record ? scenario_of(record, path, error) : NULL;
  const simulation_options how = {.trace = file};
  session_result result = {.status = RUN_OK};
  const gboolean good = s && simulation_run(s, &how, &result, error) &&
                        agrees(&result.results.metrics, &record->results.metrics, path, error);

  if (good && ending && *result.message != '\0') {
    *ending = g_strdup_printf("The run ended %s: %s.\n", run_status_name(result.status), result.message);
  }
  session_result_clear(&result);
  return good;
}

FILE *cli_run_trace_open(const char *path, char **ending, GError **error)
{
  const gboolean is_directory = g_file_test(path, G_FILE_TEST_IS_DIR);
  FILE *file = is_directory ? tmpfile() : fopen(path, "rb");

  if (ending) {
    *ending = NULL;
  }
  if (!file) {
    error_set(error, "%s: %s", path, g_strerror(errno));
  } else if (is_directory && !run_again(path, file, ending, error)) {
    fclose(file);
    file = NULL;
  } else {
    rewind(file);
  }
  return file;
}
