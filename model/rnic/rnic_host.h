/* SPDX-License-Identifier: GPL-2.0-only */
/* A host is what the connections of one RNIC share: its STags, its Protection Domains, its reassembly memory,
 * the memory of its packets and of its ULPs' messages, and the identifications of its IP datagrams. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory_pool.h"
#include "base/time_ps.h"
#include "ddp/ddp_stag_table.h"
#include "mpa/mpa_fpdu_memory.h"

/* The reassembly memory of one RNIC is a size in octets, shared by all its connections (`receiver.memory`):
 * it counts how much of it is used. docs/metrics.md, "Held octets", describes which octets are held, and why.
 * `processing` is not reassembly memory, and neither are the fragments that IP holds, which has buffers of
 * its own (mpa-01 §11.2.1), nor what is held before full operation. */

/* It is what the receiving side of one connection holds (docs/metrics.md, "Held octets"). */
typedef struct rnic_occupancy {
  uint64_t incomplete;
  uint64_t unlocated;
  uint64_t order;
  uint64_t processing;
  uint64_t in_order_edge; /* all octets of the FPDU phase below this offset have arrived */
  uint32_t holes;         /* out-of-order intervals of the TCP stream */
  uint32_t segments;      /* that brought them */
  uint32_t partial_fpdus;
  uint32_t undelivered;
} rnic_occupancy;

/* Only the functions below write it. */
typedef struct rnic_reassembly_memory {
  uint64_t octets;
  uint32_t cell_octets;
  uint64_t used;
  uint64_t peak; /* the most that was ever used */
} rnic_reassembly_memory;

/* Makes an unused memory of `octets` (0: there is none) in cells of `cell_octets` (>= 1, `receiver.cell`).
 * Free with g_free() (NULL is allowed). */
rnic_reassembly_memory *rnic_reassembly_memory_new(uint64_t octets, uint32_t cell_octets);

/* Returns what `held` takes up: `incomplete`, `unlocated` and `order` have cells of their own. */
uint64_t rnic_reassembly_memory_octets_of(const rnic_reassembly_memory *memory, const rnic_occupancy *held);

/* Returns the most that `octets` can take up, however they are spread over the causes. */
uint64_t rnic_reassembly_memory_octets_at_most(const rnic_reassembly_memory *memory, uint64_t octets);

/* Is there room for a connection that uses `before` to use `after`? */
bool rnic_reassembly_memory_has_room(const rnic_reassembly_memory *memory, uint64_t before, uint64_t after);

/* A connection that used `before` uses `after` now. */
void rnic_reassembly_memory_change(rnic_reassembly_memory *memory, uint64_t before, uint64_t after);

/* --- Its pace --- */

/* A pace is how fast a host hands FPDUs to TCP: those of all its connections one after the other, in the
 * order in which they are ready. */
typedef struct rnic_pace rnic_pace;

/* Makes one of at most `bit_per_s` of FPDUs and `segments_per_s`; 0: any number. Free with g_free() (NULL is
 * allowed). */
rnic_pace *rnic_pace_new(uint64_t bit_per_s, uint64_t segments_per_s);

/* Returns when an FPDU that is ready at `now` is handed over; it has `octets` (at most 65535 and its markers)
 * and TCP needs `segments` for it. That is at once, or when the FPDUs before it have had their time at both
 * rates, rounded up to a picosecond. */
time_ps rnic_pace_take_turn(rnic_pace *pace, uint32_t octets, uint32_t segments, time_ps now);

/* --- Its buffers --- */

/* A pool has buffers of one size for the ULPs of hosts, with guard octets on both sides of each: taken
 * when a message is posted for one, given back when it was verified, so that connections need
 * only the memory of the messages under way. The buffer given back last is the next to be taken: its memory
 * is warm. */
typedef struct rnic_buffer_pool rnic_buffer_pool;

/* Makes one with buffers of `octets` (0: there is no memory, and what is taken is NULL). Free with
 * rnic_buffer_pool_free(), after all have been given back. */
