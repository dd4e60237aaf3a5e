/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on a segment before it is committed (mpa-01 §7, MPA-286; note M31). The other tests check at
 * every arrival that it agrees with the outcome, see mpa_receiver.h.
 *
 * FPDU k is [1460 k, 1460 (k + 1)); markers at 0, 512, 1024; 1536, 2048, 2560; 3072 … (see
 * mpa_receiver.h). */
#include <string.h>

#include "base/big_endian.h"
#include "mpa_receiver.h"
#include "stack_cleanup.h"
#include "test.h"

static mpa_receiver *set_up(bool markers)
{
  return mpa_receiver_of(markers, true, FULL);
}

static mpa_error inspect(const mpa_receiver *made, uint64_t from, uint64_t to)
{
  g_auto(buffer_chain) segment;

  buffer_chain_init(&segment);
  buffer_chain_append(&segment, made->stream->octets->data + from, (uint32_t)(to - from), NULL);
  mpa_error verdict = mpa_deframer_inspect(made->deframer, from, &segment);
  return verdict;
}

static void flip(mpa_receiver *made, uint64_t octet)
{
  made->stream->octets->data[octet] ^= 0x20;
}

/* At the in-order edge the chain locates: the FPDUs of the segment are judged, up to the first that is not
 * whole. */
FULL_TEST(test_in_order)
{
  g_assert_cmpint(inspect(made, 0, 2920), ==, MPA_ERROR_NONE);
  flip(made, 2000);
  g_assert_cmpint(inspect(made, 0, 2920), ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 0, 2919), ==, MPA_ERROR_NONE);
  g_assert_cmpint(inspect(made, 0, 1460), ==, MPA_ERROR_NONE);
}

/* Code 3 is reported as code 3: the CRC is right, the marker at 512 points elsewhere. */
FULL_TEST(test_wrong_marker)
{
  made->stream->octets->data[515] ^= 0x08;
  mpa_stream_repair_crc(made->stream, 0);
  g_assert_cmpint(inspect(made, 0, 1460), ==, MPA_ERROR_MARKER);
}

/* After a hole markers locate, and the ends of the valid FPDUs they locate. */
TEST(test_behind_a_hole)
{
  g_autoptr(mpa_receiver) made = set_up(true);

  flip(made, 3000); /* FPDU 2, before its first marker */
  g_assert_cmpint(inspect(made, 1460, 4380), ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 2920, 4380), ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 2924, 4380), ==, MPA_ERROR_NONE); /* not whole in it */
  g_assert_cmpint(inspect(made, 1460, 2920), ==, MPA_ERROR_NONE);

  /* [440, 540) with the marker at 512, [540, 636), [636, 732) */
  g_autoptr(mpa_receiver) packed = mpa_receiver_of(true, true, ULPDUS(430, 90, 90, 90));
  flip(packed, 700);
  g_assert_cmpint(inspect(packed, 440, 732), ==, MPA_ERROR_CRC);  /* by the marker chain */
  g_assert_cmpint(inspect(packed, 540, 732), ==, MPA_ERROR_NONE); /* nothing locates it */
}

/* Without markers nothing is known of octets after a hole. FPDUs [0, 1448), [1448, 2896). */
TEST(test_behind_a_hole_without_markers)
{
  g_autoptr(mpa_receiver) made = set_up(false);

  flip(made, 1500);
  g_assert_cmpint(inspect(made, 1448, 2896), ==, MPA_ERROR_NONE);
  arrive(made, 0, 1448);
  g_assert_cmpint(inspect(made, 1448, 2896), ==, MPA_ERROR_CRC);
}

/* These octets complete an FPDU that began in committed ones: dropping them would not cure its fault. If it
 * is valid, its end locates the next. */
TEST(test_spanning_fpdu)
{
  g_autoptr(mpa_receiver) made = set_up(false);

  arrive(made, 0, 700);
  flip(made, 2000);
  g_assert_cmpint(inspect(made, 700, 2896), ==, MPA_ERROR_CRC);
  flip(made, 1000);
  g_assert_cmpint(inspect(made, 700, 2896), ==, MPA_ERROR_NONE);
  g_assert_cmpint(inspect(made, 700, 1448), ==, MPA_ERROR_NONE);
}

