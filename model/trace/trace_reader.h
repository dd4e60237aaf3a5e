/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a trace (trace.h has the format), event by event. The file may be of another program, or damaged. */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdio.h>

#include "base/side.h"
#include "base/time_ps.h"
#include "trace/trace.h"

/* It is read by everyone, and written only by the functions below. */
typedef struct trace_reader {
  FILE *file;
  char *name;
  char *about;
  GPtrArray *names; /* of char: as they were defined */
  time_ps time;     /* of the last event */
  guint64 octets;   /* read so far */
} trace_reader;

/* This is an event, as it was read. Of a NAME `texts` has the text, which the reader owns, as it does `node`;
 * all others are in `values`. */
typedef struct trace_event {
  trace_event_id id;
  time_ps time;
  uint32_t connection;
  enum side side;
  const char *node;
  uint32_t port;  /* 0: none */
  guint64 packet; /* 0: none */
  uint64_t values[TRACE_FIELDS_MAX];
  const char *texts[TRACE_FIELDS_MAX];
} trace_event;

/* They are the value of a field, TRACE_VALUE(event, HELD, order), and the text of a NAME. */
#define TRACE_FIELD(id, member) (offsetof(struct trace_##id, member) / sizeof(uint64_t))
#define TRACE_VALUE(event, id, member) ((event)->values[TRACE_FIELD(id, member)])
#define TRACE_TEXT(event, id, member) ((event)->texts[TRACE_FIELD(id, member)])

/* Reads the beginning of the trace in `file`, which stays the caller's; `name` is for errors. Returns
 * NULL and sets `error` when it is none, or one of another version. Free with trace_reader_free(). */
trace_reader *trace_reader_new(FILE *file, const char *name, GError **error);
void trace_reader_free(trace_reader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(trace_reader, trace_reader_free)

/* Reads the next event. Returns FALSE at the end, and with `error` where the file is damaged or was cut
 * short. */
gboolean trace_reader_next(trace_reader *reader, trace_event *event, GError **error);
