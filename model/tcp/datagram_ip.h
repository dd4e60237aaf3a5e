/* The IP headers of datagrams and the sums over them: what the files of datagram.h share. */
#ifndef TCP_DATAGRAM_IP_H
#define TCP_DATAGRAM_IP_H

#include "tcp/datagram.h"

/* Protocol (IPv4) and next header (IPv6) numbers. */
enum { IP_PROTOCOL_ICMP = 1, IP_PROTOCOL_TCP = 6, IP_PROTOCOL_IPV6_FRAGMENT = 44, IP_PROTOCOL_ICMPV6 = 58 };

/* Where fields begin: RFC 791 §3.1, RFC 8200 §3 and §4.5 (the fragment header's from its own beginning). */
enum {
  IPV4_LENGTH_AT = 2,
  IPV4_IDENTIFICATION_AT = 4,
  IPV4_FLAGS_AT = 6, /* and fragment offset */
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
enum { FRAGMENT_UNIT_OCTETS = 8, TCP_CHECKSUM_AT = 16, ICMP_CHECKSUM_AT = 2, ICMP_HEADER_OCTETS = 8 };

/* A datagram of `kind` with one reference, an empty payload and nothing yet in `header`. */
datagram *datagram_allocate(datagram_kind kind);

/* Writes the IP header, all but its length. */
void datagram_ip_begin(datagram *packet, const ip_address *source, const ip_address *destination,
                       uint8_t protocol);

/* Writes the header's length field; the packet must fit in it. */
void datagram_ip_set_length(datagram *packet);

static inline bool datagram_is_ipv4(const datagram *packet)
{
  return packet->header[0] >> 4 == 4;
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

#endif
