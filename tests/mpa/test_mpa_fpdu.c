/* One FPDU at a known place: extent, verdict, ULPDU (mpa-01 §4, §5.2, §7). */
#include <glib.h>
#include <string.h>

#include "base/crc32c.h"
#include "mpa/mpa_fpdu.h"

static void test_header_and_start(void)
{
  /* A marker leads the FPDU that starts on a multiple of 512. */
  g_assert_cmpuint(mpa_fpdu_header(512, true), ==, 516);
  g_assert_cmpuint(mpa_fpdu_header(508, true), ==, 508);
  g_assert_cmpuint(mpa_fpdu_header(512, false), ==, 512);
  g_assert_cmpuint(mpa_fpdu_start(516, true), ==, 512);
  g_assert_cmpuint(mpa_fpdu_start(508, true), ==, 508);
  g_assert_cmpuint(mpa_fpdu_start(516, false), ==, 516);
}

/* From 492: 2 + 42 + 4 = 48 octets and the marker at 512. ULPDU octets 0 … 17 are [494, 512), 18 … 41 are
 * [516, 540). */
static void test_extent(void)
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
  octet_rope rope;
} dump;

/* The second dump of the draft (MPA-135), behind 8 other octets, in slices of 7. */
static void make_dump(dump *made)
{
  memset(made->octets, 0, sizeof made->octets);
  made->octets[8 + 1] = 0x2A;
  memcpy(made->octets + 8 + 2, "\x40\x03", 2);
  made->octets[8 + 15] = 2;
  memcpy(made->octets + 8 + 20, "\x00\x00\x00\x14", 4);
  memcpy(made->octets + 8 + 48, "\xA1\x9C\xD1\x03", 4);
  octet_rope_init(&made->rope);
  for (uint32_t from = 0; from < sizeof made->octets; from += 7) {
    octet_rope_append(&made->rope, made->octets + from, MIN(7, (uint32_t)sizeof made->octets - from), NULL);
  }
}

static void test_verdict(void)
{
  mpa_fpdu fpdu = mpa_fpdu_at(492, 42, true);
  dump made;
  make_dump(&made);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.rope, 8, true), ==, MPA_ERROR_NONE);
  for (int index = 0; index < 52; index++) { /* each octet counts */
    made.octets[8 + index] ^= 0x04;
    g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.rope, 8, true), ==, MPA_ERROR_CRC);
    made.octets[8 + index] ^= 0x04;
  }
  made.octets[8 + 23] = 0x18; /* points to 488 */
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.rope, 8, true), ==, MPA_ERROR_CRC);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.rope, 8, false), ==, MPA_ERROR_MARKER);
  crc32c_write(crc32c_update(CRC32C_INITIAL, made.octets + 8, 48), made.octets + 8 + 48);
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &made.rope, 8, true), ==, MPA_ERROR_MARKER);
  octet_rope_clear(&made.rope);
}

static void test_strip(void)
{
  mpa_fpdu fpdu = mpa_fpdu_at(492, 42, true);
  uint8_t expected[42] = {0x40, 0x03};
  octet_rope ulpdu;
  dump made;
  expected[13] = 2;
  make_dump(&made);
  octet_rope_init(&ulpdu);
  mpa_fpdu_strip(&fpdu, &made.rope, 8, &ulpdu);
  g_assert_cmpuint(ulpdu.length, ==, 42);
  g_assert_true(octet_rope_equals(&ulpdu, 0, 42, expected));
  g_assert_true(octet_rope_slices(&ulpdu)[0].octets == made.octets + 10); /* by reference */
  octet_rope_clear(&ulpdu);
  octet_rope_clear(&made.rope);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa_fpdu/header_and_start", test_header_and_start);
  g_test_add_func("/mpa_fpdu/extent", test_extent);
  g_test_add_func("/mpa_fpdu/verdict", test_verdict);
  g_test_add_func("/mpa_fpdu/strip", test_strip);
  return g_test_run();
}
