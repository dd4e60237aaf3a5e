/* SPDX-License-Identifier: GPL-2.0-only */
/* A session that gets octets and segments made to break it: no crash, and every octet of a stream is in one
 * sum. */
#include <string.h>

#include "decode_fixture.h"
#include "test.h"

/* Octets that are no FPDUs after valid startup frames: random, or few different ones, so that lengths are
 * short and markers point everywhere. */
TEST(test_random_octets)
{
  static const uint8_t few[] = {0x00, 0x00, 0x04, 0x20, 0x01, 0xC1};
  g_autoptr(random_stream) random = kit_random();

  for (guint turn = 0; turn < 60; turn++) {
    const kit_plan plan = {
        .has_frames = true, .markers = {turn % 2 == 0, true}, .crc = turn % 3 != 0, .fpdus = {20, 10}};
    const decode_options options = {.assume_aligned = turn % 5 == 0, .hold_octets = turn % 3 == 0 ? 5000 : 0};
    g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
    uint64_t from = talk->phase[0] + random_stream_below(random, talk->octets[0]->len - talk->phase[0]);
    for (uint64_t at = turn % 4 < 2 ? talk->phase[0] : from; at < talk->octets[0]->len; at++) {
      uint64_t drawn = random_stream_next(random);
      talk->octets[0]->data[at] = turn % 4 == 1 ? (uint8_t)drawn : few[drawn % sizeof few];
    }
    g_autoptr(GArray) pieces =
        kit_cut(talk, turn % 4 == 0 ? 0 : 1 + (uint32_t)random_stream_below(random, 2000));
    if (turn % 3 == 1) {
      kit_shuffle(pieces, random);
    }
    g_autoptr(kit_session) session = kit_decode(talk, pieces, &options);
    kit_expect_sums(session, talk);
    g_assert_cmpuint(kit_summary(session, SIDE_RESPONDER)->fpdus, ==, 10);
  }
}

/* A few octets changed, pieces lost, cut off by a snap length and doubled. */
static void damage(kit_talk *talk, GArray *pieces, random_stream *random)
{
  for (guint count = (guint)random_stream_below(random, 6); count > 0; count--) {
    uint64_t at = talk->phase[0] + random_stream_below(random, talk->octets[0]->len - talk->phase[0]);
    kit_talk_flip(talk, 0, at, (uint8_t)(1 + random_stream_below(random, 255)));
  }
  for (guint count = (guint)random_stream_below(random, 6); count > 0; count--) {
    guint index = 4 + (guint)random_stream_below(random, pieces->len - 5);
    kit_piece *piece = &g_array_index(pieces, kit_piece, index);
    uint64_t what = random_stream_below(random, 3);
    if (what == 0 && piece->position + piece->length < talk->octets[piece->from]->len) {
      g_array_remove_index(pieces, index);
    } else if (what == 1) {
      piece->captured = (uint32_t)random_stream_below(random, piece->captured + 1);
    } else {
      kit_append(pieces, *piece);
    }
  }
}

TEST(test_damage)
{
  g_autoptr(random_stream) random = kit_random();

  for (guint turn = 0; turn < 400; turn++) {
    const kit_plan plan = {.has_frames = true,
                           .markers = {turn % 3 > 0, false},
                           .crc = turn % 5 > 0,
                           .fpdus = {30, 2},
                           .ulpdu_octets = turn % 2 == 0 ? 100 : 1400};
    const decode_options options = {.assume_aligned = turn % 7 == 0, .hold_octets = turn % 4 == 0 ? 2000 : 0};
    g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
    g_autoptr(GArray) pieces = kit_cut(talk, turn % 2 == 0 ? 0 : 333);
    damage(talk, pieces, random);
    if (options.hold_octets == 0 && random_stream_chance(random, 0.5)) {
      kit_shuffle(pieces, random);
    }
    g_autoptr(kit_session) session = kit_decode(talk, pieces, &options);
    kit_expect_sums(session, talk);
  }
}

/* Segments with random sequence numbers, lengths and flags, of both ends, with a hint so that all counts as
 * MPA. */
TEST(test_random_segments)
{
  static const decode_hint hint = {.any_address = true, .end = {.port = 7471}, .start = {DECODE_START_FIND}};
  g_autoptr(random_stream) random = kit_random();
  uint8_t octets[4000];

  for (size_t index = 0; index < sizeof octets; index++) {
    octets[index] = (uint8_t)random_stream_next(random);
  }
  for (guint turn = 0; turn < 30; turn++) {
    const decode_options options = {.hints = &hint, .hint_count = turn % 2, .hold_octets = 10000};
    g_autoptr(kit_session) session = kit_session_new(&options);
    for (guint each = 0; each < 300; each++) {
      uint64_t drawn = random_stream_next(random);
      bool is_near = drawn % 8 != 0;
      uint32_t length = (uint32_t)random_stream_below(random, sizeof octets);
      capture_segment segment = {.packet = each + 1,
                                 .from = drawn >> 8 & 1,
                                 .flags = (uint8_t)(drawn >> 9 & drawn >> 17),
                                 .sequence =
                                     is_near ? (uint32_t)(drawn >> 32) % 100000 : (uint32_t)(drawn >> 32),
                                 .payload = octets,
                                 .payload_octets = length,
                                 .captured_octets = (uint32_t)random_stream_below(random, length + 1)};
      if (each % 16 == 0 && length > 20) {
        memcpy(octets, "MPA ID Req Frame\xC0\x01\x00\x00", 20);
      }
      if ((segment.flags & TCP_SYN) && !session->flow.has_syn[segment.from]) {
        session->flow.has_syn[segment.from] = true;
        session->flow.isn[segment.from] = segment.sequence;
      }
      decode_session_receive(session->session, &session->flow, &segment);
    }
    decode_session_finish(session->session);
  }
}
