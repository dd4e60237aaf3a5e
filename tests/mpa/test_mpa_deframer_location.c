/* SPDX-License-Identifier: GPL-2.0-only */
/* Beyond a hole: which FPDUs the markers locate, by which method, and what is held meanwhile for which cause
 * (mpa-01 §5.4; docs/metrics.md, "Held octets").
 *
 * Most tests use FPDUs of 1442 octets of ULPDU, MULPDU at an EMSS of 1460. They are 1460 octets long: 2 +
 * 1442 + 4 = 1448 and three markers. FPDU k is [1460 k, 1460 (k + 1)); its first marker is at 0, 1536,
 * 3072, 4608 for k = 0 … 3. */
#include "mpa_receiver.h"
#include "test.h"

/* MPA-010, MPA-163, MPA-174: aligned segments after a lost one go up as they come, each located by its own
 * marker, although the end of the FPDU before established its start too: the lower-numbered method counts. */
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

/* A middlebox forwards the stream in pieces of 1000 octets; [0, 1000) is lost. */
FULL_TEST(test_recut_stream)
{
  /* The marker at 1024 points to 4, which is not there; the one at 1536 to 1460: FPDU 1 has 540 octets
   * here, and 460 before it are not located. */
  arrive_and_hold(made, 1000, 2000, .incomplete = 540, .unlocated = 460, .partial_fpdus = 1);
  /* FPDU 1 is complete; its end locates FPDU 2, no marker of which is there: [2920, 3000). */
  arrive_and_hold(made, 2000, 3000, .incomplete = 80, .unlocated = 460, .partial_fpdus = 1);
  arrive_and_hold(made, 0, 1000, .incomplete = 80, .partial_fpdus = 1, .partial_end = 4380);
  arrive(made, 3000, 4000);
  arrive_and_hold(made, 4000, 5000, .incomplete = 620, .partial_fpdus = 1, .partial_end = 5840);
  arrive(made, 5000, 5840);
  expect_methods(made, "cmlc");
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

/* A marker alone is not enough: the header it points to must be there (note M11). */
FULL_TEST(test_marker_before_its_header)
{
  /* The marker at 1536 points 76 octets back to 1460. */
  arrive_and_hold(made, 1500, 2000, .unlocated = 500);
  arrive(made, 1461, 1500); /* half of ULPDU_Length */
  expect_held(made, .unlocated = 539);
  arrive_and_hold(made, 1440, 1461, .incomplete = 540, .unlocated = 20, .partial_fpdus = 1);
  arrive(made, 2000, 2920);
  expect_methods(made, "-m--");
  expect_held(made, .unlocated = 20);
}

/* A marker is of use once its four octets are there, in whatever order (note M6). */
static void check_split_marker(uint64_t cut, bool rear_first)
{
  g_autoptr(mpa_receiver) made = mpa_receiver_of(true, true, FULL);
  uint64_t pieces[2][2] = {{1460, cut}, {cut, 1600}};
  uint64_t *first = pieces[rear_first ? 1 : 0];
  uint64_t *second = pieces[rear_first ? 0 : 1];

  arrive(made, first[0], first[1]);
  if (!rear_first && cut >= 1540) { /* the whole marker is in the first piece */
    expect_held(made, .incomplete = cut - 1460, .partial_fpdus = 1);
  } else {
    expect_held(made, .unlocated = first[1] - first[0]);
  }
  arrive_and_hold(made, second[0], second[1], .incomplete = 140, .partial_fpdus = 1);
}

TEST(test_split_marker)
{
  for (uint64_t cut = 1533; cut <= 1543; cut++) {
    check_split_marker(cut, false);
    check_split_marker(cut, true);
  }
}

/* A start that the end of an early FPDU established is of use once ULPDU_Length is there; what arrives
 * together with that decides the method. The first marker of FPDU 2 is [3072, 3076). */
TEST(test_start_before_its_length)
{
  mpa_receiver *made = mpa_receiver_of(true, true, FULL);

  arrive(made, 1460, 2921); /* FPDU 1 and one octet of FPDU 2 */
  expect_methods(made, "-m--");
  expect_held(made, .unlocated = 1);
  arrive_and_hold(made, 2921, 3075, .incomplete = 155, .partial_fpdus = 1);
  arrive(made, 3075, 4380);
  expect_methods(made, "-ml-");
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, FULL); /* the marker in the same segment */
  arrive(made, 1460, 2921);
  arrive(made, 2921, 3076);
  arrive(made, 3076, 4380);
  expect_methods(made, "-mm-");
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, FULL); /* the marker before the rest of the length */
  arrive(made, 1460, 2921);
  arrive_and_hold(made, 3000, 4380, .unlocated = 1381);
  arrive(made, 2921, 3000);
  expect_methods(made, "-mm-");
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, FULL); /* FPDU 0 before the length: the chain is there first */
  arrive(made, 1460, 2921);
  arrive_and_hold(made, 0, 1460, .unlocated = 1);
  arrive(made, 2921, 4380);
  expect_methods(made, "cmc-");
  mpa_receiver_free(made);
}

