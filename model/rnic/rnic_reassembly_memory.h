/* SPDX-License-Identifier: GPL-2.0-only */
/* The reassembly memory of one RNIC is a size in octets, shared by all its connections (`receiver.memory`):
 * it counts how much of it is used. docs/metrics.md, "Held octets", describes which octets are held, and why.
 * `processing` is not reassembly memory, and neither are the fragments that IP holds, which has buffers of
 * its own (mpa-01 §11.2.1), nor what is held before full operation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
