/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show which segments start with FPDUs, known before or after them. */
#include "decode/decode_stream.h"
#include "test.h"

enum { REACH = 50000 };

static void set_up(decode_alignment *alignment, G_GNUC_UNUSED gconstpointer data)
{
  decode_alignment_init(alignment, REACH);
}

static void tear_down(decode_alignment *alignment, G_GNUC_UNUSED gconstpointer data)
{
  decode_alignment_clear(alignment);
}

#define FIXTURE_TEST(name) TEST_WITH(decode_alignment, NULL, set_up, tear_down, name)

/* `aligned` segments are aligned, and the first segment whose alignment is not known yet is at `open`. */
static void expect(const decode_alignment *f, uint64_t aligned, uint64_t open)
{
  g_assert_cmpuint(f->aligned, ==, aligned);
  g_assert_cmpuint(decode_alignment_next_segment(f, 0), ==, open);
}

FIXTURE_TEST(test_known_at_once)
{
  decode_alignment_fpdu(f, 0);
  decode_alignment_fpdu(f, 60);
  decode_alignment_segment(f, 0, 100);
  expect(f, 1, UINT64_MAX);
  decode_alignment_segment(f, 60, 100);
  decode_alignment_segment(f, 64, 100);
  expect(f, 2, UINT64_MAX);
}

/* Two segments at 200 and one at 208 wait until the FPDU at 200 is known; below the in-order edge nothing
 * waits. */
FIXTURE_TEST(test_known_later)
{
  decode_alignment_segment(f, 200, 100);
  decode_alignment_segment(f, 208, 100);
  decode_alignment_segment(f, 200, 100);
  expect(f, 0, 200);
  g_assert_cmpuint(decode_alignment_next_segment(f, 201), ==, 208);
  decode_alignment_fpdu(f, 200);
  expect(f, 2, 208);
  decode_alignment_segment(f, 300, 300);
  expect(f, 2, 300);
}

/* Starts in any order; those far below the edge are forgotten, others not. */
FIXTURE_TEST(test_reach)
{
  enum { FPDUS = 2000, OCTETS = 100 };

  for (uint64_t each = 0; each < FPDUS; each++) {
    uint64_t start = (each ^ 1) * OCTETS;
    decode_alignment_fpdu(f, start);
    decode_alignment_segment(f, start + 4, start + OCTETS);
  }
  g_assert_cmpuint(f->aligned, ==, 0);
  decode_alignment_segment(f, FPDUS * OCTETS - REACH, FPDUS * OCTETS);
  g_assert_cmpuint(f->aligned, ==, 1);
  g_assert_cmpuint(f->starts.offsets.count, <, 2 * REACH / OCTETS);
}
