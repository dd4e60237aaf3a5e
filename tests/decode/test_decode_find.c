/* SPDX-License-Identifier: GPL-2.0-only */
/* Where FPDUs start in octets from the middle of a stream. */
#include <string.h>

#include "decode/decode_scanner.h"
#include "decode_fixture.h"
#include "test.h"

static kit_talk *new_talk(bool markers, uint32_t ulpdu_octets, random_stream **random)
{
  const kit_plan plan = {
      .markers = {markers, false}, .crc = true, .fpdus = {40, 0}, .ulpdu_octets = ulpdu_octets};
  guint32 seed = g_test_rand_int();

  g_test_message("seed: %u", seed);
  *random = random_stream_new(seed, "find");
  return kit_talk_new(&plan, *random);
}

/* From whatever octet on, a place is found where an FPDU starts, at the right place between the markers, and
 * few are ignored. */
static void find(bool markers, uint32_t ulpdu_octets, guint passed_over)
{
  random_stream *random;
  g_autoptr(kit_talk) talk = new_talk(markers, ulpdu_octets, &random);
  const GByteArray *octets = talk->octets[0];

  for (size_t from = 0; from < octets->len / 2; from += 1 + random_stream_below(random, 200)) {
    size_t at;
    uint64_t offset;
    guint before = 0;
    g_assert_true(decode_find_start(octets->data + from, octets->len - from, markers, true, &at, &offset));
    g_assert_nonnull(mpa_stream_find(talk->fpdus[0], from + at));
    g_assert_cmpuint(offset, ==, markers ? (from + at) % 512 : 0);
    for (guint index = 0; index < talk->fpdus[0]->fpdus->len; index++) {
      uint64_t start = mpa_stream_at(talk->fpdus[0], index)->start;
      before += start >= from && start < from + at;
    }
    g_assert_cmpuint(before, <=, passed_over);
  }
  random_stream_free(random);
}

TEST(test_no_markers)
{
  find(false, 1400, 0);
}

/* One whose first octets have a marker in them is ignored, and one without any. */
TEST(test_markers)
{
  find(true, 1400, 12);
}

TEST(test_short_fpdus)
{
  find(true, 60, 40);
}

/* FPDUs without a marker say nothing of where markers are, whatever their octets look like. */
TEST(test_none_with_markers)
{
  for (guint turn = 0; turn < 30; turn++) {
    random_stream *random;
    g_autoptr(kit_talk) talk = new_talk(false, 200, &random);
    size_t at;
    uint64_t offset;
    g_assert_false(decode_find_start(talk->octets[0]->data, talk->octets[0]->len, true, true, &at, &offset));
    random_stream_free(random);
  }
}

/* Payload that looks like markers everywhere: which of them is one the FPDUs that follow say. */
TEST(test_payload_like_markers)
{
  g_autoptr(mpa_stream) stream = mpa_stream_begin(true, true);
  uint8_t ulpdu[600] = {0xC1, 0x40};
  size_t at;
  uint64_t offset;

  for (uint32_t distance = 16; distance + 1 < sizeof ulpdu; distance += 4) {
    ulpdu[distance] = (uint8_t)(distance >> 8);
    ulpdu[distance + 1] = (uint8_t)distance;
  }
  for (guint index = 0; index < 6; index++) {
    mpa_stream_append(stream, ulpdu, sizeof ulpdu);
  }
  uint64_t from = mpa_stream_at(stream, 1)->start;
  g_assert_true(
      decode_find_start(stream->octets->data + from, stream->octets->len - from, true, true, &at, &offset));
  g_assert_cmpuint(at, ==, 0);
  g_assert_cmpuint(offset, ==, from % 512);
}

/* Without CRCs, from whatever octet on, a place is found where an FPDU starts: the first FPDU whose start is
 * there, or with markers the first few of them that have one. Of payload at random one FPDU in a few thousand
 * would look like one that is followed by others, hence sparse. */
static void find_without_crc(bool markers)
{
  const kit_plan plan = {.markers = {markers, false}, .crc = true, .fpdus = {40, 0}, .sparse = true};
  guint32 seed = g_test_rand_int();

  g_test_message("seed: %u", seed);
  g_autoptr(random_stream) random = random_stream_new(seed, "find");
  g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
  GByteArray *octets = talk->octets[0];

  for (guint index = 0; index < talk->fpdus[0]->fpdus->len; index++) {
    kit_talk_flip(talk, 0, kit_talk_end(talk, 0, index) - 1, 0xFF);
  }
  for (size_t from = 0; from < octets->len / 2; from += 1 + random_stream_below(random, 200)) {
    size_t at;
    uint64_t offset;
    g_assert_true(decode_find_start(octets->data + from, octets->len - from, markers, false, &at, &offset));
    /* Of a marker before the first FPDU octets may be missing. */
    bool is_led = markers && (from + at) % 512 == 4;
    g_assert_true(mpa_stream_find(talk->fpdus[0], from + at) ||
                  (is_led && mpa_stream_find(talk->fpdus[0], from + at - 4)));
    g_assert_cmpuint(offset, ==, markers ? (from + at) % 512 : 0);
  }
}

