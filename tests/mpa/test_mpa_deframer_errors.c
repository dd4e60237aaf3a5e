/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what the deframer refuses and with which code, and that nothing is passed after an
 * error (mpa-01 §7). */
#include <string.h>

#include "mpa/mpa_deframer.h"
#include "mpa_receiver.h"
#include "stack_cleanup.h"
#include "test.h"

/* FPDU k of these is [1460 k, 1460 (k + 1)) (see mpa_receiver.h); markers at 0, 512, 1024;
 * 1536, 2048, 2560; 3072, 3584, 4096; 4608, 5120, 5632. */
static mpa_receiver *set_up(bool crc)
{
  return mpa_receiver_of(true, crc, FULL);
}

static void arrive_aligned(mpa_receiver *made, guint index)
{
  arrive(made, 1460 * index, 1460 * (index + 1));
}

/* The error was reported, nothing is held any more, and nothing else is passed, whatever comes (MPA-288). */
static void expect_error(mpa_receiver *made, mpa_error error, uint64_t offset, guint passed)
{
  EXPECT_FIELDS(made, (error, error), (error_offset, offset), (error, error));
  g_assert_cmpuint(mpa_deframer_statistics_of(made->deframer)->crc_errors, ==, error == MPA_ERROR_CRC);
  for (guint index = 0; index < 4; index++) {
    expect_held(made, .incomplete = 0);
    arrive_aligned(made, index);
  }
  g_assert_cmpuint(made->errors, ==, 1);
  g_assert_cmpuint(made->passed->len, ==, passed);
}

/* MPA-133, MPA-288: a flipped octet is found in an FPDU beyond a hole, too; the FPDU in the hole is not
 * passed either (note M33). */
TEST(test_crc_beyond_a_hole)
{
  g_autoptr(mpa_receiver) made = set_up(true);
  made->stream->octets->data[3000] ^= 0x01;
  arrive_aligned(made, 1);
  arrive(made, 4400, 5000);
  arrive(made, 2920, 4000);
  g_assert_cmpint(made->error, ==, MPA_ERROR_NONE);
  arrive(made, 4000, 4380);
  expect_error(made, MPA_ERROR_CRC, 2920, 1);
}

/* MPA-068, MPA-131, MPA-132, MPA-133, MPA-159, MPA-161, MPA-162: whichever method has located an FPDU, its
 * CRC is checked before anything goes up, and a wrong one is code 2 (MPA-277). FPDUs [0, 440), [440, 540)
 * with the marker at 512, [540, 636) and [636, 732): in order the chain locates all; without the first a
 * marker locates the second, and its length the others. */
TEST(test_crc_by_every_method)
{
  for (guint harmed = 0; harmed < 8; harmed++) {
    guint index = harmed / 2;
    guint first = harmed % 2; /* the first FPDU that arrives */
    if (index < first) {
      continue;
    }
    g_autoptr(mpa_receiver) receiver = mpa_receiver_of(true, true, ULPDUS(430, 90, 90, 90));
    uint64_t start = mpa_stream_at(receiver->stream, index)->start;

    receiver->stream->octets->data[start + 50] ^= 0x01;
    arrive(receiver, mpa_stream_at(receiver->stream, first)->start, 732);
    g_assert_cmpint(receiver->error, ==, MPA_ERROR_CRC);
    g_assert_cmpuint(receiver->error_offset, ==, start);
    g_assert_cmpuint(receiver->passed->len, ==, index - first);
    for (guint passed = first; passed < index; passed++) {
      g_assert_cmpint(located_by(receiver, passed), ==,
                      first == 0    ? MPA_LOCATED_BY_CHAIN
                      : passed == 1 ? MPA_LOCATED_BY_MARKER
                                    : MPA_LOCATED_BY_MARKER_CHAIN);
    }
  }
}

/* The digest covers the markers: one computed without them is wrong (MPA-140). */
TEST(test_digest_without_marker)
{
  g_autoptr(mpa_stream) stream = mpa_stream_new(true, true, ULPDUS(480, 42));
  static const uint8_t digests[2][4] = {{0xA1, 0x9C, 0xD1, 0x03}, {0x37, 0xAA, 0x94, 0xD9}};
  uint8_t *second = stream->octets->data + 0x01EC;

  memset(second + 2, 0, 18);
  memcpy(second + 2, "\x40\x03", 2);
  second[15] = 2; /* MSN, as in figure 6 */
  memset(second + 24, 0, 24);
  for (int index = 0; index < 2; index++) {
    g_autoptr(mpa_receiver) receiver = mpa_receiver_new(stream, true);
    memcpy(second + 48, digests[index], 4);
    memcpy(mpa_stream_at(stream, 1)->ulpdu, second + 2, 18);
    memset(mpa_stream_at(stream, 1)->ulpdu + 18, 0, 24);
    arrive(receiver, 0, stream->octets->len);
    g_assert_cmpint(receiver->error, ==, index == 0 ? MPA_ERROR_NONE : MPA_ERROR_CRC);
  }
}

