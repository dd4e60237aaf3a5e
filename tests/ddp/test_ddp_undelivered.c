/* SPDX-License-Identifier: GPL-2.0-only */
/* Many segments that wait for those before them. What comes twice is in test_ddp_placer. */
#include "base/random_stream.h"
#include "ddp/ddp_segment.h"
#include "stack_cleanup.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_undelivered, ddp_undelivered_free)

enum { SEGMENTS = 200, SEGMENT_OCTETS = 12 };

/* Segment 2 starts at position 2^32. */
static uint64_t start_of(uint64_t number)
{
  return (UINT64_C(1) << 32) + number * SEGMENT_OCTETS - 2 * SEGMENT_OCTETS;
}

static void add(ddp_undelivered *undelivered, uint64_t number)
{
  ddp_segment segment = {
      .fpdu_start = start_of(number), .fpdu_end = start_of(number + 1), .observer = number};
  ddp_undelivered_add(undelivered, &segment);
}

static void assert_takes(ddp_undelivered *undelivered, uint64_t number)
{
  ddp_segment taken;
  g_assert_true(ddp_undelivered_take(undelivered, start_of(number), &taken));
  g_assert_cmpuint(taken.observer, ==, number);
  g_assert_cmpuint(taken.fpdu_end, ==, start_of(number + 1));
}

static void assert_takes_none(ddp_undelivered *undelivered, uint64_t number)
{
  ddp_segment taken = {.observer = 77};
  g_assert_false(ddp_undelivered_take(undelivered, start_of(number), &taken));
  g_assert_cmpuint(taken.observer, ==, 77);
}

TEST(test_dropping_what_comes_after)
{
  g_autoptr(ddp_undelivered) undelivered = ddp_undelivered_new();
  ddp_undelivered_drop_from(undelivered, 0);
  for (uint64_t i = 1; i < 10; i++) {
    add(undelivered, i);
  }
  ddp_undelivered_drop_from(undelivered, start_of(10));
  g_assert_cmpuint(undelivered->segments.count, ==, 9);
  ddp_undelivered_drop_from(undelivered, start_of(5));
  g_assert_cmpuint(undelivered->segments.count, ==, 4);
  for (uint64_t i = 1; i < 5; i++) {
    assert_takes(undelivered, i);
  }
  assert_takes_none(undelivered, 5);
  add(undelivered, 7);
  ddp_undelivered_drop_from(undelivered, 0);
  g_assert_cmpuint(undelivered->segments.count, ==, 0);
}

/* Segments in any order, taken as soon as they are next: they come out in the order of the stream, each
 * once. */
TEST(test_any_order)
{
  enum { ROUNDS = 50 };
  const uint64_t seed = 5;
  g_autoptr(random_stream) random = random_stream_new(seed, "test_ddp_undelivered");
  for (int round = 0; round < ROUNDS; round++) {
    g_test_message("seed %u round %d", (unsigned)seed, round);
    uint64_t order[SEGMENTS];
    for (uint64_t i = 0; i < SEGMENTS; i++) {
      uint64_t j = random_stream_below(random, i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    g_autoptr(ddp_undelivered) undelivered = ddp_undelivered_new();
    bool added[SEGMENTS + 1] = {false};
    uint64_t next = 0;
    for (uint64_t i = 0; i < SEGMENTS; i++) {
      add(undelivered, order[i]);
      added[order[i]] = true;
      for (; added[next]; next++) {
        assert_takes(undelivered, next);
      }
      assert_takes_none(undelivered, next);
      g_assert_cmpuint(undelivered->segments.count, ==, i + 1 - next);
    }
    g_assert_cmpuint(next, ==, SEGMENTS);
  }
}
