/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim explain-peak: the peak of the reassembly occupancy, and how a run failed, in sentences. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "explain/explain_trace.h"
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

/* The peak is that of the summary at `path`. */
static gboolean agrees(const held_peak *peak, const metric_values *metrics, const char *path, GError **error)
{
  const guint64 octets = (guint64)metrics->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS];
  const double at = metrics->value[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S];

  return (peak->octets == octets && (octets == 0 || time_ps_in_seconds(peak->at) == at)) ||
         error_set(error,
                   "%s: buffer.reassembly_peak_octets is %" G_GUINT64_FORMAT
                   " there, at %.12f s, and %" G_GUINT64_FORMAT
                   " in the run made again, at %.12f s; expected the summary of this version, of a scenario "
                   "without "
                   "events (else: run --trace, and explain-peak of that trace)",
                   path, octets, at, peak->octets, time_ps_in_seconds(peak->at));
}

/* Runs the scenario of `directory`/summary.json again, with a trace into `file`, and explains what that
 * shows. */
static char *explain_directory(const char *directory, FILE *file, GError **error)
{
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(path, error);
  g_autoptr(scenario) s = record ? scenario_of(record, path, error) : NULL;
  const simulation_options how = {.trace = file};
  session_result result;
  held_peak peak;
  char *text = NULL;

  if (!s) {
    return NULL;
  }
  if (simulation_run(s, &how, &result, error)) {
    g_autofree char *shown = explain_trace(file, path, &peak, error);
    const char *message = result.message;
    if (shown && agrees(&peak, &record->results.metrics, path, error)) {
      text = *message == '\0' ? g_steal_pointer(&shown)
                              : g_strdup_printf("%sThe run ended %s: %s.\n", shown,
                                                run_status_name(result.status), message);
    }
  }
  session_result_clear(&result);
  return text;
}

static int run(const cli_arguments *arguments)
{
  const char *path = arguments->rest[0];
  const gboolean is_directory = g_file_test(path, G_FILE_TEST_IS_DIR);
  GError *error = NULL;
  char *text = NULL;
  FILE *file = is_directory ? tmpfile() : fopen(path, "rb");

  if (!file) {
    error_set(&error, "%s: %s", path, g_strerror(errno));
    return cli_fail(error);
  }
  text = is_directory ? explain_directory(path, file, &error) : explain_trace(file, path, NULL, &error);
  fclose(file);
  if (!text) {
    return cli_fail(error);
  }
  plain_text_print_page(stdout, text);
  g_free(text);
  return CLI_OK;
}

static const GOptionEntry entries[] = {G_OPTION_ENTRY_NULL};

const cli_command cli_explain_peak = {
    .name = "explain-peak",
    .forms = "TRACE|DIR",
    .sentence = "explain what made the peak of a run, and how it failed",
    .arguments = "TRACE|DIR",
    .operand = "TRACE, or the folder of a run",
    .summary =
        "Prints in words when the reassembly memory held most, what was missing then and why, and what "
        "waited for "
        "it; and, of a run that failed or was terminated, what caused that. A DIR is the folder of a "
        "run: the "
        "scenario of its summary.json is run again, with a trace.",
    .example = "  iwarpsim run scenarios/one-loss-in-order.cfg\n"
               "  iwarpsim explain-peak results/one-loss-in-order\n",
    .entries = entries,
    .run = run,
};