/* MPA-082, MPA-162: without CRC the field is not looked at (MPA-245). */
TEST(test_crc_off)
{
  g_autoptr(mpa_receiver) made = set_up(false);
  for (guint index = 0; index < 4; index++) {
    memset(made->stream->octets->data + mpa_stream_at(made->stream, index)->end - 4, 0x5A, 4);
    arrive_aligned(made, index);
  }
  expect_all(made);
}

/* A marker that points elsewhere in an FPDU whose CRC is right is code 3 (MPA-278); the leading one too. */
static void check_wrong_pointer(uint64_t marker, uint16_t pointer, bool repair, mpa_error expected)
{
  for (int crc = 0; crc <= 1; crc++) {
    g_autoptr(mpa_receiver) made = set_up(crc);
    made->stream->octets->data[marker + 2] = (uint8_t)(pointer >> 8);
    made->stream->octets->data[marker + 3] = (uint8_t)pointer;
    if (repair) {
      mpa_stream_repair_crc(made->stream, (guint)(marker / 1460));
    }
    for (guint index = 0; index <= marker / 1460; index++) {
      g_assert_cmpint(made->error, ==, MPA_ERROR_NONE);
      arrive_aligned(made, index);
    }
    uint64_t fpdu = marker / 1460;
    expect_error(made, crc ? expected : MPA_ERROR_MARKER, 1460 * fpdu, (guint)fpdu);
  }
}

/* MPA-288: and nothing is passed after a code 3. MPA-160: an FPDU whose marker and whose place in the
 * chain disagree has no unambiguous start, so it is not passed. */
TEST(test_wrong_pointer)
{
  check_wrong_pointer(0, 4, true, MPA_ERROR_MARKER);       /* the leading one: to before the stream */
  check_wrong_pointer(512, 0, true, MPA_ERROR_MARKER);     /* "the header follows" */
  check_wrong_pointer(1024, 1016, true, MPA_ERROR_MARKER); /* 4 short: the header is at 4 */
  check_wrong_pointer(512, 2000, true, MPA_ERROR_MARKER);  /* before the stream (note M10) */
  check_wrong_pointer(1536, 80, true, MPA_ERROR_MARKER);   /* 76 would be right */
  check_wrong_pointer(2560, 1096, true, MPA_ERROR_MARKER); /* 1100 would be right */
  /* With a broken CRC it is code 2 whatever the marker says (note M20). */
  check_wrong_pointer(1024, 1016, false, MPA_ERROR_CRC);
  check_wrong_pointer(1536, 80, false, MPA_ERROR_CRC);
}

/* Bits that do not count: RESERVED (MPA-086) and the low two of FPDUPTR (MPA-101, MPA-359), PAD (MPA-077).
 * They neither prevent location nor are an error; the CRC covers them. */
TEST(test_ignored_bits)
{
  mpa_receiver *made = set_up(true);
  static const uint64_t markers[] = {1536, 2048, 2560};
  for (gsize index = 0; index < G_N_ELEMENTS(markers); index++) {
    uint8_t *marker = made->stream->octets->data + markers[index];
    memset(marker, 0xFF, 2);
    marker[3] |= 3;
  }
  mpa_stream_repair_crc(made->stream, 1);
  arrive_aligned(made, 1);
  g_assert_cmpint(located_by(made, 1), ==, MPA_LOCATED_BY_MARKER);
  mpa_receiver_free(made);

  made = set_up(true);
  made->stream->octets->data[2048] = 0xFF; /* RESERVED changed, the CRC not */
  arrive_aligned(made, 0);
  arrive_aligned(made, 1);
  g_assert_cmpint(made->error, ==, MPA_ERROR_CRC);
  mpa_receiver_free(made);

  g_autoptr(mpa_stream) stream =
      mpa_stream_new(true, true, ULPDUS(601)); /* PAD of one octet before the CRC */
  mpa_receiver *receiver = mpa_receiver_new(stream, true);
  stream->octets->data[stream->octets->len - 5] = 0x77;
  mpa_stream_repair_crc(stream, 0);
  arrive(receiver, 0, stream->octets->len);
  expect_all(receiver);
  mpa_receiver_free(receiver);
  stream->octets->data[stream->octets->len - 5] = 0x78; /* PAD changed, the CRC not */
  receiver = mpa_receiver_new(stream, true);
  arrive(receiver, 0, stream->octets->len);
  g_assert_cmpint(receiver->error, ==, MPA_ERROR_CRC);
  mpa_receiver_free(receiver);
}

