/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the memory of the FPDUs of hosts, for all their connections: pieces that are used again and again,
 * and the choice between two ways to make an FPDU.
 *
 * A flat FPDU is one piece of memory, to which the ULPDU is copied. It costs the least as long as the flat
 * FPDUs in flight are in the processor's cache. Of a deferred FPDU (buffer_chain_defer()) two cache lines are
 * in flight, which the receiver writes it from: its octets never leave the cache. So new FPDUs are deferred
 * while as many flat ones are in flight, or wait to be acknowledged, as the cache holds: fewer of each with
 * many connections, whose state is to be there, too. This limits the memory of many connections, and of one
 * with a large window, and keeps the others fast. On the wire the two are the same. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory_pool.h"

/* About the most octets of flat FPDUs that there are at once: half of the share of one core in the last-level
 * cache of today's processors, since what is sent and placed is there, too; and that of its own cache, from
 * so many connections on. */
enum { MPA_FLAT_FPDU_OCTETS_MAX = 4 << 20, MPA_FLAT_FPDU_SHARES_MAX = 4 };

typedef struct mpa_fpdu_memory mpa_fpdu_memory;

/* Memory for FPDUs of mostly `fpdu_octets` (> 0) and less, of which flat ones take `flat_octets_max` at most,
 * about. Longer ones are made on the heap. Free with mpa_fpdu_memory_free(): what is on its way lives on. */
mpa_fpdu_memory *mpa_fpdu_memory_new(uint32_t fpdu_octets, uint64_t flat_octets_max);
void mpa_fpdu_memory_free(mpa_fpdu_memory *memory);

/* One end more of a connection uses it, of which there are two: `flat_octets_max` is shared by all
 * connections, but is no less than MPA_FLAT_FPDU_SHARES_MAX of them leave each. */
void mpa_fpdu_memory_add_end(mpa_fpdu_memory *memory);

/* Returns the pieces for a flat FPDU of `fpdu_octets`; they stay the memory's. */
memory_pool *mpa_fpdu_memory_flat(const mpa_fpdu_memory *memory, uint32_t fpdu_octets);

/* Returns whether as many FPDUs are flat as may be, short ones aside, so that the next one is deferred. */
bool mpa_fpdu_memory_is_full(const mpa_fpdu_memory *memory);

/* This is what a deferred FPDU is made of: with the fields of its buffer 96 octets, of two cache lines. */
enum { MPA_RECIPE_HEADER_OCTETS_MAX = 18 };
typedef struct mpa_fpdu_recipe {
  const uint8_t *payload;
  uint16_t payload_octets;
  uint16_t start; /* offset into the FPDU phase, modulo 2^16: markers are at multiples of 512 */
  bool markers : 1;
  bool crc : 1;
  uint8_t header_octets;
  uint8_t header[MPA_RECIPE_HEADER_OCTETS_MAX]; /* of DDP, with RDMAP's field */
} mpa_fpdu_recipe;
G_STATIC_ASSERT(sizeof(mpa_fpdu_recipe) == 32);

/* Returns the pieces for deferred FPDUs; they stay the memory's. */
memory_pool *mpa_fpdu_memory_recipes(const mpa_fpdu_memory *memory);

/* The pieces for `octets` of the stream that arrived deferred or in many slices and are to lie flat; NULL
 * when there are as many as may be (those that wait to be placed). The memory's. */
memory_pool *mpa_fpdu_memory_arrived(const mpa_fpdu_memory *memory, uint32_t octets);
