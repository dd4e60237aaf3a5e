/* SPDX-License-Identifier: GPL-2.0-only */
/* The verdict on a segment before it is committed (mpa-01 §7, MPA-286; note M31). That it agrees with the
 * outcome is checked at every arrival of test_mpa_deframer_random, see mpa_receiver.h; here is the rest.
 *
 * FPDU k is [1460 k, 1460 (k + 1)); markers at 0, 512, 1024; 1536, 2048, 2560; 3072 … (see
 * mpa_receiver.h). */
#include <string.h>

#include "base/big_endian.h"
#include "mpa_receiver.h"
#include "stack_cleanup.h"
#include "test.h"

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

/* Code 3 is reported as code 3: the CRC is right, the marker at 512 points elsewhere. */
FULL_TEST(test_wrong_marker)
{
  made->stream->octets->data[515] ^= 0x08;
  mpa_stream_repair_crc(made->stream, 0);
  g_assert_cmpint(inspect(made, 0, 1460), ==, MPA_ERROR_MARKER);
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

/* An inspection changes nothing, neither what is held nor what happens later; after an error it finds
 * none. */
TEST(test_changes_nothing)
{
  mpa_receiver *made = mpa_receiver_of(true, true, FULL);
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

  made = mpa_receiver_of(true, true, FULL);
  flip(made, 700);
  flip(made, 2000);
  arrive(made, 0, 1460);
  g_assert_cmpint(made->error, ==, MPA_ERROR_CRC);
  g_assert_cmpint(inspect(made, 1460, 2920), ==, MPA_ERROR_NONE);
  mpa_receiver_free(made);
}