/* A sender may have counted from the leading marker instead of ULPDU_Length (note M1). FPDU 0 ends at
 * 512, so FPDU 1, [512, 1652), begins with a marker; those at 1024 and 1536 point back 512 and 1024 to it. */
TEST(test_pointer_to_leading_marker)
{
  g_autoptr(mpa_receiver) receiver = mpa_receiver_of(true, true, ULPDUS(502, 1122));

  g_assert_cmpuint(receiver->stream->octets->len, ==, 1652);
  memcpy(receiver->stream->octets->data + 1024, "\0\0\x02\x00", 4);
  memcpy(receiver->stream->octets->data + 1536, "\0\0\x04\x00", 4);
  mpa_stream_repair_crc(receiver->stream, 1);
  arrive(receiver, 516, 1652); /* the leading marker comes later */
  expect_held(receiver, .incomplete = 1136, .partial_fpdus = 1);
  arrive(receiver, 512, 516);
  g_assert_cmpint(located_by(receiver, 1), ==, MPA_LOCATED_BY_MARKER);
}

/* ULPDU_Length above 64768 is an invalid FPDU as soon as it is seen (note M15); 64768 is legal. */
TEST(test_impossible_length)
{
  for (int crc = 0; crc <= 1; crc++) {
    for (int ahead = 0; ahead <= 1; ahead++) {
      g_autoptr(mpa_receiver) made = set_up(crc);
      made->stream->octets->data[1460] = 64769 >> 8;
      made->stream->octets->data[1461] = 64769 & 0xFF;
      if (!ahead) {
        arrive(made, 0, 1462);
      } else {
        arrive(made, 1460, 1539);
        g_assert_cmpint(made->error, ==, MPA_ERROR_NONE);
        arrive(made, 1539, 1540); /* the marker at 1536 is whole */
      }
      g_assert_cmpint(made->error, ==, MPA_ERROR_CRC);
      expect_error(made, MPA_ERROR_CRC, 1460, ahead ? 0 : 1);
    }
  }
  g_autoptr(mpa_receiver) made = set_up(true);
  made->stream->octets->data[1460] = 64768 >> 8;
  made->stream->octets->data[1461] = 64768 & 0xFF;
  arrive(made, 0, 2920);
  /* 2 + 64768 + 2 + 4 = 64776; from phase 1460 mod 512 = 436: floor((432 + 64775) / 508) = 128 markers:
   * 65288. */
  expect_held(made, .incomplete = 1460, .partial_fpdus = 1, .partial_end = 1460 + 65288);
}

/* The length of FPDU 0 is broken so that it seems to reach to 1800: 1442 + 340 for 1448 + 3 markers
 * becomes 1788 octets and 4 markers, 1804. FPDU 1, [1460, 2920), is passed by its markers before FPDU 0 is
 * complete. */
static void check_length_into_passed_fpdu(bool crc, mpa_error expected)
{
  g_autoptr(mpa_receiver) made = set_up(crc);
  made->stream->octets->data[4] = (1442 + 340) >> 8;
  made->stream->octets->data[5] = (1442 + 340) & 0xFF;
  arrive_and_hold(made, 0, 6, .incomplete = 6, .partial_fpdus = 1, .partial_end = 1804);
  arrive(made, 1460, 1700);
  /* Each octet counts once, although it lies in both extents. */
  expect_held(made, .incomplete = 246, .partial_fpdus = 2, .partial_end = 1804);
  arrive(made, 1700, 2920);
  g_assert_cmpuint(made->passed->len, ==, 1);
  expect_held(made, .incomplete = 6, .partial_fpdus = 1, .partial_end = 1804);
  arrive(made, 6, 1459);
  g_assert_cmpint(made->error, ==, MPA_ERROR_NONE);
  arrive(made, 1459, 1460);
  expect_error(made, expected, 0, 1);
}

