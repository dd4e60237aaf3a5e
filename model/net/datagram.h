/* SPDX-License-Identifier: GPL-2.0-only */
/* One IP datagram: what hosts hand to the path and the path's elements pass on. Nearly always a whole TCP
 * segment; else a fragment of one, or the ICMP message that one was too big.
 *
 * The headers are real octets; the payload is a chain. Checksums are filled in only where they are read: in
 * the octets that datagram_write() makes, and before an element damages a packet. */
#pragma once

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/buffer_chain.h"
#include "net/ip_header.h"
#include "net/tcp_header.h"

/* A fragment has no TCP header: it is in the payload. */
enum { DATAGRAM_HEADER_MAX_OCTETS = IPV6_HEADER_OCTETS + TCP_HEADER_MAX_OCTETS };

typedef enum datagram_kind {
  DATAGRAM_TCP,      /* a whole segment: `header` has the IP and the TCP header, `payload` the TCP payload */
  DATAGRAM_FRAGMENT, /* `header` has the IP header (and IPv6's fragment header), `payload` a piece of the IP
                        payload */
  DATAGRAM_TOO_BIG,  /* ICMP type 3 code 4 (RFC 792, RFC 1191 §4), or ICMPv6 type 2 (RFC 4443 §3.2): all in
                        `payload` */
} datagram_kind;

/* The ECN field of the IP header (RFC 3168 §5). */
typedef enum datagram_ecn {
  DATAGRAM_ECN_NOT_CAPABLE = 0,
  DATAGRAM_ECN_ECT_1 = 1,
  DATAGRAM_ECN_ECT_0 = 2,
  DATAGRAM_ECN_CONGESTED = 3, /* CE */
} datagram_ecn;

/* Of its three cache lines most packets use two: the first, and the last, which is the payload. With many
 * connections they are fetched anew at every hop. */
typedef struct datagram {
  memory_pool *pool; /* that it is a piece of; NULL: of the heap */
  uint16_t references;
  datagram_kind kind : 8;
  bool retransmission;   /* it has octets that TCP has sent before: the simulation's own mark, on no wire */
  bool carries_checksum; /* the checksum is the sender's and may be wrong; else it is right, and 0 there */
  uint8_t ip_octets;     /* IP header, with IPv6's fragment header */
  uint8_t header_octets; /* all of `header` */
  uint8_t header[DATAGRAM_HEADER_MAX_OCTETS];
  uint32_t connection; /* in a trace, and … */
  uint32_t number;     /* … which of all packets sent: on no wire; 0: it has no number */
  uint32_t flow_order; /* in its flow, from 1: set where it enters the path, 0 before; on no wire */
  buffer_chain payload;
} datagram;
G_STATIC_ASSERT(sizeof(datagram) == 192);

/* The IP packet's length: headers and payload. */
static inline uint32_t datagram_octets(const datagram *packet)
{
  return packet->header_octets + packet->payload.length;
}

static inline bool datagram_is_ipv4(const datagram *packet)
{
  return packet->header[0] >> 4 == 4;
}

/* A new segment from `source` to `destination` (of one version) with `header` and the octets moved out of
 * `payload` (NULL: none), as a piece of `pool`, whose pieces are sizeof(datagram); NULL: of the heap. IPv4:
 * DF set, identification 0 (RFC 6864 §4.1 allows it), TTL 64; IPv6: flow label 0, hop limit 64. Not
 * ECN-capable. One reference, owned by the caller. */
datagram *datagram_new_in(memory_pool *pool, const ip_address *source, const ip_address *destination,
                          const tcp_header *header, buffer_chain *payload);

/* A datagram of `kind` with one reference, an empty payload and nothing yet in `header`; of `pool` as
 * datagram_new_in(). */
static inline datagram *datagram_allocate(memory_pool *pool, datagram_kind kind)
{
  /* `header` is left as it is: every octet that counts is written, and a packet is made per segment */
  datagram *packet = pool ? memory_pool_take(pool) : g_new(datagram, 1);

  packet->pool = pool;
  packet->references = 1;
  packet->kind = kind;
  packet->retransmission = false;
  packet->carries_checksum = false;
  packet->number = 0;
  packet->flow_order = 0;
  buffer_chain_init(&packet->payload);
  return packet;
}

/* What datagram_ip_begin() does with IPv6 addresses. */
void datagram_ip_begin_v6(datagram *packet, const ip_address *source, const ip_address *destination,
                          uint8_t protocol);

