/* SPDX-License-Identifier: GPL-2.0-only */
/* Which segments start with FPDUs, known before or after them. */
#include "decode/decode_stream.h"
#include "test.h"

static decode_alignment alignment;

TEST(test_known_at_once)
{
  decode_alignment_init(&alignment, 1000);
  decode_alignment_fpdu(&alignment, 0);
  decode_alignment_fpdu(&alignment, 60);
  decode_alignment_segment(&alignment, 0, 100);
  g_assert_cmpuint(alignment.aligned, ==, 1);
  decode_alignment_segment(&alignment, 60, 100);
  decode_alignment_segment(&alignment, 64, 100);
  g_assert_cmpuint(alignment.aligned, ==, 2);
  g_assert_cmpuint(decode_alignment_next_segment(&alignment, 0), ==, UINT64_MAX);
  decode_alignment_clear(&alignment);
}

/* Two segments at 200 and one at 208 wait until the FPDU at 200 is known; below the in-order edge nothing
 * waits. */
TEST(test_known_later)
{
  decode_alignment_init(&alignment, 1000);
  decode_alignment_segment(&alignment, 200, 100);
  decode_alignment_segment(&alignment, 208, 100);
  decode_alignment_segment(&alignment, 200, 100);
  g_assert_cmpuint(alignment.aligned, ==, 0);
  g_assert_cmpuint(decode_alignment_next_segment(&alignment, 0), ==, 200);
  g_assert_cmpuint(decode_alignment_next_segment(&alignment, 201), ==, 208);
  decode_alignment_fpdu(&alignment, 200);
  g_assert_cmpuint(alignment.aligned, ==, 2);
  g_assert_cmpuint(decode_alignment_next_segment(&alignment, 0), ==, 208);
  decode_alignment_segment(&alignment, 300, 300);
  g_assert_cmpuint(decode_alignment_next_segment(&alignment, 0), ==, 300);
  decode_alignment_clear(&alignment);
}

/* Starts in any order; those far below the edge are forgotten, others not. */
TEST(test_reach)
{
  enum { FPDUS = 2000, OCTETS = 100, REACH = 50000 };

  decode_alignment_init(&alignment, REACH);
  for (uint64_t each = 0; each < FPDUS; each++) {
    uint64_t start = (each ^ 1) * OCTETS;
    decode_alignment_fpdu(&alignment, start);
    decode_alignment_segment(&alignment, start + 4, start + OCTETS);
  }
  g_assert_cmpuint(alignment.aligned, ==, 0);
  decode_alignment_segment(&alignment, FPDUS * OCTETS - REACH, FPDUS * OCTETS);
  g_assert_cmpuint(alignment.aligned, ==, 1);
  g_assert_cmpuint(alignment.starts.offsets.count, <, 2 * REACH / OCTETS);
  decode_alignment_clear(&alignment);
}
