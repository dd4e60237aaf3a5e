/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses and headers of IPv4, IPv6 and ICMP: where the fields are in their octets, and the sums over
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer_chain.h"

typedef struct ip_address {
  uint8_t version;    /* 4 or 6 */
  uint8_t octets[16]; /* in network order; of version 4 the first four, the rest 0 */
} ip_address;

/* The IPv4 address `address` (host byte order). */
ip_address ip_address_v4(uint32_t address);

/* The IPv6 address whose first and last 64 bits are these. */
ip_address ip_address_v6(uint64_t prefix, uint64_t interface);

bool ip_address_equal(const ip_address *a, const ip_address *b);

/* The address at `wire`, of IP version `version`. */
ip_address ip_address_read(const uint8_t *wire, uint8_t version);

/* The addresses in the IP header at `wire`, which is of either version. */
ip_address ip_header_source(const uint8_t *wire);
ip_address ip_header_destination(const uint8_t *wire);

enum { IPV4_HEADER_OCTETS = 20, IPV6_HEADER_OCTETS = 40, IPV6_FRAGMENT_HEADER_OCTETS = 8 };

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
enum { IPV4_VERSION_AND_IHL = 0x45, IP_HOP_LIMIT = 64, IPV4_ADDRESS_OCTETS = 4, IPV6_ADDRESS_OCTETS = 16 };
enum { FRAGMENT_UNIT_OCTETS = 8, TCP_CHECKSUM_AT = 16, ICMP_CHECKSUM_AT = 2, ICMP_HEADER_OCTETS = 8 };

/* Of a packet's transport header an ICMP error quotes this at least: the ports and the sequence number
 * (RFC 792: 64 bits). */
enum { QUOTED_TRANSPORT_OCTETS = 8 };

/* An uncomplemented sum (RFC 1071 §1) of `length` octets at `octets`, an odd last one padded with zero, and
 * `sum`. */
uint64_t internet_sum(uint64_t sum, const uint8_t *octets, size_t length);

/* The same of a chain's octets. */
uint64_t internet_sum_chain(uint64_t sum, const buffer_chain *chain);

/* Folds the carries in and complements. */
uint16_t internet_sum_complement(uint64_t sum);

/* The Internet checksum (RFC 1071) of `length` octets, started from `sum` (an uncomplemented partial sum,
 * 0 at first), complemented. */
uint16_t internet_checksum(uint32_t sum, const uint8_t *octets, size_t length);

/* The sum of the pseudo header before `length` octets of `protocol` (RFC 9293 §3.1, RFC 8200 §8.1).
 * `ip_header` is of either version. */
uint64_t ip_header_pseudo_sum(const uint8_t *ip_header, uint8_t protocol, uint32_t length);