/* Writes the IPv4 header of a packet of `octets` to `wire`. */
static inline void datagram_write_ipv4(uint8_t *wire, const ip_address *source, const ip_address *destination,
                                       uint8_t protocol, size_t octets)
{
  g_assert(octets <= UINT16_MAX);
  big_endian_write_32(wire, (uint32_t)IPV4_VERSION_AND_IHL << 24 | (uint32_t)octets);
  big_endian_write_32(wire + IPV4_IDENTIFICATION_AT, IPV4_DONT_FRAGMENT);
  big_endian_write_32(wire + IPV4_TIME_TO_LIVE_AT, (uint32_t)IP_HOP_LIMIT << 24 | (uint32_t)protocol << 16);
  memcpy(wire + IPV4_SOURCE_AT, source->octets, IPV4_ADDRESS_OCTETS);
  memcpy(wire + IPV4_DESTINATION_AT, destination->octets, IPV4_ADDRESS_OCTETS);
}

/* Writes the IP header, all but its length. */
static inline void datagram_ip_begin(datagram *packet, const ip_address *source,
                                     const ip_address *destination, uint8_t protocol)
{
  if (source->version != 4) {
    datagram_ip_begin_v6(packet, source, destination, protocol);
    return;
  }
  packet->ip_octets = IPV4_HEADER_OCTETS;
  packet->header_octets = IPV4_HEADER_OCTETS;
  datagram_write_ipv4(packet->header, source, destination, protocol, 0);
}

/* Writes the header's length field; the packet must fit in it. */
static inline void datagram_ip_set_length(datagram *packet)
{
  bool ipv4 = packet->ip_octets == IPV4_HEADER_OCTETS;
  /* RFC 8200 §3: the payload length counts the extension headers and not the IPv6 header */
  uint32_t octets = datagram_octets(packet) - (ipv4 ? 0 : IPV6_HEADER_OCTETS);

  g_assert(octets <= UINT16_MAX);
  big_endian_write_16(packet->header + (ipv4 ? IPV4_LENGTH_AT : IPV6_LENGTH_AT), (uint16_t)octets);
}

/* Writes the headers of a DATAGRAM_TCP that has its payload: what datagram_new_in() does when that of TCP is
 * plain. */
static inline void datagram_write_plain(datagram *packet, const ip_address *source,
                                        const ip_address *destination, const tcp_header *header)
{
  if (source->version == 4) {
    size_t octets = IPV4_HEADER_OCTETS + tcp_header_encode_plain(header, packet->header + IPV4_HEADER_OCTETS);
    datagram_write_ipv4(packet->header, source, destination, IP_PROTOCOL_TCP,
                        octets + packet->payload.length);
    packet->ip_octets = IPV4_HEADER_OCTETS;
    packet->header_octets = (uint8_t)octets;
  } else {
    datagram_ip_begin_v6(packet, source, destination, IP_PROTOCOL_TCP);
    packet->header_octets += (uint8_t)tcp_header_encode_plain(header, packet->header + IPV6_HEADER_OCTETS);
    datagram_ip_set_length(packet);
  }
}

/* IPv4: clears DF and sets the identification: routers may fragment it (RFC 791 §3.2). IPv6: nothing, there
 * only the source fragments. Before the packet is handed on. */
void datagram_allow_fragments(datagram *packet, uint16_t identification);
bool datagram_may_be_fragmented(const datagram *packet);

datagram_ecn datagram_ecn_of(const datagram *packet);
void datagram_set_ecn(datagram *packet, datagram_ecn ecn);

/* A copy with one reference, of octets shared where possible. */
datagram *datagram_copy(const datagram *packet);

datagram *datagram_ref(datagram *packet);

/* What datagram_unref() does with the last reference. */
void datagram_free(datagram *packet);

/* Drops a reference; the last one frees. NULL is allowed. */
static inline void datagram_unref(datagram *packet)
{
  if (packet && --packet->references == 0) {
    datagram_free(packet);
  }
}

/* The octets after the IP header and IPv6's fragment header. */
static inline uint32_t datagram_ip_payload_octets(const datagram *packet)
{
  return packet->header_octets - packet->ip_octets + packet->payload.length;
}

/* Reads the TCP header out of a DATAGRAM_TCP's octets; true. One that was damaged may have none, or one of
 * another length: false. */
bool datagram_tcp_header(const datagram *packet, tcp_header *header);

/* The TCP flags of a DATAGRAM_TCP, without decoding the rest. */
uint8_t datagram_tcp_flags(const datagram *packet);

/* The TCP connection that a packet belongs to: addresses and ports as sent. For a DATAGRAM_TOO_BIG they are
 * those of the packet that was too big, so `source` is the one to whom the message is addressed. False for
 * fragments, and when damage has left no quotation. */
typedef struct datagram_flow {
  ip_address source;
  ip_address destination;
  uint16_t source_port;
  uint16_t destination_port;
} datagram_flow;
bool datagram_flow_of(const datagram *packet, datagram_flow *flow);

/* Whether datagram_flow_of() a DATAGRAM_TCP is `flow`; false for other packets. */
bool datagram_is_of_flow(const datagram *packet, const datagram_flow *flow);

