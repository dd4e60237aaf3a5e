#include "rnic/rnic_host.h"

#include <glib.h>

struct rnic_host {
  ddp_stag_table *stags;
  uint32_t protection_domains; /* given so far */
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
