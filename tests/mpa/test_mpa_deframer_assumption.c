/* SPDX-License-Identifier: GPL-2.0-only */
/* A receiver that assumes FPDU Alignment (docs/metrics.md, `assume-aligned`). */
#include <string.h>

#include "mpa_receiver.h"
#include "stack_cleanup.h"
#include "test.h"

static mpa_receiver *begin(bool markers, bool crc, const uint32_t *ulpdus, guint count)
{
  mpa_receiver *m = mpa_receiver_of(markers, crc, ulpdus, count);

  m->assumes = true;
  return m;
}

static uint64_t start_of(const mpa_receiver *m, guint index)
{
  return mpa_stream_at(m->stream, index)->start;
}

static uint64_t end_of(const mpa_receiver *m, guint index)
{
  return mpa_stream_at(m->stream, index)->end;
}

/* The segment with FPDUs first … last, whole. */
static void arrive_fpdus(mpa_receiver *m, guint first, guint last)
{
  arrive(m, start_of(m, first), end_of(m, last));
}

static uint64_t count_located_by(const mpa_receiver *m, mpa_location method)
{
  return mpa_deframer_statistics_of(m->deframer)->located_by[method];
}

static uint64_t wrong_guesses(const mpa_receiver *m)
{
  return mpa_deframer_statistics_of(m->deframer)->wrong_guesses;
}

/* An aligned sender, without markers: after a lost segment each FPDU goes up at once and nothing is held,
 * with a CRC and without; one of the segments carries two FPDUs. */
TEST(test_aligned)
{

  for (int crc = 0; crc < 2; crc++) {
    g_autoptr(mpa_receiver) m = begin(false, crc, ULPDUS(1442, 1442, 300, 700, 1442));

    arrive_fpdus(m, 1, 1);
    g_assert_cmpuint(m->passed->len, ==, 1);
    arrive_fpdus(m, 2, 3);
    arrive_fpdus(m, 4, 4);
    g_assert_cmpuint(m->passed->len, ==, 4);
    expect_held(m, .incomplete = 0);
    arrive_fpdus(m, 0, 0);
    expect_all(m);
    expect_methods(m, "caaaa");
    g_assert_cmpuint(wrong_guesses(m), ==, 0);
  }
}

/* With markers the permitted methods come first. ULPDUs of 100 octets make FPDUs of 108 with length, PAD and
 * CRC, or 112 with a marker. Of the four in a segment the one with the marker is located by it, the one after
 * it by its end, and those before it by assumption alone (facts.md: no permitted method finds them). Stream
 * offsets: 0, 112 (a marker leads), 220, 328, 436 (marker at 512), 548, 656. */
TEST(test_markers_come_first)
{
  g_autoptr(mpa_receiver) m = begin(true, true, ULPDUS(100, 100, 100, 100, 100, 100, 100));

  arrive_fpdus(m, 2, 5);
  expect_methods(m, "--aaml-");
  expect_held(m, .incomplete = 0);
  arrive_fpdus(m, 6, 6);
  expect_methods(m, "--aamll");
  arrive_fpdus(m, 0, 1);
  expect_all(m);
}

/* A segment that starts with an FPDU and ends within the next one: the first goes up, the front of the second
 * is not even located, and the next segment, which starts inside the second, contains nothing that looks like
 * an FPDU. In order, both are passed. */
TEST(test_cut_behind)
{
  g_autoptr(mpa_receiver) m = begin(false, true, ULPDUS(500, 500, 500, 500));
  uint64_t cut = start_of(m, 2) + 100;

  arrive(m, start_of(m, 1), cut);
  g_assert_cmpuint(m->passed->len, ==, 1);
  expect_held(m, .order = 100);
  arrive(m, cut, end_of(m, 3));
  g_assert_cmpuint(m->passed->len, ==, 1);
  /* of the third and the fourth FPDU, 2 + 500 + 2 PAD + 4 = 508 octets each */
  expect_held(m, .order = 1016);
  arrive_fpdus(m, 0, 0);
  expect_all(m);
  expect_methods(m, "cacc");
}

