/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim trace prints the events of a trace, as JSON lines. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/new_files.h"
#include "cli/cli.h"
#include "cli/cli_filter.h"
#include "decode/decode_line.h"
#include "trace/trace_reader.h"

enum { WRITTEN_OCTETS = 16 << 10 }; /* in one piece, or more */

/* Prints one event as a line. */
static void print_event(decode_line *line, const trace_event *event)
{
  const trace_row *row = trace_row_of(event->id);

  decode_line_number(line, "{\"time_ps\":", (guint64)event->time);
  decode_line_number(line, row->json, event->connection);
  decode_line_text(line, event->side == SIDE_INITIATOR ? ",\"side\":\"initiator\",\"node\":"
                                                       : ",\"side\":\"responder\",\"node\":");
  decode_line_json(line, event->node);
  if (event->port > 0) {
    decode_line_number(line, ",\"port\":", event->port);
  }
  if (event->packet > 0) {
    decode_line_number(line, ",\"packet\":", event->packet);
  }
  for (guint i = 0; i < row->field_count; i++) {
    if (row->fields[i].type == TRACE_NAME_ID) {
      decode_line_text(line, row->fields[i].json);
      decode_line_json(line, event->texts[i]);
    } else {
      decode_line_number(line, row->fields[i].json, event->values[i]);
    }
  }
  decode_line_text(line, "}");
  decode_line_end(line);
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
       .text = event ? trace_row_of(event->id)->name : NULL,
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
    const trace_row *row = trace_row_of(id);
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
  decode_line *line = decode_line_new(lines);
  trace_reader *reader = trace_reader_new(file, arguments->rest[0], error);
  while (reader && trace_reader_next(reader, &event, error)) {
    if (!filter || cli_filter_holds(filter, field_at, "docs/trace.md", &event, NULL)) {
      print_event(line, &event);
    }
    if (lines->len >= WRITTEN_OCTETS) {
      output_write(NULL, lines->str, lines->len, NULL);
      g_string_truncate(lines, 0);
    }
  }
  trace_reader_free(reader);
  output_write(NULL, lines->str, lines->len, NULL);
  decode_line_free(line);
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
