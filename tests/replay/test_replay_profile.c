/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile has the STags that a capture writes to, and registers each for just what was written. */
#include "replay/replay_profile.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_stag_table, ddp_stag_table_free)

enum { DOMAIN = 3 };

static const ddp_stream_identity stream = {.stream_id = 1, .protection_domain = DOMAIN};

static ddp_access_fault check(const ddp_stag_table *table, uint32_t stag, uint64_t offset, uint32_t length,
                              unsigned access)
{
  ddp_access reached;
  ddp_access_fault fault = ddp_stag_table_check(table, stream, stag, offset, length, access, &reached);

  if (fault == DDP_ACCESS_OK) {
    g_assert_null(reached.memory); /* what is written goes nowhere */
  }
  return fault;
}

/* There are two STags, written to in turns; the first at 1000 … 1099 and 4000 … 4499, in the wrong order.
 * What lies between is taken to be the buffer's. */
TEST(test_extents)
{
  g_autoptr(GHashTable) stags = replay_stags_new();
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);

  replay_stags_add(stags, 0xA, 4000, 500);
  replay_stags_add(stags, 0xB, 0, 1);
  replay_stags_add(stags, 0xA, 1000, 100);
  replay_stags_register(stags, table, DOMAIN);
  g_assert_cmpint(check(table, 0xA, 1000, 3500, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_OK);
  g_assert_cmpint(check(table, 0xA, 999, 1, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_BOUNDS);
  g_assert_cmpint(check(table, 0xA, 4500, 1, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_BOUNDS);
  g_assert_cmpint(check(table, 0xA, 1000, 1, DDP_ACCESS_REMOTE_READ), ==, DDP_ACCESS_RIGHTS);
  g_assert_cmpint(check(table, 0xB, 0, 1, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_OK);
  g_assert_cmpint(check(table, 0xC, 0, 1, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_INVALID_STAG);
}

/* The highest octet has Tagged Offset 2^64 - 2: a range that ends at 2^64 wraps (DDP-156), and is left to
 * the receiver. */
TEST(test_the_end_of_the_offsets)
{
  g_autoptr(GHashTable) stags = replay_stags_new();
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);

  replay_stags_add(stags, 0xA, UINT64_MAX - 9, 10);
  replay_stags_register(stags, table, DOMAIN);
  g_assert_null(ddp_stag_table_find(table, 0xA));
  replay_stags_add(stags, 0xA, UINT64_MAX - 10, 10);
  replay_stags_add(stags, 0xA, 0, 1);
  replay_stags_register(stags, table, DOMAIN);
  g_assert_cmpint(check(table, 0xA, UINT64_MAX - 10, 10, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_OK);
  g_assert_cmpint(check(table, 0xA, UINT64_MAX - 9, 10, DDP_ACCESS_REMOTE_WRITE), ==, DDP_ACCESS_WRAPS);
}
