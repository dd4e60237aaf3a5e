/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/tcp_header.h"

#include <glib.h>

/* Option kinds and lengths: RFC 9293 §3.2, RFC 7323 §2.2 and §3.2, RFC 2018 §2 and §3. */
enum {
  OPTION_END = 0,
  OPTION_NOP = 1,
  OPTION_MSS = 2,
  OPTION_WINDOW_SCALE = 3,
  OPTION_SACK_PERMITTED = 4,
  OPTION_SACK = 5,
  OPTION_TIMESTAMPS = 8,
};

enum {
  MSS_OCTETS = 4,
  WINDOW_SCALE_OCTETS = 3,
  SACK_PERMITTED_OCTETS = 2,
  SACK_BLOCK_OCTETS = 8,
  TIMESTAMPS_OCTETS = 10,
  WORD_OCTETS = 4,
};

size_t tcp_header_octets(const tcp_header *header)
{
  size_t octets = TCP_HEADER_OCTETS;
  octets += header->has_mss ? MSS_OCTETS : 0;
  octets += header->has_timestamps ? WORD_OCTETS + 8 : 0;
  /* SACK-permitted takes the place of the two NOPs before the timestamps when both are there. */
  octets += header->has_sack_permitted && !header->has_timestamps ? WORD_OCTETS : 0;
  octets += header->has_window_scale ? WORD_OCTETS : 0;
  octets += header->sack_count > 0 ? WORD_OCTETS + SACK_BLOCK_OCTETS * (size_t)header->sack_count : 0;
  return octets;
}

static uint8_t *put_options(const tcp_header *header, uint8_t *wire)
{
  if (header->has_mss) {
    *wire++ = OPTION_MSS;
    *wire++ = MSS_OCTETS;
    big_endian_write_16(wire, header->mss_octets);
    wire += 2;
  }
  if (header->has_sack_permitted || header->has_timestamps) {
    *wire++ = header->has_sack_permitted && header->has_timestamps ? OPTION_SACK_PERMITTED : OPTION_NOP;
    *wire++ = header->has_sack_permitted && header->has_timestamps ? SACK_PERMITTED_OCTETS : OPTION_NOP;
    *wire++ = header->has_timestamps ? OPTION_TIMESTAMPS : OPTION_SACK_PERMITTED;
    *wire++ = header->has_timestamps ? TIMESTAMPS_OCTETS : SACK_PERMITTED_OCTETS;
  }
  if (header->has_timestamps) {
    big_endian_write_32(wire, header->timestamp_value);
    wire += 4;
    big_endian_write_32(wire, header->timestamp_echo);
    wire += 4;
  }
  if (header->has_window_scale) {
    *wire++ = OPTION_NOP;
    *wire++ = OPTION_WINDOW_SCALE;
    *wire++ = WINDOW_SCALE_OCTETS;
    *wire++ = header->window_scale;
  }
  if (header->sack_count > 0) {
    *wire++ = OPTION_NOP;
    *wire++ = OPTION_NOP;
    *wire++ = OPTION_SACK;
    *wire++ = (uint8_t)(2 + SACK_BLOCK_OCTETS * header->sack_count);
    for (unsigned i = 0; i < header->sack_count; i++) {
      big_endian_write_32(wire, header->sack[i].from);
      wire += 4;
      big_endian_write_32(wire, header->sack[i].to);
      wire += 4;
    }
  }
  return wire;
}

size_t tcp_header_encode(const tcp_header *header, uint8_t *wire)
{
  if (!header->has_mss && !header->has_window_scale && !header->has_sack_permitted &&
      header->sack_count == 0) {
    return tcp_header_encode_plain(header, wire);
  }
  size_t octets = tcp_header_octets(header);
  g_assert(octets <= TCP_HEADER_MAX_OCTETS && header->sack_count <= TCP_SACK_BLOCKS_MAX);
  tcp_header_encode_plain(header, wire); /* all before the options; the data offset is another */
  wire[TCP_OFFSET_AND_FLAGS_AT] = (uint8_t)(octets / WORD_OCTETS << 4);
  uint8_t *end = put_options(header, wire + TCP_HEADER_OCTETS);
  g_assert((size_t)(end - wire) == octets);
  return octets;
}

