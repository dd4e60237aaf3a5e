/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_capture.h"

#include <string.h>

void wire_complain(GPtrArray *complaints, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_ptr_array_add(complaints, g_strdup_vprintf(format, arguments));
  va_end(arguments);
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

GPtrArray *wire_connections_new(void)
{
  return g_ptr_array_new_with_free_func(free_connection);
}

wire_connection *wire_connection_new(GPtrArray *connections)
{
  wire_connection *c = g_new0(wire_connection, 1);

  for (int side = 0; side < WIRE_SIDES; side++) {
    c->stream[side].octets = g_byte_array_new();
    c->stream[side].seen = g_byte_array_new();
    c->stream[side].segments = g_array_new(FALSE, FALSE, sizeof(wire_segment));
  }
  g_ptr_array_add(connections, c);
  return c;
}

/* Returns the connection of `p`, which its first SYN opens; NULL when that is not in the capture. */
static wire_connection *connection_of(GPtrArray *connections, const listed_packet *p)
{
  for (guint i = 0; i < connections->len; i++) {
    wire_connection *c = connections->pdata[i];
    if (c->initiator_port == p->initiator_port) {
      return c;
    }
  }
  if ((p->flags & (LISTED_SYN | LISTED_ACK)) != LISTED_SYN) {
    return NULL;
  }
  wire_connection *c = wire_connection_new(connections);
  c->initiator_port = p->initiator_port;
  return c;
}

/* Puts the payload where it belongs; octets that are there already must be the same. */
static void take_payload(wire_stream *stream, const listed_packet *p, guint packet, GPtrArray *complaints)
{
  wire_segment taken = {.offset = p->position, .octets = p->payload, .packet = packet};
  const guint8 *payload = p->ip->data + p->ip->len - p->payload;

  g_array_append_val(stream->segments, taken);
  if (taken.offset + taken.octets > stream->octets->len) {
    guint before = stream->octets->len;
    g_byte_array_set_size(stream->octets, (guint)(taken.offset + taken.octets));
    g_byte_array_set_size(stream->seen, stream->octets->len);
    memset(stream->seen->data + before, 0, stream->seen->len - before);
  }
  for (guint32 i = 0; i < p->payload; i++) {
    if (stream->seen->data[taken.offset + i] && stream->octets->data[taken.offset + i] != payload[i]) {
      wire_complain(complaints, "stream octet %" G_GUINT64_FORMAT " is sent again with another value",
                    taken.offset + i);
      break;
    }
  }
  memcpy(stream->octets->data + taken.offset, payload, p->payload);
  memset(stream->seen->data + taken.offset, 1, p->payload);
}

static void take(GPtrArray *connections, const listed_packet *p, guint packet, GPtrArray *complaints)
{
  wire_connection *connection = connection_of(connections, p);

  if (!connection) {
    wire_complain(complaints, "a segment of no connection, of the Initiator's port %u", p->initiator_port);
    return;
  }
  wire_stream *stream = &connection->stream[p->from_initiator ? WIRE_INITIATOR : WIRE_RESPONDER];
  stream->is_reset |= (p->flags & LISTED_RST) != 0;
  if (p->flags & LISTED_SYN) {
    stream->has_syn = TRUE;
    stream->first_sequence = p->sequence + 1;
    return;
  }
  if (!stream->has_syn || (p->payload == 0 && !(p->flags & LISTED_FIN))) {
    return;
  }
  if ((gint64)p->position < 0) {
    wire_complain(complaints, "octets before the SYN");
    return;
  }
  if (p->payload > 0) {
    take_payload(stream, p, packet, complaints);
  }
  if (p->flags & LISTED_FIN) {
    stream->has_fin = TRUE;
    stream->end = p->position + p->payload;
  }
}

/* Checks every octet up to the FIN, or to the newest one, and none after; what a connection that is reset has
 * lost does not come any more. */
static void check_whole(wire_connection *connection, int side, GPtrArray *complaints)
{
  wire_stream *stream = &connection->stream[side];
  gboolean is_reset = stream->is_reset || connection->stream[1 - side].is_reset;

  if (!stream->has_fin) {
    stream->end = stream->octets->len;
  }
  if (stream->octets->len != stream->end) {
    wire_complain(complaints, "%u octets, but the FIN is after %" G_GUINT64_FORMAT, stream->octets->len,
                  stream->end);
  }
  const guint8 *hole = stream->seen->len > 0 ? memchr(stream->seen->data, 0, stream->seen->len) : NULL;
  if (hole) {
    if (!is_reset) {
      wire_complain(complaints, "stream octet %td never came", hole - stream->seen->data);
    }
    /* What is beyond a hole cannot be read. */
    g_byte_array_set_size(stream->octets, (guint)(hole - stream->seen->data));
    stream->end = stream->octets->len;
  }
}

GPtrArray *wire_capture_read(const char *folder, const char *name, GPtrArray *complaints)
{
  GPtrArray *connections = wire_connections_new();
  g_autoptr(GArray) packets = packet_list_read(folder, name);

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);
    if (p->kind == LISTED_SEGMENT || p->kind == LISTED_LAST_FRAGMENT) {
      take(connections, p, i, complaints);
    }
  }
  for (guint i = 0; i < connections->len; i++) {
    check_whole(connections->pdata[i], WIRE_INITIATOR, complaints);
    check_whole(connections->pdata[i], WIRE_RESPONDER, complaints);
  }
  return connections;
}
