/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_packet.h"

#include <glib.h>
#include <netinet/in.h>

#include "base/big_endian.h"
#include "net/tcp_header.h"

/* --- IP --- */

enum { EXTENSION_UNIT_OCTETS = 8, ROUTING_SEGMENTS_LEFT_AT = 3 };

/* RFC 2675 §2, RFC 8200 §4.2. */
enum { OPTION_PAD_1 = 0x00, OPTION_JUMBO = 0xC2, OPTION_JUMBO_OCTETS = 4 };

static bool read_ipv4(capture_ip *ip, const uint8_t *octets, uint32_t captured_octets, uint32_t wire_octets)
{
  if (captured_octets < IPV4_HEADER_OCTETS) {
    return false;
  }
  uint32_t header_octets = (octets[0] & 0x0Fu) * 4;
  uint32_t length = big_endian_read_16(octets + IPV4_LENGTH_AT);
  uint16_t fragment = big_endian_read_16(octets + IPV4_FLAGS_AT);

  ip->is_offload = length == 0;
  length = length == 0 ? wire_octets : length;
  if (header_octets < IPV4_HEADER_OCTETS || header_octets > MIN(length, captured_octets) ||
      length > wire_octets) {
    return false;
  }
  ip->ecn = octets[1] & 3;
  ip->protocol = octets[IPV4_PROTOCOL_AT];
  ip->is_fragment = (fragment & (IPV4_MORE_FRAGMENTS | IPV4_OFFSET_MASK)) != 0;
  ip->more = (fragment & IPV4_MORE_FRAGMENTS) != 0;
  ip->offset_octets = (uint32_t)(fragment & IPV4_OFFSET_MASK) * FRAGMENT_UNIT_OCTETS;
  ip->identification = big_endian_read_16(octets + IPV4_IDENTIFICATION_AT);
  ip->header = octets;
  ip->payload = octets + header_octets;
  ip->payload_octets = length - header_octets;
  ip->captured_octets = MIN(captured_octets, length) - header_octets;
  return true;
}

/* The jumbo option's length in the hop-by-hop options of `octets`; 0 when there is none. */
static uint32_t jumbo_length(const uint8_t *options, uint32_t octets)
{
  for (uint32_t at = 2; at + 2 <= octets;) {
    if (options[at] == OPTION_PAD_1) {
      at++;
      continue;
    }
    uint32_t option_octets = 2u + options[at + 1];
    if (octets - at < option_octets) {
      return 0;
    }
    if (options[at] == OPTION_JUMBO && options[at + 1] == OPTION_JUMBO_OCTETS) {
      return big_endian_read_32(options + at + 2);
    }
    at += option_octets;
  }
  return 0;
}

/* The length after the IPv6 header when that is 0: the jumbo option's, or all there was in the frame. */
static uint32_t offload_length(const uint8_t *octets, uint32_t captured_octets, uint32_t wire_octets)
{
  const uint8_t *options = octets + IPV6_HEADER_OCTETS;
  uint32_t left = captured_octets - IPV6_HEADER_OCTETS;

  if (octets[IPV6_NEXT_HEADER_AT] == IPPROTO_HOPOPTS && left >= EXTENSION_UNIT_OCTETS) {
    uint32_t jumbo = jumbo_length(options, MIN(left, (options[1] + 1u) * EXTENSION_UNIT_OCTETS));
    if (jumbo > 0) {
      return jumbo;
    }
  }
  return wire_octets - IPV6_HEADER_OCTETS;
}

static bool read_ipv6(capture_ip *ip, const uint8_t *octets, uint32_t captured_octets, uint32_t wire_octets)
{
  if (captured_octets < IPV6_HEADER_OCTETS) {
    return false;
  }
  uint32_t length = big_endian_read_16(octets + IPV6_LENGTH_AT);

  ip->is_offload = length == 0;
  length = length == 0 ? offload_length(octets, captured_octets, wire_octets) : length;
  if (length > wire_octets - IPV6_HEADER_OCTETS) {
    return false;
  }
  ip->ecn = octets[1] >> 4 & 3; /* the traffic class begins in the middle of the first octet */
  ip->protocol = octets[IPV6_NEXT_HEADER_AT];
  ip->header = octets;
  ip->payload = octets + IPV6_HEADER_OCTETS;
  ip->payload_octets = length;
  ip->captured_octets = MIN(captured_octets - IPV6_HEADER_OCTETS, length);
  return capture_ip_pass_extensions(ip);
}

bool capture_ip_is_extension(uint8_t protocol)
{
  return protocol == IPPROTO_HOPOPTS || protocol == IPPROTO_ROUTING || protocol == IPPROTO_DSTOPTS ||
         protocol == IPPROTO_AH || protocol == IP_PROTOCOL_IPV6_FRAGMENT;
}

/* Of the extension header that `payload` begins with, at least EXTENSION_UNIT_OCTETS of which are there. */
static uint32_t extension_octets(const capture_ip *ip)
{
  switch (ip->protocol) {
  case IP_PROTOCOL_IPV6_FRAGMENT: /* its second octet is reserved */
    return IPV6_FRAGMENT_HEADER_OCTETS;
  case IPPROTO_AH: /* RFC 4302 §2.2: in words, less 2 */
    return (ip->payload[1] + 2u) * 4;
  default:
    return (ip->payload[1] + 1u) * EXTENSION_UNIT_OCTETS;
  }
}

