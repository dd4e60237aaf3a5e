/* Buffers of one size: guards on both sides, and memory that is used again. */
#include "rnic/rnic_host.h"

#include <glib.h>
#include <string.h>

#include "base/memory_pool.h"

/* As many pieces of memory as are taken at the same time; the one given back last is taken next. */
static void test_memory_is_used_again(void)
{
  rnic_buffer_pool *pool = rnic_buffer_pool_new(100);
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
  rnic_buffer_pool_free(pool);
}

/* All octets of a buffer may be written, none beside it; who takes it next finds the guards whole. */
static void test_writing_beside_a_buffer_is_seen(void)
{
  static const int beside[] = {-64, -1, 100, 163};
  rnic_buffer_pool *pool = rnic_buffer_pool_new(100);

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
  rnic_buffer_pool_free(pool);
}

/* Buffers of no octets take no memory. */
static void test_no_octets(void)
{
  rnic_buffer_pool *pool = rnic_buffer_pool_new(0);

  g_assert_null(rnic_buffer_pool_take(pool));
  g_assert_true(rnic_buffer_pool_guards_intact(pool, NULL));
  rnic_buffer_pool_give(pool, NULL);
  rnic_buffer_pool_free(pool);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-buffer-pool/memory-is-used-again", test_memory_is_used_again);
  g_test_add_func("/rnic-buffer-pool/guards", test_writing_beside_a_buffer_is_seen);
  g_test_add_func("/rnic-buffer-pool/no-octets", test_no_octets);
  return g_test_run();
}
