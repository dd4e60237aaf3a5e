#include "rnic/rnic_host.h"

#include <glib.h>

struct rnic_host {
  ddp_stag_table *stags;
  rnic_reassembly_memory *memory; /* NULL: as much as is needed */
  uint32_t protection_domains;    /* given so far */
  uint32_t stream_ids;
};

rnic_host *rnic_host_new(uint64_t seed)
{
  rnic_host *host = g_new0(rnic_host, 1);

  host->stags = ddp_stag_table_new(seed);
  return host;
}

void rnic_host_free(rnic_host *host)
{
  if (host) {
    ddp_stag_table_free(host->stags);
    rnic_reassembly_memory_free(host->memory);
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
