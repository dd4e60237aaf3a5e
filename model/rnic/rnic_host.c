/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_host.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buffer_chain.h"
#include "net/datagram.h"
#include "tcp/tcp_config.h"

/* --- Its pace --- */

/* It is one rate: `free_ps` and `rest` / `per_second` picoseconds more is when the next may begin, so that no
 * fraction is ever lost. */
typedef struct pace_clock {
  uint64_t per_second; /* 0: any number */
  time_ps free_ps;
  uint64_t rest;
} pace_clock;

struct rnic_pace {
  pace_clock bits;
  pace_clock segments;
};

rnic_pace *rnic_pace_new(uint64_t bit_per_s, uint64_t segments_per_s)
{
  rnic_pace *pace = g_new0(rnic_pace, 1);

  pace->bits.per_second = bit_per_s;
  pace->segments.per_second = segments_per_s;
  return pace;
}

static time_ps free_at(const pace_clock *clock)
{
  return clock->free_ps + (clock->rest > 0);
}

/* `amount` begins at `now`, which is not before free_at(). */
static void spend(pace_clock *clock, uint64_t amount, time_ps now)
{
  if (clock->per_second == 0) {
    return;
  }
  if (now > free_at(clock)) {
    clock->free_ps = now;
    clock->rest = 0;
  }
  uint64_t scaled = amount * (uint64_t)TIME_PS_PER_SECOND + clock->rest;
  clock->free_ps += (time_ps)(scaled / clock->per_second);
  clock->rest = scaled % clock->per_second;
}

time_ps rnic_pace_take_turn(rnic_pace *pace, uint32_t octets, uint32_t segments, time_ps now)
{
  time_ps turn = MAX(now, MAX(free_at(&pace->bits), free_at(&pace->segments)));

  g_assert(octets <= G_MAXUINT32 / 8192); /* with 10^12 picoseconds they fit 64 bits */
  spend(&pace->bits, (uint64_t)octets * 8, turn);
  spend(&pace->segments, segments, turn);
  return turn;
}

/* --- Its buffers --- */

enum {
  GUARD_OCTETS = 64,
  GUARD_VALUE = 0xA5,
};

/* It is a buffer that nobody has taken, and lies in the guard before the buffer. */
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

  for (unused_buffer *each = pool->unused; each; each = next) {
    next = each->next;
    g_free(each);
  }
  g_free(pool);
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

void rnic_buffer_pool_drop(G_GNUC_UNUSED rnic_buffer_pool *pool, uint8_t *buffer)
{
  if (buffer) {
    g_free(buffer - GUARD_OCTETS);
  }
}

void rnic_buffer_pool_forget(uint8_t *from, size_t octets)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = ((uintptr_t)from + page - 1) / page * page;
  const uintptr_t end = ((uintptr_t)from + octets) / page * page;

  if (end > first) {
    madvise((void *)first, end - first, MADV_DONTNEED); /* what fails costs memory alone */
  }
}

void rnic_buffer_pool_give(rnic_buffer_pool *pool, uint8_t *buffer)
{
  if (!buffer || !MEMORY_POOL_KEEPS) { /* the sanitizer finds who still writes there */
    rnic_buffer_pool_drop(pool, buffer);
    return;
  }
  unused_buffer *given = (unused_buffer *)(void *)(buffer - GUARD_OCTETS);
  given->next = pool->unused;
  pool->unused = given;
}

bool rnic_buffer_pool_guards_intact(const rnic_buffer_pool *pool, const uint8_t *buffer)
{
  return !buffer || (memcmp(buffer - GUARD_OCTETS, pool->intact, GUARD_OCTETS) == 0 &&
                     memcmp(buffer + pool->octets, pool->intact, GUARD_OCTETS) == 0);
}

/* --- The host --- */

rnic_host *rnic_host_new(uint64_t seed, const rnic_host *neighbour)
{
  rnic_host *host = g_new0(rnic_host, 1);

  host->stags = ddp_stag_table_new(seed);
  host->pools = neighbour ? neighbour->pools : g_new0(rnic_pools, 1);
  rnic_pools *pools = host->pools;
  if (pools->hosts++ == 0) {
    pools->datagrams = memory_pool_new(sizeof(datagram));
    pools->fpdus = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)mpa_fpdu_memory_free);
    pools->buffers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)rnic_buffer_pool_free);
  }
  return host;
}

