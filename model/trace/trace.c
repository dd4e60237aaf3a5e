/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace/trace.h"

#include <string.h>

enum {
  LEB128_OCTETS_MAX = 10, /* of a 64-bit number */
  BUFFER_OCTETS = 64 * 1024,
  RECORD_OCTETS_MAX = (6 + TRACE_FIELDS_MAX) * LEB128_OCTETS_MAX,
};

/* --- The table --- */

#define OCTETS TRACE_OCTETS
#define COUNT TRACE_COUNT
#define NUMBER TRACE_NUMBER
#define POSITION TRACE_POSITION
#define PS TRACE_PS
#define FLAG TRACE_FLAG
#define NAME TRACE_NAME_ID

const trace_row trace_rows[] = {
#define EVENT(id, event_name, event_sentence, event_fields)                                                  \
  [TRACE_##id] = {.name = (event_name),                                                                      \
                  .sentence = (event_sentence),                                                              \
                  .field_count = sizeof(struct trace_##id) / sizeof(uint64_t),                               \
                  .fields = {event_fields}},
#define FIELD(field_type, member, field_sentence) {#member, field_type, field_sentence},
#include "trace/trace_events.def"
};

/* --- The file --- */

struct trace {
  FILE *file;
  trace_clock now;
  const void *clock;
  bool *kept_to; /* see trace_keep_to(); NULL: all are kept */
  uint32_t kept_count;
  GHashTable *names; /* the number of each static text, by its address */
  time_ps last;      /* when the last event was */
  uint32_t packets;  /* that were sent */
  uint32_t arriving; /* of them; 0: none */
  uint32_t used;     /* octets of the buffer */
  uint8_t buffer[BUFFER_OCTETS];
};

static inline void put_number(trace *self, uint64_t number)
{
  uint8_t *at = self->buffer + self->used;

  for (; number >= 0x80; number >>= 7) {
    *at++ = (uint8_t)(number | 0x80);
  }
  *at++ = (uint8_t)number;
  self->used = (uint32_t)(at - self->buffer);
}

static void flush(trace *self)
{
  (void)fwrite(self->buffer, 1, self->used, self->file);
  self->used = 0;
}

/* Makes room for a record. */
static inline void begin_record(trace *self)
{
  if (self->used > BUFFER_OCTETS - RECORD_OCTETS_MAX) {
    flush(self);
  }
}

static void put_text(trace *self, const char *text)
{
  size_t length = strlen(text);

  put_number(self, length);
  flush(self);
  (void)fwrite(text, 1, length, self->file);
}

trace *trace_new(FILE *file, const char *about, trace_clock now, const void *clock)
{
  trace *self = g_new0(trace, 1);

  self->file = file;
  self->now = now;
  self->clock = clock;
  self->names = g_hash_table_new(g_direct_hash, g_direct_equal);
  (void)fwrite(TRACE_MAGIC, 1, strlen(TRACE_MAGIC), file);
  put_number(self, TRACE_VERSION);
  put_text(self, about);
  return self;
}

void trace_free(trace *self)
{
  if (self) {
    begin_record(self);
    put_number(self, TRACE_RECORD_END);
    flush(self);
    g_hash_table_destroy(self->names);
    g_free(self->kept_to);
    g_free(self);
  }
}

void trace_keep_to(trace *self, bool *connections, uint32_t count)
{
  self->kept_to = connections;
  self->kept_count = count;
}

/* A host's window and peak, the first of which is of no connection, are its recorder's to leave out. */
static bool is_left_out(const trace *self, uint32_t connection, trace_event_id id)
{
  static const bool stays[TRACE_EVENTS] = {
      [TRACE_PACKET_SENT] = true,    [TRACE_PACKET_QUEUED] = true, [TRACE_PACKET_MARKED] = true,
      [TRACE_PACKET_DROPPED] = true, [TRACE_MEASURED] = true,      [TRACE_PEAK] = true,
  };

  return self->kept_to && connection < self->kept_count && !self->kept_to[connection] && !stays[id];
}

uint32_t trace_next_packet(trace *self)
{
  return ++self->packets;
}

void trace_arrives(trace *self, uint32_t packet)
{
  self->arriving = packet;
}

/* Returns the number of the text at `address`, which is defined in the file from here on. */
static uint64_t name_number(trace *self, uint64_t address)
{
  gpointer key = (gpointer)(uintptr_t)address, number;

  if (!g_hash_table_lookup_extended(self->names, key, NULL, &number)) {
    number = GUINT_TO_POINTER(g_hash_table_size(self->names));
    g_assert(strlen(key) <= TRACE_NAME_OCTETS_MAX);
    put_number(self, TRACE_RECORD_NAME);
    put_text(self, key);
    g_hash_table_insert(self->names, key, number);
  }
  return GPOINTER_TO_UINT(number);
}

void trace_write(const trace_scope *scope, trace_event_id id, const uint64_t *values)
{
  trace *self = scope->to;
  const trace_row *row = &trace_rows[id];
  const uint32_t count = row->field_count;
  const time_ps now = self->now(self->clock);
  uint64_t numbers[TRACE_FIELDS_MAX];

  if (is_left_out(self, scope->connection, id)) {
    return;
  }
  begin_record(self);
  const uint64_t node = name_number(self, TRACE_NAME(scope->node));
  for (uint32_t i = 0; i < count; i++) {
    numbers[i] = row->fields[i].type == TRACE_NAME_ID ? name_number(self, values[i]) : values[i];
  }
  put_number(self, TRACE_RECORD_EVENT + SIDES * (uint64_t)id + scope->side);
  put_number(self, (uint64_t)(now - self->last));
  put_number(self, scope->connection);
  put_number(self, node);
  put_number(self, scope->port);
  put_number(self, scope->packet ? scope->packet : self->arriving);
  for (uint32_t i = 0; i < count; i++) {
    put_number(self, numbers[i]);
  }
  self->last = now;
}

char *trace_schema(void)
{
  static const char number[] = "\"type\": \"integer\", \"minimum\": 0";
  GString *schema = g_string_new("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
  g_string_append_printf(schema, "\"title\": \"A line of 'iwarpsim trace', version %d\",\n\"oneOf\": [",
                         TRACE_VERSION);
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = &trace_rows[id];
    g_autoptr(GString) required = g_string_new("\"time_ps\", \"event\", \"connection\", \"side\", \"node\"");
    g_string_append_printf(
        schema,
        "%s\n{\"type\": \"object\", \"additionalProperties\": false, \"description\": \"%s\",\n "
        "\"properties\": {\"time_ps\": {%s}, \"event\": {\"const\": \"%s\"}, \"connection\": {%s}, \"side\": "
        "{\"enum\": [\"initiator\", \"responder\"]}, \"node\": {\"type\": \"string\"}, "
        "\"port\": {\"type\": \"integer\", \"minimum\": 1}, "
        "\"packet\": {\"type\": \"integer\", \"minimum\": 1}",
        id > 0 ? "," : "", row->sentence, number, row->name, number);
    for (guint i = 0; i < row->field_count; i++) {
      const trace_field *field = &row->fields[i];
      const char *type = field->type == TRACE_NAME_ID ? "\"type\": \"string\""
                         : field->type == TRACE_FLAG  ? "\"enum\": [0, 1]"
                                                      : number;
      g_string_append_printf(schema, ",\n  \"%s\": {%s, \"description\": \"%s\"}", field->name, type,
                             field->sentence);
      g_string_append_printf(required, ", \"%s\"", field->name);
    }
    g_string_append_printf(schema, "},\n \"required\": [%s]}", required->str);
  }
  return g_string_free(g_string_append(schema, "]}\n"), FALSE);
}
