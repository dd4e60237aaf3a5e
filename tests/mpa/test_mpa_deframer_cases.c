/* SPDX-License-Identifier: GPL-2.0-only */
/* The cases that mpa-01 §5.4.1 goes through, one by one: what a receiver finds in a segment, in order and
 * out of order. The receiver's list shows what is passed, the in-order edge what is delivered. Case 1 in
 * order, an aligned FPDU, is test_aligned in test_mpa_deframer. How everything else is located, and what is
 * held meanwhile for which cause, is compared with an oracle in test_mpa_deframer_random.
 *
 * FPDUs of 1442 octets of ULPDU: FPDU k is [1460 k, 1460 (k + 1)), 2 + 1442 + 4 and three markers. Small
 * ones: 430 octets, [0, 440), then three times 90: [440, 540) with the marker at 512, [540, 636), [636,
 * 732). */
#include "mpa_receiver.h"
#include "test.h"

static const uint32_t packed[] = {430, 90, 90, 90};

/* Case 1, out of order. MPA-010, MPA-163, MPA-174: aligned segments after a lost one go up as they come, each
 * located by its own marker, although the end of the FPDU before established its start too: the
 * lower-numbered method counts. */
FULL_TEST(test_aligned_segments_behind_a_hole)
{
  for (guint index = 1; index < 4; index++) {
    g_assert_cmpuint(mpa_stream_at(made->stream, index)->start, ==, 1460 * index);
    arrive_and_hold(made, 1460 * index, 1460 * (index + 1), .incomplete = 0);
  }
  expect_methods(made, "-mmm");
  g_assert_cmpuint(in_order_edge(made->deframer), ==, 0);
  arrive(made, 0, 1460);
  expect_methods(made, "cmmm");
  expect_all(made);
}

/* Case 2, in order: each of several FPDUs is passed and delivered at once (MPA-175). */
TEST(test_packed_fpdus_in_order)
{
  g_autoptr(mpa_receiver) made = mpa_receiver_of(true, true, packed, 4);

  arrive(made, 0, 440);
  arrive(made, 440, 732);
  expect_methods(made, "cccc");
  expect_all(made);
}

/* Case 2, out of order: the first of them holds a marker, so all are located when they arrive (MPA-176). */
TEST(test_packed_fpdus_out_of_order)
{
  g_autoptr(mpa_receiver) made = mpa_receiver_of(true, true, packed, 4);

  arrive(made, 440, 732);
  expect_passed(made, 3, 0);
  expect_methods(made, "-mll");
  arrive(made, 0, 440);
  expect_all(made);
}

/* Ten FPDUs of 100 octets of ULPDU, 2 + 100 + 2 + 4 = 108 each and 4 for a marker: they start at 0, 112, 220,
 * 328, 436 (with the marker at 512 in it), 548, 656, 764, 872, 980 (with the one at 1024), and end at 1092.
 * Numbers 1 to 9 come in one segment, number 0 is late: those before number 4 cannot be located (note M12),
 * since no method locates by a segment's start (MPA-163). */
TEST(test_packed_segment_behind_a_hole)
{
  g_autoptr(mpa_receiver) made =
      mpa_receiver_of(true, true, ULPDUS(100, 100, 100, 100, 100, 100, 100, 100, 100, 100));

  g_assert_cmpuint(made->stream->octets->len, ==, 1092);
  arrive(made, 112, 1092);
  expect_methods(made, "----mllllm");
  expect_held(made, .unlocated = 436 - 112);
  arrive(made, 0, 112);
  expect_methods(made, "ccccmllllm");
  expect_all(made);
}

/* Case 3, the tail held already: passed by the arrival of the head, delivered when it is in order (MPA-178).
 * An FPDU without its tail is test_octet_by_octet in test_mpa_deframer. */
FULL_TEST(test_tail_before_head)
{
  arrive(made, 2000, 2920);
  expect_passed(made, 0, 0);
  arrive(made, 1460, 2000);
  expect_passed(made, 1, 0);
  arrive(made, 0, 1460);
  expect_passed(made, 2, 2920);
}

/* FPDU 1 in pieces of `size` octets after FPDU 0. */
static void check_pieces(uint64_t size, bool last_first)
{
  g_autoptr(mpa_receiver) made = mpa_receiver_of(true, true, ULPDUS(1442, 1442));
  guint count = (guint)((1460 + size - 1) / size);
  uint64_t arrived = 0;

  arrive(made, 0, 1460);
  for (guint i = 0; i < count; i++) {
    uint64_t from = size * (last_first ? count - 1 - i : i);
    uint64_t to = MIN(from + size, 1460);
    mpa_held held;

    expect_passed(made, 1, 1460);
    mpa_deframer_held(made->deframer, &held);
    g_assert_cmpuint(held.incomplete + held.unlocated, ==, arrived);
    arrive(made, 1460 + from, 1460 + to);
    arrived += to - from;
  }
  expect_passed(made, 2, 2920);
  expect_all(made);
}

/* Case 4 (MPA-179): segments that start in mid-FPDU are joined to what came before them. FPDU 1, in pieces of
 * every size from 1 to 1459 octets, in order and last piece first, ends up as one ULPDU, passed by the last
 * missing piece (MPA-180). Until then all of it is held (MPA-181). */
TEST(test_fpdu_in_pieces)
{
  for (uint64_t size = 1; size < 1460; size += size < 20 ? 1 : 13) {
    check_pieces(size, false);
    check_pieces(size, true);
  }
}

/* Splits FPDU 1, of `ulpdu` octets, between any two of its octets, in order and with the rear half first:
 * it is recovered. */
static void check_recovered(uint32_t first, uint32_t ulpdu, uint64_t expected_octets)
{
  const uint32_t ulpdus[] = {first, ulpdu};
  g_autoptr(mpa_stream) stream = mpa_stream_new(true, true, ulpdus, 2);
  uint64_t start = mpa_stream_at(stream, 1)->start;
  uint64_t end = mpa_stream_at(stream, 1)->end;

  g_assert_cmpuint(end - start, ==, expected_octets);
  for (uint64_t cut = start + 1; cut < end; cut++) {
    for (int rear_first = 0; rear_first < 2; rear_first++) {
      g_autoptr(mpa_receiver) receiver = mpa_receiver_new(stream, true);
      arrive(receiver, 0, start);
      arrive(receiver, rear_first ? cut : start, rear_first ? end : cut);
      g_assert_cmpuint(receiver->passed->len, ==, 1);
      arrive(receiver, rear_first ? start : cut, rear_first ? cut : end);
      expect_all(receiver);
    }
  }
}

/* MPA-350: the largest FPDU that an MTU of 1500 allows, 1460 octets with MULPDU 1442, is recovered wherever
 * it is split. MPA-351: with an MTU below 140 a ULPDU still has up to 128 octets: FPDUs of 136, and of 140
 * with a marker in them (MPA-352). */
TEST(test_largest_fpdu_of_the_link)
{
  check_recovered(1442, 1442, 1460);
  check_recovered(100, 128, 136); /* [112, 248) */
  check_recovered(400, 128, 140); /* [412, 552), the marker at 512 in it */
}
