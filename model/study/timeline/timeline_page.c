/* SPDX-License-Identifier: GPL-2.0-only */
/* The events stand in the page as base64 of gzip of a JSON text:
 *     {"about": TEXT, "explained": TEXT, "names": [TEXT …],
 *      "events": {NAME: {"end": […], "time": […], "packet": […], "node": […], FIELD: […] …} …}}
 * An end is 2 x connection + side; a name, as that of a node, is its number in "names". A number is the
 * difference to the one before it in its list, a field's to the one before at the same end. What changes
 * regularly is thus the same text again and again, and gzip leaves little of it. */
#include "study/timeline/timeline_page.h"

#include <gio/gio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/plain_text.h"
#include "study/report/html.h"

/* These come before the fields. */
enum { END, TIME, PACKET, NODE, FIELDS, COLUMNS_MAX = FIELDS + TRACE_FIELDS_MAX };

/* A text, which may be very long, is packed in pieces. */
enum { PIECE_OCTETS = 64 << 10 };

/* These are all events of one kind. */
typedef struct event_columns {
  GString *columns[COLUMNS_MAX]; /* NULL: there is no such event */
  guint64 last[FIELDS];          /* of those before the fields */
  GHashTable *last_of_end;       /* of the fields: guint64[] by end */
} event_columns;

struct timeline_page {
  event_columns events[TRACE_EVENTS];
  GHashTable *name_numbers; /* by the text */
  GString *names;           /* JSON texts, separated by commas */
};

/* Appends how far `number` is from `*last`, which becomes `number`. */
static void append_change(GString *column, guint64 *last, guint64 number)
{
  g_string_append_printf(column, "%s%" G_GINT64_FORMAT, column->len > 0 ? "," : "", (gint64)(number - *last));
  *last = number;
}

/* Returns the number of `text` among the names of the page. */
static guint64 name_number(timeline_page *page, const char *text)
{
  gpointer number;

  if (!g_hash_table_lookup_extended(page->name_numbers, text, NULL, &number)) {
    number = GUINT_TO_POINTER(g_hash_table_size(page->name_numbers));
    g_hash_table_insert(page->name_numbers, g_strdup(text), number);
    g_string_append(page->names, page->names->len > 0 ? "," : "");
    plain_text_append_json(page->names, text);
  }
  return GPOINTER_TO_UINT(number);
}

void timeline_page_add(timeline_page *page, const trace_event *event)
{
  const trace_row *row = trace_row_of(event->id);
  event_columns *of = &page->events[event->id];
  const guint64 head[FIELDS] = {2 * (guint64)event->connection + event->side, (guint64)event->time,
                                event->packet, name_number(page, event->node)};

  if (of->columns[0] == NULL) {
    for (guint i = 0; i < FIELDS + row->field_count; i++) {
      of->columns[i] = g_string_new(NULL);
    }
    of->last_of_end = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  }
  for (guint i = 0; i < FIELDS; i++) {
    append_change(of->columns[i], &of->last[i], head[i]);
  }
  guint64 *last = g_hash_table_lookup(of->last_of_end, GSIZE_TO_POINTER(head[END]));
  if (last == NULL) {
    last = g_new0(guint64, row->field_count);
    g_hash_table_insert(of->last_of_end, GSIZE_TO_POINTER(head[END]), last);
  }
  for (guint i = 0; i < row->field_count; i++) {
    const gboolean is_name = row->fields[i].type == TRACE_NAME_ID;
    append_change(of->columns[FIELDS + i], &last[i],
                  is_name ? name_number(page, event->texts[i]) : event->values[i]);
  }
}

/* Packs `before`, and `text` as a JSON string: in pieces, since what explains a capture of many connections
 * is as long as it. */
static void pack_text(GOutputStream *stream, const char *before, const char *text)
{
  g_output_stream_printf(stream, NULL, NULL, NULL, "%s\"", before); /* into memory: nothing of this fails */
  for (const char *end; *text != '\0'; text = end) {
    end = text + strnlen(text, PIECE_OCTETS);
    end = *end != '\0' ? g_utf8_find_prev_char(text, end) : end;
    g_autofree char *piece = g_strndup(text, (gsize)(end - text));
    g_autoptr(GString) json = g_string_new(NULL);
    plain_text_append_json(json, piece);
    g_output_stream_write_all(stream, json->str + 1, json->len - 2, NULL, NULL, NULL);
  }
  g_output_stream_printf(stream, NULL, NULL, NULL, "\"");
}

