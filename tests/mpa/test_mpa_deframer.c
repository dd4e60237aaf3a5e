/* SPDX-License-Identifier: GPL-2.0-only */
/* The deframer on streams in order, cut anywhere, repeated, and with holes and no markers (mpa-01 §5.4,
 * §5.4.1). */
#include <string.h>

#include "mpa_receiver.h"
#include "stack_cleanup.h"
#include "test.h"

/* Segments that each carry one whole FPDU, in order: nothing is ever held (MPA-173, MPA-321). */
static void check_aligned(bool markers, bool crc)
{
  g_autoptr(mpa_receiver) receiver =
      mpa_receiver_of(markers, crc, ULPDUS(1442, 1442, 1, 502, 128, 64768, 2, 506, 1442));

  for (guint index = 0; index < receiver->stream->fpdus->len; index++) {
    const mpa_stream_fpdu *fpdu = mpa_stream_at(receiver->stream, index);

    arrive_and_hold(receiver, fpdu->start, fpdu->end, .incomplete = 0);
    g_assert_cmpuint(in_order_edge(receiver->deframer), ==, fpdu->end);
    g_assert_cmpint(located_by(receiver, index), ==, MPA_LOCATED_BY_CHAIN);
  }
  expect_all(receiver);
}

/* MPA-058, MPA-068: what goes up is the ULPDU and its length, nothing more; MPA-173: at once. */
TEST(test_aligned)
{
  check_aligned(true, true);
  check_aligned(true, false);
  check_aligned(false, true);
  check_aligned(false, false);
}

/* MPA-168, MPA-177: one octet at a time. FPDU 0 is [0, 16): marker 4, length 2, ULPDU 6, CRC 4. FPDU 1 is
 * [16, 512), 2 + 490 + 4, FPDU 2 [512, 528) begins with a marker again, and FPDU 3, 2 + 1442 + 4, has two
 * inside. An FPDU is incomplete from its second length octet on; so is its leading marker before that, while
 * a first length octet alone is unlocated. */
TEST(test_octet_by_octet)
{
  g_autoptr(mpa_receiver) receiver = mpa_receiver_of(true, true, ULPDUS(6, 490, 6, 1442));

  g_assert_cmpuint(receiver->stream->octets->len, ==, 528 + 1448 + 8);
  for (guint index = 0; index < 4; index++) {
    const mpa_stream_fpdu *fpdu = mpa_stream_at(receiver->stream, index);
    uint64_t leading = fpdu->start % 512 == 0 ? 4 : 0;

    for (uint64_t count = 1; count < fpdu->end - fpdu->start; count++) {
      arrive(receiver, fpdu->start + count - 1, fpdu->start + count);
      if (count >= leading + 2) {
        expect_held(receiver, .incomplete = count, .partial_fpdus = 1, .partial_end = fpdu->end);
      } else {
        expect_held(receiver, .incomplete = MIN(count, leading), .unlocated = count - MIN(count, leading));
      }
      g_assert_cmpuint(receiver->passed->len, ==, index);
    }
    arrive(receiver, fpdu->end - 1, fpdu->end);
    g_assert_cmpuint(receiver->passed->len, ==, index + 1);
    expect_held(receiver, .incomplete = 0);
  }
  expect_all(receiver);
}

/* Octets that come again change nothing, even when they differ: the first ones stay (MPA-032). */
TEST(test_duplicates)
{
  g_autoptr(mpa_receiver) receiver = mpa_receiver_of(true, true, ULPDUS(1442, 1442, 1442, 1442));
  g_autofree uint8_t *junk = g_malloc(2000);
  buffer_chain duplicate;

  memset(junk, 0xAA, 2000);
  buffer_chain_init(&duplicate);
  buffer_chain_append(&duplicate, junk, 2000, NULL);
  arrive(receiver, 0, 1460);
  arrive(receiver, 2920, 4380); /* FPDU 2 is passed by its markers */
  arrive(receiver, 4380, 4500); /* begins FPDU 3, which the end of FPDU 2 locates */
  arrive(receiver, 1460, 2000); /* begins FPDU 1: 540 octets */
  mpa_held held = {.incomplete = 660, .partial_fpdus = 2, .partial_end = 2920};
  expect_all_held(receiver, held);

  mpa_deframer_receive(receiver->deframer, 0, &duplicate, receiver->now, receiver->now); /* passed and held */
  expect_all_held(receiver, held);
  buffer_chain_drop_front(&duplicate, 460);
  mpa_deframer_receive(receiver->deframer, 2960, &duplicate, receiver->now,
                       receiver->now); /* early and held */
  expect_all_held(receiver, held);
  buffer_chain_clear(&duplicate);

  arrive(receiver, 1990, 4480); /* the missing ones between two runs of duplicates */
  expect_held(receiver, .incomplete = 120, .partial_fpdus = 1, .partial_end = 5840);
  arrive(receiver, 0, receiver->stream->octets->len);
  expect_all(receiver);
}

typedef struct seen {
  mpa_ulpdu_part parts[8];
  size_t count;
  uint32_t octets;
} seen;

