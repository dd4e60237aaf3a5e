/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the packets of a capture one by one: the time of each, and the fields of its headers. This is the
 * only reader of capture files here; it shares no code with model/ and uses no capture library. wire_capture
 * makes streams of the packets. */
#pragma once

#include <glib.h>

typedef enum listed_kind {
  LISTED_SEGMENT,       /* a whole TCP segment */
  LISTED_FRAGMENT,      /* of an IPv4 datagram; only the first has the TCP fields, and payload */
  LISTED_LAST_FRAGMENT, /* the one after which all octets of its datagram have come: it has the TCP fields and
                           the payload of the datagram */
  LISTED_TOO_BIG,       /* ICMP type 3 code 4, ICMPv6 type 2 */
} listed_kind;

enum { LISTED_FIN = 0x01, LISTED_SYN = 0x02, LISTED_RST = 0x04, LISTED_ACK = 0x10 };

typedef struct listed_packet {
  gint64 at_ns;
  listed_kind kind;
  gboolean from_initiator; /* of a connection; of LISTED_TOO_BIG: the packet that was too big was the
                              Initiator's */
  guint32 octets;          /* of the IP packet */
  GByteArray *ip;          /* the IP packet; of LISTED_LAST_FRAGMENT the datagram */
  /* TCP */
  guint16 initiator_port;
  guint32 sequence;
  guint32 acknowledgement;
  guint16 window;
  guint8 flags;
  guint32 payload;  /* the last octets of `ip` */
  guint64 position; /* in its stream, of the payload's first octet; 0: the one after the SYN */
  /* IPv4 */
  guint32 identification;
  guint32 fragment_at; /* octets of IP payload before it */
  gboolean more;
  /* ICMP */
  guint32 mtu;
} listed_packet;

/* All packets of file `name` in `folder`, a capture of raw IP in nanoseconds, in their order: a GArray of
 * listed_packet; free with g_array_unref(). A packet that is none of the kinds fails the test. */
GArray *packet_list_read(const char *folder, const char *name);

const listed_packet *packet_list_at(const GArray *packets, guint index);

/* Returns how many of the packets are of the kind. */
guint packet_list_count(const GArray *packets, listed_kind kind);
