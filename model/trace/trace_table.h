/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a trace have ids, structs and rows, which are all made from trace_events.def. */
#pragma once

#include <stdint.h>

/* The version is that of the file's format and of the rows: traces of another one are refused. */
enum { TRACE_VERSION = 4 };

typedef enum trace_event_id {
#define EVENT(id, name, sentence, fields) TRACE_##id,
#include "trace/trace_events.def"
  TRACE_EVENTS
} trace_event_id;

/* Each event has a struct with one 64-bit member for each field, in their order. */
#define EVENT(id, name, sentence, fields)                                                                    \
  struct trace_##id {                                                                                        \
    fields                                                                                                   \
  };
#define FIELD(type, member, sentence) uint64_t member;
#include "trace/trace_events.def"

typedef enum trace_field_type {
  TRACE_OCTETS,
  TRACE_COUNT,
  TRACE_NUMBER,
  TRACE_POSITION,
  TRACE_PS,
  TRACE_FLAG,
  TRACE_NAME_ID, /* in a file: the number of a text that the file has defined */
} trace_field_type;

enum { TRACE_FIELDS_MAX = 16 }; /* of one event */

typedef struct trace_field {
  const char *name;
  const char *json; /* `,"NAME":`, before its value in a line */
  trace_field_type type;
  const char *sentence;
} trace_field;

typedef struct trace_row {
  const char *name; /* "packet_sent" */
  const char *json; /* `,"event":"packet_sent","connection":`, before the connection in a line */
  const char *sentence;
  uint32_t field_count;
  trace_field fields[TRACE_FIELDS_MAX];
} trace_row;

/* Returns the row of `id` (< TRACE_EVENTS); it is static. */
const trace_row *trace_row_of(trace_event_id id);