/* Returns the events as they stand in the page. Free with g_free(). */
static char *events_of(const timeline_page *page, const char *about, const char *explained)
{
  static const char *const heads[FIELDS] = {"end", "time", "packet", "node"};
  g_autoptr(GConverter) gzip = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6));
  g_autoptr(GOutputStream) packed = g_memory_output_stream_new_resizable();
  g_autoptr(GOutputStream) stream = g_converter_output_stream_new(packed, gzip);
  const char *separator = "";

  pack_text(stream, "{\"about\":", about);
  pack_text(stream, ",\"explained\":", explained);
  g_output_stream_printf(stream, NULL, NULL, NULL, ",\"names\":[%s],\"events\":{", page->names->str);
  for (guint id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = trace_row_of(id);
    for (guint i = 0; i < COLUMNS_MAX && page->events[id].columns[i] != NULL; i++) {
      if (i == 0) {
        g_output_stream_printf(stream, NULL, NULL, NULL, "%s\"%s\":{", separator, row->name);
      }
      g_output_stream_printf(stream, NULL, NULL, NULL, "%s\"%s\":[%s%s", i > 0 ? "," : "",
                             i < FIELDS ? heads[i] : row->fields[i - FIELDS].name,
                             page->events[id].columns[i]->str,
                             i + 1 < FIELDS + row->field_count ? "]" : "]}");
      separator = ",";
    }
  }
  g_output_stream_printf(stream, NULL, NULL, NULL, "}}");
  g_output_stream_close(stream, NULL, NULL);
  return g_base64_encode(g_memory_output_stream_get_data(G_MEMORY_OUTPUT_STREAM(packed)),
                         g_memory_output_stream_get_data_size(G_MEMORY_OUTPUT_STREAM(packed)));
}

/* Reads all events into `page`. */
static gboolean read_events(timeline_page *page, trace_reader *reader, GError **error)
{
  trace_event event;
  gboolean any = FALSE;

  while (trace_reader_next(reader, &event, error)) {
    any = TRUE;
    /* what the page shows needs all events but these, which are many */
    if (event.id != TRACE_PLACED_PART && event.id != TRACE_SEGMENT_SENT_AGAIN) {
      timeline_page_add(page, &event);
    }
  }
  return *error == NULL && (any || error_set(error, "the trace has no events: there is nothing to show"));
}

timeline_page *timeline_page_new(void)
{
  timeline_page *page = g_new0(timeline_page, 1);

  page->name_numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  page->names = g_string_new(NULL);
  return page;
}

void timeline_page_free(timeline_page *page)
{
  for (guint id = 0; id < TRACE_EVENTS; id++) {
    for (guint i = 0; i < COLUMNS_MAX && page->events[id].columns[i] != NULL; i++) {
      g_string_free(page->events[id].columns[i], TRUE);
    }
    g_clear_pointer(&page->events[id].last_of_end, g_hash_table_unref);
  }
  g_hash_table_unref(page->name_numbers);
  g_string_free(page->names, TRUE);
  g_free(page);
}

/* Returns the texts of `files` of scripts/timeline, one after the other. Free with g_free(); NULL and `error`
 * when one cannot be read. */
static char *files_of_page(const char *const *files, GError **error)
{
  g_autoptr(GString) texts = g_string_new(NULL);

  for (; *files != NULL; files++) {
    g_autofree char *path = program_files_path(NULL, PROGRAM_TIMELINE, *files, error);
    g_autofree char *text = NULL;
    if (path == NULL || !g_file_get_contents(path, &text, NULL, error)) {
      return NULL;
    }
    g_string_append(texts, text);
  }
  return g_string_free(g_steal_pointer(&texts), FALSE);
}

char *timeline_page_html(const timeline_page *page, const char *about, const char *title,
                         const char *explained, GError **error)
{
  static const char *const styles[] = {"timeline.css", NULL};
  static const char *const scripts[] = {"run.js", "words.js", "picture.js", "timeline.js", NULL};
  g_autofree char *style = files_of_page(styles, error);
  g_autofree char *script = style != NULL ? files_of_page(scripts, error) : NULL;

  if (script == NULL) {
    return NULL;
  }
  g_autofree char *events = events_of(page, about, explained);
  g_autofree char *body =
      g_strconcat("<noscript><p>This page draws with JavaScript, which is off.</p></noscript>\n"
                  "<script type=\"text/plain\" id=\"events\">",
                  events, "</script>\n", NULL);
  return html_page(style, script, title, "iwarpsim timeline", body);
}

char *timeline_page_of_trace(trace_reader *reader, const char *title, const char *explained, GError **error)
{
  timeline_page *page = timeline_page_new();
  char *html = read_events(page, reader, error)
                   ? timeline_page_html(page, trace_reader_about(reader), title, explained, error)
                   : NULL;

  timeline_page_free(page);
  return html;
}