bool capture_ip_pass_extensions(capture_ip *ip)
{
  while (ip->version == 6 && !ip->is_fragment && capture_ip_is_extension(ip->protocol)) {
    if (ip->captured_octets < EXTENSION_UNIT_OCTETS || ip->captured_octets < extension_octets(ip)) {
      return false;
    }
    uint32_t octets = extension_octets(ip);
    if (ip->protocol == IP_PROTOCOL_IPV6_FRAGMENT) {
      uint16_t place = big_endian_read_16(ip->payload + IPV6_FRAGMENT_OFFSET_AT);
      ip->offset_octets = place & IPV6_OFFSET_MASK;
      ip->more = (place & IPV6_MORE_FRAGMENTS) != 0;
      ip->is_fragment = ip->more || ip->offset_octets > 0;
      ip->identification = big_endian_read_32(ip->payload + IPV6_FRAGMENT_IDENTIFICATION_AT);
    }
    ip->is_routed |= ip->protocol == IPPROTO_ROUTING && ip->payload[ROUTING_SEGMENTS_LEFT_AT] > 0;
    ip->protocol = ip->payload[0];
    ip->payload += octets;
    ip->payload_octets -= octets;
    ip->captured_octets -= octets;
  }
  return true;
}

bool capture_ip_read(capture_ip *ip, const uint8_t *octets, uint32_t captured_octets, uint32_t wire_octets)
{
  if (captured_octets == 0) {
    return false;
  }
  *ip = (capture_ip){.version = octets[0] >> 4};
  if (ip->version != 4 && ip->version != 6) {
    return false;
  }
  bool good = (ip->version == 4 ? read_ipv4 : read_ipv6)(ip, octets, captured_octets, wire_octets);
  /* A fragment has octets, their number is a multiple of 8 but in the last one, and none is after the longest
   * datagram's end. */
  bool is_possible = !ip->is_fragment || (ip->payload_octets > 0 &&
                                          (!ip->more || ip->payload_octets % FRAGMENT_UNIT_OCTETS == 0) &&
                                          ip->offset_octets + ip->payload_octets <= UINT16_MAX);
  return good && is_possible && ip->payload_octets <= CAPTURE_IP_LONGEST_OCTETS;
}

/* --- TCP --- */

enum { TCP_FLAGS_AT = 13 };

static capture_checksum verify(const capture_ip *ip)
{
  if (ip->captured_octets < ip->payload_octets || ip->is_routed) {
    return CAPTURE_CHECKSUM_UNKNOWN;
  }
  uint64_t pseudo = ip_header_pseudo_sum(ip->header, IP_PROTOCOL_TCP, ip->payload_octets);
  if (internet_sum_complement(internet_sum(pseudo, ip->payload, ip->payload_octets)) == 0) {
    return CAPTURE_CHECKSUM_RIGHT;
  }
  /* Linux leaves the pseudo header's sum to the NIC, not complemented; for some that cut segments, it leaves
   * out the length. Receive offload leaves the same in the segments that it puts together. */
  uint16_t field = big_endian_read_16(ip->payload + TCP_CHECKSUM_AT);
  uint16_t left = (uint16_t)~internet_sum_complement(pseudo);
  uint16_t left_without_length =
      (uint16_t)~internet_sum_complement(ip_header_pseudo_sum(ip->header, IP_PROTOCOL_TCP, 0));
  return field == 0 || field == left || field == left_without_length ? CAPTURE_CHECKSUM_UNFINISHED
                                                                     : CAPTURE_CHECKSUM_WRONG;
}

/* Nearly all segments have no options, or the timestamps alone, laid out as in RFC 7323 appendix A. */
static void read_options(capture_segment *segment, const uint8_t *wire, uint32_t header_octets)
{
  tcp_header header = {.has_mss = false};

  if (header_octets == TCP_HEADER_WITH_TIMESTAMPS_OCTETS &&
      big_endian_read_32(wire + TCP_TIMESTAMPS_OPTION_AT) == TCP_TIMESTAMPS_OPTION) {
    header.has_timestamps = true;
    header.timestamp_value = big_endian_read_32(wire + TCP_TIMESTAMP_VALUE_AT);
  } else if (header_octets > TCP_HEADER_OCTETS && tcp_header_decode(&header, wire, header_octets) == 0) {
    tcp_header_begin(&header); /* of garbled options none counts */
  }
  segment->has_mss = header.has_mss;
  segment->mss_octets = header.mss_octets;
  segment->has_timestamps = header.has_timestamps;
  segment->timestamp_value = header.timestamp_value;
}

bool capture_tcp_read(capture_segment *segment, const capture_ip *ip)
{
  const uint8_t *wire = ip->payload;

  if (ip->captured_octets < TCP_HEADER_OCTETS) {
    return false;
  }
  uint32_t header_octets = (uint32_t)(wire[TCP_OFFSET_AND_FLAGS_AT] >> 4) * 4;
  if (header_octets < TCP_HEADER_OCTETS || header_octets > ip->payload_octets) {
    return false;
  }
  uint32_t header_captured = MIN(header_octets, ip->captured_octets);
  segment->flags = wire[TCP_FLAGS_AT];
  segment->ecn = ip->ecn;
  segment->sequence = big_endian_read_32(wire + TCP_SEQUENCE_AT);
  segment->acknowledgement = big_endian_read_32(wire + TCP_ACKNOWLEDGEMENT_AT);
  segment->window = big_endian_read_16(wire + TCP_WINDOW_AT);
  segment->payload = wire + header_captured;
  segment->captured_octets = ip->captured_octets - header_captured;
  segment->payload_octets = ip->payload_octets - header_octets;
  segment->wire_octets =
      ip->payload_octets + (ip->version == 4 ? (ip->header[0] & 0x0Fu) * 4 : IPV6_HEADER_OCTETS);
  segment->checksum = verify(ip);
  read_options(segment, wire, header_captured);
  return true;
}
