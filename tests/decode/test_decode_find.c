/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show where FPDUs start in octets from the middle of a stream. */
#include <string.h>

#include "decode/decode_scanner.h"
#include "decode_fixture.h"

static const send_plan unmarked = {.crc = true, .fpdus = {40, 0}};
static const send_plan marked = {.markers = {true, false}, .crc = true, .fpdus = {40, 0}};
static const send_plan marked_short = {
    .markers = {true, false}, .crc = true, .fpdus = {40, 0}, .ulpdu_octets = 60};

typedef struct place {
  bool found;
  size_t at;
  uint64_t offset;
} place;

static place find(const uint8_t *octets, size_t length, bool markers, bool crc)
{
  place start = {0};

  start.found = decode_find_start(octets, length, markers, crc, &start.at, &start.offset);
  return start;
}

/* From whatever octet on, a place is found where an FPDU starts, at the right place between the markers, and
 * few FPDUs are ignored: with markers, one with a marker in its first octets, and one without any marker. */
PLAN_TEST(test_start, &unmarked, &marked, &marked_short)
{
  const GByteArray *octets = at->octets[0];
  bool markers = at->plan->markers[0];
  guint most_ignored = at->plan == &unmarked ? 0 : at->plan == &marked ? 12 : 40;

  for (size_t from = 0; from < octets->len / 2; from += 1 + random_stream_below(at->random, 200)) {
    const place start = find(octets->data + from, octets->len - from, markers, true);
    guint before = 0;
    g_assert_true(start.found);
    g_assert_nonnull(mpa_stream_find(at->sent[0], from + start.at));
    g_assert_cmpuint(start.offset, ==, markers ? (from + start.at) % 512 : 0);
    for (guint index = 0; index < at->sent[0]->fpdus->len; index++) {
      before += start_of(at, 0, index) >= from && start_of(at, 0, index) < from + start.at;
    }
    g_assert_cmpuint(before, <=, most_ignored);
  }
}

/* FPDUs without a marker do not show where markers are, whatever their octets look like. */
TEST(test_none_with_markers)
{
  const send_plan plan = {.crc = true, .fpdus = {40, 0}, .ulpdu_octets = 200};
  g_autoptr(random_stream) random = random_of_test();

  for (guint turn = 0; turn < 30; turn++) {
    g_autoptr(decode_case) at = decode_case_new(&plan, random, 0);
    g_assert_false(find(at->octets[0]->data, at->octets[0]->len, true, true).found);
  }
}

/* The payload looks like markers everywhere: the FPDUs that follow show which of them is a marker. */
TEST(test_payload_like_markers)
{
  g_autoptr(mpa_stream) stream = mpa_stream_begin(true, true);
  uint8_t ulpdu[600] = {0xC1, 0x40};

  for (uint32_t distance = 16; distance + 1 < sizeof ulpdu; distance += 4) {
    ulpdu[distance] = (uint8_t)(distance >> 8);
    ulpdu[distance + 1] = (uint8_t)distance;
  }
  for (guint index = 0; index < 6; index++) {
    mpa_stream_append(stream, ulpdu, sizeof ulpdu);
  }
  uint64_t from = mpa_stream_at(stream, 1)->start;
  const place start = find(stream->octets->data + from, stream->octets->len - from, true, true);
  g_assert_true(start.found);
  EXPECT_FIELDS(&start, (at, 0), (offset, from % 512));
}

static const send_plan sparse = {.crc = true, .fpdus = {40, 0}, .sparse = true};
static const send_plan sparse_marked = {
    .markers = {true, false}, .crc = true, .fpdus = {40, 0}, .sparse = true};

/* Without CRCs, from whatever octet on, a place is found where an FPDU starts: the first FPDU whose start is
 * there, or with markers the first few of them that have one. In random payload one FPDU in a few thousand
 * would look like one that is followed by others, hence sparse. */
