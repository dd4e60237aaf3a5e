#include "rnic/rnic_buffer_pool.h"

#include <glib.h>
#include <string.h>

#include "base/memory_pool.h"

enum {
  GUARD_OCTETS = 64,
  GUARD_VALUE = 0xA5,
};

/* One that nobody has; lies in the guard in front of the buffer. */
typedef struct unused_buffer {
  struct unused_buffer *next;
} unused_buffer;

struct rnic_buffer_pool {
  uint32_t octets;
  unused_buffer *unused;
  uint8_t intact[GUARD_OCTETS]; /* what a guard is compared with: one comparison a message */
};

rnic_buffer_pool *rnic_buffer_pool_new(uint32_t octets)
{
  rnic_buffer_pool *pool = g_new0(rnic_buffer_pool, 1);

  pool->octets = octets;
  memset(pool->intact, GUARD_VALUE, GUARD_OCTETS);
  return pool;
}

void rnic_buffer_pool_free(rnic_buffer_pool *pool)
{
  unused_buffer *next;

  if (!pool) {
    return;
  }
  for (unused_buffer *each = pool->unused; each; each = next) {
    next = each->next;
    g_free(each);
  }
  g_free(pool);
}

uint32_t rnic_buffer_pool_octets(const rnic_buffer_pool *pool)
{
  return pool->octets;
}

uint8_t *rnic_buffer_pool_take(rnic_buffer_pool *pool)
{
  unused_buffer *taken = pool->unused;

  if (pool->octets == 0) {
    return NULL;
  }
  if (taken) {
    pool->unused = taken->next;
  } else {
    taken = g_malloc(pool->octets + 2 * (size_t)GUARD_OCTETS);
  }
  uint8_t *buffer = (uint8_t *)taken + GUARD_OCTETS;
  memset(buffer - GUARD_OCTETS, GUARD_VALUE, GUARD_OCTETS);
  memset(buffer + pool->octets, GUARD_VALUE, GUARD_OCTETS);
  return buffer;
}

void rnic_buffer_pool_give(rnic_buffer_pool *pool, uint8_t *buffer)
{
  if (!buffer) {
    return;
  }
  unused_buffer *given = (unused_buffer *)(void *)(buffer - GUARD_OCTETS);
  if (!MEMORY_POOL_KEEPS) { /* the sanitizer finds who still writes there */
    g_free(given);
    return;
  }
  given->next = pool->unused;
  pool->unused = given;
}

bool rnic_buffer_pool_guards_intact(const rnic_buffer_pool *pool, const uint8_t *buffer)
{
  return !buffer || (memcmp(buffer - GUARD_OCTETS, pool->intact, GUARD_OCTETS) == 0 &&
                     memcmp(buffer + pool->octets, pool->intact, GUARD_OCTETS) == 0);
}