/* The same with FPDU 1 passed before any of FPDU 0 has come: of the extent of FPDU 0 only 6 octets are
 * held. */
static void check_length_over_passed_fpdu(bool crc, mpa_error expected)
{
  g_autoptr(mpa_receiver) made = set_up(crc);
  made->stream->octets->data[4] = (1442 + 340) >> 8;
  made->stream->octets->data[5] = (1442 + 340) & 0xFF;
  arrive_aligned(made, 1);
  arrive_and_hold(made, 0, 6, .incomplete = 6, .partial_fpdus = 1, .partial_end = 1804);
  arrive(made, 6, 1460);
  expect_error(made, expected, 0, 1);
}

TEST(test_length_into_passed_fpdu)
{
  check_length_into_passed_fpdu(true, MPA_ERROR_CRC);
  check_length_into_passed_fpdu(false, MPA_ERROR_MARKER);
  check_length_over_passed_fpdu(true, MPA_ERROR_CRC);
  check_length_over_passed_fpdu(false, MPA_ERROR_MARKER);
}

/* Noise in any pieces and any order: at most one error, no ULPDU if CRC is on, and never more octets held
 * than have come. */
static void on_ulpdu_of_noise(void *user, const mpa_ulpdu *ulpdu, G_GNUC_UNUSED time_ps now)
{
  guint *counts = user;
  uint32_t octets = 0;

  for (size_t index = 0; index < ulpdu->part_count; index++) {
    octets += ulpdu->parts[index].length;
  }
  g_assert_cmpuint(octets, ==, ulpdu->fpdu.ulpdu_octets);
  g_assert_cmpuint(counts[1], ==, 0);
  counts[0]++;
}

static void on_error_of_noise(void *user, mpa_error error, G_GNUC_UNUSED uint64_t offset,
                              G_GNUC_UNUSED time_ps now)
{
  guint *counts = user;

  g_assert_true(error == MPA_ERROR_CRC || error == MPA_ERROR_MARKER);
  counts[1]++;
}

static void feed_noise(random_stream *random, bool markers, bool crc)
{
  static const mpa_deframer_events events = {.ulpdu = on_ulpdu_of_noise, .error = on_error_of_noise};
  guint counts[2] = {0, 0};
  g_autoptr(mpa_deframer) deframer = mpa_deframer_new(markers, crc, &events, counts);
  uint64_t received = 0;
  uint64_t reach = 1 + random_stream_below(random, 6000);
  uint64_t mask = random_stream_below(random, 3); /* short lengths make whole "FPDUs" likely */
  uint8_t octets[700];

  for (int arrival = 1; arrival <= 60; arrival++) {
    uint64_t offset = random_stream_below(random, reach);
    uint32_t length = 1 + (uint32_t)random_stream_below(random, sizeof octets);
    buffer_chain segment;
    mpa_held held;

    for (uint32_t index = 0; index < length; index++) {
      octets[index] = (uint8_t)(random_stream_next(random) & (mask == 0 ? 0xFF : mask == 1 ? 0x03 : 0x10));
    }
    octet_buffer *buffer = octet_buffer_new(length);
    memcpy(octet_buffer_octets(buffer), octets, length);
    buffer_chain_init(&segment);
    buffer_chain_append(&segment, octet_buffer_octets(buffer), length, buffer);
    octet_buffer_unref(buffer);
    mpa_error verdict = mpa_deframer_inspect(deframer, offset, &segment);
    g_assert_true(verdict == MPA_ERROR_NONE || counts[1] == 0);
    mpa_deframer_receive(deframer, offset, &segment, arrival, arrival);
    buffer_chain_clear(&segment);
    received += length;
    mpa_deframer_held(deframer, &held);
    g_assert_cmpuint(held.incomplete + held.unlocated + held.order, <=, received);
    g_assert_cmpuint(markers ? held.order : held.unlocated, ==, 0);
  }
  g_assert_cmpuint(counts[1], <=, 1);
  g_assert_true(!crc || counts[0] == 0);
}

TEST(test_noise)
{
  g_autoptr(random_stream) random = random_stream_new(1, "test.noise");
  for (int round = 0; round < 250; round++) {
    g_test_message("seed 1, round %d", round);
    for (int kind = 0; kind < 4; kind++) {
      feed_noise(random, kind & 1, kind & 2);
    }
  }
}
