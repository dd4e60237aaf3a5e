/* SPDX-License-Identifier: GPL-2.0-only */
/* A session that gets octets and segments made to break it: no crash, and every octet of a stream is in one
 * sum. */
#include <string.h>

#include "decode_fixture.h"

/* Octets that are no FPDUs after valid startup frames: random, or few different ones, so that lengths are
 * short and markers point everywhere. */
TEST(test_random_octets)
{
  static const uint8_t few[] = {0x00, 0x00, 0x04, 0x20, 0x01, 0xC1};
  g_autoptr(random_stream) random = random_of_test();

  for (guint turn = 0; turn < 60; turn++) {
    const send_plan plan = {
        .has_frames = true, .markers = {turn % 2 == 0, true}, .crc = turn % 3 != 0, .fpdus = {20, 10}};
    const decode_options options = {.assume_aligned = turn % 5 == 0, .hold_octets = turn % 3 == 0 ? 5000 : 0};
    g_autoptr(decode_case) at = decode_case_new(&plan, random, 0);
    uint64_t from = at->phase[0] + random_stream_below(random, at->octets[0]->len - at->phase[0]);
    for (uint64_t each = turn % 4 < 2 ? at->phase[0] : from; each < at->octets[0]->len; each++) {
      uint64_t drawn = random_stream_next(random);
      at->octets[0]->data[each] = turn % 4 == 1 ? (uint8_t)drawn : few[drawn % sizeof few];
    }
    cut(at, turn % 4 == 0 ? 0 : 1 + (uint32_t)random_stream_below(random, 2000));
    if (turn % 3 == 1) {
      shuffle(at);
    }
    decode_well(at, &options);
    g_assert_cmpuint(at->reverse->fpdus, ==, 10);
  }
}

/* A few octets changed, pieces lost, cut off by a snap length and doubled. */
static void damage(decode_case *at)
{
  for (guint count = (guint)random_stream_below(at->random, 6); count > 0; count--) {
    uint64_t wrong = at->phase[0] + random_stream_below(at->random, at->octets[0]->len - at->phase[0]);
    flip(at, 0, wrong, (uint8_t)(1 + random_stream_below(at->random, 255)));
  }
  for (guint count = (guint)random_stream_below(at->random, 6); count > 0; count--) {
    guint index = 4 + (guint)random_stream_below(at->random, at->pieces->len - 5);
    piece *each = piece_at(at, index);
    uint64_t what = random_stream_below(at->random, 3);
    if (what == 0 && each->position + each->length < at->octets[each->from]->len) {
      g_array_remove_index(at->pieces, index);
    } else if (what == 1) {
      each->captured = (uint32_t)random_stream_below(at->random, each->captured + 1);
    } else {
      append(at, *each);
    }
  }
}

TEST(test_damage)
{
  g_autoptr(random_stream) random = random_of_test();

  for (guint turn = 0; turn < 400; turn++) {
    const send_plan plan = {.has_frames = true,
                            .markers = {turn % 3 > 0, false},
                            .crc = turn % 5 > 0,
                            .fpdus = {30, 2},
                            .ulpdu_octets = turn % 2 == 0 ? 100 : 1400};
    const decode_options options = {.assume_aligned = turn % 7 == 0, .hold_octets = turn % 4 == 0 ? 2000 : 0};
    g_autoptr(decode_case) at = decode_case_new(&plan, random, turn % 2 == 0 ? 0 : 333);
    damage(at);
    if (options.hold_octets == 0 && random_stream_chance(random, 0.5)) {
      shuffle(at);
    }
    decode_well(at, &options);
  }
}

/* Segments with random sequence numbers, lengths and flags, of both ends, with a hint so that all counts as
 * MPA. */
TEST(test_random_segments)
{
  static const decode_hint hint = {.any_address = true, .end = {.port = 7471}, .start = {DECODE_START_FIND}};
  g_autoptr(random_stream) random = random_of_test();
  g_autoptr(decode_case) at = decode_case_new(&(send_plan){0}, random, 0);
  uint8_t octets[4000];

  for (size_t index = 0; index < sizeof octets; index++) {
    octets[index] = (uint8_t)random_stream_next(random);
  }
  for (guint turn = 0; turn < 30; turn++) {
    const decode_options options = {.hints = &hint, .hint_count = turn % 2, .hold_octets = 10000};
    decode_begin(at, &options);
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
      if ((segment.flags & TCP_SYN) && !at->flows[0].has_syn[segment.from]) {
        at->flows[0].has_syn[segment.from] = true;
        at->flows[0].isn[segment.from] = segment.sequence;
      }
      decode_session_receive(at->session, &at->flows[0], &segment);
    }
    decode_end(at);
  }
}