/* An FPDU cut in two, whose rear comes first: with its front all of it has come, but not in one segment. An
 * aligned sender does not do that, so nothing is guessed. */
TEST(test_whole_in_two_segments)
{
  g_autoptr(mpa_receiver) m = begin(false, true, ULPDUS(500, 500));

  arrive(m, start_of(m, 1) + 200, end_of(m, 1));
  arrive_and_hold(m, start_of(m, 1), start_of(m, 1) + 200, .order = 508);
  arrive_fpdus(m, 0, 0);
  expect_all(m);
}

/* A ULPDU_Length of 64769 is impossible (MPA-062), even when such an FPDU would end with the segment: 2 +
 * 64768 + 2 PAD + 4 octets are as many as 2 + 64769 + 1 PAD + 4. */
TEST(test_impossible_length)
{
  g_autoptr(mpa_receiver) m = begin(false, false, ULPDUS(500, 64768));

  m->stream->octets->data[start_of(m, 1) + 1] = 64769 & 0xFF;
  arrive_fpdus(m, 1, 1);
  g_assert_cmpuint(m->passed->len, ==, 0);
  expect_held(m, .order = 64776);
  g_assert_cmpint(m->error, ==, MPA_ERROR_NONE);
}

/* Octets that are not a segment's first are not guessed at. */
TEST(test_not_a_segments_start)
{
  g_autoptr(mpa_receiver) m = begin(false, true, ULPDUS(500, 500));

  m->assumes = false;
  arrive_fpdus(m, 1, 1);
  g_assert_cmpuint(m->passed->len, ==, 0);
  expect_held(m, .order = 508);
  arrive_fpdus(m, 0, 0);
  expect_all(m);
}

/* With a broken CRC it does not look like an FPDU, so it is not guessed. In order it is an error as always
 * (MPA-277). */
TEST(test_broken)
{
  g_autoptr(mpa_receiver) m = begin(false, true, ULPDUS(500, 500));

  m->stream->octets->data[start_of(m, 1) + 20] ^= 1;
  arrive_fpdus(m, 1, 1);
  g_assert_cmpint(m->error, ==, MPA_ERROR_NONE);
  expect_held(m, .order = 508);
  arrive_fpdus(m, 0, 0);
  g_assert_cmpint(m->error, ==, MPA_ERROR_CRC);
  g_assert_cmpuint(m->error_offset, ==, start_of(m, 1));
  g_assert_cmpuint(wrong_guesses(m), ==, 0);
}

/* A ULPDU with a whole FPDU in its payload, `at` octets into its own FPDU: 2 (length) + 60 + 2 PAD + 4 (CRC)
 * = 68 octets. */
static mpa_receiver *begin_with_bait(bool crc, uint64_t *at)
{
  static const uint32_t outer[] = {500, 900, 500};
  static const uint32_t inner = 60;
  mpa_receiver *m = begin(false, crc, outer, G_N_ELEMENTS(outer));
  g_autoptr(mpa_stream) bait = mpa_stream_new(false, crc, &inner, 1);

  g_assert_cmpuint(bait->octets->len, ==, 68);
  *at = start_of(m, 1) + 400;
  memcpy(m->stream->octets->data + *at, bait->octets->data, 68);
  memcpy(mpa_stream_at(m->stream, 1)->ulpdu + 398, bait->octets->data, 68);
  if (crc) {
    mpa_stream_repair_crc(m->stream, 1);
  }
  return m;
}

/* The octets at a segment's start look like an FPDU, even by their CRC, and the layer above finds that they
 * are none: they stay held, and the connection lives. When the true FPDU is located, the guess is counted as
 * wrong. */
TEST(test_withdrawn)
{
  for (int crc = 0; crc < 2; crc++) {
    uint64_t at;
    g_autoptr(mpa_receiver) m = begin_with_bait(crc, &at);

    arrive(m, at, end_of(m, 1));
    g_assert_cmpuint(m->implausible, ==, 1);
    g_assert_cmpuint(m->passed->len, ==, 0);
    expect_held(m, .order = end_of(m, 1) - at);
    arrive(m, 0, at);
    g_assert_cmpuint(wrong_guesses(m), ==, 1);
    arrive_fpdus(m, 2, 2);
    expect_all(m);
    g_assert_cmpuint(count_located_by(m, MPA_LOCATED_BY_ASSUMPTION), ==, 0);
  }
}

