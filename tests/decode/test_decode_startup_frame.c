/* SPDX-License-Identifier: GPL-2.0-only */
/* Startup frames of all revisions: mpa-01 §6.1.1, RFC 5044 §7.1.1, RFC 6581 §9. */
#include <string.h>

#include "decode/decode_reader.h"
#include "test.h"

static const uint8_t request[] = {'M', 'P', 'A', ' ', 'I',  'D', ' ', 'R', 'e', 'q', ' ', 'F',
                                  'r', 'a', 'm', 'e', 0xC0, 0,   0,   3,   'a', 'b', 'c', 'x'};

/* Revision 2 with S: A=1, B=0, IRD 0x1234; C=0, D=1, ORD 0x0FED; two octets more of the ULP's Private
 * Data. */
static const uint8_t enhanced_reply[] = {'M', 'P', 'A', ' ',  'I', 'D', ' ', 'R',  'e',  'p',  ' ',  'F', 'r',
                                         'a', 'm', 'e', 0x51, 2,   0,   6,   0x92, 0x34, 0x4F, 0xED, 9,   8};

TEST(test_request)
{
  decode_startup_frame frame;

  g_assert_cmpint(decode_startup_frame_read(&frame, request, sizeof request), ==, DECODE_STARTUP_WHOLE);
  g_assert_false(frame.is_reply);
  g_assert_true(frame.markers && frame.crc);
  g_assert_false(frame.rejected || frame.enhanced_flag || frame.has_enhanced);
  g_assert_cmpuint(frame.reserved, ==, 0);
  g_assert_cmpuint(frame.revision, ==, 0);
  g_assert_cmpuint(frame.private_data_octets, ==, 3);
  g_assert_cmpmem(frame.private_data, frame.private_data_read, "abc", 3);
  g_assert_cmpuint(frame.frame_octets, ==, 23);
}

TEST(test_enhanced)
{
  decode_startup_frame frame;

  g_assert_cmpint(decode_startup_frame_read(&frame, enhanced_reply, sizeof enhanced_reply), ==,
                  DECODE_STARTUP_WHOLE);
  g_assert_true(frame.is_reply && frame.crc && frame.enhanced_flag && frame.has_enhanced);
  g_assert_false(frame.markers || frame.rejected);
  g_assert_cmpuint(frame.reserved, ==, 1);
  g_assert_cmpuint(frame.revision, ==, 2);
  g_assert_true(frame.enhanced.peer_to_peer);
  g_assert_false(frame.enhanced.ready_to_receive_zero_length_send);
  g_assert_cmpuint(frame.enhanced.ird, ==, 0x1234);
  g_assert_false(frame.enhanced.ready_to_receive_zero_length_write);
  g_assert_true(frame.enhanced.ready_to_receive_zero_length_read);
  g_assert_cmpuint(frame.enhanced.ord, ==, 0x0FED);
  g_assert_cmpuint(frame.private_data_octets, ==, 6);
}

/* Each of the bits of the enhanced fields is in one of them. */
TEST(test_enhanced_bits)
{
  decode_startup_frame frame;
  uint8_t octets[sizeof enhanced_reply];

  memcpy(octets, enhanced_reply, sizeof octets);
  for (unsigned bit = 0; bit < 32; bit++) {
    uint32_t word = UINT32_C(1) << bit;
    octets[20] = (uint8_t)(word >> 24);
    octets[21] = (uint8_t)(word >> 16);
    octets[22] = (uint8_t)(word >> 8);
    octets[23] = (uint8_t)word;
    g_assert_cmpint(decode_startup_frame_read(&frame, octets, sizeof octets), ==, DECODE_STARTUP_WHOLE);
    const decode_enhanced_setup *setup = &frame.enhanced;
    uint32_t read = (uint32_t)setup->peer_to_peer << 31 |
                    (uint32_t)setup->ready_to_receive_zero_length_send << 30 | (uint32_t)setup->ird << 16 |
                    (uint32_t)setup->ready_to_receive_zero_length_write << 15 |
                    (uint32_t)setup->ready_to_receive_zero_length_read << 14 | setup->ord;
    g_assert_cmphex(read, ==, word);
    g_assert_cmpuint(setup->ird | setup->ord, <, 1 << 14);
  }
}

