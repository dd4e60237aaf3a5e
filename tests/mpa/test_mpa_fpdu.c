/* SPDX-License-Identifier: GPL-2.0-only */
/* One FPDU at a known place: extent, verdict, ULPDU (mpa-01 §4, §5.2, §7). */
#include <string.h>

#include "base/crc32c.h"
#include "mpa/mpa_fpdu.h"
#include "mpa_reader.h"
#include "stack_cleanup.h"
#include "test.h"

TEST(test_pad)
{
  g_assert_cmpuint(mpa_fpdu_pad_octets(0), ==, 2);
  g_assert_cmpuint(mpa_fpdu_pad_octets(1), ==, 1);
  g_assert_cmpuint(mpa_fpdu_pad_octets(2), ==, 0);
  g_assert_cmpuint(mpa_fpdu_pad_octets(3), ==, 3);
  for (uint32_t octets = 0; octets <= 4096; octets++) {
    g_assert_cmpuint((2 + octets + mpa_fpdu_pad_octets(octets)) % 4, ==, 0);
    g_assert_cmpuint(mpa_fpdu_pad_octets(octets), <, 4);
  }
}

TEST(test_fpdu_octets)
{
  for (uint64_t phase = 0; phase < 512; phase += 4) {
    if (phase == 4) {
      continue; /* a header there is led by the marker at 0 */
    }
    for (uint32_t octets = 0; octets <= 2100; octets += octets < 600 ? 1 : 7) {
      uint64_t start = 512 * 1000 + phase;
      g_assert_cmpuint(mpa_fpdu_octets(start, octets, true), ==, walk_fpdu(start, octets, true) - start);
    }
  }
}

TEST(test_unmarked_fpdu_octets)
{
  /* 6 octets of overhead and the PAD, at any phase (MPA-083) */
  g_assert_cmpuint(mpa_fpdu_octets(0, 42, false), ==, 48);
  g_assert_cmpuint(mpa_fpdu_octets(508, 43, false), ==, 52);
  g_assert_cmpuint(mpa_fpdu_octets(512, 0, false), ==, 8);
  g_assert_cmpuint(mpa_fpdu_octets(512, 64768, false), ==, 64776); /* 2 + 64768 + 2 + 4 */
}

/* The largest FPDU, at its worst phase, has 65288 octets and a last FPDUPTR of 65280 (MPA-088). */
TEST(test_largest_fpdu)
{
  uint64_t longest = 0;
  uint64_t furthest = 0;
  for (uint64_t start = 0; start < 512; start += 4) {
    if (start == 4) {
      continue;
    }
    uint64_t octets = mpa_fpdu_octets(start, 64768, true);
    uint64_t header = start == 0 ? 4 : start;
    uint64_t last_marker = mpa_marker_next(start + octets) - 512;
    g_assert_cmpuint(octets, ==, walk_fpdu(start, 64768, true) - start);
    longest = MAX(longest, octets);
    furthest = MAX(furthest, last_marker - header);
  }
  g_assert_cmpuint(longest, ==, 65288);
  g_assert_cmpuint(furthest, ==, 65280);
}

TEST(test_header_and_start)
{
  /* A marker leads the FPDU that starts on a multiple of 512. */
  g_assert_cmpuint(mpa_fpdu_header(512, true), ==, 516);
  g_assert_cmpuint(mpa_fpdu_header(508, true), ==, 508);
  g_assert_cmpuint(mpa_fpdu_header(512, false), ==, 512);
  g_assert_cmpuint(mpa_fpdu_start(516), ==, 512);
  g_assert_cmpuint(mpa_fpdu_start(508), ==, 508);
}

/* From 492: 2 + 42 + 4 = 48 octets and the marker at 512. ULPDU octets 0 … 17 are [494, 512), 18 … 41 are
 * [516, 540). */