/* When both the chain and a marker establish a start, the chain counts: the arrival of FPDU 0 makes both
 * reach FPDU 1. */
FULL_TEST(test_chain_before_marker)
{
  arrive(made, 1538, 2920); /* half of the marker at 1536; no other marker points to a header that is there */
  expect_held(made, .unlocated = 1382);
  arrive(made, 0, 1538);
  expect_methods(made, "cc--");
  expect_held(made, .incomplete = 0);
}

/* An FPDU that a marker located stays "located by marker" when the chain reaches it before it is complete. */
FULL_TEST(test_chain_reaches_located_fpdu)
{
  arrive_and_hold(made, 1460, 2900, .incomplete = 1440, .partial_fpdus = 1);
  arrive_and_hold(made, 0, 1460, .incomplete = 1440, .partial_fpdus = 1, .partial_end = 2920);
  arrive(made, 2900, 2930);
  expect_methods(made, "cm--");
  expect_held(made, .incomplete = 10, .partial_fpdus = 1, .partial_end = 4380);
}

/* FPDU 0 ends at 512: 4 + 2 + 502 + 4. FPDU 1 begins with the marker [512, 516); its ULPDU_Length is [516,
 * 518). */
TEST(test_leading_marker)
{
  static const uint32_t ulpdus[] = {502, 502, 502};
  mpa_receiver *made = mpa_receiver_of(true, true, ulpdus, 3);

  /* At the in-order edge the marker is of the FPDU to come. */
  arrive_and_hold(made, 0, 514, .incomplete = 2);
  arrive_and_hold(made, 514, 517, .incomplete = 4, .unlocated = 1);
  arrive_and_hold(made, 517, 518, .incomplete = 6, .partial_fpdus = 1, .partial_end = 1024);
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, ulpdus, 3); /* after a hole, useless until ULPDU_Length is there */
  arrive_and_hold(made, 512, 516, .unlocated = 4);
  arrive_and_hold(made, 516, 518, .incomplete = 6, .partial_fpdus = 1);
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, ulpdus, 3); /* the chain locates FPDU 1 without its marker */
  arrive(made, 0, 512);
  arrive_and_hold(made, 515, 520, .incomplete = 5, .partial_fpdus = 1, .partial_end = 1024);
  arrive(made, 512, 515);
  arrive(made, 520, 1024);
  expect_methods(made, "cc-");
  mpa_receiver_free(made);

  made = mpa_receiver_of(true, true, ulpdus, 3); /* so does the end of an early FPDU */
  arrive(made, 512, 1024);
  arrive(made, 1026, 1036); /* its marker [1024, 1028) is cut */
  expect_held(made, .incomplete = 10, .partial_fpdus = 1);
  arrive(made, 1024, 1026);
  arrive(made, 1036, 1536);
  expect_methods(made, "-ml");
  mpa_receiver_free(made);
}

/* Several holes: each FPDU around one is located from the marker after it or the FPDU before it, and
 * waits. */
FULL_TEST(test_several_holes)
{
  arrive(made, 1460, 1600);
  arrive(made, 2900, 3100);
  /* FPDU 1: 140 and 20; FPDU 2, by the marker at 3072: [2920, 3100). */
  expect_held(made, .incomplete = 340, .partial_fpdus = 2);
  arrive(made, 4300, 4700);
  /* FPDU 3, by the marker at 4608: [4380, 4700); 80 more of FPDU 2. */
  expect_held(made, .incomplete = 740, .partial_fpdus = 3);
  arrive_and_hold(made, 3100, 4300, .incomplete = 480, .partial_fpdus = 2);
  expect_methods(made, "--m-");
  arrive(made, 4700, 5840);
  arrive(made, 1600, 2900);
  expect_methods(made, "-mmm");
  arrive(made, 0, 1460);
  expect_all(made);
}