/* The S bit is one of the reserved ones before Revision 2; without room for them there are no enhanced
 * fields. */
TEST(test_not_enhanced)
{
  decode_startup_frame frame;
  uint8_t octets[sizeof enhanced_reply];

  memcpy(octets, enhanced_reply, sizeof octets);
  octets[17] = 1;
  g_assert_cmpint(decode_startup_frame_read(&frame, octets, sizeof octets), ==, DECODE_STARTUP_WHOLE);
  g_assert_false(frame.enhanced_flag || frame.has_enhanced);
  g_assert_cmpuint(frame.reserved, ==, 0x11);
  octets[17] = 2;
  octets[19] = 3;
  g_assert_cmpint(decode_startup_frame_read(&frame, octets, sizeof octets), ==, DECODE_STARTUP_WHOLE);
  g_assert_true(frame.enhanced_flag);
  g_assert_false(frame.has_enhanced);
}

/* Each bit of the flags is one field of the frame. */
TEST(test_flags)
{
  decode_startup_frame frame;
  uint8_t octets[20];

  memcpy(octets, request, sizeof octets);
  octets[19] = 0;
  for (unsigned flags = 0; flags < 256; flags++) {
    octets[16] = (uint8_t)flags;
    g_assert_cmpint(decode_startup_frame_read(&frame, octets, sizeof octets), ==, DECODE_STARTUP_WHOLE);
    g_assert_cmpuint(frame.markers << 7 | frame.crc << 6 | frame.rejected << 5 | frame.reserved, ==, flags);
    g_assert_null(frame.private_data);
  }
}

/* The Private Data need not be there (snap length) to know what the header says. */
TEST(test_cut_private_data)
{
  for (size_t length = DECODE_STARTUP_HEADER_OCTETS; length < sizeof enhanced_reply; length++) {
    decode_startup_frame frame;
    size_t there = length - DECODE_STARTUP_HEADER_OCTETS;
    g_assert_cmpint(decode_startup_frame_read(&frame, enhanced_reply, length), ==, DECODE_STARTUP_PARTIAL);
    g_assert_true(frame.is_reply && frame.crc && frame.enhanced_flag);
    g_assert_cmpuint(frame.frame_octets, ==, 26);
    g_assert_cmpuint(frame.private_data_octets, ==, 6);
    g_assert_cmpuint(frame.private_data_read, ==, there);
    g_assert_cmpint(frame.private_data != NULL, ==, there > 0);
    g_assert_cmpint(frame.has_enhanced, ==, there >= DECODE_ENHANCED_OCTETS);
  }
}

/* As long as it can become a frame it is partial; from the first wrong octet on none. */
TEST(test_partial)
{
  decode_startup_frame frame;

  for (size_t length = 0; length < 23; length++) {
    g_assert_cmpint(decode_startup_frame_read(&frame, request, length), ==, DECODE_STARTUP_PARTIAL);
  }
  for (size_t wrong = 0; wrong < DECODE_STARTUP_KEY_OCTETS; wrong++) {
    uint8_t octets[sizeof request];
    memcpy(octets, request, sizeof octets);
    octets[wrong] ^= 0x20;
    g_assert_cmpint(decode_startup_frame_read(&frame, octets, wrong), ==, DECODE_STARTUP_PARTIAL);
    g_assert_cmpint(decode_startup_frame_read(&frame, octets, wrong + 1), ==, DECODE_STARTUP_NONE);
    g_assert_cmpint(decode_startup_frame_read(&frame, octets, sizeof octets), ==, DECODE_STARTUP_NONE);
  }
}
