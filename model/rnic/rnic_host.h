/* What the connections of one RNIC share: its STags, its Protection Domains, its reassembly memory, and the memory that its packets and its ULPs'
 * messages are made of, and the numbers of its IP datagrams. */
#ifndef RNIC_RNIC_HOST_H
#define RNIC_RNIC_HOST_H

#include "base/memory_pool.h"
#include "ddp/ddp_stag_table.h"
#include "mpa/mpa_fpdu_memory.h"
#include "rnic/rnic_buffer_pool.h"
#include "rnic/rnic_pace.h"
#include "rnic/rnic_reassembly_memory.h"

typedef struct rnic_host rnic_host;

/* A host without connections; the STags it chooses follow from `seed` alone. Free with rnic_host_free(), after its endpoints (NULL
 * is allowed). */
rnic_host *rnic_host_new(uint64_t seed);
void rnic_host_free(rnic_host *host);

/* A new Protection Domain, a new stream: each number is given once. */
uint32_t rnic_host_protection_domain_new(rnic_host *host);
uint32_t rnic_host_stream_id_new(rnic_host *host);

/* Reassembly memory of `octets` (0: none) in cells of `cell_octets` (>= 1) from here on, before the first endpoint; without this
 * call there is as much as is needed. */
void rnic_host_limit_memory(rnic_host *host, uint64_t octets, uint32_t cell_octets);

/* The host's; NULL when there is as much as is needed. */
rnic_reassembly_memory *rnic_host_memory(const rnic_host *host);

/* All its connections together hand FPDUs to TCP no faster, see rnic_pace_new(), from here on, before the first endpoint; without this call
 * as fast as they can. */
void rnic_host_limit_rate(rnic_host *host, uint64_t bit_per_s, uint64_t segments_per_s);

/* The host's; NULL when there is no limit. */
rnic_pace *rnic_host_pace(const rnic_host *host);

/* What the packets of all its connections are made of (datagram_pool_new()); the host's. */
memory_pool *rnic_host_datagrams(rnic_host *host);

/* What their FPDUs are made of, those of mostly `fpdu_octets` and less; the host's. */
const mpa_fpdu_memory *rnic_host_fpdu_memory(rnic_host *host, uint32_t fpdu_octets);

/* Buffers of `octets` for the ULPs of all its connections; the host's. */
rnic_buffer_pool *rnic_host_buffers(rnic_host *host, uint32_t octets);

/* The identification of the next datagram that routers may fragment; the host's. All its connections count here, for fragments of two
 * datagrams with one source, destination and identification would be put together (RFC 6864 §4.3). Who makes datagrams in the host's
 * name on the way counts on. */
uint16_t *rnic_host_identification(rnic_host *host);

/* The STags of all its connections; the host's. */
ddp_stag_table *rnic_host_stags(rnic_host *host);

#endif
