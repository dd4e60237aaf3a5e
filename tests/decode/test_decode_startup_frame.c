/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about startup frames of all revisions: mpa-01 §6.1.1, RFC 5044 §7.1.1, RFC 6581 §9. */
#include <string.h>

#include "decode/decode_reader.h"
#include "test.h"

static const uint8_t request[] = {'M', 'P', 'A', ' ', 'I',  'D', ' ', 'R', 'e', 'q', ' ', 'F',
                                  'r', 'a', 'm', 'e', 0xC0, 0,   0,   3,   'a', 'b', 'c', 'x'};

/* This is revision 2 with S: A=1, B=0, IRD 0x1234; C=0, D=1, ORD 0x0FED; two octets more of the ULP's Private
 * Data. */
static const uint8_t enhanced_reply[] = {'M', 'P', 'A', ' ',  'I', 'D', ' ', 'R',  'e',  'p',  ' ',  'F', 'r',
                                         'a', 'm', 'e', 0x51, 2,   0,   6,   0x92, 0x34, 0x4F, 0xED, 9,   8};

static decode_startup_frame frame;

static void expect_read(const uint8_t *octets, size_t length, decode_startup_result expected)
{
  memset(&frame, 0xAA, sizeof frame);
  g_assert_cmpint(decode_startup_frame_read(&frame, octets, length), ==, expected);
}

/* The Reply with other octets from `at` on is read. */
static void read_changed(size_t at, const uint8_t *octets, size_t length)
{
  uint8_t changed[sizeof enhanced_reply];

  memcpy(changed, enhanced_reply, sizeof changed);
  memcpy(changed + at, octets, length);
  expect_read(changed, sizeof changed, DECODE_STARTUP_WHOLE);
}

TEST(test_request)
{
  expect_read(request, sizeof request, DECODE_STARTUP_WHOLE);
  EXPECT_FIELDS(&frame, (is_reply, false), (markers, true), (crc, true), (rejected, false),
                (enhanced_flag, false), (has_enhanced, false), (reserved, 0), (revision, 0),
                (private_data_octets, 3), (frame_octets, 23));
  g_assert_cmpmem(frame.private_data, frame.private_data_read, "abc", 3);
}

TEST(test_enhanced)
{
  expect_read(enhanced_reply, sizeof enhanced_reply, DECODE_STARTUP_WHOLE);
  EXPECT_FIELDS(&frame, (is_reply, true), (crc, true), (enhanced_flag, true), (has_enhanced, true),
                (markers, false), (rejected, false), (reserved, 1), (revision, 2),
                (enhanced.peer_to_peer, true), (enhanced.rtrs, 1 << MPA_RTR_READ), (enhanced.ird, 0x1234),
                (enhanced.ord, 0x0FED), (private_data_octets, 6));
}

/* The S bit is one of the reserved ones before Revision 2; without room for them there are no enhanced
 * fields. */
TEST(test_not_enhanced)
{
  static const uint8_t revision_1[] = {1}, three_octets[] = {3};

  read_changed(17, revision_1, 1);
  EXPECT_FIELDS(&frame, (enhanced_flag, false), (has_enhanced, false), (reserved, 0x11));
  read_changed(19, three_octets, 1);
  EXPECT_FIELDS(&frame, (enhanced_flag, true), (has_enhanced, false));
}

/* Each bit of the flags is one field of the frame. */
TEST(test_flags)
{
  uint8_t octets[20];

  memcpy(octets, request, sizeof octets);
  octets[19] = 0;
  for (unsigned flags = 0; flags < 256; flags++) {
    octets[16] = (uint8_t)flags;
    expect_read(octets, sizeof octets, DECODE_STARTUP_WHOLE);
    g_assert_cmpuint(frame.markers << 7 | frame.crc << 6 | frame.rejected << 5 | frame.reserved, ==, flags);
    g_assert_null(frame.private_data);
  }
}

/* The Private Data need not be there (snap length) to know what the header holds. */
TEST(test_cut_private_data)
{
  for (size_t length = DECODE_STARTUP_HEADER_OCTETS; length < sizeof enhanced_reply; length++) {
    size_t there = length - DECODE_STARTUP_HEADER_OCTETS;
    expect_read(enhanced_reply, length, DECODE_STARTUP_PARTIAL);
    g_assert_true(frame.is_reply && frame.crc && frame.enhanced_flag);
    EXPECT_FIELDS(&frame, (frame_octets, 26), (private_data_octets, 6), (private_data_read, there),
                  (has_enhanced, there >= MPA_ENHANCED_OCTETS));
    g_assert_cmpint(frame.private_data != NULL, ==, there > 0);
  }
}

/* As long as the octets can become a frame it is partial; from the first wrong octet on there is none. */
TEST(test_partial)
{
  for (size_t length = 0; length < 23; length++) {
    expect_read(request, length, DECODE_STARTUP_PARTIAL);
  }
  for (size_t wrong = 0; wrong < DECODE_STARTUP_KEY_OCTETS; wrong++) {
    uint8_t octets[sizeof request];
    memcpy(octets, request, sizeof octets);
    octets[wrong] ^= 0x20;
    expect_read(octets, wrong, DECODE_STARTUP_PARTIAL);
    expect_read(octets, wrong + 1, DECODE_STARTUP_NONE);
    expect_read(octets, sizeof octets, DECODE_STARTUP_NONE);
  }
}
