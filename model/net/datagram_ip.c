#include "net/datagram_ip.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

enum { IPV6_VERSION = 0x60, IPV6_HOP_LIMIT_AT = 7 };
enum { IPV6_ADDRESS_OCTETS = 16 };

void datagram_ip_begin_v6(datagram *packet, const ip_address *source, const ip_address *destination,
                          uint8_t protocol)
{
  uint8_t *wire = packet->header;

  g_assert(source->version == 6 && destination->version == 6);
  packet->ip_octets = IPV6_HEADER_OCTETS;
  packet->header_octets = IPV6_HEADER_OCTETS;
  memset(wire, 0, IPV6_SOURCE_AT);
  wire[0] = IPV6_VERSION;
  wire[IPV6_NEXT_HEADER_AT] = protocol;
  wire[IPV6_HOP_LIMIT_AT] = DATAGRAM_HOP_LIMIT;
  memcpy(wire + IPV6_SOURCE_AT, source->octets, IPV6_ADDRESS_OCTETS);
  memcpy(wire + IPV6_DESTINATION_AT, destination->octets, IPV6_ADDRESS_OCTETS);
}

ip_address datagram_ip_address(const uint8_t *wire, uint8_t version)
{
  ip_address address = {.version = version};

  memcpy(address.octets, wire, version == 4 ? IPV4_ADDRESS_OCTETS : IPV6_ADDRESS_OCTETS);
  return address;
}

static uint16_t fold(uint64_t sum)
{
  while (sum >> 16) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return (uint16_t)sum;
}

/* The sum of the whole 64-bit words of `length` octets, in this machine's order. */
static uint64_t sum_words(const uint8_t *octets, size_t length)
{
  uint64_t low = 0;
  uint64_t high = 0;

  for (size_t at = 0; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
    /* 2^16 is 1 in ones' complement, and the fold at the end puts right what several words at once make; 64 bits take 2^32 such
     * additions without losing a carry */
    uint64_t word;
    memcpy(&word, octets + at, sizeof word);
    low += (uint32_t)word;
    high += word >> 32;
  }
  return (low & UINT32_MAX) + (low >> 32) + (high & UINT32_MAX) + (high >> 32);
}

uint64_t datagram_sum(uint64_t sum, const uint8_t *octets, size_t length)
{
  uint64_t native = sum_words(octets, length);

  for (size_t at = length & ~(sizeof(uint64_t) - 1); at < length; at += sizeof(uint16_t)) {
    uint16_t word = octets[at]; /* the last of an odd number */
    if (at + sizeof word <= length) {
      memcpy(&word, octets + at, sizeof word);
    } else {
      word = GUINT16_TO_LE(word);
    }
    native += word;
  }
  /* RFC 1071 §2 (B): the sum does not depend on the order of octets, but that its own are in that order */
  return sum + GUINT16_FROM_BE(fold(native));
}

uint16_t datagram_sum_complement(uint64_t sum)
{
  return (uint16_t)~fold(sum);
}

uint16_t internet_checksum(uint32_t sum, const uint8_t *octets, size_t length)
{
  return datagram_sum_complement(datagram_sum(sum, octets, length));
}

uint64_t datagram_pseudo_header_sum(const uint8_t *ip_header, uint8_t protocol, uint32_t length)
{
  uint64_t sum = (uint64_t)protocol + length;

  if (ip_header[0] >> 4 == 4) {
    return datagram_sum(sum, ip_header + IPV4_SOURCE_AT, (size_t)IPV4_ADDRESS_OCTETS * 2);
  }
  return datagram_sum(sum, ip_header + IPV6_SOURCE_AT, (size_t)IPV6_ADDRESS_OCTETS * 2);
}

uint8_t datagram_protocol(const datagram *packet)
{
  if (packet->kind != DATAGRAM_TOO_BIG) {
    return IP_PROTOCOL_TCP;
  }
  return datagram_is_ipv4(packet) ? IP_PROTOCOL_ICMP : IP_PROTOCOL_ICMPV6;
}

/* The sum of a rope's octets, the first of which stands in the high half of a word. */
static uint64_t sum_rope(uint64_t sum, const octet_rope *rope)
{
  octet_rope_range rest = octet_rope_range_of(rope, 0, rope->length);
  bool odd = false;

  while (rest.length > 0) {
    octet_slice part = octet_rope_range_next(&rest);
    uint16_t word = fold(datagram_sum(0, part.octets, part.length));
    /* RFC 1071 §2 (B): of octets that begin in the low half, the sum is that of swapped words, swapped */
    sum += odd ? GUINT16_SWAP_LE_BE(word) : word;
    odd ^= part.length % 2 != 0;
  }
  return sum;
}

uint64_t datagram_transport_sum(const datagram *packet)
{
  uint32_t transport_octets = packet->header_octets - packet->ip_octets; /* a multiple of 4 */
  uint64_t sum =
      sum_rope(datagram_sum(0, packet->header + packet->ip_octets, transport_octets), &packet->payload);

  if (packet->kind == DATAGRAM_TOO_BIG && datagram_is_ipv4(packet)) {
    return sum; /* RFC 792: ICMP has no pseudo header; ICMPv6 has (RFC 4443 §2.3) */
  }
  return sum + datagram_pseudo_header_sum(packet->header, datagram_protocol(packet),
                                          datagram_ip_payload_octets(packet));
}
