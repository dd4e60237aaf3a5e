/* The IP headers of datagrams and the sums over them: what the files of datagram.h share. */
#ifndef TCP_DATAGRAM_IP_H
#define TCP_DATAGRAM_IP_H

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram.h"

/* Protocol (IPv4) and next header (IPv6) numbers. */
enum { IP_PROTOCOL_ICMP = 1, IP_PROTOCOL_TCP = 6, IP_PROTOCOL_IPV6_FRAGMENT = 44, IP_PROTOCOL_ICMPV6 = 58 };

/* Where fields begin: RFC 791 §3.1, RFC 8200 §3 and §4.5 (the fragment header's from its own beginning). */
enum {
  IPV4_LENGTH_AT = 2,
  IPV4_IDENTIFICATION_AT = 4,
  IPV4_FLAGS_AT = 6, /* and fragment offset */
  IPV4_TIME_TO_LIVE_AT = 8,
  IPV4_PROTOCOL_AT = 9,
  IPV4_CHECKSUM_AT = 10,
  IPV4_SOURCE_AT = 12,
  IPV4_DESTINATION_AT = 16,
  IPV6_LENGTH_AT = 4,
  IPV6_NEXT_HEADER_AT = 6,
  IPV6_SOURCE_AT = 8,
  IPV6_DESTINATION_AT = 24,
  IPV6_FRAGMENT_OFFSET_AT = 2,
  IPV6_FRAGMENT_IDENTIFICATION_AT = 4,
};

enum { IPV4_DONT_FRAGMENT = 0x4000, IPV4_MORE_FRAGMENTS = 0x2000, IPV4_OFFSET_MASK = 0x1FFF };
enum { IPV6_MORE_FRAGMENTS = 0x0001, IPV6_OFFSET_MASK = 0xFFF8 };
enum { IPV4_VERSION_AND_IHL = 0x45, DATAGRAM_HOP_LIMIT = 64, IPV4_ADDRESS_OCTETS = 4 };
enum { FRAGMENT_UNIT_OCTETS = 8, TCP_CHECKSUM_AT = 16, ICMP_CHECKSUM_AT = 2, ICMP_HEADER_OCTETS = 8 };

static inline bool datagram_is_ipv4(const datagram *packet)
{
  return packet->header[0] >> 4 == 4;
}

/* A datagram of `kind` with one reference, an empty payload and nothing yet in `header`; of `pool` as datagram_new_in(). */
static inline datagram *datagram_allocate(memory_pool *pool, datagram_kind kind)
{
  /* `header` is left as it is: every octet that counts is written, and a packet is made per segment */
  datagram *packet = pool ? memory_pool_take(pool) : g_new(datagram, 1);

  packet->pool = pool;
  packet->references = 1;
  packet->kind = kind;
  packet->retransmission = false;
  packet->carries_checksum = false;
  packet->send_order = 0;
  packet->flow_order = 0;
  octet_rope_init(&packet->payload);
  return packet;
}

/* What datagram_ip_begin() does with IPv6 addresses. */
void datagram_ip_begin_v6(datagram *packet, const ip_address *source, const ip_address *destination,
                          uint8_t protocol);

/* Writes the IP header, all but its length. */
static inline void datagram_ip_begin(datagram *packet, const ip_address *source,
                                     const ip_address *destination, uint8_t protocol)
{
  uint8_t *wire = packet->header;

  if (source->version != 4 || destination->version != 4) {
    datagram_ip_begin_v6(packet, source, destination, protocol);
    return;
  }
  packet->ip_octets = IPV4_HEADER_OCTETS;
  packet->header_octets = IPV4_HEADER_OCTETS;
  big_endian_write_32(wire, (uint32_t)IPV4_VERSION_AND_IHL << 24);
  big_endian_write_32(wire + IPV4_IDENTIFICATION_AT, IPV4_DONT_FRAGMENT);
  big_endian_write_32(wire + IPV4_TIME_TO_LIVE_AT,
                      (uint32_t)DATAGRAM_HOP_LIMIT << 24 | (uint32_t)protocol << 16);
  memcpy(wire + IPV4_SOURCE_AT, source->octets, IPV4_ADDRESS_OCTETS);
  memcpy(wire + IPV4_DESTINATION_AT, destination->octets, IPV4_ADDRESS_OCTETS);
}

/* Writes the header's length field; the packet must fit in it. */
static inline void datagram_ip_set_length(datagram *packet)
{
  bool ipv4 = datagram_is_ipv4(packet);
  /* RFC 8200 §3: the payload length counts the extension headers and not the IPv6 header */
  uint32_t octets = datagram_octets(packet) - (ipv4 ? 0 : IPV6_HEADER_OCTETS);

  g_assert(octets <= UINT16_MAX);
  big_endian_write_16(packet->header + (ipv4 ? IPV4_LENGTH_AT : IPV6_LENGTH_AT), (uint16_t)octets);
}

/* The octets behind the IP header and IPv6's fragment header. */
static inline uint32_t datagram_ip_payload_octets(const datagram *packet)
{
  return packet->header_octets - packet->ip_octets + packet->payload.length;
}

/* The address at `wire`, of IP version `version`. */
ip_address datagram_ip_address(const uint8_t *wire, uint8_t version);

/* An uncomplemented sum (RFC 1071 §1) of `length` octets at `octets`, an odd last one padded with zero, and `sum`. */
uint64_t datagram_sum(uint64_t sum, const uint8_t *octets, size_t length);

/* The sum of the pseudo header before `length` octets of `protocol` (RFC 9293 §3.1, RFC 8200 §8.1). `ip_header` is of either
 * version. */
uint64_t datagram_pseudo_header_sum(const uint8_t *ip_header, uint8_t protocol, uint32_t length);

/* Folds the carries in and complements. */
uint16_t datagram_sum_complement(uint64_t sum);

/* The protocol whose checksum a whole packet has. */
uint8_t datagram_protocol(const datagram *packet);

/* The sum of a whole packet's pseudo header and all behind the IP header, the checksum as it stands there included. */
uint64_t datagram_transport_sum(const datagram *packet);

/* Reads the flow and the sequence number out of the packet quoted in the ICMP message at `icmp`; NULL results are allowed.
 * False when there is no TCP header's front in it. */
bool datagram_too_big_quotation(const uint8_t *icmp, size_t length, bool ipv4, datagram_flow *flow,
                                uint32_t *sequence);

/* datagram_new_in() of a segment whose header is plain. */
static inline datagram *datagram_new_plain(memory_pool *pool, const ip_address *source,
                                           const ip_address *destination, const tcp_header *header,
                                           octet_rope *payload)
{
  datagram *packet = datagram_allocate(pool, DATAGRAM_TCP);

  if (payload) {
    octet_rope_move(&packet->payload, payload);
  }
  datagram_ip_begin(packet, source, destination, IP_PROTOCOL_TCP);
  packet->header_octets += (uint8_t)tcp_header_encode_plain(header, packet->header + packet->ip_octets);
  datagram_ip_set_length(packet);
  return packet;
}

#endif
