/* What the connections of one RNIC share: its STags and its Protection Domains. */
#ifndef RNIC_RNIC_HOST_H
#define RNIC_RNIC_HOST_H

#include "ddp/ddp_stag_table.h"

typedef struct rnic_host rnic_host;

/* A host without connections; the STags it chooses follow from `seed` alone. Free with rnic_host_free(), after its endpoints (NULL
 * is allowed). */
rnic_host *rnic_host_new(uint64_t seed);
void rnic_host_free(rnic_host *host);

/* A new Protection Domain, a new stream: each number is given once. */
uint32_t rnic_host_protection_domain_new(rnic_host *host);
uint32_t rnic_host_stream_id_new(rnic_host *host);

/* The STags of all its connections; the host's. */
ddp_stag_table *rnic_host_stags(rnic_host *host);

#endif
