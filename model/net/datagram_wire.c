/* Datagrams to octets and back. */
#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "net/datagram_ip.h"

enum { ICMP_TOO_BIG = 0x0304, ICMPV6_TOO_BIG = 0x0200 }; /* type and code */

void datagram_write(const datagram *packet, uint8_t *target, bool with_checksums)
{
  memcpy(target, packet->header, packet->header_octets);
  octet_rope_copy_out(&packet->payload, 0, packet->payload.length, target + packet->header_octets);
  if (!with_checksums) {
    return;
  }
  bool ipv4 = datagram_is_ipv4(packet);
  if (ipv4) {
    big_endian_write_16(target + IPV4_CHECKSUM_AT, internet_checksum(0, target, IPV4_HEADER_OCTETS));
  }
  if (packet->kind == DATAGRAM_FRAGMENT || packet->carries_checksum) {
    return;
  }
  uint32_t octets = datagram_ip_payload_octets(packet);
  uint8_t *transport = target + packet->ip_octets;
  bool tcp = packet->kind == DATAGRAM_TCP;
  /* RFC 792: ICMP has no pseudo header */
  uint64_t sum = tcp || !ipv4 ? datagram_pseudo_header_sum(target, datagram_protocol(packet), octets) : 0;
  big_endian_write_16(transport + (tcp ? TCP_CHECKSUM_AT : ICMP_CHECKSUM_AT),
                      datagram_sum_complement(datagram_sum(sum, transport, octets)));
}

/* What datagram_read() finds in the IP header. */
typedef struct ip_packet {
  octet_block *block;
  const uint8_t *octets;
  bool ipv4;
  size_t transport_at; /* behind options and fragment header */
  size_t end;
  uint8_t protocol;
  bool is_fragment;
} ip_packet;

static bool read_ipv4(ip_packet *ip, size_t length)
{
  const uint8_t *octets = ip->octets;
  if (length < IPV4_HEADER_OCTETS) {
    return false;
  }
  ip->ipv4 = true;
  ip->transport_at = (size_t)(octets[0] & 0x0F) * 4;
  ip->end = big_endian_read_16(octets + IPV4_LENGTH_AT);
  ip->protocol = octets[IPV4_PROTOCOL_AT];
  ip->is_fragment =
      (big_endian_read_16(octets + IPV4_FLAGS_AT) & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK)) != 0;
  return ip->transport_at >= IPV4_HEADER_OCTETS && ip->transport_at <= ip->end && ip->end <= length;
}

/* Of the extension headers only the fragment header is known: nobody here sends another. */
static bool read_ipv6(ip_packet *ip, size_t length)
{
  const uint8_t *octets = ip->octets;
  if (length < IPV6_HEADER_OCTETS) {
    return false;
  }
  ip->transport_at = IPV6_HEADER_OCTETS;
  ip->end = IPV6_HEADER_OCTETS + (size_t)big_endian_read_16(octets + IPV6_LENGTH_AT);
  ip->protocol = octets[IPV6_NEXT_HEADER_AT];
  if (ip->end > length) {
    return false;
  }
  if (ip->protocol == IP_PROTOCOL_IPV6_FRAGMENT) {
    ip->transport_at += IPV6_FRAGMENT_HEADER_OCTETS;
    if (ip->transport_at > ip->end) {
      return false;
    }
    const uint8_t *fragment = octets + IPV6_HEADER_OCTETS;
    ip->protocol = fragment[0];
    /* RFC 6946 §4: one that is alone is a whole packet, and its fragment header is left out */
    ip->is_fragment = (big_endian_read_16(fragment + IPV6_FRAGMENT_OFFSET_AT) &
                       (IPV6_OFFSET_MASK | IPV6_MORE_FRAGMENTS)) != 0;
  }
  return true;
}

/* The packet with its IP header, and `transport_octets` of header behind it. IP options are for routers on the way: they
 * are left out, and the lengths say so. */
static datagram *begin(const ip_packet *ip, datagram_kind kind, size_t transport_octets)
{
  datagram *packet = datagram_allocate(NULL, kind);
  bool with_fragment_header = !ip->ipv4 && ip->is_fragment;

  packet->ip_octets = ip->ipv4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS;
  packet->ip_octets += with_fragment_header ? IPV6_FRAGMENT_HEADER_OCTETS : 0;
  packet->header_octets = packet->ip_octets + (uint32_t)transport_octets;
  memcpy(packet->header, ip->octets, packet->ip_octets);
  memcpy(packet->header + packet->ip_octets, ip->octets + ip->transport_at, transport_octets);
  if (ip->ipv4) {
    packet->header[0] = IPV4_VERSION_AND_IHL;
    big_endian_write_16(packet->header + IPV4_CHECKSUM_AT, 0);
  } else if (!with_fragment_header) {
    packet->header[IPV6_NEXT_HEADER_AT] = ip->protocol;
  }
  size_t payload_at = ip->transport_at + transport_octets;
  octet_rope_append(&packet->payload, ip->octets + payload_at, (uint32_t)(ip->end - payload_at), ip->block);
  datagram_ip_set_length(packet);
  return packet;
}

static datagram *read_tcp(const ip_packet *ip)
{
  tcp_header header;
  size_t tcp_octets = tcp_header_decode(&header, ip->octets + ip->transport_at, ip->end - ip->transport_at);
  if (tcp_octets == 0) {
    return NULL;
  }
  datagram *packet = begin(ip, DATAGRAM_TCP, tcp_octets);
  packet->carries_checksum = header.checksum != 0;
  return packet;
}

static datagram *read_too_big(const ip_packet *ip)
{
  const uint8_t *icmp = ip->octets + ip->transport_at;
  size_t length = ip->end - ip->transport_at;
  if (!datagram_too_big_quotation(icmp, length, ip->ipv4, NULL, NULL) ||
      big_endian_read_16(icmp) != (ip->ipv4 ? ICMP_TOO_BIG : ICMPV6_TOO_BIG)) {
    return NULL;
  }
  datagram *packet = begin(ip, DATAGRAM_TOO_BIG, 0);
  packet->carries_checksum = big_endian_read_16(icmp + ICMP_CHECKSUM_AT) != 0;
  return packet;
}

datagram *datagram_read(octet_block *block, const uint8_t *octets, size_t length)
{
  ip_packet ip = {.block = block, .octets = octets};
  unsigned version = length > 0 ? octets[0] >> 4 : 0;

  if ((version != 4 && version != 6) || !(version == 4 ? read_ipv4 : read_ipv6)(&ip, length)) {
    return NULL;
  }
  if (ip.protocol == IP_PROTOCOL_TCP) {
    return ip.is_fragment ? begin(&ip, DATAGRAM_FRAGMENT, 0) : read_tcp(&ip);
  }
  if (!ip.is_fragment && ip.protocol == (ip.ipv4 ? IP_PROTOCOL_ICMP : IP_PROTOCOL_ICMPV6)) {
    return read_too_big(&ip);
  }
  return NULL;
}
