#include "rnic/rnic_host.h"

#include <glib.h>

#include "base/octet_rope.h"
#include "net/datagram.h"

struct rnic_host {
  ddp_stag_table *stags;
  rnic_reassembly_memory *memory; /* NULL: as much as is needed */
  rnic_pace *pace;                /* NULL: no limit */
  uint32_t protection_domains;    /* given so far */
  uint32_t stream_ids;
  uint16_t identification;
  memory_pool *datagrams;
  GPtrArray *fpdus;   /* of fpdu_pieces, one a length: a host has one or two */
  GPtrArray *buffers; /* of rnic_buffer_pool, one a length: a host has one or two */
};

typedef struct fpdu_pieces {
  uint32_t fpdu_octets;
  mpa_fpdu_memory *memory;
} fpdu_pieces;

static void free_fpdu_pieces(gpointer user)
{
  fpdu_pieces *pieces = user;

  mpa_fpdu_memory_free(pieces->memory);
  g_free(pieces);
}

static void free_buffers(gpointer pool)
{
  rnic_buffer_pool_free(pool);
}

rnic_host *rnic_host_new(uint64_t seed)
{
  rnic_host *host = g_new0(rnic_host, 1);

  host->stags = ddp_stag_table_new(seed);
  host->datagrams = datagram_pool_new();
  host->fpdus = g_ptr_array_new_with_free_func(free_fpdu_pieces);
  host->buffers = g_ptr_array_new_with_free_func(free_buffers);
  return host;
}

void rnic_host_free(rnic_host *host)
{
  if (host) {
    ddp_stag_table_free(host->stags);
    rnic_reassembly_memory_free(host->memory);
    rnic_pace_free(host->pace);
    memory_pool_unref(host->datagrams); /* what is still on its way lives on */
    g_ptr_array_free(host->fpdus, true);
    g_ptr_array_free(host->buffers, true);
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

uint16_t *rnic_host_identification(rnic_host *host)
{
  return &host->identification;
}

ddp_stag_table *rnic_host_stags(rnic_host *host)
{
  return host->stags;
}

void rnic_host_limit_memory(rnic_host *host, uint64_t octets, uint32_t cell_octets)
{
  g_assert(!host->memory && host->stream_ids == 0);
  host->memory = rnic_reassembly_memory_new(octets, cell_octets);
}

rnic_reassembly_memory *rnic_host_memory(const rnic_host *host)
{
  return host->memory;
}

void rnic_host_limit_rate(rnic_host *host, uint64_t bit_per_s, uint64_t segments_per_s)
{
  g_assert(!host->pace && host->stream_ids == 0);
  host->pace = rnic_pace_new(bit_per_s, segments_per_s);
}

rnic_pace *rnic_host_pace(const rnic_host *host)
{
  return host->pace;
}

memory_pool *rnic_host_datagrams(rnic_host *host)
{
  return host->datagrams;
}

const mpa_fpdu_memory *rnic_host_fpdu_memory(rnic_host *host, uint32_t fpdu_octets)
{
  for (guint i = 0; i < host->fpdus->len; i++) {
    const fpdu_pieces *pieces = g_ptr_array_index(host->fpdus, i);
    if (pieces->fpdu_octets == fpdu_octets) {
      return pieces->memory;
    }
  }
  fpdu_pieces *made = g_new(fpdu_pieces, 1);
  *made = (fpdu_pieces){.fpdu_octets = fpdu_octets,
                        .memory = mpa_fpdu_memory_new(fpdu_octets, MPA_FLAT_FPDU_OCTETS_MAX)};
  g_ptr_array_add(host->fpdus, made);
  return made->memory;
}

rnic_buffer_pool *rnic_host_buffers(rnic_host *host, uint32_t octets)
{
  for (guint i = 0; i < host->buffers->len; i++) {
    rnic_buffer_pool *pool = g_ptr_array_index(host->buffers, i);
    if (rnic_buffer_pool_octets(pool) == octets) {
      return pool;
    }
  }
  rnic_buffer_pool *made = rnic_buffer_pool_new(octets);
  g_ptr_array_add(host->buffers, made);
  return made;
}
