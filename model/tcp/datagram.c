#include "tcp/datagram.h"

#include <string.h>

#include <glib.h>

enum {
  IPV4_VERSION_AND_IHL = 0x45,
  IPV4_DONT_FRAGMENT = 0x40, /* in octet 6 */
  IPV4_TIME_TO_LIVE = 64,
  IPV4_PROTOCOL_TCP = 6,
  IPV4_CHECKSUM_AT = 10,
  IPV4_SOURCE_AT = 12,
  IPV4_DESTINATION_AT = 16,
  TCP_FLAGS_AT = 13,
  TCP_CHECKSUM_AT = 16,
};

static void put16(uint8_t *wire, uint32_t value)
{
  wire[0] = (uint8_t)(value >> 8);
  wire[1] = (uint8_t)value;
}

static void put32(uint8_t *wire, uint32_t value)
{
  put16(wire, value >> 16);
  put16(wire + 2, value);
}

static uint32_t get32(const uint8_t *wire)
{
  return (uint32_t)wire[0] << 24 | (uint32_t)wire[1] << 16 | (uint32_t)wire[2] << 8 | wire[3];
}

static void put_ipv4_header(uint8_t *wire, uint32_t source, uint32_t destination, uint32_t total_octets)
{
  g_assert(total_octets <= UINT16_MAX);
  memset(wire, 0, IPV4_HEADER_OCTETS);
  wire[0] = IPV4_VERSION_AND_IHL;
  put16(wire + 2, total_octets);
  wire[6] = IPV4_DONT_FRAGMENT;
  wire[8] = IPV4_TIME_TO_LIVE;
  wire[9] = IPV4_PROTOCOL_TCP;
  put32(wire + IPV4_SOURCE_AT, source);
  put32(wire + IPV4_DESTINATION_AT, destination);
}

/* A datagram whose TCP header is at header + IPV4_HEADER_OCTETS already counted, payload not set. */
static datagram *allocate(void)
{
  datagram *packet = g_new(datagram, 1);
  packet->references = 1;
  packet->send_order = 0;
  octet_rope_init(&packet->payload);
  return packet;
}

datagram *datagram_new(uint32_t source, uint32_t destination, const tcp_header *header, octet_rope *payload)
{
  datagram *packet = allocate();
  if (payload) {
    octet_rope_move(&packet->payload, payload);
  }
  packet->header_octets =
      IPV4_HEADER_OCTETS + (uint32_t)tcp_header_encode(header, packet->header + IPV4_HEADER_OCTETS);
  put_ipv4_header(packet->header, source, destination, datagram_octets(packet));
  return packet;
}

datagram *datagram_ref(datagram *packet)
{
  packet->references++;
  return packet;
}

void datagram_unref(datagram *packet)
{
  if (packet && --packet->references == 0) {
    octet_rope_clear(&packet->payload);
    g_free(packet);
  }
}

uint32_t datagram_octets(const datagram *packet)
{
  return packet->header_octets + packet->payload.length;
}

uint32_t datagram_source(const datagram *packet)
{
  return get32(packet->header + IPV4_SOURCE_AT);
}

uint32_t datagram_destination(const datagram *packet)
{
  return get32(packet->header + IPV4_DESTINATION_AT);
}

void datagram_tcp_header(const datagram *packet, tcp_header *header)
{
  size_t octets = tcp_header_decode(header, packet->header + IPV4_HEADER_OCTETS,
                                    packet->header_octets - IPV4_HEADER_OCTETS);
  g_assert(octets == packet->header_octets - IPV4_HEADER_OCTETS);
}

uint8_t datagram_tcp_flags(const datagram *packet)
{
  return packet->header[IPV4_HEADER_OCTETS + TCP_FLAGS_AT];
}

/* The ones' complement sum of big-endian 16-bit words; an odd last octet is padded with zero (RFC 1071
 * §1). 64 bits hold 2^48 words without losing a carry. */
static uint64_t sum_words(uint64_t sum, const uint8_t *octets, size_t length)
{
  size_t at = 0;
  for (; at + 4 <= length; at += 4) {
    sum += get32(octets +
                 at); /* two words at once: 2^16 is 1 in ones' complement, the fold below puts it right */
  }
  for (; at + 2 <= length; at += 2) {
    sum += (uint32_t)(octets[at] << 8 | octets[at + 1]);
  }
  if (at < length) {
    sum += (uint32_t)octets[at] << 8;
  }
  return sum;
}

static uint16_t complement(uint64_t sum)
{
  while (sum >> 16) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return (uint16_t)~sum;
}

uint16_t internet_checksum(uint32_t sum, const uint8_t *octets, size_t length)
{
  return complement(sum_words(sum, octets, length));
}

void datagram_write(const datagram *packet, uint8_t *target, bool with_checksums)
{
  uint32_t octets = datagram_octets(packet);
  memcpy(target, packet->header, packet->header_octets);
  octet_rope_copy_out(&packet->payload, 0, packet->payload.length, target + packet->header_octets);
  uint8_t *segment = target + IPV4_HEADER_OCTETS;
  uint32_t segment_octets = octets - IPV4_HEADER_OCTETS;
  put16(target + IPV4_CHECKSUM_AT, 0);
  put16(segment + TCP_CHECKSUM_AT, 0);
  if (!with_checksums) {
    return;
  }
  put16(target + IPV4_CHECKSUM_AT, internet_checksum(0, target, IPV4_HEADER_OCTETS));
  /* RFC 9293 §3.1: the pseudo header is both addresses, the protocol and the TCP length. */
  uint64_t pseudo = sum_words(IPV4_PROTOCOL_TCP + segment_octets, target + IPV4_SOURCE_AT, 8);
  put16(segment + TCP_CHECKSUM_AT, complement(sum_words(pseudo, segment, segment_octets)));
}

datagram *datagram_read(octet_block *block, const uint8_t *octets, size_t length)
{
  if (length < IPV4_HEADER_OCTETS || octets[0] >> 4 != 4) {
    return NULL;
  }
  size_t ip_octets = (size_t)(octets[0] & 0x0F) * 4;
  size_t total = (size_t)(octets[2] << 8 | octets[3]);
  unsigned fragment = (unsigned)(octets[6] << 8 | octets[7]) & 0x3FFF; /* More Fragments and the offset */
  if (ip_octets < IPV4_HEADER_OCTETS || total < ip_octets || total > length || fragment != 0 ||
      octets[9] != IPV4_PROTOCOL_TCP) {
    return NULL;
  }
  tcp_header header;
  size_t tcp_octets = tcp_header_decode(&header, octets + ip_octets, total - ip_octets);
  if (tcp_octets == 0) {
    return NULL;
  }
  datagram *packet = allocate();
  memcpy(packet->header, octets, IPV4_HEADER_OCTETS);
  memcpy(packet->header + IPV4_HEADER_OCTETS, octets + ip_octets, tcp_octets);
  packet->header_octets = IPV4_HEADER_OCTETS + (uint32_t)tcp_octets;
  size_t payload_at = ip_octets + tcp_octets;
  octet_rope_append(&packet->payload, octets + payload_at, (uint32_t)(total - payload_at), block);
  /* IP options are for routers on the way: they are left out, and the lengths say so. */
  packet->header[0] = IPV4_VERSION_AND_IHL;
  put16(packet->header + 2, datagram_octets(packet));
  return packet;
}