TEST(test_without_crc)
{
  find_without_crc(false);
}

TEST(test_without_crc_markers)
{
  find_without_crc(true);
}

/* A CRC field that is not used and 0 looks like a marker between FPDUs: it takes a second marker, 512 octets
 * after it, to be believed. */
TEST(test_crc_of_0)
{
  uint8_t octets[20 * 32] = {0};
  size_t at;
  uint64_t offset;

  for (size_t each = 0; each < sizeof octets; each += 32) {
    octets[each + 1] = 24;
    octets[each + 2] = 0x41;
    octets[each + 3] = 0x43;
    octets[each + 15] = (uint8_t)(each / 32);
  }
  g_assert_false(decode_find_start(octets, sizeof octets, true, false, &at, &offset));
  g_assert_true(decode_find_start(octets + 5, sizeof octets - 5, false, false, &at, &offset));
  g_assert_cmpuint(at, ==, 32 - 5);
}

/* One FPDU proves nothing, unless it is all there is: a Send with six octets. */
TEST(test_alone_without_crc)
{
  uint8_t octets[64] = {0, 24, 0x41, 0x43, [15] = 7};
  enum { SEND_OCTETS = 2 + 24 + 2 + 4 };
  size_t at;
  uint64_t offset;

  g_assert_true(decode_find_start(octets, SEND_OCTETS, false, false, &at, &offset));
  g_assert_cmpuint(at, ==, 0);
  g_assert_false(decode_find_start(octets, SEND_OCTETS + 1, false, false, &at, &offset));
  g_assert_false(decode_find_start(octets + 1, SEND_OCTETS - 1, false, false, &at, &offset));
  memcpy(octets + SEND_OCTETS, octets, SEND_OCTETS);
  g_assert_true(decode_find_start(octets, sizeof octets, false, false, &at, &offset));
  octets[11] = 1; /* a Send on queue 1 */
  g_assert_false(decode_find_start(octets, SEND_OCTETS, false, false, &at, &offset));
  octets[11] = 0;
  octets[3] = 0x03; /* RV of another generation than DV */
  g_assert_false(decode_find_start(octets, SEND_OCTETS, false, false, &at, &offset));
  octets[3] = 0x40; /* an untagged Write */
  g_assert_false(decode_find_start(octets, SEND_OCTETS, false, false, &at, &offset));
}

TEST(test_nothing)
{
  random_stream *random;
  g_autoptr(kit_talk) talk = new_talk(true, 1400, &random);
  GByteArray *octets = talk->octets[0];
  size_t at;
  uint64_t offset;

  for (guint turn = 0; turn < 2; turn++) {
    for (guint index = 0; index < octets->len; index++) {
      octets->data[index] = turn == 0 ? 0 : (uint8_t)random_stream_next(random);
    }
    for (unsigned kind = 0; kind < 4; kind++) {
      g_assert_false(decode_find_start(octets->data, octets->len, kind % 2, kind / 2, &at, &offset));
    }
  }
  for (size_t length = 0; length < 40; length++) {
    g_assert_false(decode_find_start(octets->data, length, true, true, &at, &offset));
  }
  for (unsigned value = 0; value < 256; value++) {
    memset(octets->data, (int)value, octets->len);
    for (unsigned kind = 0; kind < 4; kind++) {
      g_assert_false(decode_find_start(octets->data, 20000, kind % 2, kind / 2, &at, &offset));
    }
  }
  random_stream_free(random);
}

/* FPDUs are counted up to the first that is wrong. */
TEST(test_count)
{
  random_stream *random;
  g_autoptr(kit_talk) talk = new_talk(true, 1400, &random);
  GByteArray *octets = talk->octets[0];
  uint64_t start = kit_talk_start(talk, 0, 10);

  g_assert_cmpuint(decode_find_count(octets->data, octets->len, 0, true, true), ==, 40);
  g_assert_cmpuint(decode_find_count(octets->data + start, octets->len - start, start % 512, true, true), ==,
                   30);
  g_assert_cmpuint(decode_find_count(octets->data, octets->len, 0, false, true), <, 10);
  g_assert_cmpuint(decode_find_count(octets->data, (size_t)start + 1, 0, true, true), ==, 10);
  kit_talk_flip(talk, 0, start + 8, 1);
  g_assert_cmpuint(decode_find_count(octets->data, octets->len, 0, true, true), ==, 10);
  random_stream_free(random);
}
