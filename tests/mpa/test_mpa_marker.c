/* SPDX-License-Identifier: GPL-2.0-only */
/* Marker arithmetic against octet-by-octet brute force (mpa-01 §4.1, §5.1). */
#include "mpa/mpa_fpdu.h"
#include "test.h"

TEST(test_count_and_next)
{
  uint64_t count = 0;
  for (uint64_t offset = 0; offset < 3000; offset++) {
    g_assert_cmpuint(mpa_marker_count_below(offset), ==, count);
    count += offset % 512 == 0;
  }
  g_assert_cmpuint(mpa_marker_next(0), ==, 0);
  g_assert_cmpuint(mpa_marker_next(1), ==, 512);
  g_assert_cmpuint(mpa_marker_next(512), ==, 512);
  g_assert_cmpuint(mpa_marker_next(513), ==, 1024);
}

/* A marker at 512 is octets 512 … 515. */
TEST(test_reaching)
{
  g_assert_cmpuint(mpa_marker_reaching(0), ==, 0);
  g_assert_cmpuint(mpa_marker_reaching(3), ==, 0);
  g_assert_cmpuint(mpa_marker_reaching(4), ==, 512);
  g_assert_cmpuint(mpa_marker_reaching(512), ==, 512);
  g_assert_cmpuint(mpa_marker_reaching(515), ==, 512);
  g_assert_cmpuint(mpa_marker_reaching(516), ==, 1024);
}

/* MPA starting at sequence number 11 has its markers at 11, 523, 1035 (MPA-106). */
TEST(test_example_of_the_draft)
{
  uint64_t sequence = 11;
  g_assert_cmpuint(sequence + mpa_marker_next(0), ==, 11);
  g_assert_cmpuint(sequence + mpa_marker_next(1), ==, 523);
  g_assert_cmpuint(sequence + mpa_marker_next(513), ==, 1035);
}

/* Any 515 octets hold a whole marker, 514 may not (MPA-113). */
TEST(test_window_with_a_whole_marker)
{
  guint without = 0;
  for (uint64_t from = 0; from < 512; from++) {
    g_assert_cmpuint(mpa_marker_next(from) + MPA_MARKER_OCTETS, <=, from + 515);
    without += mpa_marker_next(from) + MPA_MARKER_OCTETS > from + 514;
  }
  g_assert_cmpuint(without, ==, 1); /* the one that begins one octet into a marker */
}

/* MPA-084, MPA-085, MPA-096, MPA-358: RESERVED of zero and the distance back to the header, most significant
 * octet first. */
TEST(test_pointer_on_the_wire)
{
  uint8_t wire[4];
  mpa_marker_write(512, 492, wire);
  g_assert_cmpmem(wire, 4, "\x00\x00\x00\x14", 4); /* MPA-084, the marker of the draft's second dump */
  mpa_marker_write(1024, 516, wire);
  g_assert_cmpmem(wire, 4, "\x00\x00\x01\xFC", 4); /* 508 = 0x1FC (MPA-112) */
  mpa_marker_write(512, 516, wire);
  g_assert_cmpmem(wire, 4, "\x00\x00\x00\x00", 4); /* leads its FPDU (MPA-099) */
}

/* MPA-086, MPA-101, MPA-359: bits that do not count. */
TEST(test_pointer_read)
{
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\x00\x00\x00\x14"), ==, 492);
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\x00\x00\x00\x00"), ==, 516);
  /* RESERVED and the low two bits do not count (MPA-086, MPA-101). */
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\xAB\xCD\x00\x17"), ==, 492);
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\x00\x00\x00\x03"), ==, 516);
  /* Counted from the leading marker at 512 instead of the header at 516 (note M1): 512 = 0x200. */
  g_assert_cmpuint(mpa_marker_header(1024, (const uint8_t *)"\x00\x00\x02\x00"), ==, 516);
  /* The first marker is at the very start of the stream; nothing is before it (note M10). */
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\x00\x00\x02\x00"), ==, 4);
  g_assert_cmpuint(mpa_marker_header(512, (const uint8_t *)"\x00\x00\x02\x04"), ==, MPA_MARKER_NOWHERE);
  g_assert_cmpuint(mpa_marker_header(65536, (const uint8_t *)"\x00\x00\xFF\xFC"), ==, 4);
}
