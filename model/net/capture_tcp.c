/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_tcp.h"

#include <glib.h>

#include "net/ip_header.h"
#include "net/tcp_header.h"

enum { TCP_FLAGS_AT = 13 };

/* The sum of the pseudo header of a segment of `length` octets (RFC 9293 §3.1, RFC 8200 §8.1). */
static uint64_t pseudo_header_sum(const capture_ip *ip, uint32_t length)
{
  return internet_sum((uint64_t)IP_PROTOCOL_TCP + length, ip->addresses,
                      capture_ip_addresses_octets(ip->version));
}

static capture_checksum verify(const capture_ip *ip)
{
  if (ip->captured_octets < ip->payload_octets || ip->is_routed) {
    return CAPTURE_CHECKSUM_UNKNOWN;
  }
  uint64_t pseudo = pseudo_header_sum(ip, ip->payload_octets);
  if (internet_sum_complement(internet_sum(pseudo, ip->payload, ip->payload_octets)) == 0) {
    return CAPTURE_CHECKSUM_RIGHT;
  }
  /* Linux leaves the pseudo header's sum to the NIC, not complemented; for some that cut segments, it leaves out the length. Receive
   * offload leaves the same in the segments that it puts together. */
  uint16_t field = big_endian_read_16(ip->payload + TCP_CHECKSUM_AT);
  uint16_t left = (uint16_t)~internet_sum_complement(pseudo);
  uint16_t left_without_length = (uint16_t)~internet_sum_complement(pseudo_header_sum(ip, 0));
  return field == 0 || field == left || field == left_without_length ? CAPTURE_CHECKSUM_UNFINISHED
                                                                     : CAPTURE_CHECKSUM_WRONG;
}

/* Nearly all segments have no options, or the timestamps alone, laid out as in RFC 7323 appendix A. */
static void read_timestamps(capture_segment *segment, const uint8_t *wire, uint32_t header_octets)
{
  tcp_header header;

  segment->has_timestamps = false;
  segment->timestamp_value = 0;
  if (header_octets == TCP_HEADER_WITH_TIMESTAMPS_OCTETS &&
      big_endian_read_32(wire + TCP_TIMESTAMPS_OPTION_AT) == TCP_TIMESTAMPS_OPTION) {
    segment->has_timestamps = true;
    segment->timestamp_value = big_endian_read_32(wire + TCP_TIMESTAMP_VALUE_AT);
  } else if (header_octets > TCP_HEADER_OCTETS && tcp_header_decode(&header, wire, header_octets) > 0) {
    segment->has_timestamps = header.has_timestamps;
    segment->timestamp_value = header.timestamp_value;
  }
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
  segment->checksum = verify(ip);
  read_timestamps(segment, wire, header_captured);
  return true;
}
