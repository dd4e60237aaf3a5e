/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/pattern.h"
#include "base_cleanup.h"
#include "test.h"

#include <stdbool.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(pattern, pattern_free)

/* From any offset PATTERN_OCTETS octets are one piece of memory, and they are the table's, turned. */
TEST(test_readable_from_any_offset)
{
  g_autoptr(pattern) table = pattern_new();
  const uint8_t *whole = pattern_at(table, 0);
  for (uint32_t offset = 0; offset < PATTERN_OCTETS; offset += 13) {
    const uint8_t *turned = pattern_at(table, offset);
    uint32_t tail = PATTERN_OCTETS - offset;
    g_assert_true(memcmp(turned, whole + offset, tail) == 0);
    g_assert_true(memcmp(turned + tail, whole, offset) == 0);
  }
  g_assert_true(pattern_at(table, PATTERN_OCTETS) == whole);
  g_assert_true(pattern_at(table, UINT64_C(3) * PATTERN_OCTETS + 5) == whole + 5);
}

TEST(test_same_every_time)
{
  g_autoptr(pattern) one = pattern_new();
  g_autoptr(pattern) other = pattern_new();
  g_assert_cmpmem(pattern_at(one, 0), PATTERN_OCTETS, pattern_at(other, 0), PATTERN_OCTETS);
}

/* Octets placed at a wrong address must not look right: no 12 octets come again anywhere in the table, turned
 * or not. (Of 65521² / 2 pairs of random runs of 12 octets, 2^31 / 2^96 would be alike.) */
TEST(test_no_run_comes_twice)
{
  enum { RUN = 12 };
  g_autoptr(pattern) table = pattern_new();
  GHashTable *seen = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  for (uint32_t offset = 0; offset < PATTERN_OCTETS; offset++) {
    g_assert_true(g_hash_table_add(seen, g_bytes_new_static(pattern_at(table, offset), RUN)));
  }
  g_hash_table_destroy(seen);
}

/* 4 connections' 1000 messages: 4000 random starts of 65521 coincide 4000² / 2 / 65521 = 122 times, give or
 * take 11. */
TEST(test_messages_start_apart)
{
  g_autofree bool *used = g_new0(bool, PATTERN_OCTETS);
  unsigned distinct = 0;
  for (uint32_t connection = 0; connection < 4; connection++) {
    for (uint64_t message = 0; message < 1000; message++) {
      uint32_t offset = pattern_message_offset(connection, message);
      g_assert_cmpuint(offset, <, PATTERN_OCTETS);
      g_assert_cmpuint(offset, ==, pattern_message_offset(connection, message));
      distinct += !used[offset];
      used[offset] = true;
    }
  }
  g_assert_cmpuint(distinct, >, 4000 - 122 - 5 * 11);
}

/* Octets by reference, across the table's end and as long as it: they outlive the table. */
TEST(test_slice)
{
  pattern *table = pattern_new();
  g_autofree uint8_t *expected = g_malloc(PATTERN_OCTETS);
  g_auto(buffer_chain) chain = {0};
  for (uint32_t index = 0; index < PATTERN_OCTETS; index++) {
    expected[index] = *pattern_at(table, UINT64_C(65000) + index);
  }
  octet_slice slice = pattern_slice(table, 2 * UINT64_C(65521) + 65000, PATTERN_OCTETS);
  g_assert_true(slice.octets == pattern_at(table, 65000));
  buffer_chain_append(&chain, slice.octets, slice.length, slice.buffer);
  pattern_free(table);
  g_assert_cmpuint(chain.length, ==, PATTERN_OCTETS);
  g_assert_true(buffer_chain_equals(&chain, 0, chain.length, expected));
  pattern_free(NULL);
}
