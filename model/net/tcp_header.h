/* SPDX-License-Identifier: GPL-2.0-only */
/* The TCP header as it is on the wire (RFC 9293 §3.1, options of RFC 7323 and RFC 2018). The only place where
 * 32-bit sequence numbers exist: everything else counts 64-bit stream positions, position 0 being the octet
 * after the SYN. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/big_endian.h"

enum {
  TCP_FIN = 0x01,
  TCP_SYN = 0x02,
  TCP_RST = 0x04,
  TCP_PSH = 0x08,
  TCP_ACK = 0x10,
  TCP_ECE = 0x40, /* RFC 3168 §6.1 */
  TCP_CWR = 0x80,
};

enum { TCP_HEADER_OCTETS = 20, TCP_HEADER_MAX_OCTETS = 60, TCP_SACK_BLOCKS_MAX = 4 };

/* One SACK block: the sequence numbers from <= s < to (RFC 2018 §3). */
typedef struct tcp_sack_block {
  uint32_t from;
  uint32_t to;
} tcp_sack_block;

typedef struct tcp_header {
  uint32_t sequence;
  uint32_t acknowledgement; /* meaningful with TCP_ACK */
  uint16_t source_port;
  uint16_t destination_port;
  uint16_t window; /* as on the wire: unscaled */
  uint16_t checksum;
  uint8_t flags;
  bool has_mss;
  bool has_window_scale;
  bool has_sack_permitted;
  bool has_timestamps;
  uint8_t window_scale;
  uint8_t sack_count;
  uint16_t mss_octets;
  uint32_t timestamp_value;
  uint32_t timestamp_echo;
  tcp_sack_block sack[TCP_SACK_BLOCKS_MAX]; /* only the first sack_count mean anything */
} tcp_header;

/* No option is in `header` yet: all else must be written. SACK blocks that are not there need not be. */
static inline void tcp_header_begin(tcp_header *header)
{
  header->checksum = 0;
  header->has_mss = false;
  header->has_window_scale = false;
  header->has_sack_permitted = false;
  header->has_timestamps = false;
  header->window_scale = 0;
  header->sack_count = 0;
  header->mss_octets = 0;
  header->timestamp_value = 0;
  header->timestamp_echo = 0;
}

/* Octets of the header with its options and padding: 20 … 60. */
size_t tcp_header_octets(const tcp_header *header);

/* Writes the header (checksum as in the struct) to `wire`, which has room for TCP_HEADER_MAX_OCTETS;
 * returns the octets written. Options in the order Linux uses, each aligned with NOPs as RFC 7323 appendix
 * A shows. The caller sees to it that the options fit in 40 octets (3 SACK blocks beside timestamps). */
size_t tcp_header_encode(const tcp_header *header, uint8_t *wire);

/* Where the fields of a plain header lie: one without options, or with timestamps alone, as RFC 7323 appendix
 * A lays them out. */
enum {
  TCP_SEQUENCE_AT = 4,
  TCP_ACKNOWLEDGEMENT_AT = 8,
  TCP_OFFSET_AND_FLAGS_AT = 12,
  TCP_WINDOW_AT = 14,
  TCP_TIMESTAMPS_OPTION_AT = TCP_HEADER_OCTETS,
  TCP_TIMESTAMP_VALUE_AT = 24,
  TCP_TIMESTAMP_ECHO_AT = 28,
  TCP_HEADER_WITH_TIMESTAMPS_OCTETS = 32,
};

/* NOP, NOP, kind 8, length 10. */
#define TCP_TIMESTAMPS_OPTION UINT32_C(0x0101080A)

/* tcp_header_encode() of a plain header. */
static inline size_t tcp_header_encode_plain(const tcp_header *header, uint8_t *wire)
{
  uint32_t flags_and_window = (uint32_t)header->flags << 16 | header->window;
  big_endian_write_32(wire, (uint32_t)header->source_port << 16 | header->destination_port);
  big_endian_write_64(wire + TCP_SEQUENCE_AT, (uint64_t)header->sequence << 32 | header->acknowledgement);
  big_endian_write_32(wire + 16, (uint32_t)header->checksum << 16); /* urgent pointer: never used */
  if (!header->has_timestamps) {
    big_endian_write_32(wire + TCP_OFFSET_AND_FLAGS_AT, (uint32_t)TCP_HEADER_OCTETS << 26 | flags_and_window);
    return TCP_HEADER_OCTETS;
  }
  big_endian_write_32(wire + TCP_OFFSET_AND_FLAGS_AT,
                      (uint32_t)TCP_HEADER_WITH_TIMESTAMPS_OCTETS << 26 | flags_and_window);
  big_endian_write_32(wire + TCP_TIMESTAMPS_OPTION_AT, TCP_TIMESTAMPS_OPTION);
  big_endian_write_32(wire + TCP_TIMESTAMP_VALUE_AT, header->timestamp_value);
  big_endian_write_32(wire + TCP_TIMESTAMP_ECHO_AT, header->timestamp_echo);
  return TCP_HEADER_WITH_TIMESTAMPS_OCTETS;
}

/* Whether the `octets` at `wire` are a plain header, with or without `timestamps`, with ACK and no other flag
 * but perhaps PSH. */
static inline bool tcp_header_is_plain_ack(const uint8_t *wire, size_t octets, bool timestamps)
{
  uint32_t offset_and_flags = big_endian_read_16(wire + TCP_OFFSET_AND_FLAGS_AT) & ~(uint32_t)TCP_PSH;
  if (!timestamps) {
    return octets == TCP_HEADER_OCTETS && offset_and_flags == (TCP_HEADER_OCTETS << 10 | TCP_ACK);
  }
  return octets == TCP_HEADER_WITH_TIMESTAMPS_OCTETS &&
         offset_and_flags == (TCP_HEADER_WITH_TIMESTAMPS_OCTETS << 10 | TCP_ACK) &&
         big_endian_read_32(wire + TCP_TIMESTAMPS_OPTION_AT) == TCP_TIMESTAMPS_OPTION;
}

/* Reads a header from `length` octets at `wire`. Returns the octets of the header, 0 when it is malformed:
 * too short, data offset below 5 or beyond `length`, an option of bad length. Unknown options are passed
 * over. SACK blocks that are not there are left as they are in `header`. */
size_t tcp_header_decode(tcp_header *header, const uint8_t *wire, size_t length);

/* Sequence number of stream position `position`. */
static inline uint32_t tcp_sequence_of(int64_t position, uint32_t isn)
{
  return isn + 1 + (uint32_t)(uint64_t)position;
}

/* Stream position of `sequence`: the one nearest to `near` that is congruent to it, where position p has
 * sequence number isn + 1 + p modulo 2^32 (RFC 9293 §3.4). Position -1 is the SYN. */
static inline int64_t tcp_position_of(uint32_t sequence, uint32_t isn, int64_t near)
{
  /* Two's complement of the 32-bit distance: 2^31 and more lies before it. */
  return near + (int32_t)(sequence - tcp_sequence_of(near, isn));
}