static void see(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  seen *last = user;

  g_assert_cmpint(now, ==, 99);
  g_assert_cmpuint(ulpdu->part_count, <=, G_N_ELEMENTS(last->parts));
  g_assert_cmpuint(ulpdu->held_octets, ==, ulpdu->fpdu.end - ulpdu->fpdu.start); /* all of them had come */
  last->count = ulpdu->part_count;
  last->octets = ulpdu->fpdu.ulpdu_octets;
  for (size_t index = 0; index < last->count; index++) {
    last->parts[index] = ulpdu->parts[index];
  }
}

static void see_error(G_GNUC_UNUSED void *user, mpa_error error, uint64_t offset, time_ps now)
{
  g_test_message("error %d at %" G_GUINT64_FORMAT ", time %" G_GINT64_FORMAT, error, offset, now);
  g_assert_not_reached();
}

static void arrive_at(mpa_deframer *deframer, const mpa_stream *stream, uint64_t from, uint64_t to,
                      time_ps arrival)
{
  g_auto(buffer_chain) segment;

  buffer_chain_init(&segment);
  buffer_chain_append(&segment, stream->octets->data + from, (uint32_t)(to - from), NULL);
  mpa_deframer_receive(deframer, from, &segment, arrival, 99);
}

/* ULPDU of 600 octets: marker [0, 4), length [4, 6), ULPDU octets 0 … 505 at [6, 512), marker [512, 516),
 * octets 506 … 599 at [516, 610), PAD [610, 612) as 2 + 600 is 2 mod 4, CRC [612, 616). */
TEST(test_parts)
{
  g_autoptr(mpa_stream) stream = mpa_stream_new(true, true, ULPDUS(600));
  static const mpa_deframer_events events = {.ulpdu = see, .error = see_error};
  seen last = {.count = 0};
  g_autoptr(mpa_deframer) deframer = mpa_deframer_new(true, true, &events, &last);

  arrive_at(deframer, stream, 0, 6, 10); /* no octet of the ULPDU */
  arrive_at(deframer, stream, 6, 106, 20);
  arrive_at(deframer, stream, 106, 206, 20); /* the same arrival: one part */
  arrive_at(deframer, stream, 514, 616, 40); /* begins inside the marker */
  arrive_at(deframer, stream, 206, 514, 30);
  g_assert_cmpuint(last.octets, ==, 600);
  g_assert_cmpuint(last.count, ==, 3);
  EXPECT_FIELDS(&last.parts[0], (from, 0), (length, 200), (arrival, 20));
  EXPECT_FIELDS(&last.parts[1], (from, 200), (length, 306), (arrival, 30));
  EXPECT_FIELDS(&last.parts[2], (from, 506), (length, 94), (arrival, 40));
}

/* The largest ULPDU_Length there is, at a receiver that accepts long ULPDUs: 2 + 65535 + 3 + 4 octets, the
 * last of them in two pieces after octet 2^16. Its ULPDU_Length alone locates the FPDU. */
TEST(test_long_in_pieces)
{
  g_autoptr(mpa_stream) stream = mpa_stream_begin(false, true);
  const mpa_stream_fpdu fpdu = {.end = 65544, .ulpdu = g_malloc0(UINT16_MAX), .ulpdu_octets = UINT16_MAX};

  g_byte_array_set_size(stream->octets, 65544);
  memset(stream->octets->data, 0, 65544);
  memset(stream->octets->data, 0xFF, 2);
  g_array_append_val(stream->fpdus, fpdu);
  mpa_stream_repair_crc(stream, 0);
  g_autoptr(mpa_receiver) receiver = mpa_receiver_new(stream, true);
  mpa_deframer_take_long(receiver->deframer);
  arrive_and_hold(receiver, 0, 2, .incomplete = 2, .partial_fpdus = 1, .partial_end = 65544);
  arrive(receiver, 2, 65540);
  arrive(receiver, 65540, 65542);
  arrive(receiver, 65542, 65544); /* a copy of what is held, too */
  expect_all(receiver);
}

/* A ULPDU of no octets: no rule is broken, MPA passes it on (note M14). */
TEST(test_zero_length)
{
  static const uint8_t fpdu[] = {0, 0, 0, 0, 0xC7, 0x4B, 0x67, 0x48}; /* CRC32C of 4 zeros is 48674BC7 */
  static const mpa_deframer_events events = {.ulpdu = see, .error = see_error};
  seen last = {.count = 9, .octets = 9};
  g_autoptr(mpa_deframer) deframer = mpa_deframer_new(false, true, &events, &last);
  buffer_chain segment;

  buffer_chain_init(&segment);
  buffer_chain_append(&segment, fpdu, sizeof fpdu, NULL);
  mpa_deframer_receive(deframer, 0, &segment, 1, 99);
  buffer_chain_clear(&segment);
  g_assert_cmpuint(last.octets, ==, 0);
  g_assert_cmpuint(last.count, ==, 0);
  g_assert_cmpuint(in_order_edge(deframer), ==, 8);
}
