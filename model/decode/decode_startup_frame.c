/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_startup_frame.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

/* mpa-01 §6.1.1 (MPA-234 and on); the keys are the same in all revisions. */
static const char request_key[DECODE_STARTUP_KEY_OCTETS + 1] = "MPA ID Req Frame";
static const char reply_key[DECODE_STARTUP_KEY_OCTETS + 1] = "MPA ID Rep Frame";

enum { ENHANCED_REVISION = 2 };

static bool starts_with(const uint8_t *octets, size_t length, const char *key)
{
  return memcmp(octets, key, MIN(length, (size_t)DECODE_STARTUP_KEY_OCTETS)) == 0;
}

/* RFC 6581 §9: A, B and 14 bits of IRD; C, D and 14 bits of ORD. */
static void read_enhanced(decode_enhanced_setup *setup, const uint8_t *octets)
{
  uint16_t ird = big_endian_read_16(octets);
  uint16_t ord = big_endian_read_16(octets + 2);

  setup->peer_to_peer = (ird & 0x8000) != 0;
  setup->ready_to_receive_zero_length_send = (ird & 0x4000) != 0;
  setup->ird = ird & 0x3FFF;
  setup->ready_to_receive_zero_length_write = (ord & 0x8000) != 0;
  setup->ready_to_receive_zero_length_read = (ord & 0x4000) != 0;
  setup->ord = ord & 0x3FFF;
}

/* The fields after the key. */
static void read_header(decode_startup_frame *frame, const uint8_t *fields)
{
  uint8_t flags = fields[0];

  frame->markers = (flags & 0x80) != 0;
  frame->crc = (flags & 0x40) != 0;
  frame->rejected = (flags & 0x20) != 0;
  frame->revision = fields[1];
  frame->enhanced_flag = frame->revision >= ENHANCED_REVISION && (flags & 0x10) != 0;
  frame->reserved = flags & (frame->revision >= ENHANCED_REVISION ? 0x0F : 0x1F);
  frame->private_data_octets = big_endian_read_16(fields + 2);
  frame->frame_octets = DECODE_STARTUP_HEADER_OCTETS + (uint32_t)frame->private_data_octets;
}

decode_startup_result decode_startup_frame_read(decode_startup_frame *frame, const uint8_t *octets,
                                                size_t length)
{
  bool is_request = starts_with(octets, length, request_key);

  if (!is_request && !starts_with(octets, length, reply_key)) {
    return DECODE_STARTUP_NONE;
  }
  if (length < DECODE_STARTUP_HEADER_OCTETS) {
    return DECODE_STARTUP_PARTIAL;
  }
  decode_startup_frame read = {.is_reply = !is_request};
  read_header(&read, octets + DECODE_STARTUP_KEY_OCTETS);
  read.private_data_read =
      (uint16_t)MIN(length - DECODE_STARTUP_HEADER_OCTETS, (size_t)read.private_data_octets);
  if (read.private_data_read > 0) {
    read.private_data = octets + DECODE_STARTUP_HEADER_OCTETS;
  }
  read.has_enhanced = read.enhanced_flag && read.private_data_read >= DECODE_ENHANCED_OCTETS;
  if (read.has_enhanced) {
    read_enhanced(&read.enhanced, read.private_data);
  }
  *frame = read;
  return length < read.frame_octets ? DECODE_STARTUP_PARTIAL : DECODE_STARTUP_WHOLE;
}