/* The same, but the layer above sees nothing wrong: the guess goes up and its octets are released. The FPDU
 * around it can no longer be recovered, so the half connection ends: with a CRC by the code of a broken
 * length, without one by that of lengths that do not agree (note M20). */
TEST(test_taken_in)
{
  for (int crc = 0; crc < 2; crc++) {
    uint64_t at;
    g_autoptr(mpa_receiver) m = begin_with_bait(crc, &at);

    g_array_append_val(m->plausible, at);
    arrive(m, at, end_of(m, 1));
    g_assert_cmpuint(count_located_by(m, MPA_LOCATED_BY_ASSUMPTION), ==, 1);
    expect_held(m, .order = end_of(m, 1) - at - 68);
    arrive(m, 0, at);
    g_assert_cmpint(m->error, ==, crc ? MPA_ERROR_CRC : MPA_ERROR_MARKER);
    g_assert_cmpuint(m->error_offset, ==, start_of(m, 1));
    g_assert_cmpuint(wrong_guesses(m), ==, 1);
    expect_held(m, .incomplete = 0);
  }
}

/* Until the FPDU around a wrong guess is whole, each octet that is held counts once, and the released ones do
 * not count: FPDU 0 of 508 octets has gone up; 390 octets are held, the front of FPDU 1 and what lies after
 * the guess of 68 octets; then 5 more. */
TEST(test_taken_in_and_not_whole)
{
  uint64_t at;
  g_autoptr(mpa_receiver) m = begin_with_bait(true, &at);
  uint64_t behind = end_of(m, 1) - at - 68;

  g_array_append_val(m->plausible, at);
  arrive(m, at, end_of(m, 1));
  arrive_and_hold(m, 0, at - 10, .incomplete = 390 + behind, .partial_fpdus = 1, .partial_end = end_of(m, 1));
  arrive_and_hold(m, at - 10, at - 5, .incomplete = 395 + behind, .partial_fpdus = 1,
                  .partial_end = end_of(m, 1));
}

/* A located FPDU is known better than any guess: with the front of the FPDU around it at the in-order edge,
 * what looks like an FPDU within its extent is not guessed at, however plausible. */
TEST(test_located_says_otherwise)
{
  uint64_t at;
  g_autoptr(mpa_receiver) m = begin_with_bait(true, &at);

  g_array_append_val(m->plausible, at);
  arrive(m, 0, start_of(m, 1) + 10);
  arrive(m, at, at + 100);
  g_assert_cmpuint(count_located_by(m, MPA_LOCATED_BY_ASSUMPTION), ==, 0);
  expect_held(m, .incomplete = 110, .partial_fpdus = 1, .partial_end = end_of(m, 1));
  arrive(m, start_of(m, 1) + 10, end_of(m, 2));
  expect_all(m);
  g_assert_cmpuint(wrong_guesses(m), ==, 0);
}

/* The pieces of an incomplete FPDU at the in-order edge are counted, and the largest count is reported. */
TEST(test_pieces)
{
  g_autoptr(mpa_receiver) m = begin(false, true, ULPDUS(500, 500));

  m->assumes = false;
  g_assert_cmpuint(mpa_deframer_pieces(m->deframer), ==, 0);
  arrive(m, 0, 100);
  arrive(m, 100, 200);
  g_assert_cmpuint(mpa_deframer_pieces(m->deframer), ==, 2);
  arrive(m, 300, 400);
  g_assert_cmpuint(mpa_deframer_pieces(m->deframer), ==, 3);
  arrive(m, 400, 600); /* one more piece, and the front of the next FPDU, which is not located */
  g_assert_cmpuint(mpa_deframer_pieces(m->deframer), ==, 4);
  arrive(m, 200, 300);
  g_assert_cmpuint(mpa_deframer_pieces(m->deframer), ==, 1);
  arrive(m, 600, end_of(m, 1));
  expect_all(m);
}
