/* SPDX-License-Identifier: GPL-2.0-only */
/* Fragments of datagrams (RFC 791 §3.2, RFC 8200 §4.5). */
#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram.h"

void datagram_fragment_of(const datagram *packet, datagram_fragment *fragment)
{
  *fragment = (datagram_fragment){.source = datagram_source(packet),
                                  .destination = datagram_destination(packet),
                                  .length_octets = datagram_ip_payload_octets(packet)};
  if (datagram_is_ipv4(packet)) {
    uint16_t word = big_endian_read_16(packet->header + IPV4_FLAGS_AT);
    fragment->identification = big_endian_read_16(packet->header + IPV4_IDENTIFICATION_AT);
    fragment->offset_octets = (uint32_t)(word & IPV4_OFFSET_MASK) * FRAGMENT_UNIT_OCTETS;
    fragment->more = (word & IPV4_MORE_FRAGMENTS) != 0;
  } else if (packet->ip_octets > IPV6_HEADER_OCTETS) {
    const uint8_t *wire = packet->header + IPV6_HEADER_OCTETS;
    uint16_t word = big_endian_read_16(wire + IPV6_FRAGMENT_OFFSET_AT);
    fragment->identification = big_endian_read_32(wire + IPV6_FRAGMENT_IDENTIFICATION_AT);
    fragment->offset_octets = word & IPV6_OFFSET_MASK;
    fragment->more = (word & IPV6_MORE_FRAGMENTS) != 0;
  }
}

static void write_fragment_fields(datagram *packet, uint32_t offset_octets, bool more)
{
  if (datagram_is_ipv4(packet)) {
    uint8_t *wire = packet->header + IPV4_FLAGS_AT;
    unsigned word = (big_endian_read_16(wire) & IPV4_DONT_FRAGMENT) | (more ? IPV4_MORE_FRAGMENTS : 0u);
    big_endian_write_16(wire, (uint16_t)(word | offset_octets / FRAGMENT_UNIT_OCTETS));
  } else {
    big_endian_write_16(packet->header + IPV6_HEADER_OCTETS + IPV6_FRAGMENT_OFFSET_AT,
                        (uint16_t)(offset_octets | (more ? IPV6_MORE_FRAGMENTS : 0u)));
  }
}

/* The IP header of `packet`; of IPv6 with a fragment header after it, of identification 0 when there is none
 * yet. */
static void copy_ip_header(datagram *fragment, const datagram *packet)
{
  memcpy(fragment->header, packet->header, packet->ip_octets);
  fragment->ip_octets = packet->ip_octets;
  if (packet->ip_octets == IPV6_HEADER_OCTETS) {
    uint8_t *wire = fragment->header + IPV6_HEADER_OCTETS;
    memset(wire, 0, IPV6_FRAGMENT_HEADER_OCTETS);
    wire[0] = IP_PROTOCOL_TCP;
    fragment->header[IPV6_NEXT_HEADER_AT] = IP_PROTOCOL_IPV6_FRAGMENT;
    fragment->ip_octets += IPV6_FRAGMENT_HEADER_OCTETS;
  }
  fragment->header_octets = fragment->ip_octets;
}

/* Appends octets [from, from + length) of the packet's IP payload, by reference but for the TCP header's. */
static void append_ip_payload(buffer_chain *chain, const datagram *packet, uint32_t from, uint32_t length)
{
  uint32_t tcp_octets = packet->header_octets - packet->ip_octets;

  if (from < tcp_octets) {
    uint8_t header[TCP_HEADER_MAX_OCTETS];
    memcpy(header, packet->header + packet->ip_octets, tcp_octets);
    /* A receiver of fragments looks: what is right and unwritten in a whole packet is written in its
     * pieces. */
    if (!packet->carries_checksum && from <= TCP_CHECKSUM_AT) {
      big_endian_write_16(header + TCP_CHECKSUM_AT, datagram_tcp_checksum(packet));
    }
    uint32_t piece = MIN(length, tcp_octets - from);
    buffer_chain_append_copy(chain, header + from, piece);
    from += piece;
    length -= piece;
  }
  if (length > 0) {
    buffer_chain_append_chain(chain, &packet->payload, from - tcp_octets, length);
  }
}

datagram *datagram_new_fragment(const datagram *packet, uint32_t from, uint32_t length)
{
  datagram_fragment of;
  g_assert(packet->kind != DATAGRAM_TOO_BIG);
  datagram_fragment_of(packet, &of);
  g_assert(length > 0 && from <= of.length_octets && length <= of.length_octets - from);
  bool at_end = from + length == of.length_octets;
  g_assert(from % FRAGMENT_UNIT_OCTETS == 0 && (length % FRAGMENT_UNIT_OCTETS == 0 || at_end));
  g_assert(of.offset_octets + from <= (uint32_t)IPV4_OFFSET_MASK * FRAGMENT_UNIT_OCTETS);

  datagram *fragment = datagram_allocate(NULL, DATAGRAM_FRAGMENT);
  fragment->retransmission = packet->retransmission;
  copy_ip_header(fragment, packet);
  append_ip_payload(&fragment->payload, packet, from, length);
  write_fragment_fields(fragment, of.offset_octets + from, of.more || !at_end);
  datagram_ip_set_length(fragment);
  return fragment;
}

datagram *datagram_new_reassembled(const datagram *first, buffer_chain *ip_payload)
{
  bool ipv4 = datagram_is_ipv4(first);
  uint32_t ip_octets = ipv4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  uint32_t octets = ip_payload->length;
  uint8_t wire[TCP_HEADER_MAX_OCTETS];
  tcp_header header;

  /* RFC 791 §3.1: the total length has 16 bits; RFC 8200 §4.5: so has the payload length */
  if (octets + (ipv4 ? ip_octets : 0) > UINT16_MAX) {
    return NULL;
  }
  buffer_chain_copy_out(ip_payload, 0, MIN(octets, (uint32_t)sizeof wire), wire);
  size_t tcp_octets = tcp_header_decode(&header, wire, octets < sizeof wire ? octets : sizeof wire);
  if (tcp_octets == 0) {
    return NULL;
  }
  datagram *packet = datagram_allocate(NULL, DATAGRAM_TCP);
  packet->retransmission = first->retransmission;
  packet->carries_checksum = header.checksum != 0;
  packet->ip_octets = ip_octets;
  packet->header_octets = ip_octets + (uint32_t)tcp_octets;
  memcpy(packet->header, first->header, ip_octets);
  memcpy(packet->header + ip_octets, wire, tcp_octets);
  if (ipv4) {
    write_fragment_fields(packet, 0, false);
  } else {
    packet->header[IPV6_NEXT_HEADER_AT] =
        IP_PROTOCOL_TCP; /* RFC 8200 §4.5: out of the first fragment's header */
  }
  buffer_chain_move(&packet->payload, ip_payload);
  buffer_chain_drop_front(&packet->payload, (uint32_t)tcp_octets);
  datagram_ip_set_length(packet);
  return packet;
}