/* Writes the packet as it is on the wire to `target`, which has room for datagram_octets(). With
 * `with_checksums` the IPv4, TCP and ICMP checksums are computed, else those fields are 0; a packet that
 * carries its checksum keeps it either way. */
void datagram_write(const datagram *packet, uint8_t *target, bool with_checksums);

/* Reads an IP packet of `length` octets at `octets`, which lie in `buffer`: the payload references the buffer
 * (it must not be written afterwards). Returns NULL when it is not whole IPv4 or IPv6 with TCP, a fragment of
 * that, or a "too big" about that. Octets after the IP total length (padding) are ignored; IPv4 options and
 * the fragment header of an IPv6 packet that is whole (RFC 6946) are left out; other IPv6 extension headers
 * are not known. Checksums are not verified: one that is not 0 is carried. */
datagram *datagram_read(octet_buffer *buffer, const uint8_t *octets, size_t length);

/* The same of a copy of octets that lie anywhere. */
datagram *datagram_read_copy(const uint8_t *octets, size_t length);

/* The TCP checksum that a DATAGRAM_TCP should have, over pseudo-header, header and payload (RFC 9293 §3.1,
 * RFC 8200 §8.1); whether the one a packet carries is that (true when it carries none; of a fragment: true,
 * it has none of its own; a DATAGRAM_TOO_BIG's is ICMP's). */
uint16_t datagram_tcp_checksum(const datagram *packet);
bool datagram_checksum_is_right(const datagram *packet);

/* Computes the checksum and stores it, so that damage done afterwards can be found. A packet that carries one
 * already keeps it; a fragment's is in the first fragment's octets anyhow. */
void datagram_carry_checksum(datagram *packet);

/* A DATAGRAM_TCP carries no checksum any more, so that it is right again: for an element that computes it
 * anew. */
void datagram_forget_checksum(datagram *packet);

/* Replaces the payload by octets of the packet's own and returns them to be changed (for damage), as long as
 * the payload is not changed otherwise; NULL when there are none. */
uint8_t *datagram_own_payload(datagram *packet);

/* --- Fragments (RFC 791 §3.2, RFC 8200 §4.5) --- */

/* What identifies the datagram that a fragment is of, and which octets of its IP payload it has. */
typedef struct datagram_fragment {
  ip_address source;
  ip_address destination;
  uint32_t identification;
  uint32_t offset_octets; /* a multiple of 8 */
  uint32_t length_octets;
  bool more; /* fragments follow */
} datagram_fragment;
void datagram_fragment_of(const datagram *packet, datagram_fragment *fragment);

/* The fragment of `packet` (a DATAGRAM_TCP or itself a fragment) with `length` (> 0) octets of its IP payload
 * from `from` on; multiples of 8 except at the end. A checksum that the packet does not carry is computed.
 * IPv6's identification is 0 unless `packet` is a fragment. One reference, the caller's. */
datagram *datagram_new_fragment(const datagram *packet, uint32_t from, uint32_t length);

/* The datagram whose IP payload, whole, is `ip_payload` (moved out), with the IP header of `first`, its first
 * fragment. NULL, and `ip_payload` untouched, when that is no TCP segment or longer than a datagram can be. A
 * checksum that is not 0 is carried. One reference, the caller's. */
datagram *datagram_new_reassembled(const datagram *first, buffer_chain *ip_payload);

/* --- ICMP --- */

/* The message from `router` (of the packet's version) to the source of `packet` that a link carries only
 * `mtu_octets`, with the quotation that the RFC asks for: IP header and 64 bits in IPv4 (RFC 792), what fits
 * in 1280 octets in IPv6 (RFC 4443 §3.2). NULL when none may be sent about `packet` (RFC 1122 §3.2.2): it is
 * such a message or not a first fragment; or when it has no ports to be quoted. */
datagram *datagram_new_too_big(const ip_address *router, const datagram *packet, uint32_t mtu_octets);

/* What a DATAGRAM_TOO_BIG reports: the MTU (0: a router that does not know RFC 1191), and the sequence number
 * quoted. Both 0 when damage has left no quotation. */
void datagram_too_big_of(const datagram *packet, uint32_t *mtu_octets, uint32_t *sequence);

/* Reads the flow and the sequence number out of the packet quoted in the ICMP message at `icmp`; NULL results
 * are allowed. False when there is no TCP header's front in it. */
bool datagram_too_big_quotation(const uint8_t *icmp, size_t length, bool ipv4, datagram_flow *flow,
                                uint32_t *sequence);

/* How long the packet was that a DATAGRAM_TOO_BIG quotes, by the quoted IP header; 0 when damage has left no
 * quotation. When what was too big was a fragment, that header does not show it, and the longest there can be
 * is returned: a receiver that drops fragments quotes those (mpa-01 §11.2.1, MPA-339). */
uint32_t datagram_too_big_quoted_octets(const datagram *packet);