/* The start was established by an FPDU passed early, and by a marker whose header had not come. */
TEST(test_start_known_before)
{
  static const uint32_t short_fpdus[] = {1442, 1442, 20, 20}; /* FPDU 2 is [2920, 2948) without a marker */
  g_autoptr(mpa_receiver) early = mpa_receiver_of(true, true, short_fpdus, 4);
  arrive(early, 1460, 2920);
  flip(early, 2930);
  g_assert_cmpint(inspect(early, 2920, 2948), ==, MPA_ERROR_CRC);

  /* [480, 512) is an FPDU of 24 octets of ULPDU; the marker at 512 is made to point to it and comes before
   * it */
  g_autoptr(mpa_receiver) late = mpa_receiver_of(true, true, ULPDUS(470, 24, 24));
  g_assert_cmpuint(mpa_stream_at(late->stream, 1)->start, ==, 480);
  late->stream->octets->data[515] = 32;
  arrive(late, 512, 516);
  g_assert_cmpint(inspect(late, 480, 512), ==, MPA_ERROR_NONE);
  flip(late, 490);
  g_assert_cmpint(inspect(late, 480, 512), ==, MPA_ERROR_CRC);
  /* half of the marker is held, half comes with the FPDU */
  g_autoptr(mpa_receiver) half = mpa_receiver_new(late->stream, true);
  arrive(half, 514, 516);
  g_assert_cmpint(inspect(half, 480, 514), ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(half, 480, 513), ==, MPA_ERROR_NONE);
}

/* FPDU 1, [512, 548), begins with the marker at 512, half of which has come before: it is valid, and its end
 * locates FPDU 2, [548, 580). */
TEST(test_marker_cut_in_front)
{
  g_autoptr(mpa_receiver) made = mpa_receiver_of(true, true, ULPDUS(502, 24, 24));
  arrive(made, 512, 514);
  g_assert_cmpint(inspect(made, 514, 580), ==, MPA_ERROR_NONE);
  flip(made, 570);
  g_assert_cmpint(inspect(made, 514, 580), ==, MPA_ERROR_CRC);
}

/* FPDU 0 is [0, 1460), and its octets 700 and 701 (of the ULPDU 690 and 691, after the first marker,
 * ULPDU_Length and the marker at 512) would be an impossible length. The marker at 1536, in FPDU 1, points
 * there: 836 octets back. FPDU 0 is valid and comes whole in the same octets, so no FPDU starts within it
 * (mpa-01 §5.4, MPA-164): the pointer is a fault of FPDU 1, which fails once it is whole (code 3). */
TEST(test_marker_into_valid_fpdu)
{
  uint8_t ulpdu[1442] = {[690] = 0xFF, [691] = 0xFF};
  g_autoptr(mpa_stream) stream = mpa_stream_begin(true, true);

  mpa_stream_append(stream, ulpdu, sizeof ulpdu);
  mpa_stream_append(stream, ulpdu, sizeof ulpdu);
  g_autoptr(mpa_receiver) made = mpa_receiver_new(stream, true);
  g_assert_cmpuint(big_endian_read_16(made->stream->octets->data + 700), ==, 0xFFFF);
  big_endian_write_16(made->stream->octets->data + 1538, 836);
  mpa_stream_repair_crc(made->stream, 1);
  g_assert_cmpint(inspect(made, 0, 1540), ==, MPA_ERROR_NONE);
  g_assert_cmpint(inspect(made, 0, 2920), ==, MPA_ERROR_MARKER);
  arrive(made, 0, 1540);
  g_assert_cmpint(made->error, ==, MPA_ERROR_NONE);
  arrive(made, 1540, 2920);
  g_assert_cmpint(made->error, ==, MPA_ERROR_MARKER);
}

/* A ULPDU_Length above 64768 is a fault of the octets that contain it, although these can never contain the
 * whole FPDU (note M15). */
FULL_TEST(test_impossible_length)
{
  made->stream->octets->data[4] = 0xFD; /* 0xFD.. > 64768 = 0xFD00 */
  g_assert_cmpint(inspect(made, 0, 5), ==, MPA_ERROR_NONE);
  g_assert_cmpint(inspect(made, 0, 6), ==, MPA_ERROR_CRC);
  arrive(made, 0, 5);
  g_assert_cmpint(inspect(made, 5, 1460), ==, MPA_ERROR_NONE); /* half of it is committed */
}

/* An inspection changes nothing, neither what is held nor what happens later; after an error it finds
 * none. */
TEST(test_changes_nothing)
{
  mpa_receiver *made = set_up(true);
  mpa_held before;

  flip(made, 2000);
  arrive(made, 0, 700);
  mpa_deframer_held(made->deframer, &before);
  g_assert_cmpint(inspect(made, 1460, 2920), ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 1460, 2920), ==, MPA_ERROR_CRC);
  expect_all_held(made, before);
  flip(made, 2000); /* it is sent again, undamaged */
  arrive(made, 700, 5840);
  expect_all(made);
  mpa_receiver_free(made);

  made = set_up(true);
  flip(made, 700);
  flip(made, 2000);
  arrive(made, 0, 1460);
  g_assert_cmpint(made->error, ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 1460, 2920), ==, MPA_ERROR_NONE);
  mpa_receiver_free(made);
}
