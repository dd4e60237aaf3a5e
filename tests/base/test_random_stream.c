/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

enum { SEED = 1 };

/* These are the numbers of xoshiro256** from the state that splitmix64 makes of (1, "loss.forward"), computed
 * by an implementation in Python's unbounded integers from the authors' description: a scenario's results
 * hang on them. */
TEST(test_known_numbers)
{
  static const uint64_t expected[] = {UINT64_C(0x551096ca7da11545), UINT64_C(0xc35eba003e973ae1),
                                      UINT64_C(0xd956a71189909dbc), UINT64_C(0x962c3078fc214d4c)};
  random_stream *stream = random_stream_new(SEED, "loss.forward");
  for (size_t index = 0; index < G_N_ELEMENTS(expected); index++) {
    g_assert_cmphex(random_stream_next(stream), ==, expected[index]);
  }
  g_free(stream);
  g_assert_cmphex(random_hash(SEED, "loss.forward", 5), ==, UINT64_C(0x661862d95a0b4a48));
}

/* Of 64 bits of two independent streams 32 agree on average; over 1000 numbers 32000 ± 126. */
static void assert_independent(uint64_t seed_a, const char *name_a, uint64_t seed_b, const char *name_b)
{
  random_stream *a = random_stream_new(seed_a, name_a);
  random_stream *b = random_stream_new(seed_b, name_b);
  int agreeing = 0;
  for (unsigned draw = 0; draw < 1000; draw++) {
    agreeing += 64 - __builtin_popcountll(random_stream_next(a) ^ random_stream_next(b));
  }
  g_free(a);
  g_free(b);
  g_assert_cmpint(ABS(agreeing - 32000), <, 5 * 126);
}

TEST(test_streams_are_independent)
{
  assert_independent(SEED, "loss.forward", SEED, "loss.reverse");
  assert_independent(SEED, "loss.forward", SEED + 1, "loss.forward");
  assert_independent(SEED, "workload.0", SEED, "workload.1");
  assert_independent(0, "", 0, "a");
}

/* Each of ten faces in 20000 draws: 2000 ± 42. */
TEST(test_below_is_uniform)
{
  g_autoptr(random_stream) stream = random_stream_new(SEED, "below");
  int counts[10] = {0};
  for (unsigned draw = 0; draw < 20000; draw++) {
    uint64_t number = random_stream_below(stream, 10);
    g_assert_cmpuint(number, <, 10);
    counts[number]++;
  }
  for (unsigned face = 0; face < 10; face++) {
    g_assert_cmpint(ABS(counts[face] - 2000), <, 5 * 42);
  }
  g_assert_cmpuint(random_stream_below(stream, 1), ==, 0);
}

/* 2^64 does not divide by 3 · 2^62: of the four quarters of the draws one must be drawn again, or every third
 * number comes twice as often, 15000 times instead of 10000 ± 82 in 30000. */
TEST(test_below_is_unbiased)
{
  g_autoptr(random_stream) stream = random_stream_new(SEED, "bias");
  int counts[3] = {0};
  for (unsigned draw = 0; draw < 30000; draw++) {
    counts[random_stream_below(stream, UINT64_C(3) << 62) % 3]++;
  }
  for (unsigned rest = 0; rest < 3; rest++) {
    g_assert_cmpint(ABS(counts[rest] - 10000), <, 5 * 82);
  }
}

/* 1 % of 100000: 1000 ± 31. Never and always are exact. */
TEST(test_chance)
{
  g_autoptr(random_stream) stream = random_stream_new(SEED, "chance");
  int happened = 0;
  for (unsigned draw = 0; draw < 100000; draw++) {
    happened += random_stream_chance(stream, 0.01);
    g_assert_false(random_stream_chance(stream, 0));
    g_assert_true(random_stream_chance(stream, 1));
  }
  g_assert_cmpint(ABS(happened - 1000), <, 5 * 31);
}

/* Whatever the probability, a chance is one draw: changing a loss rate leaves the rest of the stream in
 * step. */
TEST(test_chance_draws_once)
{
  static const double probabilities[] = {0, 0.3, 1};
  random_stream *drawn = random_stream_new(SEED, "step");
  for (unsigned draw = 0; draw < 3; draw++) {
    random_stream_next(drawn);
  }
  uint64_t fourth = random_stream_next(drawn);
  g_free(drawn);
  for (size_t index = 0; index < G_N_ELEMENTS(probabilities); index++) {
    g_autoptr(random_stream) stream = random_stream_new(SEED, "step");
    for (unsigned draw = 0; draw < 3; draw++) {
      random_stream_chance(stream, probabilities[index]);
    }
    g_assert_cmphex(random_stream_next(stream), ==, fourth);
  }
}

/* Neighbours in seed, name and index differ in half of the bits: 32 ± 4 of 64, and 32000 ± 126 over 1000. */
TEST(test_hash)
{
  int changed[3] = {0};
  for (uint64_t index = 0; index < 1000; index++) {
    uint64_t hash = random_hash(SEED, "a", index);
    changed[0] += __builtin_popcountll(hash ^ random_hash(SEED, "a", index + 1));
    changed[1] += __builtin_popcountll(hash ^ random_hash(SEED, "b", index));
    changed[2] += __builtin_popcountll(hash ^ random_hash(SEED + 1, "a", index));
  }
  for (unsigned part = 0; part < G_N_ELEMENTS(changed); part++) {
    g_assert_cmpint(ABS(changed[part] - 32000), <, 5 * 126);
  }
}
