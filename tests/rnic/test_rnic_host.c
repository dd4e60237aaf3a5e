/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what the connections of one RNIC share; how fast it hands FPDUs to TCP; its buffers,
 * with guards on both sides, and memory that is used again. */
#include "rnic/rnic_host.h"
#include "stack_cleanup.h"
#include "test.h"

#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_buffer_pool, rnic_buffer_pool_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_host, rnic_host_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_pace, g_free)

/* Each number is given once. */
TEST(test_numbers)
{
  g_autoptr(rnic_host) host = rnic_host_new(1, NULL);
  uint32_t domain = rnic_host_protection_domain_new(host);
  uint32_t stream = rnic_host_stream_id_new(host);

  g_assert_cmpuint(rnic_host_protection_domain_new(host), !=, domain);
  g_assert_cmpuint(rnic_host_stream_id_new(host), !=, stream);
}

static uint32_t first_stag(uint64_t seed)
{
  static uint8_t octet;
  const ddp_registration registration = {.memory = &octet, .length = 1};
  g_autoptr(rnic_host) host = rnic_host_new(seed, NULL);
  uint32_t stag;

  g_assert_true(ddp_stag_table_register(host->stags, &registration, &stag));
  return stag;
}

/* One table for all its connections; what STags it chooses follows from the seed alone. */
TEST(test_stags)
{
  g_assert_cmphex(first_stag(7), ==, first_stag(7));
  g_assert_cmphex(first_stag(7), !=, first_stag(8));
}

/* As much reassembly memory as is needed, or what it is limited to. */
TEST(test_reassembly_memory)
{
  g_autoptr(rnic_host) host = rnic_host_new(1, NULL);

  g_assert_null(host->memory);
  rnic_host_limit_memory(host, 10, 1);
  g_assert_true(rnic_reassembly_memory_has_room(host->memory, 0, 10));
  g_assert_false(rnic_reassembly_memory_has_room(host->memory, 0, 11));
}

/* One pool for all connections, of each length that is needed; what is on its way outlives the host. */
TEST(test_pools)
{
  rnic_host *host = rnic_host_new(1, NULL);
  const mpa_fpdu_memory *fpdus = rnic_host_fpdu_memory(host, 1460);

  g_assert_true(rnic_host_fpdu_memory(host, 1460) == fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 8960) != fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 65536 + 1460) != fpdus);
  g_assert_true(rnic_host_fpdu_memory(host, 65536 + 1460) == rnic_host_fpdu_memory(host, 65536 + 1460));
  g_assert_false(mpa_fpdu_memory_is_full(fpdus));
  uint8_t *taken = rnic_buffer_pool_take(rnic_host_buffers(host, 100));
  taken[100] = 0; /* the first octet after the buffer */
  g_assert_false(rnic_buffer_pool_guards_intact(rnic_host_buffers(host, 100), taken));
  rnic_buffer_pool_give(rnic_host_buffers(host, 100), taken);
  g_assert_true(rnic_host_buffers(host, 100) == rnic_host_buffers(host, 100));
  g_assert_true(rnic_host_buffers(host, 101) != rnic_host_buffers(host, 100));
  g_autoptr(octet_buffer) buffer = octet_buffer_new_in(mpa_fpdu_memory_flat(fpdus, 1460), 1460);
  rnic_host_free(host);
  octet_buffer_octets(buffer)[1459] = 1;
}

/* --- Its pace --- */

enum { START = 7 };

/* 1460 octets at 1 Gbit/s take 11.68 us; at 1 Mio. segments a second one takes 1 us, three take 3. Who comes
 * first goes at once; who comes when all before have had their time, too. */
