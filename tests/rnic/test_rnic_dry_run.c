/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a connection would hold after a segment, computed before it is taken. Each
 * arrival of the fixture compares. */
#include "receiver_fixture.h"

/* Segments of a scene: cuts at any place or at FPDU starts, in an order disturbed a little or much. */
typedef struct scene {
  random_stream *random;
  receiver_fixture *f;
  GArray *cuts;  /* of uint64_t */
  GArray *order; /* of guint */
} scene;

static uint64_t below(const scene *s, uint64_t bound)
{
  return random_stream_below(s->random, bound);
}

static void make_cuts(scene *s, bool aligned)
{
  uint64_t length = s->f->octets->len;
  uint64_t longest = 40 + below(s, 1400);
  guint fpdu = 0;

  s->cuts = g_array_new(false, false, sizeof(uint64_t));
  for (uint64_t position = 0; position < length;) {
    g_array_append_val(s->cuts, position);
    if (aligned) {
      position = position_of(s->f, fpdu++); /* streaming octets first */
      position = position == 0 ? position_of(s->f, fpdu++) : position;
    } else {
      position += 1 + below(s, longest);
    }
  }
  g_array_append_val(s->cuts, length);
}

static void make_order(scene *s)
{
  guint pieces = s->cuts->len - 1;
  uint64_t reach = below(s, 2) ? 3 : pieces;

  s->order = g_array_new(false, false, sizeof(guint));
  for (guint i = 0; i < pieces; i++) {
    guint at = (guint)below(s, MIN(reach, s->order->len + 1));
    g_array_insert_val(s->order, s->order->len - at, i);
  }
}

/* One piece, sometimes in a longer segment with octets before and after it: several runs of new ones. */
static void arrive_piece(scene *s, guint piece)
{
  uint64_t from = g_array_index(s->cuts, uint64_t, piece);
  uint64_t to = g_array_index(s->cuts, uint64_t, piece + 1);

  if (below(s, 4) == 0) {
    uint64_t before = below(s, 2000);
    uint64_t after = below(s, 2000);
    from -= MIN(from, before);
    to = MIN(to + after, s->f->octets->len);
  }
  g_assert_true(arrive(s->f, from, to));
}

static guint play(guint seed)
{
  bool is_midway = seed & 1 && seed & 16;
  uint32_t payloads[12];
  scene s = {.random = random_stream_new(seed, "test.forecast")};
  const receiver_fixture_config config = {
      .mode = seed % MODES,
      .markers = seed & 4,
      .crc = seed & 8,
      .streaming_octets = seed % 5 == 0 && !is_midway ? 1 + (uint32_t)below(&s, 300) : 0,
      .long_ago_octets = seed & 1 ? (UINT64_C(1) << 32) - 512 * (seed / 32 % 8) : 0,
      .is_midway = is_midway};
  guint count = 3 + (guint)below(&s, 10);

  for (guint i = 0; i < count; i++) {
    payloads[i] = (uint32_t)below(&s, below(&s, 2) ? 1400 : 60);
  }
  s.f = receiver_fixture_new(&config, payloads, count);
  make_cuts(&s, seed % 7 < 3);
  make_order(&s);
  g_test_message("seed %u: mode %d, markers %d, crc %d, streaming %u", seed, config.mode, config.markers,
                 config.crc, config.streaming_octets);
  for (guint i = 0; i < s.order->len; i++) {
    arrive_piece(&s, g_array_index(s.order, guint, i));
  }
  assert_all_placed(s.f);
  guint dry_runs = s.f->dry_runs;
  g_array_free(s.cuts, true);
  g_array_free(s.order, true);
  receiver_fixture_free(s.f);
  g_free(s.random);
  return dry_runs;
}

/* 6,000 connections: all modes, with markers and CRC and without, aligned and cut anywhere, some after
 * octets of streaming mode, half of them at stream position 2^32, of which half are looked at from there on
 * only. */
TEST(test_any_segments)
{
  guint dry_runs = 0;

  for (guint seed = 1; seed <= 6000; seed++) {
    dry_runs += play(seed);
  }
  g_assert_cmpuint(dry_runs, >, 30000);
}

/* By hand, an in-order receiver. FPDUs of 2 + 14 + 84 + 4 = 104 octets. The front of the second lies at the
 * edge (50 octets); one octet of its tail in TCP is `incomplete` with them. Then all after a hole of 4, 50
 * of the tail and the third FPDU, lies in TCP: 100 are `incomplete`, 104 `order`. The segment that brings the
 * 4 lets all go; one that brings 2 of them holds two more. */
TEST(test_in_order_by_hand)
{
  static const uint32_t payloads[] = {84, 84, 84};
  g_autoptr(receiver_fixture) f = RECEIVER_OF(payloads, .mode = IN_ORDER, .crc = true);
  arrive(f, 0, 154);
  EXPECT_FIELDS(f, (dry_run.held.incomplete, 50), (dry_run.pieces, 1));
  arrive(f, 207, 208);
  EXPECT_FIELDS(f, (dry_run.held.incomplete, 51), (dry_run.held.order, 0));
  arrive(f, 158, 312);
  EXPECT_FIELDS(f, (dry_run.held.incomplete, 100), (dry_run.held.order, 104));
  arrive(f, 154, 156);
  EXPECT_FIELDS(f, (dry_run.held.incomplete, 102), (dry_run.held.order, 104));
  arrive(f, 156, 158);
  EXPECT_FIELDS(f, (dry_run.held.incomplete, 0), (dry_run.held.order, 0));
  assert_all_placed(f);
}

/* By hand, one that assumes: the aligned segment after the hole goes up at once, and what DDP cannot place
 * is no FPDU: a segment that starts in the payload whose octets 0, 20 read as a ULPDU of 20 octets. */
TEST(test_assumption_by_hand)
{
  static const uint32_t payloads[] = {84, 84, 84};
  g_autoptr(receiver_fixture) f = RECEIVER_OF(payloads, .mode = ASSUME_ALIGNED);
  arrive(f, 104, 208);
  g_assert_cmpuint(f->dry_run.held.order, ==, 0);
  g_assert_cmpuint(rdmap_stream_undelivered(f->rdmap), ==, 1);
  /* Payload octet 1 + 14 + 2 = 17 into the FPDU … at 228 and 229 of the stream. */
  f->octets->data[228] = 0;
  f->octets->data[229] = 20;
  arrive(f, 228, 312);
  g_assert_cmpuint(f->dry_run.held.order, ==, 84);
  g_assert_cmpuint(rdmap_stream_undelivered(f->rdmap), ==, 1);
  arrive(f, 0, 104);
  arrive(f, 208, 228);
  EXPECT_FIELDS(rnic_receiver_statistics(f->receiver), (wrong_guesses, 1), (fpdus, 3));
  g_assert_cmpuint(rdmap_stream_undelivered(f->rdmap), ==, 0);
}