rnic_buffer_pool *rnic_buffer_pool_new(uint32_t octets);
void rnic_buffer_pool_free(rnic_buffer_pool *pool);

/* Returns a buffer whose octets may have any value and whose guards are whole. */
uint8_t *rnic_buffer_pool_take(rnic_buffer_pool *pool);

/* Takes back a buffer of this pool's, and its memory. */
void rnic_buffer_pool_give(rnic_buffer_pool *pool, uint8_t *buffer);

/* Takes back a buffer of this pool's, and gives its memory back to the system: what few messages need. */
void rnic_buffer_pool_drop(rnic_buffer_pool *pool, uint8_t *buffer);

/* Nobody reads `octets` octets of a buffer, from `from` on, any more: the system has the pages that are all
 * theirs, and whoever reads there finds zeros or what is written again. */
void rnic_buffer_pool_forget(uint8_t *from, size_t octets);

/* Returns true while nobody has written into the guard octets on either side of a buffer that is taken. */
bool rnic_buffer_pool_guards_intact(const rnic_buffer_pool *pool, const uint8_t *buffer);

/* --- The host --- */

/* This is the memory of packets, FPDUs and ULPs' messages: the simulation's own, of which no RNIC knows, so
 * that hosts may share it. What one host has just given back is in the processor's cache when another takes
 * it. */
typedef struct rnic_pools {
  memory_pool *datagrams; /* memory_pool_new(sizeof(datagram)) */
  GHashTable *fpdus;      /* of mpa_fpdu_memory, by the length of FPDUs: one or two */
  GHashTable *buffers;    /* of rnic_buffer_pool, by the length of buffers: one or two */
  uint32_t hosts;         /* that have it */
} rnic_pools;

/* Everything here is the host's. Only functions of this header change it, except for `identification`. */
typedef struct rnic_host {
  ddp_stag_table *stags;
  rnic_reassembly_memory *memory; /* NULL: as much as is needed */
  rnic_pace *pace;                /* NULL: no limit */
  uint32_t protection_domains;    /* given so far */
  uint32_t stream_ids;            /* likewise */
  /* It is that of the next datagram that routers may fragment. All connections use this counter, because
   * fragments of two datagrams with the same source, destination and identification would be put together
   * (RFC 6864 §4.3). So do middleboxes that make datagrams in the host's name. */
  uint16_t identification;
  rnic_pools *pools;
  struct tcp_config *tcp_config; /* see tcp_config.latest */
} rnic_host;

/* Makes a host without connections; the STags it chooses follow from `seed` alone. It shares the pools of
 * `neighbour` (NULL: it has its own). Free with rnic_host_free(), after its endpoints (NULL is allowed). */
rnic_host *rnic_host_new(uint64_t seed, const rnic_host *neighbour);
void rnic_host_free(rnic_host *host);

/* Return a new Protection Domain, a new stream: each number is given once. */
uint32_t rnic_host_protection_domain_new(rnic_host *host);
uint32_t rnic_host_stream_id_new(rnic_host *host);

/* Gives it reassembly memory of `octets` (0: none) in cells of `cell_octets` (>= 1) from here on, before the
 * first endpoint; without this call there is as much as is needed. */
void rnic_host_limit_memory(rnic_host *host, uint64_t octets, uint32_t cell_octets);

/* From here on all its connections together hand FPDUs to TCP no faster than this, see rnic_pace_new().
 * Before the first endpoint; without this call they are as fast as they can be. */
void rnic_host_limit_rate(rnic_host *host, uint64_t bit_per_s, uint64_t segments_per_s);

/* Returns the memory of the FPDUs of one end more, which mostly have `fpdu_octets` or less; the host's. */
const mpa_fpdu_memory *rnic_host_fpdu_memory(rnic_host *host, uint32_t fpdu_octets);

/* Returns buffers of `octets` for the ULPs of all its connections; the host's. */
rnic_buffer_pool *rnic_host_buffers(rnic_host *host, uint32_t octets);