/* Takes in one option of `length` octets (kind and length included); false when its length is not the
 * kind's. */
static bool get_option(tcp_header *header, const uint8_t *option, unsigned length)
{
  switch (option[0]) {
  case OPTION_MSS:
    header->has_mss = true;
    header->mss_octets = length == MSS_OCTETS ? big_endian_read_16(option + 2) : 0;
    return length == MSS_OCTETS;
  case OPTION_WINDOW_SCALE:
    header->has_window_scale = true;
    header->window_scale = length == WINDOW_SCALE_OCTETS ? option[2] : 0;
    return length == WINDOW_SCALE_OCTETS;
  case OPTION_SACK_PERMITTED:
    header->has_sack_permitted = true;
    return length == SACK_PERMITTED_OCTETS;
  case OPTION_TIMESTAMPS:
    if (length != TIMESTAMPS_OCTETS) {
      return false;
    }
    header->has_timestamps = true;
    header->timestamp_value = big_endian_read_32(option + 2);
    header->timestamp_echo = big_endian_read_32(option + 6);
    return true;
  case OPTION_SACK: {
    unsigned blocks = (length - 2) / SACK_BLOCK_OCTETS;
    if (blocks < 1 || blocks > TCP_SACK_BLOCKS_MAX || length != 2 + SACK_BLOCK_OCTETS * blocks) {
      return false;
    }
    header->sack_count = (uint8_t)blocks;
    for (unsigned i = 0; i < blocks; i++) {
      header->sack[i].from = big_endian_read_32(option + 2 + SACK_BLOCK_OCTETS * i);
      header->sack[i].to = big_endian_read_32(option + 6 + SACK_BLOCK_OCTETS * i);
    }
    return true;
  }
  default:
    return true; /* RFC 9293 §3.1 (MUST-6): an unknown option is ignored */
  }
}

static bool get_options(tcp_header *header, const uint8_t *options, size_t length)
{
  size_t at = 0;
  if (length >= WORD_OCTETS + 8 && big_endian_read_32(options) == TCP_TIMESTAMPS_OPTION) { /* mostly */
    header->has_timestamps = true;
    header->timestamp_value = big_endian_read_32(options + 4);
    header->timestamp_echo = big_endian_read_32(options + 8);
    at = WORD_OCTETS + 8;
  }
  while (at < length && options[at] != OPTION_END) {
    if (options[at] == OPTION_NOP) {
      at++;
      continue;
    }
    if (length - at < 2 || options[at + 1] < 2 || options[at + 1] > length - at) {
      return false; /* RFC 9293 §3.1 (MUST-7): be prepared for an illegal option length */
    }
    if (!get_option(header, options + at, options[at + 1])) {
      return false;
    }
    at += options[at + 1];
  }
  return true;
}

size_t tcp_header_decode(tcp_header *header, const uint8_t *wire, size_t length)
{
  if (length < TCP_HEADER_OCTETS) {
    return 0;
  }
  size_t octets = (size_t)(wire[12] >> 4) * WORD_OCTETS;
  if (octets < TCP_HEADER_OCTETS || octets > length) {
    return 0;
  }
  tcp_header_begin(header);
  header->source_port = big_endian_read_16(wire);
  header->destination_port = big_endian_read_16(wire + 2);
  header->sequence = big_endian_read_32(wire + 4);
  header->acknowledgement = big_endian_read_32(wire + 8);
  header->flags = wire[13];
  header->window = big_endian_read_16(wire + 14);
  header->checksum = big_endian_read_16(wire + 16);
  if (octets == TCP_HEADER_OCTETS) {
    return octets;
  }
  return get_options(header, wire + TCP_HEADER_OCTETS, octets - TCP_HEADER_OCTETS) ? octets : 0;
}
