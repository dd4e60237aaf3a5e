/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiver with segments in many slices, which it copies as it does deferred FPDUs (mpa_fpdu_memory.h).
 * What it does with octets in any order is in test_rnic_dry_run and test_rnic_admission. */
#include "base/random_stream.h"
#include "receiver_fixture.h"

enum { WRITES = 40, SEED = 11, FPDU_OCTETS = 1460 };

static uint32_t payloads[WRITES];

/* All segments of up to FPDU_OCTETS, each second one late; then nothing of the memory may be in use. */
static void arrive_in_slices(receiver_fixture_mode mode, bool markers, uint32_t slice_octets,
                             uint64_t memory_octets)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(FPDU_OCTETS, memory_octets);
  g_autoptr(receiver_fixture) f = RECEIVER_OF(payloads, .mode = mode, .markers = markers, .crc = true,
                                              .fpdu_memory = memory, .slice_octets = slice_octets);
  g_autoptr(random_stream) random = random_stream_new(SEED, "receiver");
  uint64_t end = position_of(f, WRITES);

  g_test_message("seed %d, mode %d, markers %d, slices of %u octets, memory of %" G_GUINT64_FORMAT, SEED,
                 mode, markers, slice_octets, memory_octets);
  for (uint64_t from = 0; from < end;) {
    uint64_t middle = MIN(end, from + 1 + random_stream_below(random, FPDU_OCTETS));
    uint64_t to = MIN(end, middle + random_stream_below(random, FPDU_OCTETS));
    g_assert_true(middle == to || arrive(f, middle, to));
    g_assert_true(arrive(f, from, middle));
    from = to;
  }
  assert_all_placed(f);
  memory_pool *pool = mpa_fpdu_memory_arrived(memory, 1);
  g_assert_true(memory_octets < FPDU_OCTETS ? pool == NULL : pool->pieces_out == 0);
}

/* Copied or taken as they are, the Writes are placed as they were written, and what is held is what the dry
 * run foretold. */
TEST(test_slices)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "payloads");

  for (guint i = 0; i < WRITES; i++) {
    payloads[i] = 1 + (uint32_t)random_stream_below(random, 1400);
  }
  for (receiver_fixture_mode mode = IN_ORDER; mode < ASSUME_ALIGNED; mode++) {
    for (uint32_t slice_octets = 1; slice_octets <= 256; slice_octets *= 4) {
      arrive_in_slices(mode, true, slice_octets, 0);
      arrive_in_slices(mode, true, slice_octets, (uint64_t)2 * FPDU_OCTETS);
      arrive_in_slices(mode, true, slice_octets, 1 << 20);
      arrive_in_slices(mode, false, slice_octets, 1 << 20);
    }
  }
}

/* Octets of an FPDU that is held are in one piece of the memory; those in one or two slices, as a chain has
 * room for in itself, stay as they came: 800 of 300 are three slices, of 400 two. */
TEST(test_held)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(FPDU_OCTETS, 1 << 20);
  static const uint32_t payload[] = {1000};

  for (uint32_t slice_octets = 300; slice_octets <= 400; slice_octets += 100) {
    g_autoptr(receiver_fixture) f = RECEIVER_OF(payload, .mode = OUT_OF_ORDER, .markers = true, .crc = true,
                                                .fpdu_memory = memory, .slice_octets = slice_octets);
    uint64_t end = position_of(f, 1);
    g_assert_true(arrive(f, 0, 800));
    g_assert_cmpuint(mpa_fpdu_memory_arrived(memory, 1)->pieces_out, ==, slice_octets == 300 ? 1 : 0);
    g_assert_true(arrive(f, 800, end));
    g_assert_cmpuint(mpa_fpdu_memory_arrived(memory, 1)->pieces_out, ==, 0);
    assert_all_placed(f);
  }
}