void rnic_host_free(rnic_host *host)
{
  if (host) {
    ddp_stag_table_free(host->stags);
    g_free(host->memory);
    g_free(host->pace);
    if (--host->pools->hosts == 0) {
      memory_pool_unref(host->pools->datagrams); /* what is still on its way lives on */
      g_hash_table_destroy(host->pools->fpdus);
      g_hash_table_destroy(host->pools->buffers);
      g_free(host->pools);
    }
    tcp_config_release(host->tcp_config);
    g_free(host);
  }
}

uint32_t rnic_host_protection_domain_new(rnic_host *host)
{
  return ++host->protection_domains;
}

uint32_t rnic_host_stream_id_new(rnic_host *host)
{
  return ++host->stream_ids;
}

void rnic_host_limit_memory(rnic_host *host, uint64_t octets, uint32_t cell_octets)
{
  g_assert(!host->memory && host->stream_ids == 0);
  host->memory = rnic_reassembly_memory_new(octets, cell_octets);
}

void rnic_host_limit_rate(rnic_host *host, uint64_t bit_per_s, uint64_t segments_per_s)
{
  g_assert(!host->pace && host->stream_ids == 0);
  host->pace = rnic_pace_new(bit_per_s, segments_per_s);
}

const mpa_fpdu_memory *rnic_host_fpdu_memory(rnic_host *host, uint32_t fpdu_octets)
{
  mpa_fpdu_memory *memory = g_hash_table_lookup(host->pools->fpdus, GUINT_TO_POINTER(fpdu_octets));
  if (!memory) {
    memory = mpa_fpdu_memory_new(fpdu_octets, MPA_FLAT_FPDU_OCTETS_MAX);
    g_hash_table_insert(host->pools->fpdus, GUINT_TO_POINTER(fpdu_octets), memory);
  }
  mpa_fpdu_memory_add_end(memory);
  return memory;
}

rnic_buffer_pool *rnic_host_buffers(rnic_host *host, uint32_t octets)
{
  rnic_buffer_pool *pool = g_hash_table_lookup(host->pools->buffers, GUINT_TO_POINTER(octets));
  if (!pool) {
    pool = rnic_buffer_pool_new(octets);
    g_hash_table_insert(host->pools->buffers, GUINT_TO_POINTER(octets), pool);
  }
  return pool;
}

/* --- The reassembly memory --- */

enum { CAUSES = 3 };

rnic_reassembly_memory *rnic_reassembly_memory_new(uint64_t octets, uint32_t cell_octets)
{
  rnic_reassembly_memory *memory = g_new0(rnic_reassembly_memory, 1);

  g_assert(cell_octets > 0);
  memory->octets = octets;
  memory->cell_octets = cell_octets;
  return memory;
}

static uint64_t in_cells(const rnic_reassembly_memory *memory, uint64_t octets)
{
  uint64_t cells = octets / memory->cell_octets + (octets % memory->cell_octets > 0);

  return cells * memory->cell_octets;
}

uint64_t rnic_reassembly_memory_octets_of(const rnic_reassembly_memory *memory, const rnic_occupancy *held)
{
  return in_cells(memory, held->incomplete) + in_cells(memory, held->unlocated) +
         in_cells(memory, held->order);
}

uint64_t rnic_reassembly_memory_octets_at_most(const rnic_reassembly_memory *memory, uint64_t octets)
{
  return octets + CAUSES * (uint64_t)(memory->cell_octets - 1);
}

bool rnic_reassembly_memory_has_room(const rnic_reassembly_memory *memory, uint64_t before, uint64_t after)
{
  g_assert(before <= memory->used);
  return after <= before || memory->used - before + after <= memory->octets;
}

void rnic_reassembly_memory_change(rnic_reassembly_memory *memory, uint64_t before, uint64_t after)
{
  g_assert(before <= memory->used);
  memory->used += after - before;
  memory->peak = MAX(memory->peak, memory->used);
}
