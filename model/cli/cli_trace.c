/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim trace: the events of a trace, as JSON lines. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "scenario/condition.h"
#include "scenario/scenario_problem.h"
#include "trace/trace_reader.h"

static const char *side_word(enum side side)
{
  return side == SIDE_INITIATOR ? "initiator" : "responder";
}

/* One event as a line. */
static void print_event(const trace_event *event)
{
  const trace_row *row = trace_row_of(event->id);
  g_autoptr(GString) line = g_string_new(NULL);

  g_string_append_printf(
      line, "{\"time_ps\":%" G_GINT64_FORMAT ",\"event\":\"%s\",\"connection\":%u,\"side\":\"%s\"",
      event->time, row->name, event->connection, event->side == SIDE_INITIATOR ? "initiator" : "responder");
  if (event->packet > 0) {
    g_string_append_printf(line, ",\"packet\":%" G_GUINT64_FORMAT, event->packet);
  }
  for (guint i = 0; i < row->field_count; i++) {
    g_string_append_printf(line, ",\"%s\":", row->fields[i].name);
    if (row->fields[i].type == TRACE_NAME_ID) {
      plain_text_append_json(line, event->texts[i]);
    } else {
      g_string_append_printf(line, "%" G_GUINT64_FORMAT, event->values[i]);
    }
  }
  plain_text_print(stdout, "%s}\n", line->str);
}

/* --- The filter: a condition over what the line shows --- */

/* What a name means: one of the columns that each event has, or fields of that name. */
enum { COLUMN_TIME, COLUMN_EVENT, COLUMN_CONNECTION, COLUMN_SIDE, COLUMN_PACKET, COLUMNS };
static const char *const column_names[COLUMNS + 1] = {[COLUMN_TIME] = "time",
                                                      [COLUMN_EVENT] = "event",
                                                      [COLUMN_CONNECTION] = "connection",
                                                      [COLUMN_SIDE] = "side",
                                                      [COLUMN_PACKET] = "packet"};

/* One operand: a text or a number. */
typedef struct operand {
  const char *text; /* NULL: a number */
  guint64 number;
} operand;

/* The field called `name` in the event's row; its row's field_count when it has none. */
static guint field_of(trace_event_id id, const char *name)
{
  const trace_row *row = trace_row_of(id);
  guint i = 0;

  while (i < row->field_count && strcmp(row->fields[i].name, name) != 0) {
    i++;
  }
  return i;
}

/* The first event with a field called `name`; TRACE_EVENTS: none has one. */
static trace_event_id event_with(const char *name)
{
  trace_event_id id = 0;

  while (id < TRACE_EVENTS && field_of(id, name) == trace_row_of(id)->field_count) {
    id++;
  }
  return id;
}

/* The value that `event` has for `name`; FALSE: it has none. */
static gboolean value_of(const trace_event *event, const char *name, operand *value)
{
  const guint field = field_of(event->id, name);
  guint column = 0;

  while (column < COLUMNS && strcmp(column_names[column], name) != 0) {
    column++;
  }
  switch (column) {
  case COLUMN_TIME:
    *value = (operand){.number = (guint64)event->time};
    return TRUE;
  case COLUMN_EVENT:
    *value = (operand){.text = trace_row_of(event->id)->name};
    return TRUE;
  case COLUMN_CONNECTION:
    *value = (operand){.number = event->connection};
    return TRUE;
  case COLUMN_SIDE:
    *value = (operand){.text = side_word(event->side)};
    return TRUE;
  case COLUMN_PACKET:
    *value = (operand){.number = event->packet};
    return event->packet > 0;
  default:
    *value = (operand){.text = event->texts[field], .number = event->values[field]};
    return field < trace_row_of(event->id)->field_count;
  }
}

/* All names, NULL-terminated. */
static GPtrArray *known_names(void)
{
  GPtrArray *names = g_ptr_array_new();

  for (guint i = 0; i < COLUMNS; i++) {
    g_ptr_array_add(names, (gpointer)column_names[i]);
  }
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    for (guint i = 0; i < trace_row_of(id)->field_count; i++) {
      g_ptr_array_add(names, (gpointer)trace_row_of(id)->fields[i].name);
    }
  }
  g_ptr_array_add(names, NULL);
  return names;
}