TEST(test_extent)
{
  mpa_fpdu fpdu = mpa_fpdu_at(492, 42, true);
  g_assert_cmpuint(fpdu.header, ==, 492);
  g_assert_cmpuint(fpdu.end, ==, 544);
  g_assert_cmpuint(mpa_fpdu_marker_count(&fpdu), ==, 1);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 492), ==, 0);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 494), ==, 0);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 495), ==, 1);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 512), ==, 18);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 514), ==, 18); /* inside the marker */
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 517), ==, 19);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 540), ==, 42);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 544), ==, 42);

  fpdu = mpa_fpdu_at(492, 42, false);
  g_assert_cmpuint(fpdu.end, ==, 540);
  g_assert_cmpuint(mpa_fpdu_marker_count(&fpdu), ==, 0);
  g_assert_cmpuint(mpa_fpdu_ulpdu_octets_below(&fpdu, 514), ==, 20);
}

typedef struct dump {
  uint8_t octets[60]; /* the FPDU from index 8 on */
  buffer_chain chain;
} dump;

/* The second dump of the draft (MPA-135), after 8 other octets, in slices of `slice_octets`. */
static void make_dump(dump *made, uint32_t slice_octets)
{
  memset(made->octets, 0, sizeof made->octets);
  made->octets[8 + 1] = 0x2A;
  memcpy(made->octets + 8 + 2, "\x40\x03", 2);
  made->octets[8 + 15] = 2;
  memcpy(made->octets + 8 + 20, "\x00\x00\x00\x14", 4);
  memcpy(made->octets + 8 + 48, "\xA1\x9C\xD1\x03", 4);
  buffer_chain_init(&made->chain);
  buffer_chain_reserve(&made->chain, sizeof made->octets);
  for (uint32_t from = 0; from < sizeof made->octets; from += slice_octets) {
    uint32_t length = MIN(slice_octets, (uint32_t)sizeof made->octets - from);
    buffer_chain_put(&made->chain, made->octets + from, length, NULL); /* append would join them */
  }
}

static void check_verdict(uint32_t slice_octets)
{
  mpa_fpdu fpdu = mpa_fpdu_at(492, 42, true);
  dump made;
  make_dump(&made, slice_octets);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.chain, 8, true), ==, MPA_ERROR_NONE);
  for (int index = 0; index < 52; index++) { /* each octet counts */
    made.octets[8 + index] ^= 0x04;
    g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.chain, 8, true), ==, MPA_ERROR_CRC);
    made.octets[8 + index] ^= 0x04;
  }
  made.octets[8 + 23] = 0x18; /* points to 488 */
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.chain, 8, true), ==, MPA_ERROR_CRC);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.chain, 8, false), ==, MPA_ERROR_MARKER);
  crc32c_write(crc32c_update(CRC32C_INITIAL, made.octets + 8, 48), made.octets + 8 + 48);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.chain, 8, true), ==, MPA_ERROR_MARKER);
  buffer_chain_clear(&made.chain);
}

/* MPA-277, MPA-278: in one piece of memory, and cut anywhere. */
TEST(test_verdict)
{
  for (uint32_t slice_octets = 1; slice_octets <= 60; slice_octets++) {
    check_verdict(slice_octets);
  }
}

static void check_strip(uint32_t slice_octets)
{
  uint8_t expected[42] = {0x40, 0x03}, came[42];
  dump made;
  expected[13] = 2;
  make_dump(&made, slice_octets);
  const mpa_ulpdu ulpdu = {.fpdu = mpa_fpdu_at(492, 42, true), .octets = &made.chain, .from = 8};
  mpa_ulpdu_copy_out(&ulpdu, 0, sizeof came, came);
  g_assert_cmpmem(came, sizeof came, expected, sizeof expected);
  buffer_chain_clear(&made.chain);
}

/* MPA-058: in one piece of memory, and cut anywhere, in the marker, too. */
TEST(test_strip)
{
  for (uint32_t slice_octets = 1; slice_octets <= 60; slice_octets++) {
    check_strip(slice_octets);
  }
}

/* The text of each error starts with its code (mpa-01 §7). */
TEST(test_texts_name_their_codes)
{
  for (int code = MPA_ERROR_CLOSED; code <= MPA_ERROR_STARTUP; code++) {
    g_autofree char *start = g_strdup_printf("MPA error %d: ", code);
    g_assert_true(g_str_has_prefix(mpa_error_text((mpa_error)code), start));
  }
}
