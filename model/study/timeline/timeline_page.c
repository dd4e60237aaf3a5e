/* SPDX-License-Identifier: GPL-2.0-only */
/* The events stand in the page as base64 of gzip of
 *     the length of a JSON text, and the text: {"about": TEXT, "explained": TEXT, "names": [TEXT …],
 *         "events": [{"name": …, "count": N, "fields": [[NAME, 1: a name, 0: a number] …]} …]}
 *     for each of these events its columns: end (2 x connection + side), time, packet, fields; N numbers
 * each. A number is LEB128 (trace.h). In a column it is the difference to the one before, a field's to the
 * one before at the same end, zigzag: 0, -1, 1, -2 … are 0, 1, 2, 3 …; a name is its number in "names". What
 * changes regularly is thus the same octet again and again, and gzip leaves little of it. */
#include "study/timeline/timeline_page.h"

#include <gio/gio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/plain_text.h"
#include "study/report/html.h"

/* end, time and packet come before the fields. */
enum { END, TIME, PACKET, FIELDS, COLUMNS_MAX = FIELDS + TRACE_FIELDS_MAX };

/* All events of one kind. */
typedef struct event_columns {
  guint64 count;
  GByteArray *columns[COLUMNS_MAX];
  guint64 last[FIELDS];    /* of end, time and packet */
  GHashTable *last_of_end; /* of the fields: guint64[TRACE_FIELDS_MAX] by end */
} event_columns;

struct timeline_page {
  event_columns events[TRACE_EVENTS];
  GHashTable *name_numbers; /* by the text */
  GString *names;           /* JSON texts, separated by commas */
};

/* What the page shows needs all events but these, which are many. */
static gboolean is_shown(trace_event_id id)
{
  return id != TRACE_PLACED_PART && id != TRACE_SEGMENT_SENT_AGAIN;
}

static void append_number(GByteArray *octets, guint64 number)
{
  for (; number >= 0x80; number >>= 7) {
    const guint8 octet = (guint8)(number | 0x80);
    g_byte_array_append(octets, &octet, 1);
  }
  const guint8 octet = (guint8)number;
  g_byte_array_append(octets, &octet, 1);
}

/* Appends how far `number` is from `*last`, which becomes `number`. */
static void append_change(GByteArray *octets, guint64 *last, guint64 number)
{
  const guint64 change = number - *last;

  append_number(octets, change << 1 ^ (change >> 63 ? G_MAXUINT64 : 0));
  *last = number;
}

/* The number of `text` among the names of the page. */
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
                                event->packet};

  if (of->count++ == 0) {
    for (guint i = 0; i < FIELDS + row->field_count; i++) {
      of->columns[i] = g_byte_array_new();
    }
    of->last_of_end = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  }
  for (guint i = 0; i < FIELDS; i++) {
    append_change(of->columns[i], &of->last[i], head[i]);
  }
  guint64 *last = g_hash_table_lookup(of->last_of_end, &head[END]);
  if (last == NULL) {
    last = g_new0(guint64, TRACE_FIELDS_MAX);
    g_hash_table_insert(of->last_of_end, g_memdup2(&head[END], sizeof head[END]), last);
  }
  for (guint i = 0; i < row->field_count; i++) {
    if (row->fields[i].type == TRACE_NAME_ID) {
      append_number(of->columns[FIELDS + i], name_number(page, event->texts[i]));
    } else {
      append_change(of->columns[FIELDS + i], &last[i], event->values[i]);
    }
  }
}

/* The JSON text. Free with g_string_free(). */
static GString *head_of(const timeline_page *page, const char *about, const char *explained)
{
  GString *head = g_string_new("{\"about\":");
  const char *separator = "";

  plain_text_append_json(head, about);
  g_string_append(head, ",\"explained\":");
  plain_text_append_json(head, explained);
  g_string_append_printf(head, ",\"names\":[%s],\"events\":[", page->names->str);
  for (guint id = 0; id < TRACE_EVENTS; id++) {
    if (page->events[id].count > 0) {
      const trace_row *row = trace_row_of(id);
      g_string_append_printf(head, "%s{\"name\":\"%s\",\"count\":%" G_GUINT64_FORMAT ",\"fields\":[",
                             separator, row->name, page->events[id].count);
      for (guint i = 0; i < row->field_count; i++) {
        g_string_append_printf(head, "%s[\"%s\",%d]", i > 0 ? "," : "", row->fields[i].name,
                               row->fields[i].type == TRACE_NAME_ID);
      }
      g_string_append(head, "]}");
      separator = ",";
    }
  }
  g_string_append(head, "]}");
  return head;
}

/* The events as they stand in the page. Free with g_free(). */
static char *events_of(const timeline_page *page, const char *about, const char *explained)
{
  g_autoptr(GString) head = head_of(page, about, explained);
  g_autoptr(GByteArray) length = g_byte_array_new();
  g_autoptr(GConverter) gzip = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9));
  g_autoptr(GOutputStream) packed = g_memory_output_stream_new_resizable();
  g_autoptr(GOutputStream) stream = g_converter_output_stream_new(packed, gzip);

  append_number(length, head->len);
  g_output_stream_write_all(stream, length->data, length->len, NULL, NULL, NULL);
  g_output_stream_write_all(stream, head->str, head->len, NULL, NULL, NULL);
  for (guint id = 0; id < TRACE_EVENTS; id++) {
    for (guint i = 0; i < COLUMNS_MAX && page->events[id].columns[i] != NULL; i++) {
      const GByteArray *column = page->events[id].columns[i];
      g_output_stream_write_all(stream, column->data, column->len, NULL, NULL, NULL);
    }
  }
  g_output_stream_close(stream, NULL, NULL); /* into memory: nothing of this fails */
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
    if (is_shown(event.id)) {
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
      g_byte_array_unref(page->events[id].columns[i]);
    }
    g_clear_pointer(&page->events[id].last_of_end, g_hash_table_unref);
  }
  g_hash_table_unref(page->name_numbers);
  g_string_free(page->names, TRUE);
  g_free(page);
}

/* The texts of `files` of scripts/timeline, one after the other. Free with g_free(); NULL and `error` when
 * one cannot be read. */
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
  GString *html = g_string_new(NULL);
  html_append_head(html, style, script, title, "iwarpsim timeline");
  g_string_append_printf(
      html,
      "<body>\n<noscript><p>This page draws with JavaScript, which is off.</p></noscript>\n"
      "<script type=\"text/plain\" id=\"events\">%s</script>\n<script>%s</script>\n"
      "</body>\n</html>\n",
      events, script);
  return g_string_free(html, FALSE);
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
