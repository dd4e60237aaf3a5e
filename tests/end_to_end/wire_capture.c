/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_capture.h"

#include <string.h>

enum {
  FILE_HEADER_OCTETS = 24,
  PACKET_HEADER_OCTETS = 16,
  IPV4_HEADER_OCTETS = 20,
  TCP_HEADER_OCTETS = 20,
  LINK_RAW = 101,
  PROTOCOL_TCP = 6,
};

enum { FLAG_FIN = 0x01, FLAG_SYN = 0x02, FLAG_RST = 0x04, FLAG_ACK = 0x10 };

/* A TCP segment as it is in the packet. */
typedef struct segment {
  guint32 source_address, destination_address;
  guint16 source_port, destination_port;
  guint32 sequence;
  guint8 flags;
  const guint8 *payload;
  guint32 octets;
} segment;

void wire_complain(GPtrArray *complaints, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_ptr_array_add(complaints, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

guint64 wire_number(const guint8 *octets, guint count)
{
  guint64 number = 0;

  for (guint i = 0; i < count; i++) {
    number = number << 8 | octets[i];
  }
  return number;
}

static guint32 little_endian(const guint8 *octets)
{
  return (guint32)octets[0] | (guint32)octets[1] << 8 | (guint32)octets[2] << 16 | (guint32)octets[3] << 24;
}

static void free_connection(gpointer data)
{
  g_autofree wire_connection *connection = data;

  for (int side = 0; side < WIRE_SIDES; side++) {
    g_byte_array_unref(connection->stream[side].octets);
    g_byte_array_unref(connection->stream[side].seen);
    g_array_unref(connection->stream[side].segments);
  }
}

/* RFC 791 and RFC 9293, without their options. */
static void parse(const guint8 *packet, guint32 octets, segment *s)
{
  g_assert_cmpuint(octets, >=, IPV4_HEADER_OCTETS);
  g_assert_cmpuint(packet[0] >> 4, ==, 4);
  g_assert_cmpuint(packet[9], ==, PROTOCOL_TCP);
  guint32 ip_header = (packet[0] & 0x0F) * 4u;
  guint32 ip_octets = (guint32)wire_number(packet + 2, 2);
  g_assert_cmpuint(ip_octets, <=, octets);
  g_assert_cmpuint(ip_octets, >=, ip_header + TCP_HEADER_OCTETS);
  const guint8 *tcp = packet + ip_header;
  guint32 tcp_header = (tcp[12] >> 4) * 4u;
  g_assert_cmpuint(ip_octets, >=, ip_header + tcp_header);
  s->source_address = (guint32)wire_number(packet + 12, 4);
  s->destination_address = (guint32)wire_number(packet + 16, 4);
  s->source_port = (guint16)wire_number(tcp, 2);
  s->destination_port = (guint16)wire_number(tcp + 2, 2);
  s->sequence = (guint32)wire_number(tcp + 4, 4);
  s->flags = tcp[13];
  s->payload = tcp + tcp_header;
  s->octets = ip_octets - ip_header - tcp_header;
}

/* The stream that `s` belongs to; NULL when its connection was not opened in the capture. */
static wire_stream *stream_of(GPtrArray *connections, const segment *s)
{
  for (guint i = 0; i < connections->len; i++) {
    wire_connection *c = connections->pdata[i];
    for (int side = 0; side < WIRE_SIDES; side++) {
      int other = 1 - side;
      if (c->address[side] == s->source_address && c->port[side] == s->source_port &&
          c->address[other] == s->destination_address && c->port[other] == s->destination_port) {
        return &c->stream[side];
      }
    }
  }
  return NULL;
}

static wire_stream *open_connection(GPtrArray *connections, const segment *s)
{
  wire_connection *c = g_new0(wire_connection, 1);

  c->address[WIRE_INITIATOR] = s->source_address;
  c->port[WIRE_INITIATOR] = s->source_port;
  c->address[WIRE_RESPONDER] = s->destination_address;
  c->port[WIRE_RESPONDER] = s->destination_port;
  for (int side = 0; side < WIRE_SIDES; side++) {
    c->stream[side].octets = g_byte_array_new();
    c->stream[side].seen = g_byte_array_new();
    c->stream[side].segments = g_array_new(FALSE, FALSE, sizeof(wire_segment));
  }
  g_ptr_array_add(connections, c);
  return &c->stream[WIRE_INITIATOR];
}

/* Puts the payload where it belongs; what is there already must be the same. */
static void take_payload(wire_stream *stream, const segment *s, guint64 offset, GPtrArray *complaints)
{
  wire_segment taken = {.offset = offset, .octets = s->octets};

  g_array_append_val(stream->segments, taken);
  if (offset + s->octets > stream->octets->len) {
    guint before = stream->octets->len;
    g_byte_array_set_size(stream->octets, (guint)(offset + s->octets));
    g_byte_array_set_size(stream->seen, (guint)(offset + s->octets));
    memset(stream->seen->data + before, 0, stream->seen->len - before);
  }
  for (guint32 i = 0; i < s->octets; i++) {
    if (stream->seen->data[offset + i] && stream->octets->data[offset + i] != s->payload[i]) {
      wire_complain(complaints, "stream octet %" G_GUINT64_FORMAT " is sent again with another value",
                    offset + i);
      break;
    }
  }
  memcpy(stream->octets->data + offset, s->payload, s->octets);
  memset(stream->seen->data + offset, 1, s->octets);
}

static void take(GPtrArray *connections, const segment *s, GPtrArray *complaints)
{
  wire_stream *stream = stream_of(connections, s);

  if (!stream && (s->flags & (FLAG_SYN | FLAG_ACK)) == FLAG_SYN) {
    stream = open_connection(connections, s);
  }
  if (!stream) {
    wire_complain(complaints, "a segment of no connection, from port %u", s->source_port);
    return;
  }
  stream->is_reset |= (s->flags & FLAG_RST) != 0;
  if (s->flags & FLAG_SYN) {
    stream->has_syn = TRUE;
    stream->first_sequence = s->sequence + 1;
    return;
  }
  if (!stream->has_syn || (s->octets == 0 && !(s->flags & FLAG_FIN))) {
    return;
  }
  /* 32 bits of sequence number around the newest octet are the stream position (they may have wrapped). */
  guint64 newest = stream->octets->len;
  gint64 position = (gint64)newest + (gint32)(s->sequence - stream->first_sequence - (guint32)newest);
  if (position < 0) {
    wire_complain(complaints, "octets before the SYN");
    return;
  }
  if (s->octets > 0) {
    take_payload(stream, s, (guint64)position, complaints);
  }
  if (s->flags & FLAG_FIN) {
    stream->has_fin = TRUE;
    stream->end = (guint64)position + s->octets;
  }
}

/* Every octet up to the FIN, or to the newest one, and none after. */
static void check_whole(wire_stream *stream, GPtrArray *complaints)
{
  if (!stream->has_fin) {
    stream->end = stream->octets->len;
  }
  if (stream->octets->len != stream->end) {
    wire_complain(complaints, "%u octets, but the FIN is behind %" G_GUINT64_FORMAT, stream->octets->len,
                  stream->end);
  }
  const guint8 *hole = stream->seen->len > 0 ? memchr(stream->seen->data, 0, stream->seen->len) : NULL;
  if (hole) {
    wire_complain(complaints, "stream octet %td never came", hole - stream->seen->data);
    /* What is beyond a hole cannot be read; with an RST there may be one. */
    g_byte_array_set_size(stream->octets, (guint)(hole - stream->seen->data));
    stream->end = stream->octets->len;
  }
}

GPtrArray *wire_capture_read(const char *folder, const char *name, GPtrArray *complaints)
{
  GPtrArray *connections = g_ptr_array_new_with_free_func(free_connection);
  gsize size;
  char *path = g_build_filename(folder, name, NULL);
  GError *error = NULL;
  char *contents;

  g_file_get_contents(path, &contents, &size, &error);
  g_assert_no_error(error);
  const guint8 *file = (const guint8 *)contents;
  g_assert_cmpuint(size, >=, FILE_HEADER_OCTETS);
  g_assert_cmphex(little_endian(file), ==, 0xA1B23C4D); /* nanoseconds */
  g_assert_cmpuint(little_endian(file + 20), ==, LINK_RAW);
  for (gsize at = FILE_HEADER_OCTETS; at < size;) {
    segment s;
    g_assert_cmpuint(size - at, >=, PACKET_HEADER_OCTETS);
    guint32 octets = little_endian(file + at + 8);
    g_assert_cmpuint(octets, ==, little_endian(file + at + 12)); /* the whole packet is there */
    at += PACKET_HEADER_OCTETS;
    g_assert_cmpuint(size - at, >=, octets);
    parse(file + at, octets, &s);
    take(connections, &s, complaints);
    at += octets;
  }
  g_free(contents);
  g_free(path);
  for (guint i = 0; i < connections->len; i++) {
    wire_connection *c = connections->pdata[i];
    check_whole(&c->stream[WIRE_INITIATOR], complaints);
    check_whole(&c->stream[WIRE_RESPONDER], complaints);
  }
  return connections;
}
