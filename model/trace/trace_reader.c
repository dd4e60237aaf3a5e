/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace/trace_reader.h"

#include <string.h>

#include "base/error.h"
#include "trace/trace.h"

enum { ABOUT_OCTETS_MAX = 1 << 20, NAMES_MAX = 4096 };

/* Sets `error`, since there is not what there must be at this octet. Returns FALSE. */
static gboolean fail(const trace_reader *reader, GError **error, const char *what)
{
  return error_set(error, "%s: octet %" G_GUINT64_FORMAT ": %s", reader->name, reader->octets,
                   feof(reader->file) ? "the trace ends in the middle: it was cut short" : what);
}

/* Reads a number, of at most 64 bits. */
static gboolean get_number(trace_reader *reader, guint64 *number, GError **error)
{
  guint64 value = 0;
  guint shift = 0;
  int octet;

  do {
    octet = getc_unlocked(reader->file);
    reader->octets += octet != EOF;
    if (octet == EOF || (shift >= 63 && (shift > 63 || octet > 1))) {
      return fail(reader, error, "there is no number here");
    }
    value |= (guint64)(octet & 0x7F) << shift;
    shift += 7;
  } while (octet & 0x80);
  *number = value;
  return TRUE;
}

/* Reads a text of at most `most` octets. Returns NULL when there is none. */
static char *get_text(trace_reader *reader, guint64 most, GError **error)
{
  guint64 length;

  if (!get_number(reader, &length, error)) {
    return NULL;
  }
  char *text = length <= most ? g_malloc0(length + 1) : NULL;
  gsize read = text != NULL ? fread(text, 1, length, reader->file) : 0;
  reader->octets += read;
  if (text == NULL || read < length || !g_utf8_validate(text, (gssize)length, NULL)) {
    fail(reader, error, "there is no text here");
    g_clear_pointer(&text, g_free);
  }
  return text;
}

/* Reads the beginning, up to the first record. */
static gboolean get_beginning(trace_reader *reader, GError **error)
{
  char magic[sizeof TRACE_MAGIC - 1];
  guint64 version;

  if (fread(magic, 1, sizeof magic, reader->file) < sizeof magic ||
      memcmp(magic, TRACE_MAGIC, sizeof magic) != 0) {
    return error_set(error,
                     "%s: this is not a trace; expected a file that `iwarpsim run --trace` has written",
                     reader->name);
  }
  reader->octets = sizeof magic;
  if (!get_number(reader, &version, error)) {
    return FALSE;
  }
  if (version != TRACE_VERSION) {
    return error_set(error,
                     "%s: a trace of version %" G_GUINT64_FORMAT
                     "; this program reads version %d: run the scenario, or replay the capture, again with "
                     "--trace",
                     reader->name, version, TRACE_VERSION);
  }
  reader->about = get_text(reader, ABOUT_OCTETS_MAX, error);
  return reader->about != NULL;
}

trace_reader *trace_reader_new(FILE *file, const char *name, GError **error)
{
  trace_reader *reader = g_new0(trace_reader, 1);

  reader->file = file;
  reader->name = g_strdup(name);
  reader->names = g_ptr_array_new_with_free_func(g_free);
  if (!get_beginning(reader, error)) {
    trace_reader_free(reader);
    return NULL;
  }
  return reader;
}

void trace_reader_free(trace_reader *reader)
{
  if (reader) {
    g_ptr_array_unref(reader->names);
    g_free(reader->about);
    g_free(reader->name);
    g_free(reader);
  }
}

/* Reads the number of a name. */
static gboolean get_name(trace_reader *reader, guint64 *number, const char **text, GError **error)
{
  if (!get_number(reader, number, error)) {
    return FALSE;
  }
  *text = *number < reader->names->len ? reader->names->pdata[*number] : NULL;
  return *text != NULL || fail(reader, error, "a name that was not defined");
}

/* Reads the rest of a record whose first number is TRACE_RECORD_EVENT + `kind`. */
static gboolean get_event(trace_reader *reader, guint64 kind, trace_event *event, GError **error)
{
  guint64 passed = 0, connection = 0, node = 0, port = 0;

  if (kind / SIDES >= TRACE_EVENTS) {
    return fail(reader, error, "there is no such event");
  }
  if (!get_number(reader, &passed, error) || !get_number(reader, &connection, error) ||
      !get_name(reader, &node, &event->node, error) || !get_number(reader, &port, error) ||
      !get_number(reader, &event->packet, error)) {
    return FALSE;
  }
  if (passed > (guint64)(G_MAXINT64 - reader->time) || MAX(connection, port) > G_MAXUINT32) {
    return fail(reader, error, "there is no event here");
  }
  reader->time += (time_ps)passed;
  event->id = (trace_event_id)(kind / SIDES);
  event->side = (enum side)(kind % SIDES);
  event->time = reader->time;
  event->connection = (uint32_t)connection;
  event->port = (uint32_t)port;
  const trace_row *row = &trace_rows[event->id];
  for (guint i = 0; i < row->field_count; i++) {
    if (row->fields[i].type == TRACE_NAME_ID ? !get_name(reader, &event->values[i], &event->texts[i], error)
                                             : !get_number(reader, &event->values[i], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean trace_reader_next(trace_reader *reader, trace_event *event, GError **error)
{
  guint64 record;

  while (get_number(reader, &record, error) && record != TRACE_RECORD_END) {
    if (record >= TRACE_RECORD_EVENT) {
      return get_event(reader, record - TRACE_RECORD_EVENT, event, error);
    }
    char *text = reader->names->len < NAMES_MAX ? get_text(reader, TRACE_NAME_OCTETS_MAX, error) : NULL;
    if (text == NULL) {
      return *error != NULL ? FALSE : fail(reader, error, "too many names");
    }
    g_ptr_array_add(reader->names, text);
  }
  if (*error == NULL && getc(reader->file) != EOF) {
    reader->octets++;
    return fail(reader, error, "the trace goes on after its end");
  }
  return FALSE;
}
