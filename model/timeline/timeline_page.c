/* SPDX-License-Identifier: GPL-2.0-only */
/* The events stand in the page as base64 of gzip of a JSON text:
 *     {"about": TEXT, "explained": TEXT, "names": [TEXT …],
 *      "events": {NAME: {"end": […], "time": […], "packet": […], "node": […], FIELD: […] …} …}}
 * An end is 2 x connection + side; a name, as that of a node, is its number in "names". A number is the
 * difference to the one before it in its list, a field's to the one before at the same end. What changes
 * regularly is thus the same text again and again, and gzip leaves little of it. */
#include "timeline/timeline_page.h"

#include <gio/gio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/html.h"
#include "base/json_writer.h"
#include "base/plain_text.h"
#include "mpa/mpa_fpdu.h"
#include "net/capture_stream.h"
#include "net/tcp_header.h"

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

typedef struct timeline_page {
  event_columns events[TRACE_EVENTS];
  GHashTable *name_numbers; /* by the text */
  GString *names;           /* JSON texts, separated by commas */
} timeline_page;

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
    json_append_text(page->names, NULL, NULL, text);
  }
  return GPOINTER_TO_UINT(number);
}

/* Adds `event`, of which nothing is kept; of one end, in the order of time. */
static void page_add(timeline_page *page, const trace_event *event)
{
  const trace_row *row = &trace_rows[event->id];
  event_columns *of = &page->events[event->id];
  const guint64 head[FIELDS] = {2 * (guint64)event->connection + event->side, (guint64)event->time,
                                event->packet, name_number(page, event->node)};

  if (of->columns[0] == NULL) {
    g_assert(row->field_count <= COLUMNS_MAX - FIELDS);
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
    const trace_row *row = &trace_rows[id];
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

static timeline_page *page_new(void)
{
  timeline_page *page = g_new0(timeline_page, 1);

  page->name_numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  page->names = g_string_new(NULL);
  return page;
}

static void page_free(timeline_page *page)
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

/* Returns the page of what the JSON text `about` names. Free with g_free(); NULL and `error` when a file
 * cannot be read. */
static char *page_html(const timeline_page *page, const char *about, const char *title, const char *explained,
                       GError **error)
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
  timeline_page *page = page_new();
  trace_event event;
  gboolean any = FALSE;

  while (trace_reader_next(reader, &event, error)) {
    any = TRUE;
    /* what the page shows needs all events but these, which are many */
    if (event.id != TRACE_PLACED_PART && event.id != TRACE_SEGMENT_SENT_AGAIN) {
      page_add(page, &event);
    }
  }
  const gboolean good =
      *error == NULL && (any || error_set(error, "the trace has no events: there is nothing to show"));
  char *html = good ? page_html(page, reader->about, title, explained, error) : NULL;
  page_free(page);
  return html;
}

/* Stands in a field for what the capture does not show. */
#define NOT_KNOWN UINT64_MAX

enum { SHIFT_NOT_KNOWN = -1, SHIFT_MAX = 14, PS_PER_NS = 1000, PROBLEMS_OCTETS_MAX = 1 << 20 };

struct timeline_capture {
  timeline_page *page;
  GString
      *about; /* a JSON list: lines of decode, startup frames, notes and FPDUs with errors; its overview */
  decode_line line;
};

/* This is one end of a connection. */
typedef struct captured_end {
  capture_stream *stream; /* what it sends; NULL: nothing of it is known */
  bool is_acknowledged;   /* `acknowledged` and `edge` hold: of what it sends */
  uint64_t acknowledged, edge;
  int shift; /* of the windows that it advertises (RFC 7323 §2) */
} captured_end;

typedef struct captured_connection {
  const decode_connection *of;
  captured_end ends[SIDES];
  time_ps latest; /* of its segments: times in a capture may go back a little */
} captured_connection;

/* Adds to the page the event `id` of `side`, with `values`; the rest is as in `at`. */
static void add(timeline_page *page, const trace_event *at, enum side side, trace_event_id id,
                const uint64_t *values, const char *text)
{
  trace_event event = *at;
  const trace_row *row = &trace_rows[id];

  event.id = id;
  event.side = side;
  event.node = "capture";
  memcpy(event.values, values, row->field_count * sizeof *values);
  for (uint32_t i = 0; i < row->field_count; i++) {
    event.texts[i] = text; /* of a NAME, which no row has two of */
  }
  page_add(page, &event);
}

#define ADD(page, at, side, id, text, ...)                                                                   \
  add(page, at, side, TRACE_##id, (const uint64_t *)&(const struct trace_##id){__VA_ARGS__}, text)

/* --- The first reading: FPDUs --- */

timeline_capture *timeline_capture_new(void)
{
  timeline_capture *capture = g_new0(timeline_capture, 1);

  capture->page = page_new();
  capture->about = g_string_new("[");
  capture->line.text = capture->about;
  return capture;
}

void timeline_capture_free(timeline_capture *capture)
{
  page_free(capture->page);
  g_string_free(capture->about, TRUE);
  g_free(capture);
}

void timeline_capture_event(void *user, const decode_event *event)
{
  timeline_capture *capture = user;
  timeline_page *page = capture->page;
  const decode_direction_summary *sums = &event->connection->directions[event->direction];
  const decode_fpdu *fpdu = event->fpdu;
  const enum side sender = event->direction, receiver = side_peer(sender);
  const trace_event at = {.time = event->time_ns * PS_PER_NS,
                          .connection = event->connection->index,
                          .packet = event->packets.last};

  if (!fpdu || fpdu->has_terminate || (event->problems != 0 && capture->about->len < PROBLEMS_OCTETS_MAX)) {
    decode_json.event(&capture->line, event);
    g_string_truncate(capture->about, capture->about->len - 1); /* without the line's end */
  }
  if (!fpdu) {
    return;
  }
  if (sums->fpdus == 1) { /* midway the FPDU phase may have begun before position 0: the markers show */
    ADD(page, &at, receiver, FULL_OPERATION, NULL,
        .receives_from = event->stream_position - fpdu->phase_offset, .markers = sums->markers);
  }
  ADD(page, &at, sender, FPDU_SENT, NULL, .position = event->stream_position, .octets = event->octets,
      .ulpdu_octets = fpdu->ulpdu_octets, .tagged = fpdu->ddp.tagged, .last = fpdu->ddp.last,
      .opcode = fpdu->rdmap_opcode, .message = fpdu->ddp.tagged ? fpdu->ddp.stag : fpdu->ddp.msn,
      .offset = fpdu->ddp.tagged ? fpdu->ddp.tagged_offset : fpdu->ddp.message_offset);
  if (fpdu->crc == DECODE_CRC_WRONG) {
    ADD(page, &at, receiver, FPDU_INVALID, NULL, .position = event->stream_position, .error = MPA_ERROR_CRC);
  } else {
    ADD(page, &at, receiver, FPDU_VALID, mpa_location_names[fpdu->located_by],
        .position = event->stream_position, .octets = event->octets, .held_octets = NOT_KNOWN,
        .markers = fpdu->marker_count);
  }
}

/* --- The second reading: segments --- */

static void ignore_octets(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t position,
                          G_GNUC_UNUSED const uint8_t *octets, G_GNUC_UNUSED uint32_t length)
{
}

/* Returns the position of a sequence number that `end` sends; what lies before the capture is at 0. */
static uint64_t position_of(const captured_end *end, uint32_t sequence)
{
  return (uint64_t)MAX(capture_stream_position(end->stream, sequence), 0);
}

/* Adds what the end `side` may send, as far as acknowledgements were captured. */
static void add_window(timeline_page *page, const trace_event *at, enum side side, const captured_end *end)
{
  if (end->is_acknowledged) {
    uint64_t next = capture_stream_end(end->stream);
    ADD(page, at, side, WINDOW, "open", .acknowledged = end->acknowledged, .next = next, .edge = end->edge,
        .congestion_window_octets = NOT_KNOWN, .threshold_octets = NOT_KNOWN,
        .in_flight_octets = next - MIN(next, end->acknowledged));
  }
}

/* Reads the headers of the packet that `source` read last, which is no fragment: its TCP header, without
 * options where it is cut off or garbled; returns the octets of the IP packet, 0: not known. */
static uint32_t read_headers(const capture_source *source, tcp_header *header)
{
  capture_ip ip;
  uint32_t captured;
  const uint8_t *octets = capture_source_ip(source, &captured);

  tcp_header_begin(header);
  if (!capture_ip_read(&ip, octets, captured, UINT16_MAX + 40) || ip.is_fragment) {
    return 0;
  }
  if (tcp_header_decode(header, ip.payload, ip.captured_octets) == 0) {
    tcp_header_begin(header);
  }
  return (uint32_t)(ip.payload - ip.header) + ip.payload_octets;
}

static void add_segment(timeline_page *page, captured_connection *connection, const capture_segment *segment,
                        const capture_source *source)
{
  const enum side side = decode_side_of(connection->of, segment->from);
  const enum side other = side_peer(side);
  captured_end *own = &connection->ends[side], *peer = &connection->ends[other];
  const bool is_syn = (segment->flags & TCP_SYN) != 0;
  const uint32_t sequence = segment->sequence + is_syn;
  tcp_header header;
  const uint32_t ip_octets = read_headers(source, &header);

  connection->latest = MAX(connection->latest, segment->time_ns * PS_PER_NS);
  const trace_event at = {
      .time = connection->latest, .connection = connection->of->index, .packet = segment->packet};
  if (!own->stream) {
    own->stream = capture_stream_new(sequence, 0);
  }
  if (is_syn) { /* both ends' SYNs must have the option */
    own->shift = header.has_window_scale ? MIN(header.window_scale, SHIFT_MAX) : 0;
    peer->shift = header.has_window_scale ? peer->shift : 0;
  }
  const uint64_t position = position_of(own, sequence), edge = capture_stream_in_order_edge(own->stream);
  const bool is_late = position < capture_stream_end(own->stream) && segment->payload_octets > 0;
  const uint64_t added = capture_stream_receive(own->stream, segment, ignore_octets, NULL);
  const int shift = is_syn ? 0 : own->shift;
  const uint64_t window = shift == SHIFT_NOT_KNOWN ? NOT_KNOWN : (uint64_t)segment->window << shift;
  uint64_t acknowledged = 0;

  if ((segment->flags & TCP_ACK) && peer->stream) {
    acknowledged = position_of(peer, segment->acknowledgement);
    peer->acknowledged = MAX(peer->acknowledged, acknowledged);
    peer->edge = window == NOT_KNOWN ? NOT_KNOWN : MAX(peer->edge, acknowledged + window);
    peer->is_acknowledged = true;
    add_window(page, &at, other, peer);
  }
  if (ip_octets > 0) {
    ADD(page, &at, side, PACKET_SENT, NULL, .ip_octets = ip_octets);
  }
  ADD(page, &at, side, SEGMENT_SENT, "", .position = position, .payload_octets = segment->payload_octets,
      .acknowledged = acknowledged, .window_octets = window, .flags = segment->flags,
      .sequence = segment->sequence, .again = is_late);
  for (uint32_t i = 0; peer->stream && i < header.sack_count; i++) {
    ADD(page, &at, side, SACK_SENT, NULL, .from = position_of(peer, header.sack[i].from),
        .to = position_of(peer, header.sack[i].to));
  }
  if (segment->payload_octets > 0) {
    ADD(page, &at, other, SEGMENT_ARRIVED, NULL, .position = position,
        .payload_octets = segment->payload_octets, .new_octets = added, .in_order_edge = edge);
    add_window(page, &at, side, own);
  }
}

/* --- The page --- */

char *timeline_capture_html(timeline_capture *capture, const decode_capture *of, capture_source *again,
                            gboolean ignore_checksums, const char *title, GError **error)
{
  g_autoptr(GHashTable) connections = g_hash_table_new(NULL, NULL); /* by flow */
  g_autofree captured_connection *all = g_new0(captured_connection, of->connections->len);
  capture_segment segment;
  gboolean any = FALSE;

  for (guint i = 0; i < of->connections->len; i++) {
    all[i].of = of->connections->pdata[i];
    for (enum side side = 0; side < SIDES; side++) {
      const uint32_t first = all[i].of->directions[side].first_sequence;
      /* 0: this end sent no payload, and its first segment shows. */
      all[i].ends[side] = (captured_end){.stream = first == 0 ? NULL : capture_stream_new(first, 0),
                                         .shift = SHIFT_NOT_KNOWN};
    }
    g_hash_table_insert(connections, GUINT_TO_POINTER(all[i].of->flow), &all[i]);
  }
  while (capture_source_next(again, &segment, NULL, NULL)) {
    captured_connection *connection = g_hash_table_lookup(connections, GUINT_TO_POINTER(segment.flow));
    if (connection && (ignore_checksums || segment.checksum != CAPTURE_CHECKSUM_WRONG)) {
      add_segment(capture->page, connection, &segment, again);
      any |= segment.payload_octets > 0;
    }
  }
  for (guint i = 0; i < of->connections->len; i++) {
    capture_stream_free(all[i].ends[SIDE_INITIATOR].stream);
    capture_stream_free(all[i].ends[SIDE_RESPONDER].stream);
  }
  if (!any) {
    error_set(error, "%s: no payload was captured: there is nothing to show", of->file);
    return NULL;
  }
  decode_json.overview(&capture->line, of);
  capture->about->str[capture->about->len - 1] = ']'; /* in place of the line's end */
  return page_html(capture->page, capture->about->str, title, "", error);
}
