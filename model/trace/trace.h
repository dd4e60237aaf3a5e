/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes what happens in a run to a file, event by event (docs/trace.md). The layers hold a trace_scope, and
 * write with TRACE(); where nothing is traced, that is one comparison.
 *
 * The file: the octets of TRACE_MAGIC, TRACE_VERSION, the length of a text and the text, which is JSON and
 * names scenario, seed and version; then records. A number is LEB128: seven bits an octet, the least first,
 * the last octet below 128. A record is
 *     0                                   the end: a file without it was cut short
 *     1, length, octets                   defines the next name: 0, 1, 2 …
 *     2 + 2 x event + side, time, connection, node, port, packet, fields
 *                                         the time is in ps since the last event; names, as that of the
 *                                         node, stand by their numbers; port and packet are 0 where there is
 *                                         none; fields are as the event's row has them */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/files.h"
#include "base/side.h"
#include "base/time_ps.h"

/* The events of a trace have ids, structs and rows, which are all made from trace_events.def. */

/* The version is that of the file's format and of the rows: traces of another one are refused. */
enum { TRACE_VERSION = 6 };

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
  trace_field_type type;
  const char *sentence;
} trace_field;

typedef struct trace_row {
  const char *name; /* "packet_sent" */
  const char *sentence;
  uint32_t field_count;
  trace_field fields[TRACE_FIELDS_MAX];
} trace_row;

/* By trace_event_id. */
extern const trace_row trace_rows[];

/* Returns the JSON schema (draft 2020-12) of a line of `iwarpsim trace`, which is made from the rows. Free
 * with g_free(). */
char *trace_schema(void);

#define TRACE_MAGIC FILE_TRACE_MAGIC

/* The first number of a record is one of these, or more. */
enum { TRACE_RECORD_END, TRACE_RECORD_NAME, TRACE_RECORD_EVENT };

typedef struct trace trace;

/* A scope states what events are of, and where they happen. Layers have a pointer to one; NULL: nothing is
 * traced. */
typedef struct trace_scope {
  trace *to;
  const char *node;       /* the name of the host at which it happens, or from which the path leads: a NAME */
  uint32_t port;          /* of the node, to the path on which it happens, from 1; 0: on none */
  uint32_t connection;    /* of the end, or of the packet */
  uint32_t packet;        /* the packet; 0: the one that arrives, trace_arrives() */
  enum side side;         /* of the end; of a packet on its way, who has sent it */
  uint64_t fpdus;         /* that the end has sent */
  uint64_t wrong_guesses; /* that are written */
  uint64_t invalid_at;    /* the position of the FPDU in which MPA found an error */
  const char *why_again;  /* its TCP sent octets again the last time */
} trace_scope;

/* Returns the present of the clock `user`, in ps. */
typedef time_ps (*trace_clock)(const void *user);

/* Begins a trace into `file`, which stays the caller's, of a run that the JSON text `about` names. Nothing
 * that is written is kept in memory. `now` is called at each event. Free with trace_free(). */
trace *trace_new(FILE *file, const char *about, trace_clock now, const void *clock);

/* Writes the end of the trace; what could not be written shows in ferror(file). NULL is allowed. */
void trace_free(trace *self);

/* Keeps to the connections for whose numbers `connections` is true, of `count`; takes it. Of all others what
 * happens in queues stays, packet_queued, packet_marked and packet_dropped, and packet_sent, by which host.
 */
void trace_keep_to(trace *self, bool *connections, uint32_t count);

/* Returns the number of a packet that is sent now: 1, 2, 3 … */
uint32_t trace_next_packet(trace *self);

/* What happens from here on is because packet `packet` arrives; 0: because of no packet. */
void trace_arrives(trace *self, uint32_t packet);

/* Writes the event `id` with `values`, one for each field of its row. TRACE() calls it. */
void trace_write(const trace_scope *scope, trace_event_id id, const uint64_t *values);

/* TRACE(scope, TIMEOUT, .rto_ps = rto): writes the event; `scope` NULL: nothing is traced. Fields that are
 * left out are 0. */
#define TRACE(scope, id, ...)                                                                                \
  do {                                                                                                       \
    const trace_scope *trace_at = (scope);                                                                   \
    if (G_UNLIKELY(trace_at != NULL)) {                                                                      \
      trace_write(trace_at, TRACE_##id, (const uint64_t *)&(const struct trace_##id){__VA_ARGS__});          \
    }                                                                                                        \
  } while (0)

/* A NAME is a static text, at most TRACE_NAME_OCTETS_MAX long. */
#define TRACE_NAME(text) ((uint64_t)(uintptr_t)(const char *)(text))
enum { TRACE_NAME_OCTETS_MAX = 255 };