TEST(test_rates)
{
  g_autoptr(rnic_pace) octets = rnic_pace_new(UINT64_C(1000000000), 0);
  g_autoptr(rnic_pace) segments = rnic_pace_new(0, 1000000);
  time_ps late = START + TIME_PS_PER_SECOND;

  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, START), ==, START);
  g_assert_cmpint(rnic_pace_take_turn(octets, 100, 1, START), ==, START + 11680000);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, START), ==, START + 11680000 + 800000);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, late), ==, late);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, late + 11679999), ==, late + 11680000);
  g_assert_cmpint(rnic_pace_take_turn(segments, 1460, 1, START), ==, START);
  g_assert_cmpint(rnic_pace_take_turn(segments, 4000, 3, START), ==, START + 1000000);
  g_assert_cmpint(rnic_pace_take_turn(segments, 20, 1, START), ==, START + 4000000);
}

/* With both the slower decides each time: at 1 Gbit/s and 500,000 segments a second 1460 octets take 11.68
 * us, 100 octets 2 us. */
TEST(test_both_rates)
{
  g_autoptr(rnic_pace) pace = rnic_pace_new(UINT64_C(1000000000), 500000);

  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 0);
  g_assert_cmpint(rnic_pace_take_turn(pace, 100, 1, 0), ==, 11680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 100, 1, 0), ==, 13680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 15680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 15680000 + 11680000);
}

/* No fraction is lost: at 7 Gbit/s 1457 octets take 1665142.857 ps. The n-th comes when 8 * 1457 * n / 7 ns
 * have passed, rounded up, the millionth too; also when each asks only when the one before has gone. */
TEST(test_no_drift)
{
  for (unsigned asks_late = 0; asks_late < 2; asks_late++) {
    g_autoptr(rnic_pace) pace = rnic_pace_new(UINT64_C(7000000000), 0);
    time_ps turn = START;

    for (uint64_t n = 0; n <= 1000000; n++) {
      turn = rnic_pace_take_turn(pace, 1457, 1, asks_late ? turn : START);
      g_assert_cmpint(turn, ==, START + (time_ps)((8 * 1457 * n * 1000 + 6) / 7));
    }
  }
}

/* --- Its buffers --- */

/* As many pieces of memory as are taken at the same time; the one given back last is taken next. */
TEST(test_memory_is_used_again)
{
  g_autoptr(rnic_buffer_pool) pool = rnic_buffer_pool_new(100);
  uint8_t *a = rnic_buffer_pool_take(pool), *b = rnic_buffer_pool_take(pool);

  g_assert_true(a >= b + 100 || b >= a + 100);
  rnic_buffer_pool_give(pool, a);
  rnic_buffer_pool_give(pool, b);
  uint8_t *c = rnic_buffer_pool_take(pool), *d = rnic_buffer_pool_take(pool);
  if (MEMORY_POOL_KEEPS) {
    g_assert_true(c == b && d == a);
  }
  rnic_buffer_pool_give(pool, c);
  rnic_buffer_pool_give(pool, d);
}

/* All octets of a buffer may be written, none beside it; who takes it next finds the guards whole. */
TEST(test_writing_beside_a_buffer_is_seen)
{
  static const int beside[] = {-64, -1, 100, 163};
  g_autoptr(rnic_buffer_pool) pool = rnic_buffer_pool_new(100);

  for (gsize i = 0; i < G_N_ELEMENTS(beside); i++) {
    uint8_t *buffer = rnic_buffer_pool_take(pool);
    memset(buffer, (int)i, 100);
    g_assert_true(rnic_buffer_pool_guards_intact(pool, buffer));
    buffer[beside[i]] ^= 1;
    g_assert_false(rnic_buffer_pool_guards_intact(pool, buffer));
    rnic_buffer_pool_give(pool, buffer);
    buffer = rnic_buffer_pool_take(pool);
    g_assert_true(rnic_buffer_pool_guards_intact(pool, buffer));
    rnic_buffer_pool_give(pool, buffer);
  }
}

/* Buffers of no octets take no memory. */
TEST(test_no_octets)
{
  g_autoptr(rnic_buffer_pool) pool = rnic_buffer_pool_new(0);

  g_assert_null(rnic_buffer_pool_take(pool));
  g_assert_true(rnic_buffer_pool_guards_intact(pool, NULL));
  rnic_buffer_pool_give(pool, NULL);
}