/* A name that is known, of texts or of numbers. */
static gboolean know(const condition_reader *reader, const condition_token *token, const char *name,
                     gboolean *is_text)
{
  const gboolean is_column = g_strv_contains(column_names, name);
  const trace_event_id id = event_with(name);

  if (!is_column && id == TRACE_EVENTS) {
    g_autofree char *shown = scenario_shown(name);
    g_autoptr(GPtrArray) known = known_names();
    g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, (const char *const *)known->pdata));
    condition_fail(reader, token->at, "unknown field '%s'; expected one that docs/trace.md lists%s", shown,
                   hint);
    return FALSE;
  }
  *is_text = is_column ? strcmp(name, "event") == 0 || strcmp(name, "side") == 0
                       : trace_row_of(id)->fields[field_of(id, name)].type == TRACE_NAME_ID;
  return TRUE;
}

static gboolean read_number(const char *text, guint64 *number)
{
  time_ps time = 0;
  const gboolean is_time = units_parse_time(text, &time);

  *number = (guint64)time;
  return is_time || g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, number, NULL);
}

/* Whether the event `user` has a field that compares so with the literal; NULL: the text is only checked. An
 * event without the field has nothing to compare. */
static condition_verdict compare(void *user, const condition_reader *reader, const condition_comparison *c,
                                 gboolean is_read_only)
{
  const condition_token *left = &c->tokens[CONDITION_LEFT], *right = &c->tokens[CONDITION_RIGHT];
  g_autofree char *name = condition_token_text(left);
  gboolean is_text = FALSE;
  operand found, literal = {0};

  if (!know(reader, left, name, &is_text) || (c->is_alone && !condition_expects_sign(reader, c))) {
    return CONDITION_NONE;
  }
  g_autofree char *text = condition_token_text(right);
  if (!is_text && !read_number(text, &literal.number)) {
    condition_fail(reader, right->at, "'%s' is no number; expected one, or a time such as 770us", text);
    return CONDITION_NONE;
  }
  if (is_text && c->sign->orders) {
    condition_fail(reader, c->sign_token.at, "%s has no order; expected = or !=", name);
    return CONDITION_NONE;
  }
  if (user == NULL || is_read_only || !value_of(user, name, &found)) {
    return user == NULL ? CONDITION_TRUE : CONDITION_FALSE;
  }
  const unsigned how = is_text ? (g_strcmp0(found.text, text) == 0 ? RELATION_EQUAL : RELATION_NONE)
                       : found.number == literal.number ? RELATION_EQUAL
                       : found.number < literal.number  ? RELATION_LESS
                                                        : RELATION_MORE;
  return (c->sign->holds & how) != 0 ? CONDITION_TRUE : CONDITION_FALSE;
}

static char *filter;

static int run(const cli_arguments *arguments)
{
  GError *error = NULL;
  trace_event event;
  if (filter && condition_read(filter, "--filter", "", compare, NULL, &error) == CONDITION_NONE) {
    return cli_fail(error);
  }
  FILE *file = fopen(arguments->rest[0], "rb");
  if (!file) {
    error_set(&error, "%s: %s", arguments->rest[0], g_strerror(errno));
    return cli_fail(error);
  }
  trace_reader *reader = trace_reader_new(file, arguments->rest[0], &error);
  while (reader && trace_reader_next(reader, &event, &error)) {
    if (!filter || condition_read(filter, "--filter", "", compare, &event, NULL) == CONDITION_TRUE) {
      print_event(&event);
    }
  }
  trace_reader_free(reader);
  fclose(file);
  return error ? cli_fail(error) : CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("filter", 0, &filter, "print only events for which this condition holds", "CONDITION"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_trace = {
    .name = "trace",
    .forms = "FILE",
    .sentence = "print the events of a trace",
    .arguments = "FILE",
    .operand = "FILE",
    .summary = "Prints the events of a trace that 'run --trace' has written, as JSON lines (docs/trace.md).",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --trace one-loss.trace\n"
               "  iwarpsim trace one-loss.trace --filter 'event = packet_dropped or time >= 770us'\n",
    .entries = entries,
    .run = run,
};