PLAN_TEST(test_without_crc, &sparse, &sparse_marked)
{
  const GByteArray *octets = at->octets[0];
  bool markers = at->plan->markers[0];

  for (guint index = 0; index < at->sent[0]->fpdus->len; index++) {
    flip(at, 0, end_of(at, 0, index) - 1, 0xFF);
  }
  for (size_t from = 0; from < octets->len / 2; from += 1 + random_stream_below(at->random, 200)) {
    const place start = find(octets->data + from, octets->len - from, markers, false);
    g_assert_true(start.found);
    /* Octets of a marker before the first FPDU may be missing. */
    bool is_led = markers && (from + start.at) % 512 == 4;
    g_assert_true(mpa_stream_find(at->sent[0], from + start.at) ||
                  (is_led && mpa_stream_find(at->sent[0], from + start.at - 4)));
    g_assert_cmpuint(start.offset, ==, markers ? (from + start.at) % 512 : 0);
  }
}

/* An unused CRC field of 0 looks like a marker between FPDUs: only with a second marker, 512 octets after it,
 * is it taken for one. */
TEST(test_crc_of_0)
{
  uint8_t octets[20 * 32] = {0};

  for (size_t each = 0; each < sizeof octets; each += 32) {
    octets[each + 1] = 24;
    octets[each + 2] = 0x41;
    octets[each + 3] = 0x43;
    octets[each + 15] = (uint8_t)(each / 32);
  }
  g_assert_false(find(octets, sizeof octets, true, false).found);
  const place start = find(octets + 5, sizeof octets - 5, false, false);
  EXPECT_FIELDS(&start, (found, true), (at, 32 - 5));
}

/* One FPDU proves nothing, unless nothing else is there: a Send with six octets. */
TEST(test_alone_without_crc)
{
  uint8_t octets[64] = {0, 24, 0x41, 0x43, [15] = 7};
  enum { SEND_OCTETS = 2 + 24 + 2 + 4 };

  const place start = find(octets, SEND_OCTETS, false, false);
  EXPECT_FIELDS(&start, (found, true), (at, 0));
  g_assert_false(find(octets, SEND_OCTETS + 1, false, false).found);
  g_assert_false(find(octets + 1, SEND_OCTETS - 1, false, false).found);
  memcpy(octets + SEND_OCTETS, octets, SEND_OCTETS);
  g_assert_true(find(octets, sizeof octets, false, false).found);
  octets[11] = 1; /* a Send on queue 1 */
  g_assert_false(find(octets, SEND_OCTETS, false, false).found);
  octets[11] = 0;
  octets[3] = 0x03; /* RV of another generation than DV */
  g_assert_false(find(octets, SEND_OCTETS, false, false).found);
  octets[3] = 0x40; /* an untagged Write */
  g_assert_false(find(octets, SEND_OCTETS, false, false).found);
}

PLAN_TEST(test_nothing, &marked)
{
  GByteArray *octets = at->octets[0];

  for (guint turn = 0; turn < 2; turn++) {
    for (guint index = 0; index < octets->len; index++) {
      octets->data[index] = turn == 0 ? 0 : (uint8_t)random_stream_next(at->random);
    }
    for (unsigned kind = 0; kind < 4; kind++) {
      g_assert_false(find(octets->data, octets->len, kind % 2, kind / 2).found);
    }
  }
  for (size_t length = 0; length < 40; length++) {
    g_assert_false(find(octets->data, length, true, true).found);
  }
  for (unsigned value = 0; value < 256; value++) {
    memset(octets->data, (int)value, octets->len);
    for (unsigned kind = 0; kind < 4; kind++) {
      g_assert_false(find(octets->data, 20000, kind % 2, kind / 2).found);
    }
  }
}

/* FPDUs are counted up to the first that is wrong. */
PLAN_TEST(test_count, &marked)
{
  const uint8_t *octets = at->octets[0]->data;
  size_t length = at->octets[0]->len;
  uint64_t start = start_of(at, 0, 10);

  g_assert_cmpuint(decode_find_count(octets, length, 0, true, true), ==, 40);
  g_assert_cmpuint(decode_find_count(octets + start, length - start, start % 512, true, true), ==, 30);
  g_assert_cmpuint(decode_find_count(octets, length, 0, false, true), <, 10);
  g_assert_cmpuint(decode_find_count(octets, (size_t)start + 1, 0, true, true), ==, 10);
  flip(at, 0, start + 8, 1);
  g_assert_cmpuint(decode_find_count(octets, length, 0, true, true), ==, 10);
}
