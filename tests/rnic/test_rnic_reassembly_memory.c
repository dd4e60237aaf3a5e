/* SPDX-License-Identifier: GPL-2.0-only */
/* The reassembly memory that the connections of an RNIC share: its bounds. What it refuses and lets go is in
 * test_rnic_admission and test_rnic_limits. */
#include "rnic/rnic_host.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_reassembly_memory, g_free)

/* More is held than the memory has, without a request: what releases memory, or changes nothing, is admitted
 * all the same. */
TEST(test_overfull)
{
  g_autoptr(rnic_reassembly_memory) memory = rnic_reassembly_memory_new(100, 1);

  rnic_reassembly_memory_change(memory, 0, 120);
  g_assert_true(rnic_reassembly_memory_has_room(memory, 120, 119));
  g_assert_true(rnic_reassembly_memory_has_room(memory, 120, 120));
  g_assert_false(rnic_reassembly_memory_has_room(memory, 120, 121));
}

/* Cells of 64: each cause has its own, 1 + 2 + 0 cells for 64, 65 and 0 octets; whatever does not wait to be
 * placed is left out. 100 octets take at most 1 + 1 + 98 octets in three causes: (64 + 64 + 128) = 256; the
 * bound is 100 + 3 · 63 = 289. */
TEST(test_cells)
{
  g_autoptr(rnic_reassembly_memory) memory = rnic_reassembly_memory_new(1000, 64);
  const rnic_occupancy held = {.incomplete = 64, .unlocated = 65, .processing = 1000, .in_order_edge = 77};
  const rnic_occupancy spread = {.incomplete = 1, .unlocated = 1, .order = 98};

  g_assert_cmpuint(rnic_reassembly_memory_octets_of(memory, &held), ==, 192);
  g_assert_cmpuint(rnic_reassembly_memory_octets_of(memory, &spread), ==, 256);
  g_assert_cmpuint(rnic_reassembly_memory_octets_at_most(memory, 100), ==, 289);
}

/* More than 32 bits can count: of 6 GiB one connection has 5 GiB and another what is left, in cells of 64. */
TEST(test_beyond_4_gib)
{
  const uint64_t gib = UINT64_C(1) << 30;
  g_autoptr(rnic_reassembly_memory) memory = rnic_reassembly_memory_new(6 * gib, 64);
  const rnic_occupancy held = {.incomplete = 5 * gib - 1, .unlocated = 5 * gib - 64, .order = 5 * gib};

  g_assert_cmpuint(rnic_reassembly_memory_octets_of(memory, &held), ==, 15 * gib - 64);
  g_assert_cmpuint(rnic_reassembly_memory_octets_at_most(memory, 5 * gib), ==, 5 * gib + 3 * 63);
  g_assert_true(rnic_reassembly_memory_has_room(memory, 0, 6 * gib));
  g_assert_false(rnic_reassembly_memory_has_room(memory, 0, 6 * gib + 1));
  rnic_reassembly_memory_change(memory, 0, 5 * gib);
  g_assert_cmpuint(memory->used, ==, 5 * gib);
  g_assert_false(rnic_reassembly_memory_has_room(memory, 0, gib + 1));
  g_assert_true(rnic_reassembly_memory_has_room(memory, 5 * gib, 6 * gib));
  rnic_reassembly_memory_change(memory, 0, gib);
  rnic_reassembly_memory_change(memory, 5 * gib, 0);
  EXPECT_FIELDS(memory, (used, gib), (peak, 6 * gib));
}
