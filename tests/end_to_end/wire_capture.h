/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts the TCP streams of a capture in order. Deliberately simple and independent: it shares no code with
 * model/. */
#pragma once

#include "packet_list.h"

/* This is a segment with payload, in the order of the capture. */
typedef struct wire_segment {
  guint64 offset; /* stream position of its first octet: 0 is the one after the SYN */
  guint64 octets;
  guint packet; /* its number in the capture, of all connections */
} wire_segment;

/* This is one direction of a connection. */
typedef struct wire_stream {
  gboolean has_syn;
  gboolean has_fin;
  gboolean is_reset;
  guint32 first_sequence; /* of the octet after the SYN */
  guint64 end;            /* after the last octet; once has_fin, where the FIN is */
  GByteArray *octets;     /* the whole stream, in order */
  GByteArray *seen;       /* 1 for each octet that some segment brought */
  GArray *segments;       /* of wire_segment, retransmissions among them */
} wire_stream;

enum {
  WIRE_INITIATOR,
  WIRE_RESPONDER,
  WIRE_SIDES
}; /* who sends the stream; the Initiator sends the first SYN */

typedef struct wire_connection {
  guint16 initiator_port;
  wire_stream stream[WIRE_SIDES];
} wire_connection;

/* Returns the connections in file `name` of `folder`, in the order of their SYNs; free with
 * g_ptr_array_unref(). Violations of TCP (octets that differ when sent again, holes, octets after a FIN) are
 * added to `complaints`, in words. */
GPtrArray *wire_capture_read(const char *folder, const char *name, GPtrArray *complaints);

/* A connection without octets, added to `connections`, which frees it. */
wire_connection *wire_connection_new(GPtrArray *connections);

/* Returns an empty array of connections. Free with g_ptr_array_unref(). */
GPtrArray *wire_connections_new(void);

/* Adds a complaint to an array of strings that frees them. */
void wire_complain(GPtrArray *complaints, const char *format, ...) G_GNUC_PRINTF(2, 3);
