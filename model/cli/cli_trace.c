/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json_writer.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_filter.h"
#include "cli/cli_progress.h"
#include "explain/explain_trace.h"
#include "session/simulation.h"
#include "summary/summary.h"
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
  const char *about = reader ? reader->about : "";
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

/* --- trace --- */

enum { WRITTEN_OCTETS = 16 << 10 }; /* in one piece, or more */

/* Appends one event as a line. */
static void append_event(GString *json, const trace_event *event)
{
  const trace_row *row = &trace_rows[event->id];

  json_open(json, NULL, NULL, '{');
  json_append_whole(json, NULL, "time_ps", (guint64)event->time);
  json_append_text(json, NULL, "event", row->name);
  json_append_whole(json, NULL, "connection", event->connection);
  json_append_text(json, NULL, "side", event->side == SIDE_INITIATOR ? "initiator" : "responder");
  json_append_text(json, NULL, "node", event->node);
  if (event->port > 0) {
    json_append_whole(json, NULL, "port", event->port);
  }
  if (event->packet > 0) {
    json_append_whole(json, NULL, "packet", event->packet);
  }
  for (guint i = 0; i < row->field_count; i++) {
    if (row->fields[i].type == TRACE_NAME_ID) {
      json_append_text(json, NULL, row->fields[i].name, event->texts[i]);
    } else {
      json_append_whole(json, NULL, row->fields[i].name, event->values[i]);
    }
  }
  json_close(json, NULL, '}');
  g_string_append_c(json, '\n');
}

/* --- The filter: a condition on what the line shows --- */

static const char *const event_names[] = {
#define EVENT(id, name, sentence, fields) name,
#include "trace/trace_events.def"
    NULL};

/* This is a cli_fields of a trace_event: the columns that all events may have, then its own. */
static gboolean field_at(const void *item, guint index, cli_field *field)
{
  const trace_event *event = item;
  const cli_field columns[] = {
      {.name = "time", .kind = CLI_FIELD_NUMBER, .number = event ? (guint64)event->time : 0},
      {.name = "time_ps", .kind = CLI_FIELD_NUMBER, .number = event ? (guint64)event->time : 0},
      {.name = "event",
       .kind = CLI_FIELD_TEXT,
       .text = event ? trace_rows[event->id].name : NULL,
       .texts = event_names},
      {.name = "connection", .kind = CLI_FIELD_NUMBER, .number = event ? event->connection : 0},
      {.name = "side",
       .kind = CLI_FIELD_TEXT,
       .text = event && event->side == SIDE_INITIATOR ? "initiator" : "responder"},
      {.name = "node", .kind = CLI_FIELD_TEXT, .text = event ? event->node : NULL},
      {.name = event && event->port == 0 ? "" : "port",
       .kind = CLI_FIELD_NUMBER,
       .number = event ? event->port : 0},
      {.name = event && event->packet == 0 ? "" : "packet",
       .kind = CLI_FIELD_NUMBER,
       .number = event ? event->packet : 0}};
  const guint count = (guint)G_N_ELEMENTS(columns);
  const trace_event_id first = event ? event->id : 0;
  const trace_event_id end = event ? event->id + 1 : TRACE_EVENTS;

  if (index < count) {
    *field = columns[index];
    return TRUE;
  }
  index -= count;
  for (trace_event_id id = first; id < end; id++) {
    const trace_row *row = &trace_rows[id];
    if (index < row->field_count) {
      *field =
          (cli_field){.name = row->fields[index].name,
                      .kind = row->fields[index].type == TRACE_NAME_ID ? CLI_FIELD_TEXT : CLI_FIELD_NUMBER,
                      .text = event ? event->texts[index] : NULL,
                      .number = event ? event->values[index] : 0};
      return TRUE;
    }
    index -= row->field_count;
  }
  return FALSE;
}

static char *filter;

static int run(const cli_arguments *arguments, GError **error)
{
  trace_event event;
  FILE *file = !filter || cli_filter_holds(filter, field_at, "docs/trace.md", NULL, error)
                   ? file_open(arguments->rest[0], TRUE, error)
                   : NULL;
  if (!file) {
    return CLI_USAGE;
  }
  g_autoptr(GString) lines = g_string_new(NULL);
  trace_reader *reader = trace_reader_new(file, arguments->rest[0], error);
  while (reader && trace_reader_next(reader, &event, error)) {
    if (!filter || cli_filter_holds(filter, field_at, "docs/trace.md", &event, NULL)) {
      append_event(lines, &event);
    }
    if (lines->len >= WRITTEN_OCTETS) {
      output_write(NULL, lines->str, lines->len, NULL);
      g_string_truncate(lines, 0);
    }
  }
  trace_reader_free(reader);
  output_write(NULL, lines->str, lines->len, NULL);
  fclose(file);
  return *error ? CLI_USAGE : CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("filter", 0, &filter, "print only events for which this condition holds", "CONDITION"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_trace = {
    .name = "trace",
    .sentence = "print the events of a trace",
    .arguments = "FILE",
    .takes = FILE_TRACE,
    .summary = "Prints the events of a trace that 'run --trace' has written, as JSON lines (docs/trace.md).",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --trace one-loss.trace\n"
               "  iwarpsim trace one-loss.trace --filter 'event = packet_dropped or time >= 770us'\n",
    .entries = entries,
    .run = run,
};

/* --- explain-peak --- */

static int explain_peak(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  g_autofree char *ending = NULL;
  FILE *file = cli_run_trace_open(path, arguments, CLI_COST_EXPLAINED, &ending, error);
  g_autofree char *text = file ? explain_trace(file, path, error) : NULL;

  if (file) {
    fclose(file);
  }
  if (!text) {
    return CLI_USAGE;
  }
  g_autofree char *page = g_strconcat(text, ending, NULL);
  g_autofree char *lines = plain_text_wrap(page, terminal_of(stdout).columns);
  plain_text_print_page(stdout, terminal_of(stdout).shows ? lines : page); /* a sentence a line for grep */
  return CLI_OK;
}

static const GOptionEntry explain_peak_entries[] = {G_OPTION_ENTRY_NULL};

const cli_command cli_explain_peak = {
    .name = "explain-peak",
    .sentence = "explain what made the peak of a run, and how it failed",
    .arguments = "TRACE|DIR",
    .takes = FILE_RUN_FOLDER | FILE_TRACE,
    .summary = "Prints in words when the reassembly memory held most, what was missing then and why, and "
               "what waited "
               "for it; and, of a run that failed or was terminated, what caused that. A DIR is the folder "
               "of a run: its run.trace is read; without one the scenario of its summary.json is run again.",
    .example = "  iwarpsim run scenarios/one-loss-in-order.cfg\n"
               "  iwarpsim explain-peak results/one-loss-in-order\n",
    .entries = explain_peak_entries,
    .run = explain_peak,
};
