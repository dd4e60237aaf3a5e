/* SPDX-License-Identifier: GPL-2.0-only */
/* The ICMP messages that a packet was too big: type 3 code 4 (RFC 792, RFC 1191 §4), ICMPv6 type 2 (RFC 4443
 * §3.2). */
#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram.h"

enum {
  ICMP_UNREACHABLE = 3,
  ICMP_FRAGMENTATION_NEEDED = 4,
  ICMPV6_PACKET_TOO_BIG = 2,
  ICMP_NEXT_HOP_MTU_AT = 6,
  ICMPV6_MTU_AT = 4,
  IPV6_MINIMUM_MTU_OCTETS = 1280,
  FRONT_MAX_OCTETS = ICMP_HEADER_OCTETS + DATAGRAM_HEADER_MAX_OCTETS,
};

/* The octets that the message quotes of a packet of `octets`. */
static uint32_t quoted_octets(const datagram *packet, uint32_t octets)
{
  if (datagram_is_ipv4(packet)) {
    /* RFC 792 and RFC 1191 §4. RFC 1812 §4.3.2.3 would have more, up to 576 octets; nothing here reads them,
     * and so the message fits every link (RFC 791 §3.2: 68 octets). */
    return MIN(octets, IPV4_HEADER_OCTETS + QUOTED_TRANSPORT_OCTETS);
  }
  /* RFC 4443 §3.2: as much as fits into the minimum MTU */
  return MIN(octets, IPV6_MINIMUM_MTU_OCTETS - IPV6_HEADER_OCTETS - ICMP_HEADER_OCTETS);
}

static void write_icmp_header(uint8_t *icmp, bool ipv4, uint32_t mtu_octets)
{
  memset(icmp, 0, ICMP_HEADER_OCTETS);
  if (ipv4) {
    icmp[0] = ICMP_UNREACHABLE;
    icmp[1] = ICMP_FRAGMENTATION_NEEDED;
    big_endian_write_16(icmp + ICMP_NEXT_HOP_MTU_AT, (uint16_t)MIN(mtu_octets, UINT16_MAX));
  } else {
    icmp[0] = ICMPV6_PACKET_TOO_BIG;
    big_endian_write_32(icmp + ICMPV6_MTU_AT, mtu_octets);
  }
}

datagram *datagram_new_too_big(const ip_address *router, const datagram *packet, uint32_t mtu_octets)
{
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  /* RFC 1122 §3.2.2 and RFC 4443 §2.4 (e): no error about an error, nor (IPv4) about another than the first
   * fragment; of a packet without ports (IPv6) nobody could know which connection it was of. */
  if (packet->kind == DATAGRAM_TOO_BIG || of.offset_octets > 0 ||
      of.length_octets < QUOTED_TRANSPORT_OCTETS) {
    return NULL;
  }
  uint32_t octets = datagram_octets(packet);
  uint32_t quoted = quoted_octets(packet, octets);
  uint8_t *wire = g_malloc(octets);
  datagram_write(packet, wire, true);

  octet_buffer *buffer = octet_buffer_new(ICMP_HEADER_OCTETS + quoted);
  uint8_t *icmp = octet_buffer_octets(buffer);
  write_icmp_header(icmp, datagram_is_ipv4(packet), mtu_octets);
  memcpy(icmp + ICMP_HEADER_OCTETS, wire, quoted);
  g_free(wire);

  datagram *message = datagram_allocate(NULL, DATAGRAM_TOO_BIG);
  datagram_ip_begin(message, router, &of.source,
                    datagram_is_ipv4(packet) ? IP_PROTOCOL_ICMP : IP_PROTOCOL_ICMPV6);
  buffer_chain_append(&message->payload, icmp, ICMP_HEADER_OCTETS + quoted, buffer);
  octet_buffer_unref(buffer);
  datagram_ip_set_length(message);
  return message;
}

/* Copies what matters of the message to `icmp`, which has room for FRONT_MAX_OCTETS; false when it quotes no
 * segment. */
static bool copy_front(const datagram *packet, uint8_t *icmp, uint32_t *sequence)
{
  uint32_t octets = MIN(packet->payload.length, (uint32_t)FRONT_MAX_OCTETS);

  g_assert(packet->kind == DATAGRAM_TOO_BIG);
  buffer_chain_copy_out(&packet->payload, 0, octets, icmp);
  return datagram_too_big_quotation(icmp, octets, datagram_is_ipv4(packet), NULL, sequence);
}

void datagram_too_big_of(const datagram *packet, uint32_t *mtu_octets, uint32_t *sequence)
{
  uint8_t icmp[FRONT_MAX_OCTETS];

  if (!copy_front(packet, icmp, sequence)) {
    *mtu_octets = 0;
    *sequence = 0;
    return;
  }
  *mtu_octets = datagram_is_ipv4(packet) ? big_endian_read_16(icmp + ICMP_NEXT_HOP_MTU_AT)
                                         : big_endian_read_32(icmp + ICMPV6_MTU_AT);
}

uint32_t datagram_too_big_quoted_octets(const datagram *packet)
{
  uint8_t icmp[FRONT_MAX_OCTETS];
  const uint8_t *wire = icmp + ICMP_HEADER_OCTETS;

  if (!copy_front(packet, icmp, NULL)) {
    return 0;
  }
  if (datagram_is_ipv4(packet)) {
    bool fragment = big_endian_read_16(wire + IPV4_FLAGS_AT) & IPV4_MORE_FRAGMENTS;
    return fragment ? UINT16_MAX : big_endian_read_16(wire + IPV4_LENGTH_AT);
  }
  bool fragment = wire[IPV6_NEXT_HEADER_AT] == IP_PROTOCOL_IPV6_FRAGMENT;
  return fragment ? UINT16_MAX : IPV6_HEADER_OCTETS + (uint32_t)big_endian_read_16(wire + IPV6_LENGTH_AT);
}
